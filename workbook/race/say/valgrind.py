# SPDX-License-Identifier: MIT
"""What valgrind says, each line after ==PID==."""

from __future__ import annotations

import re

from workbook.race.findings import Draft, Finding
from workbook.race.say.source_line import in_kernel

OURS = re.compile(r"==\d+== ?(.*)")
ACCESS = re.compile(r"Invalid (read|write) of size")
AN_ARRAY = "an array"  # where nothing says which
# Of one register it knows that this is zero; not optimised, as it looks at it, both are in memory.
WITH_ITSELF = re.compile(r"\b_mm\d*_xor_\w+\s*\(\s*(\w+)\s*,\s*\1\s*\)")


def doubt(source: str) -> str:
    found = WITH_ITSELF.search(source)
    return f"; {found[0]} is no zero where nobody has set {found[1]}: setzero is" if found else ""


def findings(said: str, kernel: str) -> list[Finding]:
    drafts: list[Draft] = []
    allocated = False  # the frames say where
    for line in said.splitlines():
        ours = OURS.match(line)
        text = ours[1] if ours else ""
        if access := ACCESS.match(text):
            drafts.append(Draft("bounds", f"{access[1]}s outside {AN_ARRAY}"))
        elif text.startswith(("Conditional jump", "Use of uninitialised")):
            drafts.append(Draft("unwritten"))
        elif drafts and text.startswith(" Uninitialised value was created"):
            drafts[-1].searching = True
        elif drafts and text.startswith(" Address "):
            drafts[-1].searching = False
            allocated = "alloc'd" in text
        elif drafts and text.startswith(("   at ", "   by ")):
            at = in_kernel(text, kernel)
            if at is not None and allocated:
                drafts[-1].text = drafts[-1].text.replace(AN_ARRAY, f"what line {at} allocates")
            elif at is not None:
                drafts[-1].place(at)
            allocated = allocated and at is None
    return [draft.finding() for draft in drafts]
