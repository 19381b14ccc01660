# SPDX-License-Identifier: MIT
"""What a report has measured, cell by cell: one program, with one type, size and settings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from workbook.core.records import WIDE_SPREAD
from workbook.report.data import measurements
from workbook.report.data.text import figure, percent, plain

BACKENDS = {"cpu": "CPU", "opencl": "OpenCL", "cuda": "CUDA"}


class Key(NamedTuple):
    label: str  # lab07_ocl_localmem, or with its variant: lab07_ocl_localmem, one_per_item
    type: str
    N: int
    settings: str


@dataclass(frozen=True)
class Times:
    """Times in ms: medians of the repetitions."""

    ms: float
    spread: float  # the interquartile range, in % of the median
    gflops: float
    h2d: float
    d2h: float
    alloc: float
    build: float
    context: float
    peak: float  # GFLOP/s of the device with the instructions that the program uses; 0: not known

    @property
    def is_wide(self) -> bool:
        """Its repetitions differ too much: it is shown in parentheses, and not compared."""
        return self.spread > 100 * WIDE_SPREAD


@dataclass(frozen=True)
class Measured:
    rows: pd.DataFrame  # all sound ones, also those without a time, with their labels
    cells: dict[Key, Times]
    why: dict[Key, str]  # there is no time

    def of(self, backend: str) -> pd.DataFrame:
        return self.rows[self.rows["backend"] == backend]

    def labels(self, backend: str) -> list[str]:
        return list(self.of(backend)["label"].unique())

    def sizes(self, backend: str) -> list[int]:
        """That the programs were asked for with their defaults."""
        rows = self.of(backend)
        return list(rows["N"][rows["settings"] == ""].unique())

    def tunables(self, label: str) -> list[str]:
        return list(self.swept(label)["settings"].unique())

    def tuned(self, label: str) -> list[int]:
        """The sizes of its sweep."""
        return list(self.swept(label)["N"].unique())

    def swept(self, label: str) -> pd.DataFrame:
        return self.rows[(self.rows["label"] == label) & (self.rows["settings"] != "")]

    def is_planned(self, label: str, kind: str) -> bool:
        rows = self.rows[(self.rows["label"] == label) & (self.rows["settings"] == "")]
        return bool((rows["type"] == kind).any())

    def ladder_size(self, backend: str) -> int | None:
        """Where most labs have a time for their own kernel; without times the largest."""
        own = set(filter(is_own, self.labels(backend)))
        timed = [
            key.N
            for key in self.cells
            if key.label in own and (key.type, key.settings) == ("float", "")
        ]
        return measurements.common_size(timed) or max(self.sizes(backend), default=None)

    def ms(self) -> dict[Key, float]:
        return {key: cell.ms for key, cell in self.cells.items()}

    def comparable(self, key: Key) -> float:
        """Its ms; 0 if there is no time, or one with too wide a spread."""
        cell = self.cells.get(key)
        return cell.ms if cell and not cell.is_wide else 0.0


def is_own(label: str) -> bool:
    """Whether it is a lab's own kernel, not a variant."""
    return "," not in label


def timed_twice(ms: dict[Key, float], defaults: dict[str, str]) -> list[float]:
    """By what factor times of one setting are apart, where it was timed as the default and again in
    a sweep: two series of one kernel on one device, as two reports of one machine are."""
    apart = []
    for key, one in ms.items():
        default = defaults.get(key.label)
        again = ms.get(key._replace(settings=default)) if default and not key.settings else None
        if again:
            apart.append(max(one / again, again / one))
    return apart


def label_of(lab: str, variant: str) -> str:
    return f"{lab}, {variant}" if variant else lab


def measured(report: Path) -> Measured:
    rows = measurements.sound(report)
    rows["label"] = [label_of(lab, variant) for lab, variant in zip(rows["lab"], rows["variant"])]
    summed = measurements.medians(measurements.timed(rows)).fillna(0)
    cells = {
        Key(label_of(row.lab, row.variant), row.type, row.N, row.settings): Times(
            *(row.ms, 100 * (row.q3 - row.q1) / row.ms, row.gflops, row.h2d_ms, row.d2h_ms),
            *(row.alloc_ms, row.build_ms, row.context_ms, row.peak_gflops),
        )
        for row in summed.itertuples()
    }
    untimed = rows[rows["kernel_ms"].isna()]
    why = {
        Key(row.label, row.type, row.N, row.settings): plain(row.why)
        for row in untimed.itertuples()
    }
    return Measured(rows, cells, why)


def with_spread(number: float, cell: Times) -> str:
    """12.3 (4 %), or (12.3, 40 %) if the spread is too wide."""
    if cell.is_wide:
        return f"({figure(number)}, {percent(cell.spread)})"
    return f"{figure(number)} ({percent(cell.spread)})"
