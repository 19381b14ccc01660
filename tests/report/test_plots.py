# SPDX-License-Identifier: MIT
"""The plots of a small report whose medians are known, and of full ones: which there are,
what they show and where, and that it can be read."""

from __future__ import annotations

import itertools
import shutil
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
pytest.importorskip("pandas", reason="pandas is not installed")

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from tests.drawing import Drawing, meet, read
from tests.golden import ANEW, golden
from tests.reports import full_report
from workbook.lab.labs import every
from workbook.measure.requested import INTENSITY
from workbook.report.data import measurements
from workbook.report.plots import draw, style

pytestmark = pytest.mark.report

CPU = ["ladder-cpu", "roofline-cpu", "sweep-lab03", "time-cpu"]
OPENCL = [
    "ladder-opencl",
    "parts-opencl",
    "roofline-opencl",
    "sweep-lab04",
    "sweep-lab06",
    "sweep-lab07",
    "time-opencl",
    "types-opencl",
]
CUDA = ["ladder-cuda", "parts-cuda", "sweep-lab08", "time-cuda"]
DEVICES = {"cpu": "Chip <A> & Co, 2 cores", "opencl": "a 'GPU' $HOME $", "cuda": "GPU"}
PARTS = ("h2d_ms", "d2h_ms", "alloc_ms", "build_ms")
Rows = dict[str, list[dict[str, Any]]]


class Sample:
    """The rows of a report, by lab."""

    def __init__(self) -> None:
        self.labs: Rows = {}
        self.type = "float"
        self.parts: tuple[float | str, ...] = ("",) * 4

    def cell(
        self, lab: str, n: int, *times: float, variant: str = "", settings: str = "", why: str = ""
    ) -> None:
        backend = "cpu" if lab < "lab04" else "opencl" if lab < "lab08" else "cuda"
        program = {"lab": lab, "variant": variant, "backend": backend, "type": self.type}
        row = {**program, "M": n, "N": n, "K": n, "settings": settings, "stamp": "s"}
        rows = self.labs.setdefault(lab, [])
        for rep, time in enumerate(times, 1):
            measured = dict(
                zip(PARTS, self.parts), device=DEVICES[backend], rep=rep, kernel_ms=time
            )
            rows.append({**row, **measured, "verified": "full"})
        if not times:
            rows.append({**row, "why": why})

    def write(self, report: Path) -> None:
        shutil.rmtree(report / "data", ignore_errors=True)
        (report / "data").mkdir(parents=True)
        for lab, rows in self.labs.items():
            measurements.write(report / "data" / f"{lab}.csv", measurements.frame(rows))
        limits = {"cpu": (100, 20), "opencl": (1000, 100)}
        lines = [
            f"{name}\t{DEVICES[name]}\tfloat\t{peak}\t{gbs}\n"
            for name, (peak, gbs) in limits.items()
        ]
        (report / "data/ceilings.tsv").write_text("".join(lines), encoding="utf-8")


def known() -> Sample:
    sample = Sample()
    cell = sample.cell
    cell("lab01_cpu_naive", 50, 30, 1, 1.1, 0.9, 0.8)  # medians 1 and 10, the means are others
    cell("lab01_cpu_naive", 100, 9, 10, 40, 11, 9.5)
    cell("lab02_avx", 50, 0.5)
    cell("lab02_avx", 100, 2.6, 1.9, 2.1, 1.7)  # four of them: 2
    cell("lab03_avx_block", 100, 0.02, 0.02, 0.02)
    cell("lab03_avx_block", 100, 1.25, variant="published")
    cell("lab03_avx_block", 100, 2.5, variant="transpose")
    for block in (16, 32, 64):
        cell("lab03_avx_block", 100, 0.02, settings=f"BLOCK_KN={block}")
        cell("lab03_avx_block", 100, 1, variant="published", settings=f"BLOCK_KN={block}")
        cell("lab03_avx_block", 50, 1, variant="published", settings=f"BLOCK_KN={block}")
    cell("lab01_cpu_naive", 200, why="longer than the limit, of 60 s")
    sample.type = "double"
    cell("lab01_cpu_naive", 100, 777)
    cell("lab02_avx", 4096, 777)
    sample.type = "int"
    cell("lab04_ocl_naive", 100, 10, 8, 12)
    cell("lab04_ocl_naive", 200, 80)
    sample.type, sample.parts = "float", (10, 10, 20, 40)
    cell("lab04_ocl_naive", 100, 20)  # and the parts: 100 ms
    cell("lab04_ocl_naive", 200, 160)
    cell("lab06_ocl_regtile", 100, 2)
    cell("lab06_ocl_regtile", 200, 16)
    cell("lab07_ocl_localmem", 100, 1)
    cell("lab07_ocl_localmem", 100, 4, variant="one_per_item")
    cell("lab04_ocl_naive", 100, 0.001, settings="GROUP_X=8 GROUP_Y=8")  # 2 / ms GFLOP/s
    cell("lab04_ocl_naive", 100, 0.004, settings="GROUP_X=16 GROUP_Y=4")
    cell("lab04_ocl_naive", 100, 0.1, variant="published", settings="GROUP_X=16 GROUP_Y=8")
    for rows in (1, 8):
        cell("lab06_ocl_regtile", 100, 0.2, settings=f"ROWS_PER_ITEM={rows} COLS_PER_ITEM=1")
        cell("lab06_ocl_regtile", 100, 0.05, settings=f"COLS_PER_ITEM=16 ROWS_PER_ITEM={rows}")
    cell("lab07_ocl_localmem", 100, 1, settings="TILE_K=4")
    cell("lab07_ocl_localmem", 100, 0.5, settings="TILE_K=8")
    cell("lab07_ocl_localmem", 100, 0.5, settings="PAD=0")
    cell("lab07_ocl_localmem", 100, 2, variant="one_per_item", settings="TILE=8")
    cell("lab05_ocl_coarsen", 100, why="emulated: no times")
    cell("lab05_ocl_coarsen", 100, settings="COLS_PER_ITEM=2", why="emulated: no times")
    sample.parts = (1, 1, 1, "")
    for size in (512, 1024):
        cell("lab08_cuda_naive", size, 4, 4, 4)
        cell("lab08_cuda_naive", size, 8, 8, 8, variant="published")
        for block in (4, 8):
            cell("lab08_cuda_naive", size, block, settings=f"BLOCK={block}")
            cell("lab08_cuda_naive", size, 1, variant="published", settings=f"BLOCK={block}")
        cell("lab09_cuda_shared", size, why="not supported by the device")
        cell("lab09_cuda_shared", size, settings="BLOCK=4", why="not supported by the device")
    return sample


def drawn(report: Path) -> list[str]:
    draw.draw(report)
    return sorted(file.name.removesuffix(".svg") for file in (report / "plots").iterdir())


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("known")
    known().write(folder)
    draw.draw(folder)
    return folder


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full")
    for name in ("epyc", "h200"):
        draw.draw(full_report(folder / name, name))
    return folder


def svg(report: Path, name: str) -> Drawing:
    return read(report / "plots" / f"{name}.svg")


def ends(line: Line2D) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]


def bars(figure: Figure) -> Any:
    """Those that have a name: where they begin and end."""
    named = [bar for bar in figure.axes[0].patches if isinstance(bar, Rectangle) and bar.get_gid()]
    return {str(bar.get_gid()): (bar.get_x(), bar.get_x() + bar.get_width()) for bar in named}


def test_a_plot_for_all_that_was_timed_and_for_nothing_else(tmp_path: Path) -> None:
    known().write(tmp_path)
    (tmp_path / "plots").mkdir()
    for name in ("sweep-lab05", "time-cpu"):
        (tmp_path / "plots" / f"{name}.svg").write_text("old")
    (tmp_path / "plots/mine.svg").write_text("mine")
    assert drawn(tmp_path) == sorted(["mine", *CPU, *OPENCL, *CUDA])
    assert (tmp_path / "plots/mine.svg").read_text() == "mine"
    assert (tmp_path / "plots/time-cpu.svg").read_text() != "old"


@pytest.mark.parametrize(
    "line",
    [
        "cpu\tChip <A> & Co, 2 cores\tfloat\tx\t20\n",
    ],
)
def test_ceilings_that_make_no_sense(tmp_path: Path, line: str) -> None:
    known().write(tmp_path)
    (tmp_path / "data/ceilings.tsv").write_text(line, encoding="latin-1")
    assert "roofline-cpu" not in drawn(tmp_path)


def in_words(name: str, title: str, figure: Figure, texts: Iterable[str]) -> str:
    """What a plot shows: its texts, and where its lines, points and bars are."""
    lines = [f"{name}: {title}", *textwrap.wrap(" | ".join(texts), 96)]
    named = [line for line in figure.axes[0].lines if line.get_gid() not in (None, "slope")]
    for line in named:
        points = " ".join(f"({x:.4g}, {y:.4g})" for x, y in np.asarray(line.get_xydata()))
        lines.append(f"{line.get_gid()}: {points}")
    bars = [bar for bar in figure.axes[0].patches if isinstance(bar, Rectangle) and bar.get_gid()]
    for bar in bars:
        begin = bar.get_x()
        lines.append(f"{bar.get_gid()}: {begin:.4g} to {begin + bar.get_width():.4g}")
    return "\n  ".join(lines)


def test_what_the_plots_show(report: Path) -> None:
    with rc_context(style.SETTINGS):
        drawings = list(draw.drawings(report))
        shown = "".join(
            in_words(name, title, figure, [words for words, _ in svg(report, name).texts]) + "\n"
            for name, title, figure in drawings
        )
    assert shown == golden(Path(__file__).with_name("plots.txt"), shown), ANEW


def test_the_error_bars_are_the_quartiles(report: Path) -> None:
    with rc_context(style.SETTINGS):
        figure = next(figure for name, _, figure in draw.drawings(report) if name == "time-cpu")
    segments = figure.axes[0].containers[0].lines[2][0].get_segments()  # type: ignore[attr-defined]
    ends = [tuple(end[:, 1]) for end in segments]
    assert ends == [pytest.approx((0.9, 1.1)), pytest.approx((9.5, 11))]


def test_a_time_with_a_wide_spread_is_not_compared(tmp_path: Path) -> None:
    sample = Sample()
    sample.cell("lab01_cpu_naive", 100, 100)
    sample.cell("lab02_avx", 100, 10, 20, 30)
    sample.cell("lab03_avx_block", 100, 10)
    sample.cell("lab04_ocl_naive", 100, 10, 20, 30)  # there is nothing to compare others with
    sample.cell("lab04_ocl_naive", 100, 1, 2, 3, settings="GROUP_X=8 GROUP_Y=8")
    sample.write(tmp_path)
    assert drawn(tmp_path) == [
        *("ladder-cpu", "parts-opencl", "roofline-cpu", "sweep-lab04", "time-cpu", "time-opencl")
    ]
    assert {"(20.0 ms)", "-", "10.0x"} <= svg(tmp_path, "ladder-cpu").words
    assert "lab02 avx" not in svg(tmp_path, "roofline-cpu").words
    assert "5.00x" not in svg(tmp_path, "ladder-cpu").words
    assert "(1.00)" in svg(tmp_path, "sweep-lab04").words


def all_plots(*folders: Path) -> Iterable[tuple[str, Drawing]]:
    for folder in folders:
        for file in sorted(folder.glob("**/plots/*.svg")):
            yield f"{file.parent.parent.name}/{file.stem}", read(file)


def test_texts_lie_on_no_other_text_and_inside(report: Path, full: Path) -> None:
    for name, drawing in all_plots(report, full):
        for words, box in drawing.texts:
            inside = (
                box.x0 >= 0 and box.x1 <= drawing.width and box.y0 >= 0 and box.y1 <= drawing.height
            )
            assert inside, f"{name}: {words}"
        for (a, at_a), (b, at_b) in itertools.combinations(drawing.texts, 2):
            assert not meet(at_a, at_b, -0.5), f"{name}: '{a}' lies on '{b}'"


def test_a_long_name_of_a_device_is_wrapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        DEVICES, "cpu", "pthread-skylake-avx512-AMD EPYC 9654 96-Core Processor with more words"
    )
    known().write(tmp_path)
    draw.draw(tmp_path)
    for name in CPU:
        drawing = svg(tmp_path, name)
        assert max(box.x1 for _, box in drawing.texts) <= drawing.width
        assert "with more words, float" in " ".join(drawing.words)


@pytest.mark.parametrize("labs", [(1, 2, 3), (4, 5, 6, 7), (8, 9)])
def test_a_print_in_black_and_white_tells_lines_apart(labs: tuple[int, ...]) -> None:
    looks = [style.style(lab, variant) for lab in labs for variant in range(3)]
    marks = {
        (look.shape, look.filled, look.dash, look.color if look.shape in style.OTHER_SHAPES else "")
        for look in looks
    }
    assert len(marks) == len(looks)


def test_each_program_has_its_intensity_and_no_other_has() -> None:
    several = ("lab12_avx_threads", "lab21_mpi", "lab22_multi_gpu")  # cores: they have another roof
    folders = [path for path in every() if path.name not in several]
    kernels = [file for folder in folders for file in folder.glob("kernel*.c*")]
    programs = {
        (file.parent.name, file.stem.removeprefix("kernel").removeprefix("_") or "-")
        for file in kernels
    }
    lines = [line for line in INTENSITY.read_text().splitlines() if not line.startswith("#")]
    assert sorted(tuple(line.split("\t")[:2]) for line in lines) == sorted(programs)
