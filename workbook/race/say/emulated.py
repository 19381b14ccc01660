# SPDX-License-Identifier: MIT
"""What engine/ says of a kernel that it stops: the reason in the program's record."""

from __future__ import annotations

import re

from workbook.race.findings import Draft, Finding
from workbook.race.say.source_line import in_kernel

STOPPED = re.compile(
    r": ((barrier divergence|warp divergence|misaligned address|asynchronous copy|too many "
    r"threads|stack overflow): .*)"
)
KINDS = {
    "barrier divergence": "divergence",
    "warp divergence": "warp",
    "misaligned address": "undefined",
    "asynchronous copy": "copy",
    "too many threads": "launch",
    "stack overflow": "memory",
}
CRASHED = re.compile(
    r": (?:thread|work-item) \S+ of (?:block|group) \S+ of .* "
    r"(?:(reads|writes) (?:at|or) |(uses index \S+ of an array '.*'))"
)
ELSEWHERE = re.compile(r"others at the one in line (\d{1,9})")


def findings(said: str, kernel: str) -> list[Finding]:
    drafts: list[Draft] = []
    for line in said.splitlines():
        at, stopped, crashed = in_kernel(line, kernel), STOPPED.search(line), CRASHED.search(line)
        if at is not None and crashed:
            drafts.append(Draft("bounds", crashed[2] or f"{crashed[1]} outside an array"))
            drafts[-1].place(at)
        if at is None or stopped is None:
            continue
        draft = Draft(KINDS[stopped[2]], stopped[1])
        draft.place(at)
        if elsewhere := ELSEWHERE.search(line):
            draft.searching = True
            draft.place(int(elsewhere[1]))
        drafts.append(draft)
    return [draft.finding() for draft in drafts]
