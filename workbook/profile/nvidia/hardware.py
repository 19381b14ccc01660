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
from workbook.profile.nvidia.ncu import Instruction
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
ALL = -1  # in place of a line
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


Sums = dict[Access, Sum]


@dataclass(frozen=True)
class Hardware:
    device: str
    lines: Sums


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
    names = "|".join(map(re.escape, one.launched))
    words = [f"./{program.name}", *size, "--once"]
    report = ncu.report(words, folder, work, kernels=f"^({names})$")
    return Hardware(ncu.device(), by_line(ncu.instructions(report), program.kernel))


def accesses(one: Instruction) -> list[tuple[str, bool]]:
    return ACCESSES.get(one.opcode.partition(".")[0], [])


def summed(parts: Iterable[tuple[Access, Sum]]) -> Sums:
    sums: Sums = {}
    for key, one in parts:
        sums[key] = sums.get(key, Sum()) + one
    return sums


def by_line(found: Iterable[Instruction], kernel: str) -> Sums:
    """Line 0: of another file, a header's."""

    def parts() -> Iterator[tuple[Access, Sum]]:
        for one in found:
            line = next((line for file, line in one.places if Path(file).name == kernel), 0)
            for space, writes in accesses(one) if one.executed else []:
                units, ideal = one.sectors if space == GLOBAL else one.wavefronts
                yield (
                    (line, space, writes),
                    Sum(one.executed, units, ideal, frozenset([one.opcode])),
                )

    return summed(parts())


def counted(counts: Iterable[Count]) -> Sums:
    return summed(
        ((one.line, one.space, one.writes), Sum(one.requests, one.units, one.ideal))
        for one in counts
    )


def of_all(lines: Sums) -> Sums:
    return summed(((ALL, space, writes), one) for (_, space, writes), one in lines.items())


def shown(one: Profile, hardware: Hardware) -> Iterator[str]:
    ours, theirs = counted(one.counts), hardware.lines
    yield f"  the counts beside ncu's, on {hardware.device}"[:80]
    yield HEAD
    for key in sorted(ours.keys() | theirs.keys()):
        yield row(key, ours.get(key, Sum()), theirs.get(key, Sum()))
    yield ""
    for key, mine in sorted(of_all(ours).items()):
        yield row(key, mine, of_all(theirs).get(key, Sum()))
    for text in remarks(ours, theirs, one.program.kernel):
        yield from wrap(text, "  ", "    ")


def row(key: Access, ours: Sum, theirs: Sum) -> str:
    line, space, writes = key
    of_each = [(one.requests, one.units, one.units - one.ideal) for one in (ours, theirs)]
    numbers = [f"{number:,}" for pair in zip(*of_each) for number in pair]
    where = "all" if line == ALL else line or "?"
    return ROW.format(where, f"{space} {'store' if writes else 'load'}", *numbers)


def remarks(ours: Sums, theirs: Sums, kernel: str) -> Iterator[str]:
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
        yield "line ?: instructions whose line is in a header; in the sums they are"


def merged(ours: Sums, theirs: Sums) -> list[Access]:
    both = sorted(ours.keys() & theirs.keys())
    return [key for key in both if theirs[key].requests < ours[key].requests]


def as_record(one: Profile, hardware: Hardware) -> dict[str, Any]:
    return {
        "device": hardware.device,
        "merged": [line for line, _, _ in merged(counted(one.counts), hardware.lines)],
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
