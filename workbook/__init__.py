# SPDX-License-Identifier: MIT
"""The tools of the workbook: python3 -m workbook COMMAND."""

import os
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent


class UserError(Exception):
    """What the user should know and mend: one line on stderr, and exit status 2."""


def flag(name: str) -> bool:
    """A yes from the environment, as V=1; empty and 0 are a no."""
    return os.environ.get(name, "") not in ("", "0")
