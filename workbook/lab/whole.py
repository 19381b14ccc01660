# SPDX-License-Identifier: MIT
"""whole LAB: why nothing can be made in a lab's folder: its kernel is gone, or has another name.
And what of the rest is not as it was handed out: make handout leaves copies in start/given."""

from __future__ import annotations

import shlex
from difflib import SequenceMatcher
from pathlib import Path

from workbook import UserError
from workbook.core.typed import command, into

GIVEN = "start/given"
ENOUGH = 0.5  # of the letters of kernel.c, in order, in the name of a file that looks like it
OTHERS = ("Makefile", "README.md", "main", "params", "gemm", "tuned.mk")  # what else a lab has


def kernel_names(folder: Path) -> list[str]:
    """What its kernel may be called."""
    found = [path.name for path in folder.glob("start/kernel.*")]
    return found or (["kernel.cu"] if (folder / "main.cu").exists() else ["kernel.c", "kernel.cl"])


def looks_like_it(folder: Path, names: list[str]) -> str:
    """The file that was probably meant to be the kernel; "" where none is. The lab's own variants
    are in its README."""
    known = "".join(
        path.read_text(errors="replace") for path in folder.glob("[MR]*") if path.is_file()
    )
    likely = []
    for path in folder.iterdir():
        variant = path.stem.startswith("kernel_") and path.stem[len("kernel_") :] in known
        if path.is_file() and not path.name.startswith((".", *OTHERS)) and not variant:
            alike = max(SequenceMatcher(None, path.name.lower(), name).ratio() for name in names)
            likely.append((alike, path.stat().st_mtime, path.name))
    alike, _, name = max(likely, default=(0.0, 0.0, ""))
    return name if alike >= ENOUGH else ""


def no_kernel(folder: Path) -> str:
    names = kernel_names(folder)
    said = f"there is no {' or '.join(names)} in {folder.name}"
    if name := looks_like_it(folder, names):
        return (
            f"{said}, but {name}: is it the kernel? {into(folder)}mv {shlex.quote(name)} {names[0]}"
        )
    if not (folder / "start").is_dir():
        return said
    return f"{said}: {command(folder, 'restore')}, or {command(folder, 'start')}, brings one back"


def edited(folder: Path, failed: bool = False) -> str:
    """What is not as it was handed out. params.h may be changed; it is named where something has
    failed."""
    names = [
        path.name
        for path in sorted((folder / GIVEN).glob("*"))
        if (failed or path.name != "params.h")
        and (
            not (folder / path.name).is_file()
            or (folder / path.name).read_bytes() != path.read_bytes()
        )
    ]
    if not names:
        return ""
    back = command(folder, f"restore FILE={names[0]}")
    return f"{names[0]} is not the one handed out; {back} brings it back"


def main(words: list[str]) -> int:
    raise UserError(no_kernel(Path(words[0])) if words else "whole is for make, which names a lab")
