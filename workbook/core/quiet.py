# SPDX-License-Identifier: MIT
"""What disturbed a program while it was timed: another one of the workbook's, or so much else that
its core was taken away. It is said beside the figure, which may be wrong then."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import IO, Any

from workbook import TOP

FILE = Path(TOP, "build/running")  # locked by every program that runs, each beside the others
SHARE = 0.9  # of the time elapsed, that a thread computes which nobody disturbs
ANOTHER = "another program of the workbook ran at the same time"


@contextmanager
def beside() -> Iterator[list[str]]:
    """Of the program that runs in it: what else ran. It is known at the end."""
    said: list[str] = []
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    FILE.parent.mkdir(exist_ok=True)
    with open(FILE, "a") as file:
        alone = is_alone(file)
        fcntl.flock(file, fcntl.LOCK_SH)
        yield said
        if not alone or not is_alone(file):
            said.append(ANOTHER)
        elif load > cores + 1:
            said.append(f"the load average was {load:.1f} on {cores} cores")


def is_alone(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def disturbed(record: dict[str, Any], others: list[str]) -> str:
    """What is said of a timed run; "" where nobody disturbed it. CPU time, where it is known, says
    more than the load of the machine."""
    runs = record["repetitions"]
    if not runs:
        return ""
    if runs[0]["cpu_ms"] is None:
        return "; ".join(others)
    cpu, elapsed = (median(run[key] for run in runs) for key in ("cpu_ms", "kernel_ms"))
    another = [said for said in others if said == ANOTHER]
    if cpu < SHARE * elapsed:
        another.append(f"the core was taken away: {cpu:.3g} ms of CPU time in {elapsed:.3g} ms")
    return "; ".join(another)
