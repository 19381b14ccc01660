# SPDX-License-Identifier: MIT
"""Tables of a report that say where the time goes on a GPU, and how far apart two series of times
are."""

from __future__ import annotations

from workbook.report.data.measurements import quantile
from workbook.report.data.text import Notes, figure, percent, table, times, wide_if
from workbook.report.tables.cells import BACKENDS, Key, Measured, is_own, timed_twice
from workbook.report.tables.times import Values, timed


def parts(measured: Measured, defaults: dict[str, str]) -> Values:
    return {
        "opencl-parts": opencl_parts(measured),
        "cuda-parts": cuda_parts(measured),
        "cuda-blocks": cuda_blocks(measured),
        "twice": twice(measured, defaults),
    }


def where_time_goes(
    measured: Measured, head: list[str], rows: list[tuple[list[str], Key]], built: bool
) -> str:
    """A row has its first words and its cell. `built`: with the time to build the program."""
    notes, lines, keys = Notes(), [], len(head)
    head = [*head, "kernel", "host to device", "device to host"]
    head += ["allocation", "program build", "context"] if built else ["cudaMalloc", "context"]
    for words, key in rows:
        if cell := measured.cells.get(key):
            build = [cell.build] if built else []
            kernel = wide_if(cell.is_wide, figure(cell.ms))
            others = map(figure, [cell.h2d, cell.d2h, cell.alloc, *build, cell.context])
            lines.append([*words, kernel, *others])
        else:
            empty = ["-"] * (len(head) - len(words) - 1)
            lines.append([*words, notes.of(measured.why.get(key, "")), *empty])
    if any(key in measured.cells for _, key in rows):
        return table(head, lines, keys=keys) + str(notes)
    reason = next(iter(notes.letters), "")
    return f"*(no times{': ' * bool(reason)}{reason})*\n"


def opencl_parts(measured: Measured) -> str:
    rows = [
        ([label, str(N)], Key(label, "float", N, ""))
        for label in filter(is_own, measured.labels("opencl"))
        for N in measured.sizes("opencl")
    ]
    return where_time_goes(measured, ["lab, ms", "N"], rows, built=True)


def cuda_parts(measured: Measured) -> str:
    rows = [
        ([label, str(N), block_of(settings)], Key(label, "float", N, settings))
        for label in filter(is_own, measured.labels("cuda"))
        for N in measured.tuned(label)
        for settings in measured.tunables(label)
    ]
    return where_time_goes(measured, ["lab, ms", "N", "BLOCK"], rows, built=False)


def block_of(settings: str) -> str:
    return settings.partition("=")[2]


def cuda_blocks(measured: Measured) -> str:
    simple, shared = "lab08_cuda_naive", "lab09_cuda_shared"
    notes = Notes()
    rows = []
    for N in measured.tuned(simple):
        for settings in measured.tunables(simple):
            block = block_of(settings)
            grid = -(-N // int(block))
            keys = [Key(label, "float", N, settings) for label in (simple, shared)]
            words = [str(N), block, f"{grid} x {grid}"]
            words += [timed(measured, key, notes) for key in keys]
            rows.append([*words, times(*map(measured.comparable, keys))])
    labs = [f"{lab}, ms (spread)" for lab in (simple, shared)]
    head = ["N", "BLOCK", "blocks in the grid", *labs, "times as fast"]
    return table(head, rows, keys=3) + str(notes)


def twice(measured: Measured, defaults: dict[str, str]) -> str:
    """Settings that were timed as the default and again in a sweep: how far apart the two series
    are."""
    rows = []
    for backend, title in BACKENDS.items():
        labels = set(measured.labels(backend))
        ms = {key: ms for key, ms in measured.ms().items() if key.label in labels}
        apart = [100 * factor - 100 for factor in timed_twice(ms, defaults)]
        if apart:
            median, most = percent(quantile(apart, 0.5)), percent(max(apart))
            rows.append([title, str(len(apart)), median, most])
    head = ["the same, timed twice", "settings", "median of the differences", "largest"]
    return table(head, rows) if rows else "*(nothing was timed twice)*\n"
