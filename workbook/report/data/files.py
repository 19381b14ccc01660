# SPDX-License-Identifier: MIT
"""Files that are replaced whole, or not at all: those of the tool, and a student's."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from workbook import UserError
from workbook.core import files


def put(path: Path, content: str | bytes) -> None:
    """A file of the tool's own has this content; its folder may be new."""
    try:
        files.put(path, content.encode() if isinstance(content, str) else content)
    except OSError as error:
        why = "is the disk full, or is it not yours? What was there is kept"
        raise UserError(f"cannot write {path}: {why}") from error


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read: is the name right, and may you read it?"
        ) from error


def replace(path: Path, content: bytes) -> None:
    """A file of a student's, which may be a link, and keeps its permissions."""
    real = Path(os.path.realpath(path))
    if not os.access(real, os.W_OK):
        raise UserError(f"{path}: is read-only and stays as it is: chmod u+w it first")
    try:
        number, name = tempfile.mkstemp(prefix=".fill.", dir=real.parent)
    except OSError as error:
        why = "no new file can be made beside it; free some space, or allow it"
        raise UserError(f"{path}: stays as it is: {why}") from error
    try:
        with open(number, "wb") as new:
            new.write(content)
        shutil.copymode(real, name)
        os.replace(name, real)
    except OSError as error:
        why = "its new text cannot be written beside it; the disk is full: free some space"
        raise UserError(f"{path}: stays as it is: {why}") from error
    finally:
        Path(name).unlink(missing_ok=True)
