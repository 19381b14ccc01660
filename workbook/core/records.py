# SPDX-License-Identifier: MIT
"""The JSON records that programs and tools exchange: docs/records.md. What does not look as it says
there is refused with the place where it does not."""

from __future__ import annotations

import json
import os
import stat
import time
from functools import cache
from pathlib import Path
from typing import Any

from workbook import TOP
from workbook.core.files import put
from workbook.core.process import run

WIDE_SPREAD = 0.2  # of a record: a time whose quartiles are further apart is not compared

# A pattern: a type, a tuple of patterns of which one must do, [pattern of each element], a
# dictionary with the keys that must be there, or the value itself.
NUMBER = (int, float)
SHAPE = {"M": int, "N": int, "K": int, "class": str}
ENDED = ("crash", "limit", "memory", "exit", "main")  # how a kernel's process ended in a run
RIGHT = {**SHAPE, "verdict": ("pass", "fail", *ENDED), "method": str}
ELEMENT = {
    "i": int,
    "j": int,
    "got": (*NUMBER, None),
    "expected": (*NUMBER, None),
    "bounds": (*NUMBER, None),
}
FINDING = {
    "M": int,
    "N": int,
    "K": int,
    "data": str,
    "first": (ELEMENT, None),
    "wrong": int,
    "examined": int,
    "outside": {"A": int, "B": int, "C": int},
    "changed": {"A": int, "B": int},
    "unstable": bool,
    "kind": (str, None),
    "cause": (str, None),
}
MAYBE = (*NUMBER, None)
CLOCK = ({"mhz": [int], "limits": [str]}, None)
RUN = {
    "schema": "gemm-run/1",
    "lab": str,
    "variant": str,
    "backend": str,
    "device": str,
    "type": str,
    "settings": str,
    "instructions": (str, None),
    "rounding": (str, None),
    "library": (str, None),
    "seed": int,
    "mode": ("check", "once", "time"),
    "trapped": bool,
    "ended": (str, None),
    "battery": int,
    "grown": int,
    "outside": (str, None),
    "verdict": ("pass", "fail", "impossible", "unfinished", "skip", "error", "incomplete"),
    "reason": (str, None),
    "at": (SHAPE, None),
    "shapes": [RIGHT],
    "finding": (FINDING, None),
    "repetitions": [{"kernel_ms": NUMBER, "h2d_ms": MAYBE, "d2h_ms": MAYBE, "cpu_ms": MAYBE}],
    "error": {"elements": int, "mean": MAYBE, "largest": MAYBE},
    "alloc_ms": MAYBE,
    "context_ms": MAYBE,
    "build_ms": MAYBE,
    "gflops": MAYBE,
    "spread": MAYBE,
    "ceilings": ({"gflops": NUMBER, "gbs": NUMBER}, None),
    "clock": CLOCK,
    "steady": ({"launches": int, "kernel_ms": NUMBER, "gflops": NUMBER, "clock": CLOCK}, None),
}
SIZE = {
    "M": int,
    "N": int,
    "K": int,
    "gflops": NUMBER,
    "spread": MAYBE,
    "rounds": [NUMBER],
    "share": MAYBE,
    "of": (str, None),
}
COMPARED = {
    **{"lab": str, "variant": str, "is_library": bool, "backend": str, "device": (str, None)},
    **{"verdict": str, "sizes": [SIZE]},
}
BASELINE = {"schema": "gemm-baseline/2", "date": str, "type": str, "programs": [COMPARED]}
FIGURE = {
    **{"lab": str, "variant": str, "size": str, "right": bool, "ms": NUMBER, "gflops": NUMBER},
    **{"spread": int, "device": str, "why": (str, None)},
}
FIGURES = {
    "schema": "gemm-figures/1",
    "machine": str,
    "ceilings": [{"lab": str, "gflops": NUMBER, "gbs": NUMBER}],
    "figures": [FIGURE],
}


MISSING = object()
LARGEST = 16 << 20  # bytes of a record


class NoRecord(Exception):
    """There is none, or it is damaged."""


def differs(value: Any, pattern: Any, place: str = "it") -> str | None:
    """Where and how a value does not look like the pattern; None where it does."""
    if isinstance(pattern, dict):
        if not isinstance(value, dict):
            return f"{place} is no object"
        parts = [
            (value.get(key, MISSING), inner, f"{place}.{key}") for key, inner in pattern.items()
        ]
    elif isinstance(pattern, list):
        if not isinstance(value, list):
            return f"{place} is no list"
        parts = [(element, pattern[0], f"{place}[{n}]") for n, element in enumerate(value)]
    elif isinstance(pattern, tuple):
        said = [differs(value, choice, place) for choice in pattern]
        return None if None in said else said[0]
    else:
        fits = type(value) is pattern if isinstance(pattern, type) else value == pattern
        return None if fits else f"{place} is not as it should be"
    return next((said for said in (differs(*part) for part in parts) if said), None)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def parse(text: str, pattern: dict[str, Any]) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_refuse)  # NaN and Infinity
    except (ValueError, RecursionError) as error:
        raise NoRecord(f"is no JSON: {error}") from error
    if said := differs(value, pattern):
        raise NoRecord(f"{pattern['schema']}: {said}")
    return dict(value)


def read(path: Path, pattern: dict[str, Any]) -> dict[str, Any]:
    """Of a file, and no more than a record has: a kernel may have put something else in its
    place."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise NoRecord("is no file")
            text = file.read(LARGEST + 1).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NoRecord("is not there") from error
    if len(text) > LARGEST:
        raise NoRecord("is too large")
    return parse(text, pattern)


@cache
def commit() -> str | None:
    """That of the workbook, asked for once: a check writes a record for each lab."""
    return run(["git", "describe", "--always", "--dirty"], TOP, 60).out.strip() or None


def now() -> dict[str, str | None]:
    """The commit from which a record is made, and when."""
    return {"commit": commit(), "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def of_labs(
    schema: str, kind: str, settings: list[str], seconds: float, entries: list[dict[str, Any]]
) -> dict[str, Any]:
    """The record of a command that judges labs: an entry for each of them, and how many have
    passed."""
    verdicts = [entry["verdict"] for entry in entries]
    passed, skipped = (verdicts.count(verdict) for verdict in ("PASS", "SKIP"))
    failed = len(verdicts) - passed - skipped
    return {
        **{
            "schema": schema,
            **now(),
            "type": kind,
            "settings": settings,
            "seconds": round(seconds, 1),
        },
        **{"labs": entries, "passed": passed, "failed": failed, "skipped": skipped},
    }


def write(path: Path, record: dict[str, Any]) -> None:
    put(path, f"{json.dumps(record, indent=2)}\n".encode())
