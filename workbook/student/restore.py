# SPDX-License-Identifier: MIT
"""restore LAB: brings back the last of the student's own kernels that is not the present one; with
FILE=main.c, that file as it was handed out. What is there is kept."""

from __future__ import annotations

import os
from pathlib import Path

from workbook import UserError
from workbook.core.files import put
from workbook.core.text import wrap
from workbook.lab.arguments import one_lab
from workbook.lab.whole import GIVEN
from workbook.lab.workspace import Workspace, kept_line


def main(words: list[str]) -> int:
    if (name := os.environ.get("FILE")) and len(words) == 1:  # also where its Makefile is broken
        return as_handed_out(Path(words[0]).resolve(), name)
    lab = one_lab(
        "restore",
        words,
        "Brings your last own kernel back, and keeps the present one.",
        "FILE: main.c, params.h or Makefile, as it was handed out.",
    )
    desk = Workspace(lab)
    present = desk.kernel.read_bytes() if desk.kernel.is_file() else b""
    others = [path for path in desk.versions() if path.read_bytes() != present]
    if not others:
        raise UserError(f"there is no other kernel of yours in {lab.name}/mine")
    text = others[-1].read_bytes()
    kept = desk.place(text)
    lines = [f"{lab.name}/{desk.kernel.name} is mine/{others[-1].name}", *kept_line(kept)]
    if len(others) > 1:
        lines += wrap(
            f"others   {', '.join(path.name for path in others[:-1])} in mine/: cp brings one back",
            "  ",
        )
    print("\n".join(lines))
    return 0


def as_handed_out(folder: Path, name: str) -> int:
    given = {path.name: path for path in sorted((folder / GIVEN).glob("*"))}
    if not given:
        raise UserError(
            f"{folder.name} has no copies of what was handed out: only a handout has them"
        )
    if name not in given:
        raise UserError(
            f"FILE={name}: there are {', '.join(given)}; make restore alone brings a kernel back"
        )
    target, text = folder / name, given[name].read_bytes()
    present = target.read_bytes() if target.is_file() else text
    lines = [f"{folder.name}/{name} is the one handed out"]
    if present != text:
        put(folder / "mine" / name, present)
        lines.append(f"  kept     mine/{name}, what it was until now")
    put(target, text)
    print("\n".join(lines))
    return 0
