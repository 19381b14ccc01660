# SPDX-License-Identifier: MIT
"""Plots with lines over a logarithmic axis: the times over the sizes, and the speeds over a
tunable."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from workbook.report.plots.style import FAINT, Style, canvas, key, key_rows, small_ticks, style


def times(rows: pd.DataFrame) -> tuple[str, Figure]:
    """Of one backend, with the default settings."""
    title = "Time of the kernel over the size"
    groups = list(rows.groupby("name", sort=False))
    ylabel = "ms (logarithmic), median and quartiles; dotted: slope of N³"
    figure, axes = canvas(title, rows["device"].iloc[0], 250, key_rows(len(groups)), ylabel)
    x = over(axes, rows["N"], "N = M = K")
    low, high = decades(rows["q1"].min(), rows["q3"].max())
    logarithmic(axes, low, high)
    slope(axes, x, low, high)
    handles = [
        line(axes, name, group["style"].iloc[0], group["N"], group["ms"], group["q1"], group["q3"])
        for name, group in groups
    ]
    key(figure, handles)
    return title, figure


def types(rows: pd.DataFrame) -> tuple[str, Figure]:
    """Speeds of one backend, a line for each lab and type."""
    title = "Speed of float, double and int over the size"
    groups = list(rows.groupby("name", sort=False))
    fast, slow = rows["gflops"] * rows["ms"] / rows["q1"], rows["gflops"] * rows["ms"] / rows["q3"]
    ylabel = "GFLOP/s, of int GOP/s (logarithmic), median and quartiles"
    figure, axes = canvas(title, rows["device"].iloc[0], 250, key_rows(len(groups)), ylabel)
    over(axes, rows["N"], "N = M = K")
    logarithmic(axes, *decades(slow.min(), fast.max()))
    handles = []
    for name, group in groups:
        look, at = group["style"].iloc[0], group.index
        handles.append(line(axes, name, look, group["N"], group["gflops"], slow[at], fast[at]))
    key(figure, handles)
    return title, figure


def sweep(lab: str, rows: pd.DataFrame) -> tuple[str, Figure]:
    """Of one lab over one tunable for each line: a line for each program or, on CUDA, for each
    size."""
    rows = rows.assign(
        tunable=rows["settings"].str.partition("=")[0],
        value=rows["settings"].str.partition("=")[2].astype(int),
    )
    cuda = rows["backend"].iloc[0] == "cuda"
    tunables = " or ".join(sorted(rows["tunable"].unique()))
    title = f"{lab}: speed over {tunables}" + ("" if cuda else f", N = {rows['N'].iloc[0]}")
    groups = list(rows.groupby(["N" if cuda else "name", "tunable"], sort=False))
    fast, slow = rows["gflops"] * rows["ms"] / rows["q1"], rows["gflops"] * rows["ms"] / rows["q3"]
    log = fast.max() >= 20 * slow.min()
    ylabel = "GFLOP/s, median and quartiles" + (" (logarithmic)" if log else "")
    figure, axes = canvas(title, rows["device"].iloc[0], 220, key_rows(len(groups)), ylabel)
    over(axes, rows["value"], tunables)
    if log:
        logarithmic(axes, *decades(slow.min(), fast.max()))
    else:
        axes.set_ylim(0, fast.max() * 1.05)
    handles = []
    for number, ((name, tunable), group) in enumerate(groups, 1):
        group = group.sort_values("value")
        caption = (f"N = {name}" if cuda else name) + (f": {tunable}" if " or " in tunables else "")
        drawn_as = style(number, 0) if cuda else group["style"].iloc[0]
        at = group.index
        handles.append(
            line(axes, caption, drawn_as, group["value"], group["gflops"], slow[at], fast[at])
        )
    key(figure, handles)
    return title, figure


def line(
    axes: Axes, name: str, look: Style, x: pd.Series, y: pd.Series, low: pd.Series, high: pd.Series
) -> Line2D:
    drawn = axes.errorbar(
        x,
        y,
        (y - low, high - y),
        color=look.color,
        linestyle=look.dash,
        marker=look.shape,
        markerfacecolor=look.face,
        capsize=3,
        elinewidth=1.2,
        clip_on=False,
        zorder=3,
    )
    marks: Line2D = drawn.lines[0]
    marks.set(label=name, gid=name.replace(" ", "-"))
    return marks


def over(axes: Axes, values: Iterable[int], label: str) -> list[int]:
    """The axis below: base 2, with those of the values as ticks that do not touch."""
    numbers = sorted(set(values))
    axes.set_xscale("log", base=2)
    axes.set_xlim(numbers[0] / 1.2, numbers[-1] * 1.2)
    ticks = [numbers[0]]
    for number in numbers[1:]:
        if math.log(number / ticks[-1]) >= math.log(numbers[-1] / numbers[0]) / 10:
            ticks.append(number)
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(label)
    axes.grid()
    return numbers


def decades(low: float, high: float) -> tuple[float, float]:
    return 10.0 ** math.floor(math.log10(low)), 10.0 ** (math.floor(math.log10(high)) + 1)


def logarithmic(axes: Axes, low: float, high: float) -> None:
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    powers = [10.0**power for power in range(round(math.log10(low)), round(math.log10(high)) + 1)]
    axes.set_yticks(powers, [f"{power:.15g}" for power in powers])
    axes.minorticks_off()
    small_ticks(axes, "y")


def slope(axes: Axes, sizes: list[int], low: float, high: float) -> None:
    """Of N³, from the lower left corner on."""
    end = min(sizes[-1], sizes[0] * (high / low / 2) ** (1 / 3))
    times = (1.5 * low, 1.5 * low * (end / sizes[0]) ** 3)
    axes.plot(
        (sizes[0], end), times, color=FAINT, linestyle=(0, (1, 3)), linewidth=1.5, gid="slope"
    )
