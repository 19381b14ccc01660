# SPDX-License-Identifier: MIT
"""What oclgrind says. Its name for the kernel is input.cl, or what the preprocessor noted."""

from __future__ import annotations

import re

from workbook.race.findings import Draft, Finding

ACCESS = re.compile(r"Invalid (read|write) of size \d+ at (\w+) memory")
INDEX = re.compile(r"Index \(?(-?\d+)\)? exceeds static array size \(?(\d+)\)?")
FOUND = re.compile(
    r"^(?:Read-write data|Write-write data|Work-group divergence|Invalid |Index )", re.MULTILINE
)
MISALIGNED = (
    "misaligned address: a vector behind a pointer must begin at a multiple of its size: vload4 "
    "and vstore4 take any address"
)
# What it computes wrongly itself, to version 21.10.
OF_VECTORS = re.compile(r"\bu?(?:char|short|int|long)(?:2|3|4|8|16)\b")
CALL = re.compile(r"\b(?:min|max|clamp)\s*\(")
DOUBT = (
    "; or it is right: oclgrind computes min, max and clamp of a vector of integers and a scalar "
    "wrongly: write the scalar as a vector, too: min(cols, (int4)(N - 1))"
)
ENTITY = re.compile(r"\s*(First|Second) entity|\tWork-item:|\tPrevious work-items")
WRITES = re.compile(r"\t  (?:store|%\S+ = atomicrmw) ")
PLACE = re.compile(r"\tAt line (\d+) .*of (?:input[.]cl|(?:\S*/)?(\S+\.cl))\b")
# A loop that adds to a float: it loads what is there through a pointer to volatile, and
# atomic_cmpxchg stores the sum only where that is still there. OpenCL 1.2 has no atomic load.
LOADS, EXCHANGES = re.compile(r"\t  %\S+ = load volatile "), re.compile(r"\t  .*\bcall .*cmpxchg")
A_LOOP = 8  # lines


def is_atomic_loop(report: str) -> bool:
    lines = [int(place[1]) for place in PLACE.finditer(report)]
    both = LOADS.search(report) and EXCHANGES.search(report)
    return both is not None and len(lines) == 2 and abs(lines[0] - lines[1]) < A_LOOP


def mistakes(said: str) -> str:
    """A report begins in the first column."""
    reports = re.split(r"^(?=[A-Z])", said, flags=re.MULTILINE)
    return "".join(report for report in reports if not is_atomic_loop(report))


def enough(said: str) -> bool:
    """Is there a mistake that others come from? What is used before it is written may come from a
    race that is found later. The last report may still be half written: one more has begun."""
    return len(FOUND.findall(mistakes(said))) > 1


def doubt(source: str) -> str:
    return DOUBT if OF_VECTORS.search(source) and CALL.search(source) else ""


def findings(said: str, kernel: str) -> list[Finding]:
    drafts: list[Draft] = []
    for line in mistakes(said).splitlines():
        if line.startswith(("Read-write data race", "Write-write data race")):
            drafts.append(Draft("race"))
        elif line.startswith("Work-group divergence"):
            drafts.append(Draft("divergence"))
        elif access := ACCESS.match(line):
            drafts.append(Draft("bounds", f"{access[1]}s outside {access[2]} memory"))
        elif line.startswith("Invalid write to read-only buffer"):
            drafts.append(Draft("bounds", "writes to A or B, which are to be read alone"))
        elif line.startswith(("Invalid memory load", "Invalid memory store")):
            drafts.append(Draft("undefined", MISALIGNED))
        elif index := INDEX.match(line):
            drafts.append(Draft("bounds", f"index {index[1]} of an array of {index[2]}"))
        elif line.startswith("Uninitialized"):
            drafts.append(Draft("unwritten"))
        elif drafts and ENTITY.match(line):
            drafts[-1].searching = True
            drafts[-1].writes = False
        elif drafts and WRITES.match(line):
            drafts[-1].writes = True
        elif drafts and (place := PLACE.match(line)) and place[2] in (None, kernel):
            drafts[-1].place(int(place[1]))
    return [draft.finding() for draft in drafts]
