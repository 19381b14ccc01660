# SPDX-License-Identifier: MIT
"""Which cells a report has: a program, with a type, size and settings. The sizes are those of the
source reports, as far as the device allows: on a CPU, OpenCL is measured at smaller ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbook.lab.labs import ADVANCED, Lab, Program


@dataclass(frozen=True)
class Wanted:
    lab: Lab
    program: Program
    type: str
    N: int
    settings: str  # GROUP_X=8 GROUP_Y=8, in the order of params.h; "": the defaults

    def __str__(self) -> str:
        words = f"{self.lab.name} {self.program.name} N={self.N} {self.type} {self.settings}"
        return words.rstrip()


@dataclass(frozen=True)
class Sizes:
    all: tuple[int, ...]
    quick: tuple[int, ...]
    tuned: tuple[int, ...]  # of the sweeps
    quick_tuned: tuple[int, ...]
    types: tuple[str, ...] = ("float",)


CPU = Sizes((128, 256, 512, 1024, 2048), (128, 256, 512), (1024, 2048), (512,))
TYPES = ("float", "double", "int")  # the homework compares two; the book chapter has the last
OPENCL_ON_CPU = Sizes((256, 512, 1024, 2048), (128, 256, 512), (1024,), (256,), TYPES)
OPENCL_ON_GPU = Sizes((1024, 2048, 4096, 8192), (512, 1024, 2048), (4096,), (2048,), TYPES)
SQUARE = ("square", "one_per_item")  # tiles of lab 07 with one element for each work-item
LARGE = (512, 1024, 2048, 4096, 8192)
CUDA = Sizes(LARGE, (512, 1024, 2048), LARGE, (2048,))


def sizes_of(lab: Lab, on_gpu: bool) -> Sizes:
    if lab.backend == "opencl":
        return OPENCL_ON_GPU if on_gpu else OPENCL_ON_CPU
    return CPU if lab.backend == "cpu" else CUDA


def leads_on(lab: Lab) -> bool:
    """It is not one of the ladder."""
    return lab.place.parent.name == ADVANCED


def plan(lab: Lab, on_gpu: bool, quick: bool) -> Iterator[Wanted]:
    sizes = sizes_of(lab, on_gpu)
    plain, tuned = (sizes.quick, sizes.quick_tuned) if quick else (sizes.all, sizes.tuned)
    for kind in sizes.types:
        for program in lab.climb:
            # The source compares types with the labs' own kernels.
            if kind == "float" or program.variant == "":
                yield from (Wanted(lab, program, kind, N, "") for N in plain)
    if leads_on(lab):  # the source has none of them
        return
    for program in lab.climb:
        if lab.backend == "cuda" and program.variant:  # so it does with block sizes in CUDA
            continue
        # The source's table of square tiles has every size.
        at = plain if program.variant in SQUARE else tuned
        for setting in program.sweep:
            yield from (Wanted(lab, program, "float", N, in_order(lab, setting)) for N in at)


def in_order(lab: Lab, setting: str) -> str:
    order = [name for name, _ in lab.defaults]
    return " ".join(
        sorted(setting.split(","), key=lambda word: order.index(word.partition("=")[0]))
    )


def defaults(lab: Lab) -> Iterator[tuple[str, str]]:
    """Which values of the tunables that are swept its programs have by default, by label."""
    for program in lab.climb:
        if program.sweep:
            values = {**dict(lab.defaults), **dict(word.split("=", 1) for word in program.settings)}
            names = [word.partition("=")[0] for word in in_order(lab, program.sweep[0]).split()]
            label = f"{lab.name}, {program.variant}" if program.variant else lab.name
            yield label, " ".join(f"{name}={resolved(name, values)}" for name in names)


def resolved(name: str, values: dict[str, str]) -> str:
    """In params.h the value of some is the name of another."""
    value = values[name]
    return resolved(value, values) if value in values and value != name else value


def turn_of(cell: Wanted) -> tuple[object, ...]:
    """Cells with the same one take turns. Whoever is compared does: programs of one backend at one
    size, and the settings of one lab; in CUDA also those of both labs."""
    lab = cell.lab.name if cell.settings and cell.lab.backend != "cuda" else ""
    backend = ("cpu", "opencl", "cuda").index(cell.lab.backend or "cpu")
    return backend, cell.settings != "", cell.type != "float", lab, cell.N
