# SPDX-License-Identifier: MIT
"""The tables of a report, and what in its data should make a reader doubt."""
