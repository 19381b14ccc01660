# SPDX-License-Identifier: MIT
"""The tools of the workbook: python3 -m workbook COMMAND."""

from pathlib import Path

TOP = Path(__file__).resolve().parent.parent


class Mistake(Exception):
    """What the user should know and mend: one line on stderr, and exit status 2."""
