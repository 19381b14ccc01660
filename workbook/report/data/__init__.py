# SPDX-License-Identifier: MIT
"""A report's measurements, and its files."""
