# SPDX-License-Identifier: MIT
"""Outputs that are kept in a file beside their test. UPDATE=1 writes them anew: a changed word is a
difference to read."""

from __future__ import annotations

import os
from pathlib import Path

ANEW = "UPDATE=1 writes the file anew"


def golden(path: Path, text: str) -> str:
    """What the file has; with UPDATE=1 that is this text from now on."""
    if os.environ.get("UPDATE"):
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")
