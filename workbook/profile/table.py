# SPDX-License-Identifier: MIT
"""A profile at 80 columns: by line and array, the sums, and how often each byte is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbook.core.text import wrap
from workbook.profile.advice import advice
from workbook.profile.counts import SECTOR, Count, added
from workbook.profile.run_counted import COUNTED_BY, Profile
from workbook.profile.source import GLOBAL, MEMORY, SHARED

ROW = "{:>5}  {:<14} {:<13}{:>13}{:>10}{:>8}{:>8}"
OF_C = "{:>5}{:>15}{:>15}{:>15}{:>14}{:>14}"
WHY = "{:>5}{:>15}{:>15}{:>15}"
BRANCH = "{:>5}  {:<28}{:>13}{:>10}"
SMALL = 1000  # a line with less than a thousandth of the instructions is left out
UNITS = {GLOBAL: "sectors", SHARED: "wavefronts", MEMORY: "lines"}
NOTHING = "no line stands out by the rules of docs/counters.md"


def shown(profile: Profile, annotated: bool, beside: Iterable[str] = ()) -> Iterator[str]:
    name = f"{profile.lab.name} {profile.program.name}"
    if profile.skip:
        yield from wrap(f"{name} skipped: {profile.skip}", "", "  ")
        return
    if profile.failure:
        yield from wrap(f"{name}: {profile.failure}", "", "  ")
        return
    by = COUNTED_BY[profile.lab.backend or "cpu"]
    shape = " x ".join(str(profile.problem[one]) for one in "MNK")
    lanes = f" of warps of {profile.warp}" if profile.warp != 32 else ""
    said = f"{name}, {shape}, {profile.lab.type}: counts by {by}{lanes}, no times"
    yield from wrap(said, "", "  ")
    if profile.wrong:
        yield from wrap(f"its result is wrong: {profile.wrong}", "  ", "  ")
    yield from of_c(profile) if profile.lab.backend == "cpu" else of_gpu(profile)
    yield from beside
    yield ""
    for text in advice(profile) or [NOTHING]:
        yield from wrap(text, "  ", "    ")
    if annotated:
        yield ""
        yield from source(profile)


def of_gpu(profile: Profile) -> Iterator[str]:
    yield ROW.format("line", "array", "access", "requests", "moves", "ideal", "lanes")
    for one in profile.counts:
        yield ROW.format(
            one.line or "?", one.array[:14], one.access, f"{one.requests:,}", *of_request(one)
        )
    yield ""
    for one in sums(profile.counts):
        unit = UNITS[one.space]
        yield (
            f"  {one.access:<13}{one.requests:>13,} requests, {one.units:,} {unit}, ideal "
            f"{one.ideal:,}"
        )
    yield from reuse(profile)
    yield from of_branches(profile)


def of_branches(profile: Profile) -> Iterator[str]:
    diverging = [one for one in profile.branches if one.divergent]
    times = sum(one.times for one in profile.branches)
    yield f"  {times:,} branches of warps, {sum(one.divergent for one in diverging):,} divergent"
    if diverging:
        yield ""
        yield BRANCH.format("line", "lanes go different ways", "branches", "divergent")
    for one in diverging:
        yield BRANCH.format(one.line, "", f"{one.times:,}", f"{one.divergent:,}")


def of_request(one: Count) -> tuple[str, str, str]:
    per, ideal, lanes = (part / one.requests for part in (one.units, one.ideal, one.lanes))
    return f"{per:.2f}", f"{ideal:.2f}", f"{lanes:.1f}"


def sums(counts: Iterable[Count]) -> list[Count]:
    """Of all lines and arrays, by kind of access."""
    found: dict[tuple[str, bool], Count] = {}
    for one in counts:
        key = one.space, one.writes
        found[key] = added(found[key], one) if key in found else one
    return [found[key] for key in sorted(found)]


def reuse(profile: Profile) -> Iterator[str]:
    """How often each matrix is moved, and how much of what moves is used."""
    M, N, K = (profile.problem[name] for name in "MNK")
    if not (M and N and K):
        return
    element = 8 if profile.lab.type == "double" else 4
    size = {"A": element * M * K, "B": element * K * N, "C": element * M * N}
    moved = {
        name: SECTOR
        * sum(one.units for one in profile.counts if (one.array, one.space) == (name, GLOBAL))
        for name in dict.fromkeys(one.array for one in profile.counts if one.space == GLOBAL)
    }
    times = ", ".join(f"{name} {moved[name] / size[name]:.3g}" for name in size if moved.get(name))
    yield from wrap(f"{M * N * K:,} FMAs; times that sectors move: {times}", "  ", "    ")
    used = ", ".join(
        f"{'stores' if one.writes else 'loads'} {100 * one.bytes / (SECTOR * one.units):.3g} %"
        for one in sums(profile.counts)
        if one.space == GLOBAL
    )
    yield f"  bytes used of those that sectors move: {used}"


def of_c(profile: Profile) -> Iterator[str]:
    yield OF_C.format("line", "instructions", "reads", "writes", "L1 misses", "LL misses")
    all_instructions = sum(one.instructions for one in profile.lines)
    for one in profile.lines:
        if one.instructions * SMALL < all_instructions and one.l1_misses == 0:
            continue
        numbers = one.instructions, one.reads, one.writes, one.l1_misses, one.ll_misses
        yield OF_C.format(one.line, *(f"{number:,}" for number in numbers))
    missing = [one for one in profile.lines if one.compulsory or one.capacity or one.conflict]
    if missing and profile.l1:
        yield ""
        yield from wrap(f"why L1 misses, of {profile.l1}:", "  ", "    ")
        yield WHY.format("line", "compulsory", "capacity", "conflict")
    for one in missing:
        yield WHY.format(
            one.line,
            *(f"{number or 0:,}" for number in (one.compulsory, one.capacity, one.conflict)),
        )


def source(profile: Profile) -> Iterator[str]:
    """The kernel, each line with what its accesses move."""
    by_line: dict[int, list[str]] = {}
    for one in profile.counts:
        unit = "sec" if one.space == GLOBAL else "wf"
        by_line.setdefault(one.line, []).append(f"{one.units / one.requests:.2g} {unit}")
    for branch in profile.branches:
        if branch.divergent:
            share = f"{100 * branch.divergent / branch.times:.0f} % div"
            by_line.setdefault(branch.line, []).append(share)
    for line in profile.lines:
        if line.reads + line.writes:
            by_line[line.line] = [f"{100 * line.missing:.0f} % miss"]
    text = profile.kernel.read_text(encoding="utf-8", errors="replace")
    costs = {line: " ".join(said) for line, said in by_line.items()}
    width = max(16, *map(len, costs.values()))
    for number, code in enumerate(text.splitlines(), 1):
        yield f"{number:>4} {costs.get(number, ''):<{width}} {code}".rstrip()
