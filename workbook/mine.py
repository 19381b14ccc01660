# SPDX-License-Identifier: MIT
"""mine LAB: brings back the last of the student's own kernels that is not the present one, which is kept."""

from __future__ import annotations

from workbook import Mistake
from workbook.arguments import one_lab
from workbook.desk import Desk, kept_line
from workbook.text import wrap


def main(words: list[str]) -> int:
    lab = one_lab("mine", words, "Brings your last own kernel back, and keeps the present one.")
    desk = Desk(lab)
    present = desk.kernel.read_bytes() if desk.kernel.is_file() else b""
    others = [path for path in desk.versions() if path.read_bytes() != present]
    if not others:
        raise Mistake(f"there is no other kernel of yours in {lab.name}/mine")
    text = others[-1].read_bytes()
    kept = desk.place(text)
    lines = [f"{lab.name}/{desk.kernel.name} is mine/{others[-1].name}", *kept_line(kept)]
    if len(others) > 1:
        lines += wrap(
            f"others   {', '.join(path.name for path in others[:-1])} in mine/: cp brings one back", "  "
        )
    print("\n".join(lines))
    return 0
