# SPDX-License-Identifier: MIT
"""Files of the tools' own, which are replaced whole or not at all; and those that others write."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.lock import lives


def put(path: Path, content: bytes) -> None:
    """A file has this content; its folder may be new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".new.{path.name}")
    try:
        new.write_bytes(content)
        os.replace(new, path)
    except BaseException as error:  # a full disk leaves half of it, and does not say where
        new.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None:
            error.filename = str(path)
        raise


def read_text(path: Path) -> str:
    """Of what somebody wrote with an editor of his own."""
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors mark it so
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is no UTF-8 text: save it as UTF-8") from error


def require_temporary() -> None:
    """Python takes another folder in the place of a TMPDIR that is of no use, and says nothing."""
    folder = os.environ.get("TMPDIR")
    if folder and not (os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)):
        raise UserError(
            f"TMPDIR={folder}: is no folder that can be written to: set it to one, or unset it"
        )


@contextmanager
def temp_folder(command: str) -> Iterator[Path]:
    """A folder in build/ for a while. Those of processes that were killed go, too."""
    build = TOP / "build"
    build.mkdir(exist_ok=True)
    for old in build.glob(f"{command}.[0-9]*.*"):
        if not lives(old.name.split(".")[1]):
            shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=build, prefix=f"{command}.{os.getpid()}.") as folder:
        yield Path(folder)
