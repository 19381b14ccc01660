# SPDX-License-Identifier: MIT
"""The ceilings of a device, and labs below them, by the FLOP per byte that each kernel asks of
memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from workbook.measure.requested import asked_of_memory
from workbook.report.plots.style import DASHES, INK, canvas, key, key_rows, small_ticks
from workbook.report.tables.machine_tables import read_ceilings


def points(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows with the FLOP per byte of their program; others have no place in the plot."""
    known = pd.DataFrame(
        [(*names, asked.flop / asked.bytes) for names, asked in asked_of_memory().items()],
        columns=["lab", "variant", "intensity"],
    )
    return rows.merge(known, on=["lab", "variant"])


def ceilings(report: Path, rows: pd.DataFrame) -> tuple[float, float] | None:
    """The peak in GFLOP/s and the bandwidth in GB/s that were measured on the device of these
    rows."""
    device = rows["device"].iloc[0].partition(" (most rows of ")[0]
    found = read_ceilings(report).get((rows["backend"].iloc[0], device, "float"), (0, 0))
    return found if min(found) > 0 else None


def roofline(
    rows: pd.DataFrame, peak: float, bandwidth: float, libraries: Sequence[tuple[str, float]] = ()
) -> tuple[str, Figure]:
    """Libraries are lines: what they ask of memory is not known."""
    title = f"Roofline, N = {rows['N'].iloc[0]}"
    figure, axes = canvas(
        title, rows["device"].iloc[0], 300, key_rows(1 + len(libraries) + len(rows)), "GFLOP/s"
    )
    left, right = 0.02, 5 * max(peak / bandwidth, rows["intensity"].max())
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left, right)
    highest = max(peak, rows["gflops"].max(), *(level for _, level in libraries))
    axes.set_ylim(min(peak / 100, rows["gflops"].min()) / 3, 3 * highest)
    axes.minorticks_off()
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.15g}"))
    small_ticks(axes, "x")
    small_ticks(axes, "y")
    axes.set_xlabel("FLOP per byte that the kernel asks of memory")
    axes.grid()
    x = np.array((left, peak / bandwidth, right))
    name = f"{digits(bandwidth)} GB/s, {digits(peak)} GFLOP/s"
    (roof,) = axes.plot(
        x, np.minimum(x * bandwidth, peak), color="black", linewidth=2.4, label=name, gid="ceilings"
    )
    levels = [
        axes.axhline(
            level,
            color=INK,
            linewidth=1,
            linestyle=dash,
            label=f"{name}: {digits(level)} GFLOP/s",
            gid=name,
        )
        for (name, level), dash in zip(libraries, DASHES[1:])
    ]
    programs = [
        axes.plot(
            at,
            speed,
            look.shape,
            color=look.color,
            markerfacecolor=look.face,
            markersize=8,
            zorder=4,
            label=name,
            gid=name.replace(" ", "-"),
        )[0]
        for name, look, at, speed in zip(
            rows["name"], rows["style"], rows["intensity"], rows["gflops"]
        )
    ]
    key(figure, [roof, *levels, *programs])
    return title, figure


def digits(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:.0f}"
