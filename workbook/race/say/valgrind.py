# SPDX-License-Identifier: MIT
"""What valgrind says, each line after ==PID==."""

from __future__ import annotations

import re

from workbook.race.findings import Draft, Finding
from workbook.race.say.source_line import in_kernel

OURS = re.compile(r"==\d+== ?(.*)")
ACCESS = re.compile(r"Invalid (read|write) of size")


def findings(said: str, kernel: str) -> list[Finding]:
    drafts: list[Draft] = []
    for line in said.splitlines():
        ours = OURS.match(line)
        text = ours[1] if ours else ""
        if access := ACCESS.match(text):
            drafts.append(Draft("bounds", f"{access[1]}s outside an array"))
        elif text.startswith(("Conditional jump", "Use of uninitialised")):
            drafts.append(Draft("unwritten"))
        elif drafts and text.startswith(" Uninitialised value was created"):
            drafts[-1].searching = True
        elif drafts and text.startswith(" Address "):  # and where that was allocated
            drafts[-1].searching = False
        elif drafts and text.startswith(("   at ", "   by ")):
            at = in_kernel(text, kernel)
            if at is not None:
                drafts[-1].place(at)
    return [draft.finding() for draft in drafts]
