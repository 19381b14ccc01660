# SPDX-License-Identifier: MIT
"""A right result for which no speed is claimed, as the measured peak is too low: who compares
speeds leaves it out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import TOP
from workbook.check.speed import Speed, compare
from workbook.lab import labs
from workbook.lab.program import NO_SPEED, PASS, Result
from workbook.libraries.shares import Entry
from workbook.report.measure.rounds import Reason, reason_of
from workbook.tune.bench import judged
from workbook.tune.study import REFUSED

NAIVE = "lab01_cpu_naive"
UNCLAIMED = Result("gemm", PASS, f"{NO_SPEED}so", {"verdict": "pass", "gflops": None})
TIMED = Result("gemm", PASS, "", {"verdict": "pass", "gflops": 10.0, "spread": 0.1})


def test_what_has_no_speed_is_no_measurement() -> None:
    assert reason_of(UNCLAIMED) == Reason("skipped", UNCLAIMED.why)  # and is measured again:
    assert judged((), UNCLAIMED).state == REFUSED  # not wrong
    lab = labs.describe(str(TOP / NAIVE), [])
    assert Entry(lab, lab.programs[0], last=UNCLAIMED).is_out
    assert not Entry(lab, lab.programs[0], last=TIMED).is_out


@pytest.mark.parametrize(
    ("ours", "theirs", "note"),
    [
        (UNCLAIMED, TIMED, "measured 1 times, then no speed is claimed: so"),
        (TIMED, UNCLAIMED, "measured 1 times, then lab01: no speed is claimed: so"),
    ],
)
def test_rounds_end_without_a_speed(
    monkeypatch: pytest.MonkeyPatch, ours: Result, theirs: Result, note: str
) -> None:
    results = {"lab02": ours, "lab01": theirs}
    monkeypatch.setattr("workbook.check.speed.measure", lambda lab, _: results[lab.name])
    speed = Speed(TIMED.record, needed=1.0)
    compare(speed, Path("lab02"), Path("lab01"), Speed(TIMED.record), "64")
    assert (speed.note, speed.failure, speed.rounds) == (note, "", [1.0])
