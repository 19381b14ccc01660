# SPDX-License-Identifier: MIT
"""The efficiency that the model says, up to 10,000 ranks, with what was measured as points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.lines import Line2D

from workbook.advanced.scaling.model import LIMIT, Point
from workbook.report.plots import style

TITLE = "Efficiency of the ranks, by the model"


def draw(
    file: Path,
    device: str,
    strong: Sequence[Point],
    weak: Sequence[Point],
    measured: dict[int, float],
) -> None:
    kinds: list[tuple[str, Sequence[Point], Any, str]] = [
        (f"one problem, N = {strong[0].size}", strong, "-", style.COLORS[0]),
        (f"N = {weak[0].size} for each rank", weak, style.DASHES[1], style.COLORS[3]),
    ]
    with matplotlib.rc_context(style.SETTINGS):
        figure, axes = style.canvas(
            TITLE, device, 230, key_rows=3, right=30, ylabel="of what the ranks could do, %"
        )
        handles = []
        for name, points, dash, color in kinds:
            shares = [100 * one.efficiency for one in points]
            axes.plot([one.ranks for one in points], shares, linestyle=dash, color=color)
            handles.append(Line2D([], [], linestyle=dash, color=color, label=name))
        shares = [100 * share for share in measured.values()]
        axes.plot(list(measured), shares, "o", color=style.INK, clip_on=False)
        handles.append(Line2D([], [], linestyle="", marker="o", color=style.INK, label="measured"))
        axes.set_xscale("log")
        decades = [10**power for power in range(5)]
        axes.set_xlim(decades[0], decades[-1])
        axes.set_xticks(decades, [f"{ranks:,}" for ranks in decades])
        axes.minorticks_off()
        axes.set_ylim(0, 105)
        axes.axhline(100 * LIMIT, color=style.FAINT, linewidth=0.7)
        axes.grid(axis="y")
        axes.set_xlabel("ranks")
        style.key(figure, handles, columns=1)
        file.parent.mkdir(parents=True, exist_ok=True)
        new = file.with_name(f".new.{file.name}")
        style.save(figure, new, TITLE)
        new.replace(file)
