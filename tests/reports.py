# SPDX-License-Identifier: MIT
"""A report in which everything is measured, made of the cells in figures/report-NAME.tsv: three
repetitions of each, with the median and the spread that are there."""

from __future__ import annotations

import csv
import re
import shutil
from pathlib import Path

from tests.support import TOP
from workbook.report.data import measurements

FACT = re.compile(r"# (cpu|opencl|cuda): (.*?) \((?:CPU|GPU|no device).*\)")
ABOUT = 3  # lines that say what the table is
CEILING = re.compile(r"# ceilings of (\w+), (\w+): ([\d.]+) GFLOP/s, ([\d.]+) GB/s")
DEFAULTS = """lab03_avx_block: BLOCK_KN=256
lab03_avx_block, published: BLOCK_KN=64
lab07_ocl_localmem, one_per_item: TILE=16
lab09_cuda_shared: BLOCK=32
"""
PARTS = {"h2d": "h2d_ms", "d2h": "d2h_ms", "alloc": "alloc_ms", "build": "build_ms"}


def full_report(folder: Path, name: str = "h200") -> Path:
    """Its data and its report.md; not filled yet."""
    lines = (TOP / f"figures/report-{name}.tsv").read_text(encoding="utf-8").splitlines()
    head = [line for line in lines if line.startswith("# ")]
    facts = head[ABOUT:]
    devices = {found[1]: found[2] for line in facts if (found := FACT.match(line))}
    labs: dict[str, list[measurements.Row]] = {}
    for cell in csv.DictReader(lines[len(head) :], delimiter="\t"):
        labs.setdefault(cell["lab"], []).extend(repetitions(cell, devices))
    data = folder / "data"
    data.mkdir(parents=True)
    for lab, rows in labs.items():
        measurements.write(data / f"{lab}.csv", measurements.frame(rows))
    limits = [found.groups() for line in facts if (found := CEILING.match(line))]
    (data / "ceilings.tsv").write_text(
        "".join("\t".join([of[0], devices[of[0]], *of[1:]]) + "\n" for of in limits), "utf-8"
    )
    (data / "provenance.txt").write_text(
        "".join(f"{line[2:]}\n" for line in facts if not CEILING.match(line)), "utf-8"
    )
    (data / "defaults.txt").write_text(DEFAULTS, "utf-8")
    shutil.copy(TOP / "report_template/report.md", folder)
    return folder


def repetitions(cell: dict[str, str], devices: dict[str, str]) -> list[measurements.Row]:
    backend = "opencl" if "_ocl_" in cell["lab"] else "cuda" if "_cuda_" in cell["lab"] else "cpu"
    size = dict.fromkeys(("M", "N", "K"), cell["N"])
    row = {**{key: cell[key] for key in ("lab", "variant", "type", "settings", "why")}, **size}
    row.update(backend=backend, device=devices[backend], stamp="s")
    if not cell["ms"]:
        return [{**row, "verified": "skipped"}]
    row.update({column: cell[name] for name, column in PARTS.items()}, context_ms=cell["context"])
    ms, apart = float(cell["ms"]), min(float(cell["spread"]), 90) / 100
    return [
        {**row, "rep": str(n), "kernel_ms": f"{ms * factor:.6f}", "verified": "full"}
        for n, factor in enumerate((1 - apart, 1, 1 + apart), 1)
    ]
