# SPDX-License-Identifier: MIT
"""A kernel that has barriers, and shares nothing, or has them where not all come, or shares a tile
and has too few: what it computes with, nobody wrote, or another one did."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbook.check.words.misdeclared import (
    BEGINS,
    code_of,
    exchanged,
    exchanged_arguments,
    no_kernel,
    one_sum,
)
from workbook.core.process import Outcome
from workbook.handin.bench import first_error
from workbook.lab.program import FAIL, PASS, Result
from workbook.lab.stages import text_of
from workbook.race.threads import shared_by_threads

BARRIER = re.compile(r"\b(?:barrier|work_group_barrier|__syncthreads)\s*\(")
SHARED = re.compile(r"\b(?:local|__local|__shared__)\b")
ARRAY = re.compile(BEGINS + r"([^;{}]*\b(?:real|float|double)\s+(\w+)\s*((?:\[[^\]]*\]\s*)+));")
SUBSCRIPTS, STORES = r"((?:\s*\[[^\]]*\])+)", r"\s*=(?!=)"
# In its size: double buffering, or more stages.
IN_TURNS = re.compile(r"\b2\b|\].*\].*\]|\*[^]]*\*|stage|buffer", re.IGNORECASE)
FEW_WAIT = re.compile(r"__syncwarp|sub_group_barrier|pipeline|mbarrier|\basm\b")
A_TILE = re.compile(r"\b(?:TILE_[MNK]|TILE|BLOCK)\b")  # in its size

OF_ITEM = re.compile(r"\bget_(?:local|global)_id\b|\bthreadIdx\b")
ASSIGNED = re.compile(r"\b(\w+)\s*=(?!=)([^;,]*)")
UNBUILT = re.compile(r"\S+ does not compile \(CL_\w+\)\n")  # session/ocl_build.c
# What stands in front of a block, or of a statement: if (...).
LOOP = re.compile(r"\b(?:for|while)\s*\((?:[^(){}]|\([^(){}]*\))*\)\s*$")
TEST = re.compile(r"\bif\s*\(([^;{}]*)\)\s*$")


def has_barriers(kernel: Path) -> bool:
    return BARRIER.search(code_of(kernel)) is not None


def shares(kernel: Path) -> bool:
    return SHARED.search(code_of(kernel)) is not None


def unshared(kernel: Path) -> str:
    """In words; "" where all that looks like a tile is shared, or nobody waits."""
    if not has_barriers(kernel):
        return ""
    code = code_of(kernel)
    word, item = ("__shared__", "thread") if kernel.suffix == ".cu" else ("__local", "work-item")
    if not shares(kernel) and ARRAY.search(code):
        return (
            f"{kernel.name} has barriers, and no array is {word}: each {item} has a tile of its "
            "own, of which it fills a part"
        )
    own = [
        name
        for words, name, size in ARRAY.findall(code)
        if A_TILE.search(size) and not SHARED.search(words)
    ]
    if not own:
        return ""
    return (
        f"{kernel.name}: {' and '.join(own)} {'are' if own[1:] else 'is'} not {word}: each "
        f"{item} has one of its own, of which it fills a part"
    )


def unreached(kernel: Path) -> str:
    """A barrier that not all work-items of a group come to, in words; "" where none is seen."""
    code = code_of(kernel)
    barriers = [found.start() for found in BARRIER.finditer(code) if "[&]" not in code]
    item = "threads of a block" if kernel.suffix == ".cu" else "work-items of a group"
    for at in barriers:
        if found := tests(code, at):
            return (
                f"{kernel.name}: a barrier is inside if ({found[0]}), where not all {item} come: "
                "all must reach it, and the test belongs to loads and stores alone"
            )
        begin = blocks(code, at)[-1:] or [at]  # of the function that it is in
        for left in re.finditer(r"\breturn\b", code[begin[0] : at]):
            if found := tests(code, begin[0] + left.start()):
                return (
                    f"{kernel.name}: if ({found[0]}) return; is before a barrier, which not all "
                    f"{item} reach then"
                )
    return ""


def unwaited(kernel: Path) -> str:
    """A shared array that a loop writes and reads with less than two barriers, in words; "" where
    none is seen, or there may be two of it in turns."""
    code = code_of(kernel)
    if FEW_WAIT.search(code):
        return ""
    for words, name, size in ARRAY.findall(code):
        if not SHARED.search(words) or IN_TURNS.search(size):
            continue
        for stored in re.finditer(rf"\b{name}\b{SUBSCRIPTS}{STORES}", code):
            begins = [at for at in blocks(code, stored.start()) if LOOP.search(code, 0, at)]
            loops = [code[at : end(code, at)] for at in begins]
            body = next((one for one in loops if reads(one, name, stored[1])), "")
            waits = len(BARRIER.findall(body))
            if body and waits < 2:
                return (
                    f"{kernel.name}: a loop writes {name} and reads it, and has "
                    f"{'one barrier' if waits else 'no barrier'}: one belongs between writing and "
                    "reading, and one between reading and the next iteration's writing"
                )
    return ""


def reads(code: str, name: str, stored: str) -> bool:
    """Elsewhere than where it is stored, which may be the work-item's own."""
    others = re.sub(rf"\b{name}\b{SUBSCRIPTS}{STORES}[^;]*;", "", code)
    return any(found[1] != stored for found in re.finditer(rf"\b{name}\b{SUBSCRIPTS}", others))


def end(code: str, begin: int) -> int:
    """Of the block that begins there."""
    depth = 0
    for place in range(begin, len(code)):
        depth += (code[place] == "{") - (code[place] == "}")
        if depth == 0:
            return place
    return len(code)


def blocks(code: str, at: int) -> list[int]:
    """Where each block begins that a place is inside of, from the innermost on."""
    depth, found = 0, []
    for place in range(at - 1, -1, -1):
        depth += (code[place] == "}") - (code[place] == "{")
        if depth < 0:
            depth = 0
            found.append(place)
    return found


def tests(code: str, at: int) -> list[str]:
    """Of the ifs that a place is inside of, those that do not come out the same for a group."""
    found = [TEST.search(code, 0, place) for place in (at, *blocks(code, at))]
    return [
        test for test in (" ".join(one[1].split()) for one in found if one) if of_item(code, test)
    ]


def of_item(code: str, test: str) -> bool:
    names: set[str] = set()
    counters = {name for name, value in ASSIGNED.findall(code) if value.strip() == "0"}
    for _ in range(4):  # row of y, and y of get_local_id()
        for name, value in ASSIGNED.findall(code):
            if OF_ITEM.search(value) or names & words(value):
                names |= {name} - counters
    return OF_ITEM.search(test) is not None or bool(names & words(test))


def words(code: str) -> set[str]:
    return set(re.findall(r"\w+", code))


def of_source(kernel: Path) -> list[tuple[str, str]]:
    """Why it is wrong, kinds and words, as far as its text tells."""
    told = [
        ("index", exchanged(kernel)),
        ("index", exchanged_arguments(kernel)),
        ("tile", unshared(kernel)),
        ("sum", one_sum(kernel)),
        ("race", unreached(kernel)),
        ("race", unwaited(kernel)),
        ("race", shared_by_threads(text_of(kernel) if kernel.is_file() else "")),
    ]
    return [(kind, words) for kind, words in told if words]


def unbuilt(reason: str) -> str:
    """Of a kernel that the driver does not compile, in the words of make grade; "" of others."""
    if (found := UNBUILT.match(reason)) is None:
        return ""
    return f"does not build: {first_error(Outcome(2, '', reason[found.end() :], False, 0))}"


def with_source(result: Result, kernel: Path) -> Result:
    """What came of a kernel, and what its text tells of that."""
    if said := unbuilt(result.record.get("reason") or ""):
        return replace(result, reason=said)
    if result.verdict in (PASS, FAIL) and (missing := no_kernel(kernel)):
        return replace(result, verdict=FAIL, reason=missing, record={})
    if result.verdict != FAIL or not result.finding or not (told := of_source(kernel)):
        return result
    finding = caused(result.finding, *told[0])
    return replace(result, record={**result.record, "finding": finding})


def caused(finding: dict[str, Any], kind: str, cause: str) -> dict[str, Any]:
    """The finding, where a kernel's text, or a tool, tells more than its result."""
    return {**finding, "kind": kind, "cause": cause, "unstable": False}
