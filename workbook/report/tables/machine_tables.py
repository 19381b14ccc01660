# SPDX-License-Identifier: MIT
"""What a report says of the machine: data/provenance.txt, defaults.txt and ceilings.tsv, as
tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from workbook.report.data.text import figure, plain, table
from workbook.report.tables.cells import BACKENDS
from workbook.report.tables.times import Values

Ceilings = dict[
    tuple[str, str, str], tuple[float, float]
]  # GFLOP/s and GB/s by backend, device and type
OF_DEVICES = {*BACKENDS, "caches"}  # these stand in a table of their own


def lines_of(path: Path) -> Iterator[tuple[str, str]]:
    """The lines NAME: VALUE of a file, if it is there."""
    if path.exists():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(": ")
            yield name, value


def read_facts(report: Path) -> dict[str, str]:
    return {name: plain(value) for name, value in lines_of(report / "data/provenance.txt")}


def read_defaults(report: Path) -> dict[str, str]:
    return dict(lines_of(report / "data/defaults.txt"))


def read_befores(report: Path) -> dict[str, str]:
    """Of labs that do not lead on from the one above them."""
    return dict(lines_of(report / "data/before.txt"))


def read_ceilings(report: Path) -> Ceilings:
    path = report / "data/ceilings.tsv"
    ceilings: Ceilings = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            fields = line.split("\t")
            if len(fields) >= 5:
                ceilings[fields[0], fields[1], fields[2]] = number(fields[3]), number(fields[4])
    return ceilings


def number(text: str) -> float:
    return float(text) if re.fullmatch(r"[0-9]+([.][0-9]+)?", text) else 0.0


def facts(facts: dict[str, str], defaults: dict[str, str], ceilings: Ceilings) -> Values:
    return {
        "device": device(facts, ceilings),
        "provenance": provenance(facts),
        "defaults": table(
            ["lab", "tunables, unless others are named"], [*map(list, defaults.items())], 2
        ),
    }


def provenance(facts: dict[str, str]) -> str:
    last = {"commit": "commit of the last measurement", "date": "date of the last measurement"}
    rows = [
        [last.get(name, name), value] for name, value in facts.items() if name not in OF_DEVICES
    ]
    return table(["what", "value"], rows, 2)


def name_of(fact: str) -> str:
    return re.sub(r" \((CPU|GPU|no device).*", "", fact) or "-"


def part(fact: str, pattern: str) -> str:
    """The part of a device's facts that matches, without the words that do."""
    inside = re.sub(r"^[^(]*\(", "", fact)
    for words in re.sub(r"\)$", "", inside).split(", "):
        if re.search(pattern, words):
            return re.sub(pattern, "", words).strip(" ")
    return "-"


def peaks(facts: dict[str, str], ceilings: Ceilings) -> dict[str, float]:
    """GFLOP/s in float of each backend's device."""
    return {backend: ceiling(facts, ceilings, backend, "float")[0] for backend in BACKENDS}


def ceiling(
    facts: dict[str, str], ceilings: Ceilings, backend: str, kind: str
) -> tuple[float, float]:
    known = {(b, plain(device), t): value for (b, device, t), value in ceilings.items()}
    return known.get((backend, name_of(facts.get(backend, "")), kind), (0.0, 0.0))


def device(facts: dict[str, str], ceilings: Ceilings) -> str:
    cpu, opencl, cuda = (facts.get(backend, "") for backend in BACKENDS)

    def each(pattern: str) -> list[str]:
        return [part(fact, pattern) for fact in (cpu, opencl, cuda)]

    def measured(kind: str, which: int) -> list[str]:
        found = [ceiling(facts, ceilings, backend, kind)[which] for backend in BACKENDS]
        of = [" (one core)", "", ""]  # a device of OpenCL or CUDA is measured whole
        return [figure(x) + whose if x else "-" for x, whose in zip(found, of)]

    version = " ".join(part(opencl, "^OpenCL").split()[:2])
    group = "KiB of (local|shared) memory( for a block)?$"
    rows = {
        "name": [name_of(fact) for fact in (cpu, opencl, cuda)],
        "OpenCL or CUDA version": ["-", version, part(cuda, "driver for CUDA")],
        "compute capability": ["-", "-", part(cuda, "compute capability")],
        "cores, compute units or multiprocessors": each("cores$|compute units$|multiprocessors$"),
        "clock in MHz": each("MHz$"),
        "memory in MiB": each("MiB of memory$"),
        "caches": [facts.get("caches", ""), "-", "-"],
        "local or shared memory of a group, in KiB": each(group),
        "largest work-group or block": each("(work-group|block) limit"),
        "driver": ["-", part(opencl, "^driver"), facts.get("CUDA driver", "-")],
        "measured peak, float, GFLOP/s": measured("float", 0),
        "measured peak, double, GFLOP/s": measured("double", 0),
        "measured bandwidth, GB/s": measured("float", 1),
    }
    head = ["device data", "CPU", "OpenCL device", "CUDA device"]
    return table(head, [[what, *values] for what, values in rows.items()], 4)
