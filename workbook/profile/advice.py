# SPDX-License-Identifier: MIT
"""Which lines cost most, each in a sentence with the lab that teaches the remedy. A line is named only where
it asks for more than it needs."""

from __future__ import annotations

from collections.abc import Iterator

from workbook.profile.counts import Count
from workbook.profile.run_counted import Profile
from workbook.profile.source import GLOBAL, SHARED

MOST = 3  # lines that are named
WARP = 32
PER_FMA = 0.5  # loads from shared memory for each FMA of a warp, from which on they are what costs
FMAS = 8  # for each miss of the first cache: with fewer, waiting for the next one costs more
LABS = {
    "opencl": {"coalescing": "04", "tile": "07", "registers": "06", "banks": "07"},
    "cuda": {"coalescing": "08", "tile": "09", "registers": "15", "banks": "16"},
}
Advice = tuple[float, str]  # what it costs: requests, sectors, wavefronts or misses


def advice(profile: Profile) -> list[str]:
    found = of_caches(profile) if profile.lab.backend == "cpu" else of_gpu(profile)
    return [text for _, text in sorted(found, reverse=True)[:MOST]]


def of_gpu(profile: Profile) -> Iterator[Advice]:
    kernel, teaches = profile.program.kernel, LABS[profile.lab.backend or "cuda"]
    for one in profile.counts:
        if said := excess(one, teaches):
            yield one.units - one.ideal, f"{kernel}:{one.line}: {one.array}: {said}"
    fmas = products(profile) / WARP
    if not fmas:
        return
    of_global, of_shared = (loads(profile, space) for space in (GLOBAL, SHARED))
    if of_global >= fmas and not of_shared:
        yield (
            of_global,
            f"{kernel}: {of_global / fmas:.2g} loads from global memory for each FMA: let a block "
            f"keep tiles of A and B in shared memory (lab {teaches['tile']})",
        )
    if of_shared >= PER_FMA * fmas:
        yield (
            of_shared,
            f"{kernel}: {of_shared / fmas:.2g} loads from shared memory for each FMA: let a thread "
            f"compute several elements of C in registers (register tile, lab {teaches['registers']})",
        )


def excess(one: Count, teaches: dict[str, str]) -> str:
    per, ideal = one.units / one.requests, one.ideal / one.requests
    if one.space == GLOBAL and per > max(1.25 * ideal, ideal + 1):
        return (
            f"{per:.3g} sectors a request, {ideal:.3g} would do: the lanes of a warp are far apart in "
            f"memory; let dimension x run along a row (coalescing, lab {teaches['coalescing']})"
        )
    if one.space == SHARED and one.units > 1.05 * one.ideal:
        return (
            f"{per:.3g} wavefronts a request, {ideal:.3g} would do: bank conflicts; pad the rows of "
            f"the tile, or let the lanes take other elements (lab {teaches['banks']})"
        )
    return ""


def loads(profile: Profile, space: str) -> int:
    return sum(one.requests for one in profile.counts if one.space == space and not one.writes)


def products(profile: Profile) -> int:
    return profile.problem["M"] * profile.problem["N"] * profile.problem["K"]


def of_caches(profile: Profile) -> Iterator[Advice]:
    for one in profile.lines:
        if one.l1_misses * FMAS > products(profile):
            yield (
                one.l1_misses,
                f"{profile.program.kernel}:{one.line}: {100 * one.missing:.0f} % of its reads and writes "
                f"miss the L1 cache, {one.l1_misses / products(profile):.2g} for each FMA, and "
                f"{100 * one.ll_misses / one.l1_misses:.0f} % of these the last level, too: read rows, "
                "not columns (lab 02); cache blocking and packing (lab 03)",
            )
