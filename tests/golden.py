# SPDX-License-Identifier: MIT
"""Outputs that are kept in a file beside their test. UPDATE=1 writes them anew: a changed word is a
difference to read."""

from __future__ import annotations

import os
from pathlib import Path


def is_golden(path: Path, text: str) -> bool:
    if os.environ.get("UPDATE"):
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8") == text
