# SPDX-License-Identifier: MIT
"""report FOLDER: what a report is made of. Its measurements are FOLDER/data/lab*.csv, which data.py reads."""
