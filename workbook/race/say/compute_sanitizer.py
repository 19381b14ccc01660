# SPDX-License-Identifier: MIT
"""What the tools of compute-sanitizer say, each line after =========."""

from __future__ import annotations

import re

from workbook.race.findings import Draft, Finding
from workbook.race.say.source_line import in_kernel

ACCESS = re.compile(r"=+ Invalid __(\w+?)__ (read|write) of size")
OTHER = re.compile(r"=+ +and .* access ")
PLACE = re.compile(r"=+ .*(access (at|by)| at .* in )")


def findings(said: str, kernel: str) -> list[Finding]:
    drafts: list[Draft] = []
    for line in said.splitlines():
        if not line.startswith("="):
            continue
        if "Race reported between" in line:
            drafts.append(Draft("race"))
        elif "Barrier error detected" in line:
            drafts.append(Draft("divergence"))
        elif access := ACCESS.match(line):
            drafts.append(Draft("bounds", f"{access[2]}s outside {access[1]} memory"))
        elif re.match("=+ Uninitialized ", line):
            drafts.append(Draft("unwritten"))
        if drafts and OTHER.match(line):
            drafts[-1].searching = True
        if drafts:
            drafts[-1].writes = "Write access" in line or " and Write " in line
        at = in_kernel(line, kernel)
        if drafts and at is not None and PLACE.match(line):
            drafts[-1].place(at)
    return [draft.finding() for draft in drafts]
