# SPDX-License-Identifier: MIT
"""make profile DEVICE=gpu: what ncu counts on a GPU beside what the emulation counts, by line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbook import UserError
from workbook.core.text import wrap
from workbook.lab.labs import Lab, Program
from workbook.profile.counts import Count
from workbook.profile.nvidia import ncu
from workbook.profile.nvidia.ncu import Instruction, Place
from workbook.profile.run_counted import Profile
from workbook.profile.source import GLOBAL, SHARED
from workbook.race.build import build

# What an instruction does, by its name: where, and whether it writes. A copy is two accesses.
LOADS, STORES = False, True
ACCESSES = {
    "LDG": [(GLOBAL, LOADS)],
    "STG": [(GLOBAL, STORES)],
    "ATOMG": [(GLOBAL, STORES)],
    "RED": [(GLOBAL, STORES)],
    "LDS": [(SHARED, LOADS)],
    "LDSM": [(SHARED, LOADS)],
    "STS": [(SHARED, STORES)],
    "ATOMS": [(SHARED, STORES)],
    "LDGSTS": [(GLOBAL, LOADS), (SHARED, STORES)],
}
ROW = "{:>5} {:<12}{:>10}{:>10}{:>12}{:>12}{:>9}{:>9}"
HEAD = ROW.format("line", "access", "requests", "ncu", "moves", "ncu", "excess", "ncu")
Access = tuple[int, str, bool]  # line, space, writes


@dataclass(frozen=True)
class Sum:
    """Of a line, or of all: instructions of warps, sectors or wavefronts, and how many would do."""

    requests: int = 0
    units: int = 0
    ideal: int = 0
    opcodes: frozenset[str] = frozenset()

    def __add__(self, other: Sum) -> Sum:
        return Sum(
            self.requests + other.requests,
            self.units + other.units,
            self.ideal + other.ideal,
            self.opcodes | other.opcodes,
        )


@dataclass(frozen=True)
class Hardware:
    device: str
    lines: dict[Access, Sum]


def is_wanted() -> bool:
    """Raises UserError where there is no GPU to ask, before anything is built."""
    said = os.environ.get("DEVICE", "")
    if said not in ("", "gpu"):
        raise UserError(f"DEVICE={said}: make profile knows DEVICE=gpu, which asks ncu")
    if said and (why := ncu.missing()):
        raise UserError(f"DEVICE=gpu: {why}")
    return bool(said)


def measure(
    lab: Lab, program: Program, settings: list[str], size: list[str], one: Profile, work: Path
) -> Hardware:
    kept = [setting for setting in settings if not setting.startswith("CUDA=")]
    folder, problem = build(lab, program, [*kept, "CUDA=nvcc"], work)
    if problem:
        raise UserError(f"{lab.name}: DEVICE=gpu: does not build with nvcc: {problem}")
    names = "|".join(re.escape(launch.kernel) for launch in one.launches)
    words = [f"./{program.name}", *size, "--once"]
    report = ncu.report(words, folder, work, kernels=f"^({names})$")
    return Hardware(ncu.device(), by_line(ncu.instructions(report), program.kernel))


def accesses(one: Instruction) -> list[tuple[str, bool]]:
    return ACCESSES.get(one.opcode.partition(".")[0], [])


def by_line(found: Iterable[Instruction], kernel: str) -> dict[Access, Sum]:
    """Line 0: of another file, a header's."""
    found = list(found)
    sums: dict[Access, Sum] = {}
    callers = callers_of(found, kernel)
    for one in found:
        line = line_in(one, kernel) or called_at(one, callers)
        for space, writes in accesses(one):
            units = one.sectors if space == GLOBAL else one.wavefronts
            ideal = one.sectors_ideal if space == GLOBAL else one.wavefronts_ideal
            key = line, space, writes
            sums[key] = sums.get(key, Sum()) + Sum(
                one.executed, units, ideal, frozenset([one.opcode])
            )
    return {key: one for key, one in sums.items() if one.requests}


def line_in(one: Instruction, kernel: str) -> int:
    return next((line for file, line in one.places if Path(file).name == kernel), 0)


def callers_of(found: Iterable[Instruction], kernel: str) -> dict[Place, set[int]]:
    """The lines of the kernel from which each line of a header is inlined. ncu says it of the first
    copy of an unrolled loop alone."""
    lines: dict[Place, set[int]] = {}
    for one in found:
        if line := line_in(one, kernel):
            for place in one.places:
                lines.setdefault(place, set()).add(line)
    return lines


def called_at(one: Instruction, callers: dict[Place, set[int]]) -> int:
    """Where all others of its line are called from one line, that."""
    lines = {line for place in one.places for line in callers.get(place, ())}
    return lines.pop() if len(lines) == 1 else 0


def counted(counts: Iterable[Count]) -> dict[Access, Sum]:
    sums: dict[Access, Sum] = {}
    for one in counts:
        key = one.line, one.space, one.writes
        sums[key] = sums.get(key, Sum()) + Sum(one.requests, one.units, one.ideal)
    return sums


def shown(one: Profile, hardware: Hardware) -> Iterator[str]:
    ours = counted(one.counts)
    yield f"  the counts beside ncu's, on {hardware.device}"[:80]
    yield HEAD
    for key in sorted(ours.keys() | hardware.lines.keys()):
        yield row(key, ours.get(key, Sum()), hardware.lines.get(key, Sum()))
    yield ""
    for key, mine in sorted(of_all(ours).items()):
        theirs = of_all(hardware.lines).get(key, Sum())
        yield row(key, mine, theirs)
    for text in remarks(ours, hardware.lines, one.program.kernel):
        yield from wrap(text, "  ", "    ")


def row(key: Access, ours: Sum, theirs: Sum) -> str:
    line, space, writes = key
    numbers = [
        number
        for mine, other in (
            (ours.requests, theirs.requests),
            (ours.units, theirs.units),
            (ours.units - ours.ideal, theirs.units - theirs.ideal),
        )
        for number in (f"{mine:,}", f"{other:,}")
    ]
    where = "all" if line < 0 else line or "?"
    return ROW.format(where, f"{space} {'store' if writes else 'load'}", *numbers)


def of_all(lines: dict[Access, Sum]) -> dict[Access, Sum]:
    sums: dict[Access, Sum] = {}
    for (_, space, writes), one in lines.items():
        key = -1, space, writes
        sums[key] = sums.get(key, Sum()) + one
    return sums


def remarks(ours: dict[Access, Sum], theirs: dict[Access, Sum], kernel: str) -> Iterator[str]:
    """Sectors and wavefronts are to be compared: of requests nvcc makes others."""
    for key in merged(ours, theirs):
        line, space, writes = key
        what = f"{space} {'stores' if writes else 'loads'}"
        names = ", ".join(sorted(theirs[key].opcodes))
        yield (
            f"{kernel}:{line}: nvcc merged {what}: {theirs[key].requests:,} instructions for "
            f"{ours[key].requests:,} in the source ({names}): compare the excess"
        )
    if any(key[0] == 0 for key in theirs):
        yield (
            "line ?: instructions whose line is in a header, and of which nobody knows what line "
            "calls them; in the sums they are"
        )


def merged(ours: dict[Access, Sum], theirs: dict[Access, Sum]) -> list[Access]:
    return [
        key for key in sorted(theirs) if key in ours and theirs[key].requests < ours[key].requests
    ]


def as_record(one: Profile, hardware: Hardware) -> dict[str, Any]:
    together = counted(one.counts)
    return {
        "device": hardware.device,
        "merged": [line for line, _, _ in merged(together, hardware.lines)],
        "lines": [
            {
                "line": line or None,
                "space": space,
                "writes": writes,
                "requests": found.requests,
                "sectors" if space == GLOBAL else "wavefronts": found.units,
                "ideal": found.ideal,
                "instructions": sorted(found.opcodes),
            }
            for (line, space, writes), found in sorted(hardware.lines.items())
        ],
    }
