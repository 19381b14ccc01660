# SPDX-License-Identifier: MIT
"""Has a kernel the idea of its lab? course.tsv has limits of counts, which do not depend on the
machine's load, and make check and make grade judge by them here, in the same words.

sectors, conflicts   of global memory, beyond the wavefronts without conflicts: per FMA of a warp
loads, share         elements loaded from global memory per FMA; the part of all loads that is from
                     local or shared memory
lanes, sums          FMAs per instruction in the loop of the machine code, sums in its registers
unpacked             elements of B itself, and of no copy, that are loaded per FMA

They are sums over a whole product: loads that nobody needs make none of them less, as they would
an average of all requests. What is counted has to be right in that run."""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from workbook import UserError
from workbook.lab.course import BOUNDS, LEAST, OF_C, OF_GPUS, Task
from workbook.lab.labs import Lab
from workbook.profile.counts import Count
from workbook.profile.source import COMMENT, MEMORY, SHARED
from workbook.profile.x86 import objdump
from workbook.profile.x86.bound import in_registers, steps
from workbook.profile.x86.code import lanes, loops, main_loop

REFERENCE = Path(__file__).with_name("reference.tsv")
LEAST_SHAPE = (128, 128, 64)  # M, N, K: that, in full tiles
SHAPE_OF_C = (96, 64, 64)  # rows in full register tiles, and no more: each access is recorded
LARGEST = 1 << 12  # of a larger tile, as of a whole row for each work-item, a part is counted
WARP, FLOAT = 32, 4
# How a kernel is compiled that is counted. OpenCL, as by a driver: a load that is written twice is
# one; and no loop is a memcpy(), which nothing counts.
COUNTING = {
    "cpu": "-O1 -fsanitize=thread -include /engine/count/told.h".split(),
    "cuda": "-O1 -fsanitize=thread -fno-tree-sra".split(),
    "opencl": "-O2 -fsanitize=thread -fno-vectorize -fno-slp-vectorize -fno-builtin "
    "-mllvm -unroll-threshold=9999".split(),
}
X86 = ("x86_64", "AMD64")
# Of the language's own library, which no counter sees.
UNSEEN = re.compile(
    r"\b(?:__builtin_)?(?:mem(?:p|c)?cpy|memmove|mem(?:cmp|r?chr)|bcopy|bcmp|qsort|bsearch"
    r"|st[rp]\w*(?:cpy|cat|cmp|chr|len|dup|spn|brk|tok|str))\b"
)
WORDS = {
    "sectors": "sectors of global memory per multiply-add of a warp",
    "conflicts": "bank conflicts per multiply-add of a warp",
    "loads": "loads per multiply-add",
    "share": "of the operands' loads are from local or shared memory",
    "lanes": "multiply-adds per instruction in the inner loop",
    "sums": "sums in registers in the inner loop",
    "unpacked": "loads of B, instead of a packed copy, per multiply-add",
}


@dataclass(frozen=True)
class Asked:
    """What came of it; held: None where it could not be counted."""

    held: bool | None = None
    said: str = ""  # in a sentence, what speaks against it, or why nothing does
    now: dict[str, float] = field(default_factory=dict)
    missed: tuple[str, ...] = ()  # these limits


def require_counters(lab: Lab, task: Task) -> None:
    others = OF_GPUS if lab.backend == "cpu" else OF_C
    if wrong := sorted(task.bounds.keys() & others.keys()):
        whose = "OpenCL and CUDA labs" if lab.backend == "cpu" else "labs in C"
        raise UserError(f"course.tsv has a limit for {wrong[0]} of {lab.name}: {whose} have that")


def shape(tile: Iterable[int]) -> tuple[int, int, int]:
    sizes = (size if size <= LARGEST else 1 for size in tile)
    M, N, K = (-(-least // size) * size for least, size in zip(LEAST_SHAPE, sizes))
    return M, N, K


def unseen(text: str) -> str:
    """Why a GPU kernel's text cannot be judged by counters; or nothing."""
    found = UNSEEN.search(COMMENT.sub(" ", text))
    return f"nobody counts what {found[0]}() accesses: write a loop" if found else ""


def sentence(lab: str, evidence: str) -> str:
    return f"correct, but not the idea of lab {lab[3:5]}: {evidence}"


def failed(lab: str, why: str) -> Asked:
    return Asked(False, sentence(lab, f"where it is counted: {why}"), missed=("",))


def decided(
    task: Task,
    lab: Lab,
    text: str,
    listing: Callable[[], str],
    count: Callable[[tuple[int, int, int]], list[Count] | Asked],
) -> Asked:
    """Of a right kernel, by its text; by its machine code, as objdump prints it; and by what it is
    counted to access, of a problem of this size, or why nothing is."""
    kernel, tile, in_c = lab.programs[0].kernel, lab.programs[0].tile, lab.backend == "cpu"
    now: dict[str, float] = {}
    line = ""
    if not in_c and (said := unseen(text)):
        return failed(lab.name, said)
    if in_c and platform.machine() not in X86:
        return Asked(None, "no points for the idea: of machine code, that of x86 alone is read")
    if in_c:
        now, line = of_machine_code(listing(), kernel)
        if not now:
            return failed(lab.name, "no loop of its machine code multiplies")
    if not in_c or task.bounds.keys() - now.keys():
        size = SHAPE_OF_C if in_c else shape(tile or LEAST_SHAPE)
        counts = count(size)
        if isinstance(counts, Asked):
            return counts
        if said := not_seen(counts, size):
            return Asked(None, said) if in_c else failed(lab.name, said)
        now |= per_fma(counts, size)
    return judged(task, lab.name, now, line)


def judged(task: Task, lab: str, now: dict[str, float], line: str = "") -> Asked:
    """Of a right kernel. The first limit that it misses is told; `line`: of its inner loop."""
    missed = tuple(name for name, bound in task.bounds.items() if not holds(name, now, bound))
    said = sentence(lab, told(task, lab, now, line, missed[0])) if missed else ""
    return Asked(not missed, said, now, missed)


def told(task: Task, lab: str, now: dict[str, float], line: str, name: str) -> str:
    bound, known = task.bounds[name], references().get((lab, ""), {})
    verb = "has" if BOUNDS[name] == LEAST else "needs"
    of_loop = name in ("lanes", "sums")  # whole numbers
    here, there = (
        f"{one:.3g}" if of_loop else str(float(f"{one:.3g}"))
        for one in (now[name], known.get(name, 0.0))
    )
    words = WORDS[name].replace("s ", " ", 1) if here == "1" else WORDS[name]
    place = f"{line}: " if line and of_loop else ""
    scalar = "no vector instruction, " if name == "lanes" and here == "1" else ""
    reference = f", the reference {verb} {there}" if name in known else ""
    return f"{place}{scalar}{here} {words}{reference} ({BOUNDS[name]} {bound:g})"


def holds(name: str, now: dict[str, float], bound: float) -> bool:
    return now[name] >= bound if BOUNDS[name] == LEAST else now[name] <= bound


def missed_by_step(task: Task | None, lab: str, step: str, missed: Iterable[str]) -> bool:
    """Of these limits one that the workbook's own kernel of the step keeps: what a later step
    teaches is asked of none before it."""
    known = references().get((lab, step), {})
    bounds = task.bounds if task else {}
    return any(
        name not in bounds or name in known and holds(name, known, bounds[name]) for name in missed
    )


# ---- counts --------------------------------------------------------------------------------------
def not_seen(counts: Iterable[Count], problem: tuple[int, int, int]) -> str:
    """What of A, B and C, each element once at least, nothing has counted."""
    counts, (M, N, K) = list(counts), problem
    for what, writes, least in ("loads", False, M * K + K * N), ("stores", True, M * N):
        seen = sum(one.bytes for one in counts if one.space != SHARED and one.writes == writes)
        if seen < FLOAT * least:
            return f"of what it {what} only {seen} of {FLOAT * least} bytes are seen"
    return ""


def per_fma(counts: Iterable[Count], problem: tuple[int, int, int]) -> dict[str, float]:
    """Of a GPU, or of a CPU, by how a kernel in C has been compiled to be counted."""
    M, N, K = problem
    sums = dict.fromkeys((*OF_GPUS, "shared", "unpacked"), 0.0)
    for one in counts:
        if one.space == SHARED:
            sums["conflicts"] += one.units - one.ideal
            sums["shared"] += 0 if one.writes else one.asked / FLOAT / WARP
        else:
            sums["sectors"] += one.units
            sums["loads"] += 0 if one.writes else one.asked / FLOAT
            of_B = one.space == MEMORY and one.array == "B" and not one.writes
            sums["unpacked"] += one.asked / FLOAT if of_B else 0
    fmas = M * N * K
    every = sums["loads"] + WARP * sums["shared"]
    found = {name: WARP * sums[name] / fmas for name in ("sectors", "conflicts", "shared")}
    found |= {name: sums[name] / fmas for name in ("loads", "unpacked")}
    found["share"] = WARP * sums["shared"] / every if every else 0.0
    return {name: round(one, 6) for name, one in found.items()}


def of_machine_code(text: str, kernel: str) -> tuple[dict[str, float], str]:
    """Of what objdump printed of a kernel in C: the counts of its inner loop, and where that is."""
    found = loops(objdump.parse(text, kernel))
    if not found:
        return {}, ""
    loop = main_loop(found)
    place = f"{kernel}:{min(loop.lines)}" if loop.lines else kernel
    sums = len(in_registers([*steps(loop)]))
    return {"lanes": round(lanes(loop), 4), "sums": float(sums)}, place


@cache
def references() -> dict[tuple[str, str], dict[str, float]]:
    """By lab, and variant or setting: what the workbook's own come to."""
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    pairs = ((row, [word.split("=") for word in row[2].split()]) for row in rows)
    return {
        (lab, variant.strip("-")): {name: float(value) for name, value in words}
        for (lab, variant, _), words in pairs
    }
