# SPDX-License-Identifier: MIT
"""Tables of a report that say where the time goes on a GPU, and how far apart two series of times
are."""

from __future__ import annotations

from collections.abc import Iterable

from workbook.report.data.measurements import quantile
from workbook.report.data.text import Notes, figure, percent, table, times, wide_if
from workbook.report.tables.cells import BACKENDS, Key, Measured, Times, is_own, timed_twice
from workbook.report.tables.times import Values, timed


def parts(measured: Measured, defaults: dict[str, str]) -> Values:
    return {
        "opencl-parts": opencl_parts(measured),
        "cuda-parts": cuda_parts(measured),
        "cuda-blocks": cuda_blocks(measured),
        "twice": twice(measured, defaults),
    }


def where_time_goes(
    measured: Measured, head: list[str], rows: Iterable[tuple[list[str], Key, bool]]
) -> str:
    """A row has its first words, its cell, and whether the time to build the program is told."""
    notes = Notes()
    lines, told, keys = [], 0, 1
    for words, key, built in rows:
        cell, keys = measured.cells.get(key), len(words)
        if cell is None:
            empty = ["-"] * (len(head) - len(words) - 1)
            lines.append([*words, notes.of(measured.why.get(key, "")), *empty])
        else:
            told += 1
            kernel, *others = map(figure, times_of(cell, built))
            lines.append([*words, wide_if(cell.is_wide, kernel), *others])
    if told:
        return table(head, lines, keys=keys) + str(notes)
    reason = next(iter(notes.letters), "")
    return f"*(no times{': ' * bool(reason)}{reason})*\n"


def times_of(cell: Times, built: bool) -> list[float]:
    build = [cell.build] if built else []
    return [cell.ms, cell.h2d, cell.d2h, cell.alloc, *build, cell.context]


def opencl_parts(measured: Measured) -> str:
    head = [
        "lab, ms",
        "N",
        "kernel",
        "host to device",
        "device to host",
        "allocation",
        "program build",
        "context",
    ]
    own = [label for label in measured.labels("opencl") if is_own(label)]
    rows = [
        ([label, str(N)], Key(label, "float", N, ""), True)
        for label in own
        for N in measured.sizes("opencl")
    ]
    return where_time_goes(measured, head, rows)


def cuda_parts(measured: Measured) -> str:
    head = [
        "lab, ms",
        "N",
        "BLOCK",
        "kernel",
        "host to device",
        "device to host",
        "cudaMalloc",
        "context",
    ]
    rows = [
        ([label, str(N), block_of(settings)], Key(label, "float", N, settings), False)
        for label in measured.labels("cuda")
        if is_own(label)
        for N in measured.tuned(label)
        for settings in measured.tunables(label)
    ]
    return where_time_goes(measured, head, rows)


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
            words = [
                str(N),
                block,
                f"{grid} x {grid}",
                *(timed(measured, key, notes) for key in keys),
            ]
            rows.append([*words, times(*map(measured.comparable, keys))])
    head = [
        "N",
        "BLOCK",
        "blocks in the grid",
        f"{simple}, ms (spread)",
        f"{shared}, ms (spread)",
        "times as fast",
    ]
    return table(head, rows, keys=3) + str(notes)


def twice(measured: Measured, defaults: dict[str, str]) -> str:
    """Settings that were timed as the default and again in a sweep: how far apart the two series
    are."""
    rows = []
    for backend, title in BACKENDS.items():
        labels = set(measured.labels(backend))
        ms = {key: cell.ms for key, cell in measured.cells.items() if key.label in labels}
        apart = [100 * factor - 100 for factor in timed_twice(ms, defaults)]
        if apart:
            rows.append(
                [title, str(len(apart)), percent(quantile(apart, 0.5)), percent(max(apart))]
            )
    head = ["the same, timed twice", "settings", "median of the differences", "largest"]
    return table(head, rows) if rows else "*(nothing was timed twice)*\n"
