# SPDX-License-Identifier: MIT
"""What one program does to memory, step by step: a recording of gemm-steps/2, from the requests and
the counts of make profile."""

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
from workbook.page.formulas import of_program
from workbook.page.patterns import Pattern, pattern_of
from workbook.page.shapes import Numbers, Shape, of_matrix
from workbook.page.speed import speed
from workbook.profile.profile import of_count, totals
from workbook.profile.run_counted import COUNTED_BY, Profile, profile
from workbook.profile.source import COMMENT, MEMORY, SHARED
from workbook.profile.steps import Site, Steps

BY = {**COUNTED_BY, "cpu": "functions in the kernel"}
TOLD = TOP / "engine/count/told.h"
ACCESSES = re.compile(r"\b_mm\d*_\w*(?:load|store|gather|scatter|stream|broadcast_[sp])\w*")
PLAIN = re.compile(r"_mm\d*_(?:load|store)u?_(?:[ps][sd]|si\d+|epi\d+)$")
SMALL, LARGE = 16, 32  # M, N and K: two tiles of each, if these are small
NOTHING: dict[str, Any] = {
    **{"tunables": {}, "problem": None, "launches": [], "arrays": [], "sites": [], "patterns": []},
    **{"requests": [], "lines": [], "totals": None, "accesses": None, "cut": None, "formulas": []},
}


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
    kernel = one.kernel
    source = kernel.read_text(encoding="utf-8", errors="replace") if kernel.is_file() else ""
    about = {
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
        **speed(lab, program, settings),
    }
    return about | (of_steps(one, one.steps, source) if one.steps else NOTHING)


def of_steps(one: Profile, steps: Steps, source: str) -> dict[str, Any]:
    lab, program = one.lab, one.program
    defines = [f"-D{setting}" for setting in (f"real={lab.type}", *program.settings)]
    numbers = Numbers(lab.path, source, defines)
    names = [*(name for name, _ in lab.defaults), "TILE_M", "TILE_N", "TILE_K"]
    tunables = {name: n for name, n in zip(names, numbers.of(names)) if n is not None}
    arrays = Arrays(one, steps, numbers)
    patterns, requests = arrays.requests()
    recorded = sum(len(request.lanes) for request in steps.requests)
    every = sum(count.lanes for count in one.counts)
    return {
        "tunables": tunables,
        "problem": one.problem,
        "launches": [vars(launch) for launch in steps.launches],
        "arrays": [arrays.described(key) for key in arrays.numbers],
        "sites": [arrays.site(site) for site in steps.sites],
        "patterns": patterns,
        "requests": requests,
        "lines": [of_count(count) for count in one.counts],
        "totals": totals(one),
        "accesses": {"recorded": recorded, "of": every},
        "cut": " ".join([*cut(recorded, every), *untold(one, source)]) or None,
        "formulas": [*formulas(one, tunables | one.problem, steps)],
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


def key(site: Site) -> Key:
    return site.space, site.array, site.launch if site.space == SHARED else 0


class Arrays:
    """Of a program: their shapes, and which element of them each lane begins at."""

    def __init__(self, profile: Profile, steps: Steps, numbers: Numbers) -> None:
        self.problem, self.steps, self.shapes_of = profile.problem, steps, numbers
        self.bytes = BYTES[profile.lab.type]
        self.numbers = {one: n for n, one in enumerate(sorted(set(map(key, steps.sites))))}
        reach: defaultdict[Key, list[int]] = defaultdict(list)
        for request in steps.requests:
            reach[key(steps.sites[request.site])] += [at for _, at in request.lanes]
        # What has no name begins nowhere that is known: at its first element.
        self.first = {
            one: min(places) if one[:2] == (MEMORY, "?") else 0 for one, places in reach.items()
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
        kernel = self.steps.launches[launch].kernel if space == SHARED else None
        about = {"name": name, "space": space, "bytes": self.bytes, "kernel": kernel}
        return about | vars(self.shape(array))

    def site(self, site: Site) -> dict[str, Any]:
        return {
            "line": site.line,
            "array": self.numbers[key(site)],
            "writes": site.writes,
            "width": max(site.size // self.bytes, 1),
            "launch": site.launch,
        }

    def requests(self) -> tuple[list[Pattern], list[list[int]]]:
        """The patterns of lanes, and ten numbers for each request: docs/records.md."""
        patterns: dict[Pattern, int] = {}
        rows = []
        for one in self.steps.requests:
            first = self.first[key(self.steps.sites[one.site])]
            lanes = [(lane, (at - first) // self.bytes) for lane, at in one.lanes]
            pattern = patterns.setdefault(pattern_of(lanes), len(patterns))
            place = one.site, one.block, one.phase, one.warp, one.order
            rows.append([*place, pattern, lanes[0][1], one.units, one.ideal, one.bytes])
        return list(patterns), rows


def formulas(one: Profile, numbers: dict[str, int], steps: Steps) -> Iterator[dict[str, Any]]:
    """What they come to, and what is counted of the same accesses, also where the steps are cut."""
    if one.lab.type != "float":  # of which their 4 bytes are
        return
    for formula in of_program(one.lab.name, one.program.variant):
        value = formula.value(numbers)
        sites = [
            n
            for n, site in enumerate(steps.sites)
            if site.space == formula.level and formula.takes(site.array, site.writes)
        ]
        counted = sum(
            count.asked
            for count in one.counts
            if count.space == formula.level and formula.takes(count.array, count.writes)
        )
        if value is not None and sites:
            yield {
                "level": formula.level,
                "label": formula.label,
                "formula": formula.shown,
                "value": value,
                "counted": counted,
                "sites": sites,
            }
