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
    ylabel = "ms (logarithmic), median and quartiles; dotted: slope of N³"
    title, groups = "Time of the kernel over the size", list(rows.groupby("name", sort=False))
    figure, axes = canvas(title, rows["device"].iloc[0], 250, key_rows(len(groups)), ylabel)
    x = over(axes, rows["N"], "N = M = K")
    low, high = decades(rows["q1"].min(), rows["q3"].max())
    logarithmic(axes, low, high)
    slope(axes, x, low, high)
    times = [group[["ms", "q1", "q3"]] for _, group in groups]
    key(figure, [line(axes, name, group, "N", ms) for (name, group), ms in zip(groups, times)])
    return title, figure


def speeds(rows: pd.DataFrame) -> pd.DataFrame:
    """GFLOP/s: the median, at the slow quartile of the times and at the fast one."""
    work = rows["gflops"] * rows["ms"]
    return pd.DataFrame(
        {"at": rows["gflops"], "slow": work / rows["q3"], "fast": work / rows["q1"]}
    )


def types(rows: pd.DataFrame) -> tuple[str, Figure]:
    """Speeds of one backend, a line for each lab and type."""
    ylabel = "GFLOP/s, of int GOP/s (logarithmic), median and quartiles"
    title = "Speed of float, double and int over the size"
    groups, speed = list(rows.groupby("name", sort=False)), speeds(rows)
    figure, axes = canvas(title, rows["device"].iloc[0], 250, key_rows(len(groups)), ylabel)
    over(axes, rows["N"], "N = M = K")
    logarithmic(axes, *decades(speed["slow"].min(), speed["fast"].max()))
    key(figure, [line(axes, name, group, "N", speed.loc[group.index]) for name, group in groups])
    return title, figure


def sweep(lab: str, rows: pd.DataFrame) -> tuple[str, Figure]:
    """Of one lab over one tunable for each line: a line for each program or, on CUDA, for each
    size."""
    parts = rows["settings"].str.partition("=")
    rows = rows.assign(tunable=parts[0], value=parts[2].astype(int)).sort_values(
        "value", kind="stable"
    )
    cuda, tunables = rows["backend"].iloc[0] == "cuda", " or ".join(sorted(set(parts[0])))
    title = f"{lab}: speed over {tunables}" + ("" if cuda else f", N = {rows['N'].iloc[0]}")
    speed = speeds(rows)
    log = speed["fast"].max() >= 20 * speed["slow"].min()
    ylabel = "GFLOP/s, median and quartiles" + (" (logarithmic)" if log else "")
    groups = list(rows.groupby(["N" if cuda else "place", "tunable"]))
    figure, axes = canvas(title, rows["device"].iloc[0], 220, key_rows(len(groups)), ylabel)
    over(axes, rows["value"], tunables)
    if log:
        logarithmic(axes, *decades(speed["slow"].min(), speed["fast"].max()))
    else:
        axes.set_ylim(0, speed["fast"].max() * 1.05)
    handles = []
    for number, ((_, tunable), group) in enumerate(groups, 1):
        name = f"N = {group['N'].iloc[0]}" if cuda else group["name"].iloc[0]
        name += f": {tunable}" if " or " in tunables else ""
        look = style(number, 0) if cuda else None
        handles.append(line(axes, name, group, "value", speed.loc[group.index], look))
    key(figure, handles)
    return title, figure


def line(
    axes: Axes, name: str, rows: pd.DataFrame, x: str, y: pd.DataFrame, look: Style | None = None
) -> Line2D:
    """Of rows over one of their columns. `y` has the medians, and the ends of the error bars."""
    look = look or rows["style"].iloc[0]
    median, low, high = (y[column] for column in y)
    drawn = axes.errorbar(
        rows[x],
        median,
        (median - low, high - median),
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
