# SPDX-License-Identifier: MIT
"""The tables of times and speeds in a report, each under the name of its markers."""

from __future__ import annotations

import re

from workbook.report.data.text import Notes, figure, percent, table, times, wide_if
from workbook.report.tables.cells import BACKENDS, Key, Measured, is_own, with_spread

Values = dict[str, str]


def tables(
    measured: Measured, peaks: dict[str, float], befores: dict[str, str], predicted: dict[str, int]
) -> Values:
    """Peaks in GFLOP/s, of float, by backend; what labs are compared with; the N that they were
    predicted for."""
    values = {
        "cpu-sizes": size_table(measured, "cpu", ["float"]),
        "opencl-sizes": size_table(measured, "opencl", ["float", "double", "int"]),
        "opencl-types": type_table(measured, "opencl", ["float", "double", "int"]),
        "cuda-sizes": size_table(measured, "cuda", ["float"]),
        "cpu-blocks": tunable_table(measured, "cpu", "lab03"),
        "opencl-tiles": tunable_table(measured, "opencl", "lab07.*, (square|one_per_item)$"),
        "opencl-sweeps": sweep_table(measured, "opencl"),
    }
    for backend in BACKENDS:
        values[f"ladder-{backend}"] = ladder(measured, backend, peaks.get(backend, 0.0), befores)
        values.update(predictions(measured, backend, predicted))
    return values


def size_table(measured: Measured, backend: str, types: list[str]) -> str:
    notes, sizes = Notes(), measured.sizes(backend)
    rows = []
    for label in measured.labels(backend):
        for kind in types:
            if measured.is_planned(label, kind):
                name = f"{label}, {kind}" if len(types) > 1 else label
                keys = [Key(label, kind, N, "") for N in sizes]
                rows.append([name, *(timed(measured, key, notes) for key in keys)])
    return table(["ms (spread)", *(f"N={N}" for N in sizes)], rows) + str(notes)


def type_table(measured: Measured, backend: str, types: list[str]) -> str:
    """Speeds of the labs' own kernels. Of int it is GOP/s: there is no floating point in it."""
    notes, sizes = Notes(), measured.sizes(backend)
    rows = [
        [f"{label}, {kind}", "GOP/s" if kind == "int" else "GFLOP/s"]
        + [timed(measured, Key(label, kind, N, ""), notes, "gflops") for N in sizes]
        for label in measured.labels(backend)
        if is_own(label)
        for kind in types
        if measured.is_planned(label, kind)
    ]
    return table(["speed (spread)", "in", *(f"N={N}" for N in sizes)], rows, 2) + str(notes)


def timed(measured: Measured, key: Key, notes: Notes, quantity: str = "ms") -> str:
    """Its ms or gflops with the spread, or why there are none."""
    if cell := measured.cells.get(key):
        return with_spread(getattr(cell, quantity), cell)
    return notes.of(measured.why.get(key, ""))


def tunable_table(measured: Measured, backend: str, pattern: str) -> str:
    """Labs whose label begins so, over their tunables, a row for each size."""
    notes = Notes()
    labels = [label for label in measured.labels(backend) if re.match(pattern, label)]
    labels = [label for label in labels if measured.tunables(label)]
    if not labels:
        return ""
    head = list(dict.fromkeys(s for label in labels for s in measured.tunables(label)))
    head.sort(key=lambda setting: [int(value) for value in re.findall(r"=(\d+)", setting)])
    rows = [
        [f"{label}, N={N}"]
        + [timed(measured, Key(label, "float", N, settings), notes) for settings in head]
        for label in labels
        for N in measured.tuned(label)
    ]
    return table(["ms (spread)", *head], rows) + str(notes)


def ms_speed_spread(measured: Measured, key: Key, notes: Notes) -> list[str]:
    cell = measured.cells.get(key)
    if cell is None:
        return [notes.of(measured.why.get(key, "")), "-", "-"]
    numbers = [wide_if(cell.is_wide, figure(number)) for number in (cell.ms, cell.gflops)]
    return [*numbers, percent(cell.spread)]


def sweep_table(measured: Measured, backend: str) -> str:
    notes = Notes()
    rows = []
    for label in measured.labels(backend):
        for N in measured.tuned(label):
            for settings in measured.tunables(label):
                key = Key(label, "float", N, settings)
                numbers = ms_speed_spread(measured, key, notes)
                rows.append([label, str(N), settings, *numbers])
    return table(["lab", "N", "tunables", "ms", "GFLOP/s", "spread"], rows, 3) + str(notes)


def ladder(measured: Measured, backend: str, peak: float, befores: dict[str, str]) -> str:
    notes, N = Notes(), measured.ladder_size(backend) or 0
    rows = []
    own = {"": 0.0}  # ms of each lab
    folder = ""
    for label in measured.labels(backend):
        key = Key(label, "float", N, "")
        cell = measured.cells.get(key)
        if label.partition(",")[0] != folder:  # its steps come before its own kernel
            above, folder = folder, label.partition(",")[0]
            former = own.get(befores.get(folder, above), 0.0)
        if is_own(label):
            own[folder] = measured.comparable(key)
        top = (cell.peak or peak) if cell else 0.0
        comparable = cell and top and not cell.is_wide
        share = f"{100 * cell.gflops / top:.1f} %" if cell and comparable else "-"
        numbers = ms_speed_spread(measured, key, notes)
        rows.append([label, *numbers, share, times(former, measured.comparable(key))])
    head = [f"lab, N={N or ''}", "ms", "GFLOP/s", "spread", "% of peak", "x lab before"]
    return table(head, rows) + str(notes)


def predictions(measured: Measured, backend: str, predicted: dict[str, int]) -> Values:
    """What stands beside each of a student's predictions: at their N where that was measured, else
    at the ladder's."""
    values: Values = {}
    ladder = measured.ladder_size(backend)
    own = [label for label in measured.labels(backend) if is_own(label)]
    if ladder is None:
        return values
    was_measured = bool(measured.of(backend)["kernel_ms"].notna().any())
    for n, label in enumerate(own):
        N = predicted.get(label[3:5], ladder)
        if Key(label, "float", N, "") not in measured.cells:
            N = ladder
        key, work, moved = Key(label, "float", N, ""), 2.0 * N**3, 3.0 * 4 * N**2
        cell = measured.cells.get(key)
        before = measured.comparable(key._replace(label=own[n - 1])) if n else 0.0
        known = {
            "size": str(N),
            "work": f"{figure(work * 1e-9)} (N={N})",
            "bytes": figure(moved * 1e-6),
            "intensity": figure(work / moved),
        }
        row = known if was_measured else dict.fromkeys(known, "-")
        why = f"not measured: {measured.why.get(key, '')}"
        row["gflops"] = with_spread(cell.gflops, cell) if cell else why
        row["speedup"] = times(before, measured.comparable(key)) if n else "- (the first)"
        values.update({f"predict-{label[:5]}-{name}": f"{it}\n" for name, it in row.items()})
    return values
