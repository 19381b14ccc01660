# SPDX-License-Identifier: MIT
"""What one program does to memory, step by step: a program of gemm-steps/1, from the requests that
profile/ records and the counts that make profile shows."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbook import TOP, UserError
from workbook.lab.labs import Lab, Program
from workbook.lab.limits import shape_of, size_of
from workbook.measure.requested import BYTES
from workbook.page.formulas import SIZE, Formula, of_program, why_none
from workbook.page.roofline import speed
from workbook.page.runs import Costs, Lanes, Place, runs_of
from workbook.page.shapes import Numbers, Shape, of_matrix
from workbook.profile.profile import of_count, totals
from workbook.profile.run_counted import COUNTED_BY, Profile, profile
from workbook.profile.source import COMMENT, MEMORY, SHARED
from workbook.profile.steps import Request, Site, Steps

BY = {**COUNTED_BY, "cpu": "functions in the kernel"}
TOLD = TOP / "engine/count/told.h"
ACCESSES = re.compile(r"\b_mm\d*_\w*(?:load|store|gather|scatter|stream|broadcast_[sp])\w*")
PLAIN = re.compile(r"_mm\d*_(?:load|store)u?_(?:[ps][sd]|si\d+|epi\d+)$")
SMALL, LARGE = 16, 32  # M, N and K: two tiles of each, if these are small


def size_for(program: Program) -> list[str]:
    """What SIZE says; else two tiles in each dimension, from 16 to 32."""
    if said := os.environ.get("SIZE"):
        words = shape_of(said)
        if max(map(size_of, words)) > LARGE:
            most = " x ".join([str(LARGE)] * 3)
            raise UserError(f"SIZE={said}: a page draws at most {most}; leave SIZE out")
        return words
    tile = program.tile or (1, 1, 1)
    return [str(SMALL if 2 * one <= SMALL else LARGE) for one in tile]


def record(
    lab: Lab, program: Program, settings: list[str], size: list[str], work: Path
) -> dict[str, Any]:
    one = profile(lab, program, settings, size, work, records=True)
    source = (
        one.kernel.read_text(encoding="utf-8", errors="replace") if one.kernel.is_file() else ""
    )
    said = {
        "lab": lab.name,
        "program": program.name,
        "variant": program.variant,
        "settings": settings,
        "file": program.kernel,
        "source": source.splitlines(),
        "by": BY[lab.backend or "cpu"],
        "skip": one.skip or None,
        "failure": one.failure or None,
        "wrong": one.wrong or None,
        "no_formula": why_none(lab, program.variant),
    }
    said |= speed(lab, program, settings)
    return {**said, **(of_steps(one, one.steps, source) if one.steps else NOTHING)}


NOTHING: dict[str, Any] = {
    **{"tunables": {}, "problem": None, "launches": [], "arrays": [], "sites": [], "patterns": []},
    **{"runs": [], "lines": [], "totals": None, "accesses": None, "cut": None, "formulas": []},
}


def of_steps(one: Profile, steps: Steps, source: str) -> dict[str, Any]:
    lab, program = one.lab, one.program
    defines = [f"-D{setting}" for setting in (f"real={lab.type}", *program.settings)]
    numbers = Numbers(lab.path, source, defines)
    names = [*(name for name, _ in lab.defaults), "TILE_M", "TILE_N", "TILE_K"]
    tunables = {name: n for name, n in zip(names, numbers.of(names)) if n is not None}
    arrays = Arrays(one, steps, numbers)
    patterns, runs = runs_of(arrays.requests())
    recorded = sum(len(request.lanes) for request in steps.requests)
    every = sum(count.lanes for count in one.counts)
    return {
        "tunables": tunables,
        "problem": one.problem,
        "launches": [vars(launch) for launch in steps.launches],
        "arrays": [arrays.described(key) for key in arrays.numbers],
        "sites": [arrays.site(site) for site in steps.sites],
        "patterns": patterns,
        "runs": [run.words() for run in runs],
        "lines": [of_count(count) for count in one.counts],
        "totals": totals(one),
        "accesses": {"recorded": recorded, "of": every},
        "cut": " ".join([*cut(recorded, every), *untold(one, source)]) or None,
        "formulas": [*formulas(one, tunables | one.problem, arrays)],
    }


def cut(recorded: int, every: int) -> Iterator[str]:
    if recorded < every:
        yield f"Only the first {recorded:,} of {every:,} accesses are here, block by block."


def untold(one: Profile, source: str) -> Iterator[str]:
    """The instructions of a kernel in C whose accesses neither the compiler nor
    engine/count/told.h names."""
    told = re.findall(r"#define (_mm\w+)", TOLD.read_text(encoding="utf-8"))
    names = dict.fromkeys(ACCESSES.findall(COMMENT.sub("", source)))
    missing = [name for name in names if name not in told and not PLAIN.match(name)]
    if missing and one.lab.backend == "cpu":
        yield f"What {', '.join(missing)} accesses is not recorded."


Key = tuple[str, str, int]  # space, name; of shared memory the launch, of others 0


class Arrays:
    """Of a program: their shapes, and which element of them each lane begins at."""

    def __init__(self, profile: Profile, steps: Steps, numbers: Numbers) -> None:
        self.problem, self.steps, self.shapes_of = profile.problem, steps, numbers
        self.bytes = BYTES[profile.lab.type]
        self.numbers: dict[Key, int] = {}
        for one in sorted({key(site) for site in steps.sites}):
            self.numbers[one] = len(self.numbers)
        reach: defaultdict[Key, list[int]] = defaultdict(list)
        for request in steps.requests:
            site = steps.sites[request.site]
            reach[key(site)] += [at for _, at in request.lanes]
        # What has no name begins nowhere that is known: at its first element.
        self.first = {
            one: min(reach[one]) if one[0] == MEMORY and one[1] == "?" else 0 for one in reach
        }
        self.last = {one: (max(reach[one]) - self.first[one]) // self.bytes for one in reach}

    def shape(self, array: Key) -> Shape:
        space, name, _ = array
        known = of_matrix(name, self.problem) if space != SHARED else None
        if space == SHARED or (space == MEMORY and not known):
            known = self.shapes_of.shape(name)
        touched = self.last[array] + 1
        return known or Shape(1, touched, touched)

    def described(self, array: Key) -> dict[str, Any]:
        space, name, launch = array
        of_kernel = self.steps.launches[launch].kernel if space == SHARED else None
        return {
            "name": name,
            "space": space,
            **vars(self.shape(array)),
            "bytes": self.bytes,
            "kernel": of_kernel,
        }

    def site(self, site: Site) -> dict[str, Any]:
        return {
            "line": site.line,
            "array": self.numbers[key(site)],
            "writes": site.writes,
            "width": max(site.size // self.bytes, 1),
            "launch": site.launch,
        }

    def lanes(self, request: Request) -> Lanes:
        first = self.first[key(self.steps.sites[request.site])]
        return tuple((lane, (at - first) // self.bytes) for lane, at in request.lanes)

    def requests(self) -> Iterator[tuple[Place, int, Lanes, Costs]]:
        for one in self.steps.requests:
            place = one.site, one.block, one.phase, one.warp
            yield place, one.order, self.lanes(one), (one.units, one.ideal, one.bytes)

    def touched(self, sites: list[int]) -> int:
        """Bytes of the elements that these sites access, each once."""
        found = set()
        for request in self.steps.requests:
            site = self.steps.sites[request.site]
            if request.site in sites:
                width = max(site.size // self.bytes, 1)
                found |= {
                    (key(site), element + more)
                    for _, element in self.lanes(request)
                    for more in range(width)
                }
        return self.bytes * len(found)


def key(site: Site) -> Key:
    return site.space, site.array, site.launch if site.space == SHARED else 0


def formulas(one: Profile, values: dict[str, int], arrays: Arrays) -> Iterator[dict[str, Any]]:
    for formula in of_program(one.lab.name, one.program.variant) if arrays.bytes == SIZE else ():
        value = formula.value(values)
        sites = [n for n, site in enumerate(arrays.steps.sites) if takes(formula, site)]
        if value is not None and sites:
            yield {
                "level": formula.level,
                "label": formula.label,
                "formula": formula.shown,
                "js": formula.text,
                "value": value,
                "counted": counted(one, formula, arrays, sites),
                "unit": "bytes",
                "sum": {"sites": sites},
                "source": formula.source(one.lab),
            }


def takes(formula: Formula, site: Site) -> bool:
    of_level = site.space == formula.level or formula.level == "compulsory" and site.space != SHARED
    return of_level and formula.takes(site.array, site.writes)


def counted(one: Profile, formula: Formula, arrays: Arrays, sites: list[int]) -> int:
    """In all, where the steps are cut, too; elements accessed at least once, in the steps."""
    if formula.level == "compulsory":
        return arrays.touched(sites)
    return sum(
        count.asked
        for count in one.counts
        if count.space == formula.level and formula.takes(count.array, count.writes)
    )
