# SPDX-License-Identifier: MIT
"""What the bytes that a kernel asks of memory come to in a second, beside the bandwidth that was
measured: above it, caches answer. How many it asks for stands in intensity.tsv."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from workbook.lab.program import Result

INTENSITY = Path(__file__).with_name("intensity.tsv")
BYTES = {"float": 4, "double": 8, "int": 4}


class Asked(NamedTuple):
    """What a kernel computes and asks of memory, with float."""

    flop: float
    bytes: float
    what: str


@cache
def asked_of_memory() -> dict[tuple[str, str], Asked]:
    """By lab and variant."""
    lines = INTENSITY.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {
        (lab, variant.strip("-")): Asked(float(flop), float(count), what)
        for lab, variant, flop, count, what in rows
    }


def bytes_for_each_multiply_add(lab: str, variant: str, type_: str) -> float | None:
    """With the default tunables; None where that was not counted."""
    asked = asked_of_memory().get((lab, variant))
    return asked and 2 * asked.bytes / asked.flop * BYTES[type_] / BYTES["float"]


def requested(result: Result) -> str:
    """A line below what the program said; empty where there is no
    count. The run has a speed."""
    record = result.record
    asked = bytes_for_each_multiply_add(record["lab"], record["variant"], record["type"])
    if asked is None or record["settings"]:
        return ""
    rate = result.gflops / 2 * asked
    said = f"{rate:.4g} GB/s, {asked:.3g} bytes for each multiply-add"
    bandwidth = (record["ceilings"] or {}).get("gbs")
    if not bandwidth:
        return said
    times = rate / bandwidth
    beside = f"{times:.1f} times" if times >= 2 else f"{100 * times:.0f} % of"
    return f"{said}: {beside} the {bandwidth:.4g} of memory"
