# SPDX-License-Identifier: MIT
"""FOLDER/plots/*.svg from FOLDER/data, float only. A plot that has no data is not drawn, and an old
one is removed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

from workbook import TOP
from workbook.report.data import measurements
from workbook.report.plots import bars, lines, roofline, style
from workbook.report.tables import libraries

BACKENDS = ("cpu", "opencl", "cuda")
ONE_TUNABLE = r"\w+=[1-9]\d*"
TWO_TUNABLES = rf"{ONE_TUNABLE} {ONE_TUNABLE}"
Drawing = tuple[str, str, Figure]  # the name of its file, its title


def draw(report: Path) -> None:
    """The plots are replaced one by one, each whole, when all are drawn."""
    folder = report / "plots"
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix=".new.", dir=folder) as work,
        matplotlib.rc_context(style.SETTINGS),
    ):
        for name, title, figure in drawings(report):
            style.save(figure, Path(work, f"{name}.svg"), title)
        for name in names():
            if Path(work, f"{name}.svg").exists():
                os.replace(Path(work, f"{name}.svg"), folder / f"{name}.svg")
            else:
                (folder / f"{name}.svg").unlink(missing_ok=True)


def names() -> list[str]:
    """Of all the plots that there can be: others in the folder are a student's."""
    kinds = ("time", "ladder", "parts", "roofline")
    return [
        *(f"{kind}-{backend}" for kind in kinds for backend in BACKENDS),
        "types-opencl",
        *(f"sweep-{lab}" for lab in labs()),
    ]


def labs() -> list[str]:
    return sorted(folder.name[:5] for folder in TOP.glob("lab[0-9][0-9]_*"))


def drawings(report: Path) -> Iterator[Drawing]:
    rows = medians(report)
    for backend in BACKENDS:
        plain = rows[(rows["backend"] == backend) & (rows["settings"] == "")]
        if plain.empty:
            continue
        ladder = plain[plain["N"] == measurements.common_size(plain["N"][plain["variant"] == ""])]
        yield named(f"time-{backend}", lines.times(plain))
        if len(ladder) and not ladder["wide"].iloc[0]:
            yield named(f"ladder-{backend}", bars.ladder(ladder))
        if len(ladder) and backend != "cpu":
            yield named(f"parts-{backend}", bars.parts(ladder[ladder["variant"] == ""]))
        points, ceilings = (
            roofline.points(ladder[~ladder["wide"]]),
            roofline.ceilings(report, plain),
        )
        if len(points) and ceilings:
            best = libraries.best(report, points)
            yield named(f"roofline-{backend}", roofline.roofline(points, *ceilings, best))
    types = of_types(report)
    if (types["type"] == "int").any():  # float and double are in the tables of times
        yield named("types-opencl", lines.types(types))
    for lab in labs():
        swept = sweep(rows[rows["lab"].str.startswith(lab)])
        if len(swept):
            table = swept["settings"].str.contains(" ").any()
            yield named(f"sweep-{lab}", bars.heat(swept) if table else lines.sweep(lab, swept))


def named(name: str, drawing: tuple[str, Figure]) -> Drawing:
    return name, *drawing


def medians(report: Path) -> pd.DataFrame:
    """In the order of the labs, the variants of each as they come; with the style of each."""
    rows = measurements.load(report)
    cells = measurements.medians(rows[rows["type"] == "float"])
    place = {program: number for number, program in enumerate(zip(cells["lab"], cells["variant"]))}
    cells["place"] = [place[program] for program in zip(cells["lab"], cells["variant"])]
    cells = cells.sort_values(["lab", "place", "N"], kind="stable")
    numbers: dict[str, list[str]] = {}  # of the variants of each lab
    for lab, variant in zip(cells["lab"], cells["variant"]):
        known = numbers.setdefault(lab, ["", "published"])
        if variant not in known:
            known.append(variant)
    programs = list(zip(cells["lab"], cells["variant"]))
    cells["name"] = [style.label(*program) for program in programs]
    looks = [(int(lab[3:5]), numbers[lab].index(variant)) for lab, variant in programs]
    cells["style"] = [style.style(*look) for look in looks]
    return cells


def of_types(report: Path) -> pd.DataFrame:
    """Of the OpenCL labs' own kernels, all types that were measured."""
    rows = measurements.load(report)
    own = (rows["backend"] == "opencl") & (rows["variant"] == "") & (rows["settings"] == "")
    cells = measurements.medians(rows[own]).sort_values(["lab", "type", "N"], kind="stable")
    kinds, known = list(zip(cells["lab"], cells["type"])), ["float", "double", "int"]
    cells["name"] = [f"{style.label(lab, '')}, {kind}" for lab, kind in kinds]
    cells["style"] = [style.style(int(lab[3:5]), known.index(kind)) for lab, kind in kinds]
    return cells


def sweep(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of a lab with settings. With two tunables its own kernel at the size that has most
    rows; with one also its variants at that size, or on CUDA its own kernel at each size. What is
    0, as PAD may be, is left to the tables: a logarithmic axis has no place for it."""
    rows = rows[
        rows["settings"].str.fullmatch(ONE_TUNABLE) | rows["settings"].str.fullmatch(TWO_TUNABLES)
    ]
    rows = rows[~rows["settings"].str.startswith("PAD=")]
    two, cuda = rows["settings"].str.contains(" "), rows["backend"] == "cuda"
    rows = rows[(rows["variant"] == "") | ~(two | cuda)]
    rows = rows[(rows["backend"] == "cuda") | (rows["N"] == measurements.common_size(rows["N"]))]
    two = rows["settings"].str.contains(" ")
    return rows[two] if two.any() else rows
