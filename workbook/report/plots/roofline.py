# SPDX-License-Identifier: MIT
"""The ceilings of a device, and labs below them, by the FLOP per byte that each kernel asks of
memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter
from matplotlib.transforms import Bbox

from workbook.measure.requested import asked_of_memory
from workbook.report.plots.style import DASHES, FAINT, INK, canvas, key, small_ticks
from workbook.report.tables.machine_tables import read_ceilings

SIZE = 13  # of the names of points, in pixels as all that follows
POINT = 7  # half of what a point covers, with some air
LINE = 8  # half of what a name covers upwards and downwards
FAR = 17  # steps that a name may be away from its point
STEP = 8


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
    figure, axes = canvas(title, rows["device"].iloc[0], 300, 1 + len(libraries), "GFLOP/s")
    left, right = 0.02, 5 * max(peak / bandwidth, rows["intensity"].max())
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left, right)
    highest = max(peak, rows["gflops"].max(), *(level for _, level in libraries))
    axes.set_ylim(min(peak / 100, rows["gflops"].min()) / 3, 3 * highest)
    axes.minorticks_off()
    for name, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.15g}"))
        small_ticks(axes, name)
    axes.set_xlabel("FLOP per byte that the kernel asks of memory")
    axes.grid()
    x = np.array((left, peak / bandwidth, right))
    name = f"measured ceilings: {digits(bandwidth)} GB/s, {digits(peak)} GFLOP/s"
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
    for name, look, at, speed in zip(
        rows["name"], rows["style"], rows["intensity"], rows["gflops"]
    ):
        face = look.face
        gid = name.replace(" ", "-")
        axes.plot(
            at,
            speed,
            look.shape,
            color=look.color,
            markerfacecolor=face,
            markersize=8,
            zorder=4,
            gid=gid,
        )
    names = [axes.text(0, 0, name, size=SIZE, va="center_baseline") for name in rows["name"]]
    place(axes, roof, names, axes.transData.transform(rows[["intensity", "gflops"]]))
    key(figure, [roof, *levels], 1)
    return title, figure


def digits(number: float) -> str:
    return f"{number:.3g}" if number < 100 else f"{number:.0f}"


@dataclass(frozen=True)
class Place:
    """Where a name may go: its left end and its middle, where a line to its point begins, if it
    takes one, and how far away that is."""

    x: float
    y: float
    line_from: tuple[float, float] | None
    away: float


def place(axes: Axes, roof: Line2D, names: list[Text], at: np.ndarray) -> None:
    """Puts each name where it lies on no point, no other name and not on the ceilings, as near to
    its point as can be; one after the other."""
    ceilings = axes.transData.transform(roof.get_xydata())
    to_data = axes.transData.inverted().transform
    frame = axes.get_window_extent()
    taken = [box(x, y, -POINT, POINT, POINT) for x, y in at]
    for text, point in zip(names, at):
        wide = text.get_window_extent().width
        ranked = [
            (badness(option, wide, frame, taken, ceilings), option)
            for option in options(point, wide)
        ]
        best = min(ranked, key=lambda pair: pair[0])[1]
        taken.append(box(best.x, best.y, 0, wide, LINE))
        text.set_position(tuple(to_data((best.x, best.y))))
        if best.line_from:
            ends = to_data([best.line_from, point])
            axes.plot(ends[:, 0], ends[:, 1], color=FAINT, linewidth=0.7, zorder=2)


def badness(
    option: Place, wide: float, frame: Bbox, taken: list[Bbox], ceilings: np.ndarray
) -> float:
    name = box(option.x, option.y, 0, wide, LINE)
    outside: bool = (
        min(name.x0 - frame.x0 - 2, frame.x1 + 12 - name.x1, name.y0 - frame.y0, frame.y1 - name.y1)
        < 0
    )
    covered: int = sum(meet(name, other) for other in taken)
    height = np.interp(np.linspace(name.x0, name.x1, 9), ceilings[:, 0], ceilings[:, 1])
    on_ceilings = bool(np.any(np.abs(height - option.y) < LINE + 2))
    return option.away + 5000 * outside + 1000 * covered + 200 * on_ceilings


def meet(a: Bbox, b: Bbox) -> bool:
    return bool(a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1)


def box(x: float, y: float, left: float, right: float, half: float) -> Bbox:
    return Bbox.from_extents(x + left, y - half, x + right, y + half)


def options(point: np.ndarray, wide: float) -> list[Place]:
    """Right of it, left of it, above or below, in steps."""
    found = []
    for step in range(-FAR, FAR + 1):
        up = STEP * step
        y, beside = point[1] + up, abs(up) < 12
        right, left, middle = point[0] + 9, point[0] - 9 - wide, point[0] - wide / 2
        found.append(Place(right, y, None if beside else (right - 1, y), abs(up)))
        found.append(Place(left, y, None if beside else (left + wide + 1, y), abs(up) + 4))
        if abs(up) >= 16:
            edge = y - LINE if up > 0 else y + LINE
            found.append(Place(middle, y, (point[0], edge) if abs(up) > 24 else None, abs(up) + 8))
    return found
