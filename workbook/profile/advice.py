# SPDX-License-Identifier: MIT
"""Which lines cost most, each in a sentence with the lab that teaches the remedy. A line is named
only where it asks for more than it needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from workbook.lab import labs
from workbook.profile.counts import SECTOR, Count
from workbook.profile.run_counted import Profile
from workbook.profile.source import GLOBAL, SHARED

MOST = 3  # lines that are named
PER_FMA = 0.5  # loads from shared memory for each FMA of a warp, from which on they are what costs
FMAS = 8  # for each miss of the first cache: with fewer, waiting for the next one costs more
FEW = 0.75  # of the lanes of a warp, on average
DIVERGENT = 0.1  # branches for each FMA of a warp, from which on they are what costs
OF_COLUMN = 1.25  # misses for each FMA: more than one operand is read down its columns


class Words(NamedTuple):
    """The labs that teach each remedy, and what a language calls things."""

    coalescing: str
    tile: str
    registers: str
    shared: str
    block: str
    x: str


WORDS = {
    "opencl": Words("04", "07", "06", "local", "work-group", "dimension 0"),
    "cuda": Words("08", "09", "15", "shared", "block", "x"),
}
ASYNC = "memcpy_async"
Advice = tuple[float, str]  # what it costs: requests, sectors, wavefronts or misses


def advice(profile: Profile) -> list[str]:
    found = of_caches(profile) if profile.lab.backend == "cpu" else of_gpu(profile)
    return [text for _, text in sorted(found, reverse=True)[:MOST]]


def slow_lines(profile: Profile) -> list[str]:
    """Those that a right kernel of this lab has no reason for: of each remedy the line that costs
    most. What later labs teach, such as tiles, is none."""
    if not profile.problem:  # it was not counted
        return []
    if profile.lab.backend == "cpu":
        first = labs.before(profile.lab) is None  # it reads one operand down its columns
        most = OF_COLUMN * products(profile) if first else 0.0
        return [text for cost, text in sorted(of_caches(profile), reverse=True) if cost > most][:1]
    found: dict[str, str] = {}
    for _, text in sorted([*of_lines(profile), *of_branches(profile)], reverse=True):
        found.setdefault(text.rpartition(": ")[2], text)
    return list(found.values())[:MOST]


def of_lines(profile: Profile) -> Iterator[Advice]:
    kernel, words = profile.program.kernel, WORDS[profile.lab.backend or "cuda"]
    # Lanes that load a column of A and store one of C have been given rows in place of columns.
    cut = cut_rows(profile)
    far = {(one.array, one.writes) for one in profile.counts if is_far(one, one.array in cut)}
    turned = {("A", False), ("C", True)} <= far
    text = profile.kernel.read_text(encoding="utf-8", errors="replace").splitlines()
    for one in profile.counts:
        is_copy = one.line > 0 and ASYNC in text[one.line - 1]
        if why := excess(one, words, turned, is_copy, one.array in cut):
            place = f"{kernel}:{one.line}" if one.line else kernel
            yield one.units - one.ideal, f"{place}: {one.array}: {why}"


def of_branches(profile: Profile) -> Iterator[Advice]:
    for one in profile.branches:
        if one.divergent >= DIVERGENT * products(profile) / profile.warp:
            yield (
                one.divergent,
                f"{profile.program.kernel}:{one.line}: in {one.divergent:,} of {one.times:,} "
                "branches the lanes of a warp go different ways, which run one after the other: "
                "let whole warps choose, or clamp indices (branch divergence, lab 06)",
            )


def of_gpu(profile: Profile) -> Iterator[Advice]:
    kernel, words = profile.program.kernel, WORDS[profile.lab.backend or "cuda"]
    yield from of_lines(profile)
    if not fills_its_tiles(profile):
        return
    diverging = list(of_branches(profile))
    yield from diverging
    requests = sum(one.requests for one in profile.counts)
    lanes = sum(one.lanes for one in profile.counts) / requests
    if lanes < FEW * profile.warp:
        if not diverging:
            yield (
                requests,
                f"{kernel}: {lanes:.1f} of {profile.warp} lanes take part on average: the "
                f"{words.block} is no multiple of a warp, or its lanes diverge",
            )
        return
    fmas = products(profile) / profile.warp
    remedies = {
        GLOBAL: (
            1,
            f"let a {words.block} keep tiles of A and B in {words.shared} memory "
            f"(lab {words.tile})",
        ),
        SHARED: (
            PER_FMA,
            "let each thread compute several elements of C in registers (register "
            f"tile, lab {words.registers})",
        ),
    }
    for space, (most, remedy) in remedies.items():
        loads = sum(
            one.requests for one in profile.counts if (one.space, one.writes) == (space, False)
        )
        name = "global" if space == GLOBAL else words.shared
        if loads >= most * fmas:
            yield (
                loads,
                f"{kernel}: {loads / fmas:.2g} requests to load from {name} memory for each FMA of "
                f"a warp: {remedy}",
            )


def fills_its_tiles(profile: Profile) -> bool:
    """In a partial tile most of what is loaded is for no FMA that counts."""
    tile = profile.program.tile or (0, 0, 0)
    return all(profile.problem[name] >= size for name, size in zip("MNK", tile))


def cut_rows(profile: Profile) -> set[str]:
    """The matrices whose rows begin within a sector: a part of a row costs one more, for which
    there is no remedy."""
    element = 8 if profile.lab.type == "double" else 4
    N, K = profile.problem["N"], profile.problem["K"]
    return {name for name, row in (("A", K), ("B", N), ("C", N)) if element * row % SECTOR}


def is_far(one: Count, cut: bool) -> bool:
    per, ideal = one.units / one.requests, one.ideal / one.requests
    return one.space == GLOBAL and per > max((2 if cut else 1.25) * ideal, ideal + 1)


def excess(one: Count, words: Words, turned: bool, is_copy: bool = False, cut: bool = False) -> str:
    """What it costs, what would do, and the remedy; nothing of a line that is as it should be."""
    unit = "sectors" if one.space == GLOBAL else "wavefronts"
    if is_far(one, cut):
        remedy = (
            f"{words.x} must run along columns"
            if turned
            else "neighbouring lanes of a warp are far apart in memory; choose indices, or the "
            f"shape of the {words.block}, so that they are neighbours there"
        )
        remedy += f" (coalescing, lab {words.coalescing})"
    elif one.space == GLOBAL or one.units <= 1.05 * one.ideal:
        return ""
    elif is_copy:
        remedy = (
            "asynchronous copies wait for their bank and for their place in a line of 128 bytes, "
            "and elements of several rows share places (docs/counters.md)"
        )
    else:
        remedy = (
            "bank conflicts; pad the rows of the tile, or let the lanes take other elements "
            "(lab 07)"
        )
    per, ideal = one.units / one.requests, one.ideal / one.requests
    return f"{per:.3g} {unit} a request, {ideal:.3g} would do: {remedy}"


def products(profile: Profile) -> int:
    return profile.problem["M"] * profile.problem["N"] * profile.problem["K"]


def of_caches(profile: Profile) -> Iterator[Advice]:
    for one in profile.lines:
        if one.l1_misses * FMAS > products(profile):
            of_memory = 100 * one.ll_misses / one.l1_misses
            yield (
                one.l1_misses,
                f"{profile.program.kernel}:{one.line}: {100 * one.missing:.0f} % of its reads and "
                f"writes miss the L1 cache, {one.l1_misses / products(profile):.2g} for each FMA"
                + (f", and {of_memory:.0f} % of these the last level, too" if of_memory > 1 else "")
                + ": let the innermost loop read rows, not columns (lab 02); cache blocking and "
                "packing (lab 03)",
            )
