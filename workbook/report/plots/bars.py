# SPDX-License-Identifier: MIT
"""Plots with bars and boxes: the ladder of the labs, the parts of their time, speeds over two
tunables."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from workbook.report.data.text import short, wide_if
from workbook.report.plots.style import FAINT, canvas, key, small_ticks

PARTS = {  # hatched in ways that a print in black and white tells apart
    "ms": ("kernel", "#0072B2", ""),
    "h2d_ms": ("host to device", "#D55E00", r"\\\\"),
    "d2h_ms": ("device to host", "#009E73", "////"),
    "alloc_ms": ("allocation", "#E69F00", "xxxx"),
    "build_ms": ("build", "#000000", None),
}
THICK = 0.72


def ladder(rows: pd.DataFrame) -> tuple[str, Figure]:
    """Of one backend at one size: from 0 on a linear axis, or from 1 on a logarithmic one, which
    does not begin at 0; and two columns of numbers beside the bars. A time with too wide a spread
    is not compared: it has no bar. The first row has a sound one."""
    first = rows.iloc[0]
    title = f"Speed-up over {first['name']}, N = {first['N']}"
    speeds = rows["gflops"].where(~rows["wide"]) / first["gflops"]
    log = speeds.max() >= 8 * speeds.min()
    figure, axes = canvas(title, first["device"], 27 * len(rows), left=152, right=156)
    base = 1 if log else 0
    for y, (speed, name, look, ms) in enumerate(
        zip(speeds, rows["name"], rows["style"], rows["ms"])
    ):
        if math.isnan(speed):
            beside(axes, y, "-", 70)
            beside(axes, y, f"({short(ms)} ms)", 148)
            continue
        fill = (
            {"facecolor": look.color} if look.filled else {"facecolor": "white", "hatch": r"\\\\"}
        )
        (bar,) = axes.barh(
            y, speed - base, THICK, base, edgecolor=look.color, linewidth=1.2, **fill
        )
        bar.set_gid(name.replace(" ", "-"))
        beside(axes, y, f"{short(speed)}x", 70)
        beside(axes, y, f"{short(ms)} ms", 148)
    beside(axes, -0.9, "speed-up", 70, FAINT)
    beside(axes, -0.9, "median", 148, FAINT)
    rows_named(axes, rows["name"])
    if log:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:.15g}"))
        axes.minorticks_off()
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.set_xlim(speeds.min() * 0.9 if log else 0, speeds.max() * 1.1)
    if log:
        small_ticks(axes, "x")
    axes.axvline(base, color=FAINT, linewidth=1)
    axes.set_xlabel(f"times the speed of {first['name']}" + (" (logarithmic)" if log else ""))
    return title, figure


def parts(rows: pd.DataFrame) -> tuple[str, Figure]:
    """Of one backend at one size, each lab's own kernel: what of its time goes where."""
    title = f"Where the time goes, N = {rows['N'].iloc[0]}"
    shown = [part for part in PARTS if part != "build_ms" or rows["backend"].iloc[0] == "opencl"]
    times = rows[shown].fillna(0)  # CUDA builds its kernels beforehand
    whole = times.sum(axis=1)
    figure, axes = canvas(
        title, rows["device"].iloc[0], 30 * len(rows), (len(shown) + 1) // 2, "", 136, 82
    )
    start = whole * 0
    handles = []
    for part in shown:
        name, color, hatch = PARTS[part]
        face = color if hatch == "" else "white"
        share = 100 * times[part] / whole
        look: dict[str, Any] = {
            "facecolor": face,
            "edgecolor": color,
            "hatch": hatch,
            "linewidth": 1.2,
        }
        for y, (width, left) in enumerate(zip(share, start)):
            axes.barh(y, width, THICK, left, gid=f"{part}-{y}", **look)
        handles.append(Patch(label=name, **look))
        start = start + share
    for y, milliseconds in enumerate(whole):
        beside(axes, y, f"{short(milliseconds)} ms", 74)
    beside(axes, -0.9, "in all", 74, FAINT)
    rows_named(axes, rows["name"])
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the time")
    key(figure, handles)
    return title, figure


def heat(rows: pd.DataFrame) -> tuple[str, Figure]:
    """Of one lab's own kernel at one size, over two tunables."""
    cells = [dict(word.split("=") for word in settings.split()) for settings in rows["settings"]]
    x, y = sorted(cells[0])
    columns, lines = (sorted({int(cell[tunable]) for cell in cells}) for tunable in (x, y))
    title = f"{rows['name'].iloc[0]}: GFLOP/s, N = {rows['N'].iloc[0]}"
    figure, axes = canvas(title, rows["device"].iloc[0], 36 * len(lines), 0, y)
    for cell, speed, is_wide in zip(cells, rows["gflops"], rows["wide"]):
        part = speed / rows["gflops"].max()
        at = columns.index(int(cell[x])), lines.index(int(cell[y]))
        axes.barh(at[1], 1, 1, at[0] - 0.5, color=blue(part), edgecolor="white", linewidth=1.5)
        ink = "white" if part > 0.5 else "black"
        axes.text(*at, wide_if(is_wide, short(speed)), color=ink, ha="center", va="center_baseline")
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), [str(value) for value in columns])
    axes.set_yticks(range(len(lines)), [str(value) for value in lines])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    empty = len(cells) < len(columns) * len(lines)
    axes.set_xlabel(x + (" (empty: not measured)" if empty else ""))
    return title, figure


def blue(part: float) -> list[float]:
    """From white to dark."""
    return [
        (light - part * (light - dark)) / 255 for light, dark in ((247, 8), (251, 48), (255, 107))
    ]


def rows_named(axes: Axes, names: pd.Series) -> None:
    """From above to below."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), list(names))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")


def beside(axes: Axes, y: float, text: str, right: int, color: str = "black") -> None:
    """A text that ends so many pixels to the right of the axes."""
    axes.annotate(
        text,
        (1, y),
        (right, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        color=color,
        ha="right",
        va="center_baseline",
        annotation_clip=False,
    )
