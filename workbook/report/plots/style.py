# SPDX-License-Identifier: MIT
"""What all plots share: a drawing 480 wide, so that a phone can show it, in which everything has
its place in pixels. Labs differ in colour (Okabe and Ito's, which the colour-blind can tell apart)
and in the shape of their points; variants of a lab in dashes and in open points, so that a print in
black and white can be read. The text is text: it can be searched, and the font is the reader's."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

WIDTH = 480
INK, FAINT, GRID = "#1a1a1a", "#404040", "#d8d8d8"
KEY_ROW = 20  # the height of a line of text, too

SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 14,
    "text.color": INK,
    "text.parse_math": False,  # a device may have dollars in its name
    "axes.edgecolor": FAINT,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.xmargin": 0,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "hatch.linewidth": 1.2,
    "lines.linewidth": 1.8,
    "lines.markersize": 7,
    "svg.fonttype": "none",
    "svg.hashsalt": "plots",  # the same bytes for the same data
    "xtick.color": FAINT,
    "ytick.color": FAINT,
}

COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000")
SHAPES = ("o", "s", "^", "D", "v", "p")
OTHER_SHAPES = ("x", "+", "*")  # of the variants after the first
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (7, 2, 1.5, 2)), (0, (3, 1.5, 1, 1.5, 1, 1.5)))


@dataclass(frozen=True)
class Style:
    color: str
    dash: object
    shape: str
    filled: bool

    @property
    def face(self) -> str:
        return self.color if self.filled else "white"


def style(lab: int, variant: int) -> Style:
    """Of a lab by its number, and a variant by its place among the lab's: 0 is the lab's own
    kernel."""
    shape = SHAPES[(lab - 1) % len(SHAPES)]
    if variant > 1:
        shape = OTHER_SHAPES[(variant - 2) % len(OTHER_SHAPES)]
    return Style(
        COLORS[(lab - 1) % len(COLORS)], DASHES[variant % len(DASHES)], shape, variant == 0
    )


def label(lab: str, variant: str) -> str:
    """What a program is called in a plot: lab03_avx_block is lab03 avx block, its variant lab03
    published."""
    number, _, rest = lab.partition("_")
    words = (
        variant or rest.partition("_")[2]
        if rest.startswith(("cpu_", "ocl_", "cuda_"))
        else variant or rest
    )
    return f"{number} {words.replace('_', ' ')}"


def canvas(
    title: str,
    device: str,
    height: float,
    key_rows: int = 0,
    ylabel: str = "",
    left: int = 68,
    right: int = 16,
) -> tuple[Figure, Axes]:
    """A drawing with its title, what was measured, and empty axes of this height."""
    lines = textwrap.wrap(f"{device}, float", 54)
    top = KEY_ROW * len(lines) + 58
    bottom = 52 + (KEY_ROW * key_rows + 6 if key_rows else 0)
    total = top + height + bottom
    figure = Figure(figsize=(WIDTH / 72, total / 72), dpi=72)
    FigureCanvasAgg(figure)  # knows how wide a text is
    figure.text(8 / WIDTH, 1 - 22 / total, title, size=15)
    figure.text(8 / WIDTH, 1 - 42 / total, lines[0], color=FAINT)
    for number, line in enumerate(lines[1:], 1):
        figure.text(8 / WIDTH, 1 - (42 + KEY_ROW * number) / total, line, color=FAINT)
    figure.text(8 / WIDTH, 1 - (top - 15) / total, ylabel, color=FAINT)
    axes = figure.add_axes(
        (left / WIDTH, bottom / total, (WIDTH - left - right) / WIDTH, height / total)
    )
    axes.minorticks_off()
    return figure, axes


def small_ticks(axes: Axes, which: Literal["x", "y"]) -> None:
    """Between the decades of a logarithmic axis."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=99))
    axis.set_minor_formatter(NullFormatter())
    axes.tick_params(which, which="minor", length=4, width=0.6)


def key_rows(names: int) -> int:
    return (names + 1) // 2


def key(figure: Figure, handles: Sequence[Artist], columns: int = 2) -> None:
    """Below the axes, where it covers nothing."""
    figure.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 0),
        ncols=columns,
        frameon=False,
        handlelength=2.8,
        borderaxespad=0.3,
        labelspacing=0.25,
        columnspacing=1.2,
    )


def save(figure: Figure, file: Path, title: str) -> None:
    with matplotlib.rc_context(SETTINGS):
        figure.savefig(file, format="svg", metadata={"Title": title, "Date": None, "Creator": None})
