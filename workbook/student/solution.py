# SPDX-License-Identifier: MIT
"""solution LAB: shows the reference of the present step; with APPLY=1, puts it in the place of the
kernel."""

from __future__ import annotations

import os
import sys

from workbook import UserError
from workbook.lab.arguments import one_lab
from workbook.lab.stages import stage_of, text_of
from workbook.lab.whole import no_kernel
from workbook.lab.workspace import Workspace, kept_line


def main(words: list[str]) -> int:
    lab = one_lab(
        "solution",
        words,
        "Shows the reference of the present step.",
        "APPLY=1: puts it in place. STEP: which.",
    )
    desk = Workspace(lab)
    wanted = os.environ.get("STEP")
    stage = stage_of(lab, wanted) if wanted else desk.stage
    if stage.reference is None:
        raise UserError(
            "there are no solutions in this copy of the workbook: ask who gave it to you"
        )
    if not desk.kernel.is_file():
        raise UserError(no_kernel(lab.path))
    if not os.environ.get("APPLY"):
        sys.stdout.write(text_of(stage.reference))
        return 0
    kept = desk.place(stage.reference.read_bytes())
    print(
        "\n".join(
            [f"{lab.name}/{desk.kernel.name} is the reference of {stage.label}", *kept_line(kept)]
        )
    )
    return 0
