# SPDX-License-Identifier: MIT
"""How points are given: by kinds of shape, and for speed on a scale from the lab before to the reference."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, cast

import pytest

from tests.cheating import described
from workbook.course import Task
from workbook.grade import case, marks, speed
from workbook.grade.case import Case
from workbook.grade.intake import Submission
from workbook.grade.marks import Mark, Part
from workbook.grade.robust import Robust
from workbook.grade.terms import Terms
from workbook.grade.workers import Worker
from workbook.records import NoRecord, write

TASK = Task(5, 2, 3.0, 3, 1, "")


def call(kind: str, verdict: str, **more: Any) -> dict[str, Any]:
    return {"M": 8, "N": 8, "K": 8, "class": kind, "data": "integers", "verdict": verdict, **more}


def record(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"calls": list(calls), "finding": None, "end": "crashed with signal 11", "at": None}


def test_a_kind_counts_where_all_of_it_is_right() -> None:
    said = record(
        call("edges", "right"), call("edges", "wrong"), call("large", "right"), call("large", "right")
    )
    part = marks.correct(said, TASK)
    assert (part.points, part.possible) == (2.5, 5)
    assert part.reason == "not right: edges: crashed with signal 11"


@pytest.mark.parametrize("verdict", ["wrong", "died", "slow", "skipped"])
def test_whatever_is_not_right_is_not(verdict: str) -> None:
    assert marks.correct(record(call("edges", verdict)), TASK).points == 0


def test_all_right() -> None:
    part = marks.correct(record(call("edges", "right"), call("large", "right")), TASK)
    assert (part.points, part.reason) == (5, "")


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([Part("correct", 5, 5), Part("robust", 2, 2)], "PASS"),
        ([Part("correct", 5, 5), Part("robust", 2, 2), Part("speed", 0, 3, "slow")], "PASS"),
        ([Part("correct", 3, 5, "edges"), Part("robust", 2, 2)], "PARTIAL"),
        ([Part("correct", 5, 5), Part("robust", 0, 2, "race")], "PARTIAL"),
        ([Part("correct", 0, 5, "all"), Part("robust", 0, 2, "-")], "FAIL"),
    ],
)
def test_verdicts(parts: list[Part], verdict: str) -> None:
    assert marks.verdict(Mark(parts=parts)) == verdict


def test_who_is_wrong_everywhere_is_not_robust() -> None:
    right, wrong = Part("correct", 5, 5), Part("correct", 0, 5, "large")
    assert marks.robust(None, wrong, TASK).points == 0
    assert marks.robust(Robust(), wrong, TASK).points == 0
    assert marks.robust(Robust("a race"), right, TASK) == Part("robust", 0, 2, "a race")
    assert marks.robust(Robust(), right, TASK).points == 2


@pytest.mark.parametrize(
    ("ratio", "share"),
    [(2.0, 1), (1.0, 1), (0.96, 1), (1 / 9, 0), (0.01, 0), (0.95, 1)],
)
def test_the_ends_of_the_scale(ratio: float, share: float) -> None:
    assert speed.share(ratio, 9.0) == pytest.approx(share)


def test_the_scale_is_one_of_factors() -> None:
    """With the reference (nearly) 16 times as fast, 4 times as fast is half the way."""
    assert speed.share(4 / (16 / 0.95), 16 / 0.95) == pytest.approx(0.5, abs=0.001)
    shares = [speed.share(n / 100, 9.0) for n in range(1, 130)]
    assert shares == sorted(shares)


def timed(ms: float, reference: float, data: str, size: int = 8) -> dict[str, Any]:
    return {"M": size, "N": size, "K": size, "data": data, "ms": ms, "reference_ms": reference}


def test_the_slower_kind_of_data_counts() -> None:
    calls = [timed(1, 4, "integers") for _ in range(5)] + [timed(4, 4, "uniform") for _ in range(5)]
    said = speed.timing(calls)
    assert said is not None and said.ratio == pytest.approx(1)


def test_kinds_of_data_that_are_alike_count_together() -> None:
    """The least of two medians would be below the truth on any machine that is not silent."""
    calls = [timed(4, 4 + n / 10, "integers") for n in (-2, -1, 0, 1, 2)]
    calls += [timed(4, 4 + n / 10, "uniform") for n in (-3, -1, -1, 0, 3)]
    said = speed.timing(calls)
    assert said is not None and said.ratio == pytest.approx(1, abs=0.013)


def test_one_outlier_is_nothing() -> None:
    calls = [timed(2, 4, "uniform") for _ in range(6)] + [timed(900, 4, "uniform"), timed(2, 900, "uniform")]
    said = speed.timing(calls)
    assert said is not None
    assert said.ratio == pytest.approx(2)
    assert said.error == 0


def test_a_noisy_machine_is_seen_by_the_reference() -> None:
    calm = speed.timing([timed(2, 4 + 0.01 * n, "uniform") for n in range(7)])
    noisy = speed.timing([timed(2, 4 + n, "uniform") for n in range(7)])
    erratic = speed.timing([timed(2 + n, 4, "uniform") for n in range(7)])
    assert calm is not None and noisy is not None and erratic is not None
    assert not speed.is_noisy(calm.error, 2.0)
    assert speed.is_noisy(noisy.error, 2.0)
    assert not speed.is_noisy(erratic.error, 2.0), "a kernel cannot make itself inconclusive"
    assert speed.is_noisy(erratic.own, 2.0)


# ---- several tries ---------------------------------------------------------------------------------
def noisy_calls(ratio: float, noise: float) -> dict[str, Any]:
    times = [4 + noise * n for n in range(7)]
    calls = [{**call("large", "right"), **timed(time / ratio, time, "uniform")} for time in times]
    return {"calls": calls, "finding": None, "end": None, "at": None}


def timed_case(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *records: dict[str, Any]) -> Case:
    """One that is right, and timed with these results, one after the other."""
    said = iter(records)
    monkeypatch.setattr(case, "judge", lambda *_: (next(said), ""))
    worker = cast(Worker, object())
    terms = Terms(described("lab02_avx"), TASK, "0" * 64, 64, 7, frozenset(), worker, range=9.0)
    made = Case(Submission("anna", "anna"), terms, tmp_path / "work", worker=worker)
    made.mark = Mark(parts=[Part("correct", 5, 5), Part("robust", 2, 2)])
    while not made.over:
        made.time()
    return made


def test_a_noisy_machine_never_lowers_a_mark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = timed_case(monkeypatch, tmp_path, *[noisy_calls(0.1, 9)] * 3).record()
    assert (said["verdict"], said["points"], said["possible"]) == ("INCONCLUSIVE", 7, 10)
    assert "too noisy" in said["reason"]
    assert said["of_reference"] is None


def test_a_calm_try_behind_noisy_ones_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = timed_case(monkeypatch, tmp_path, noisy_calls(0.1, 9), noisy_calls(0.1, 9), noisy_calls(1, 0))
    said = made.record()
    assert (said["verdict"], said["points"], made.tries) == ("PASS", 10, 3)


def test_of_tries_that_are_calm_the_best_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Noise that the reference does not have: the kernel's own, or bad luck."""
    unsteady = noisy_calls(0.5, 0)
    for number, one in enumerate(unsteady["calls"]):
        one["ms"] *= 1 + number
    made = timed_case(monkeypatch, tmp_path, unsteady, noisy_calls(1, 0))
    assert (made.record()["points"], made.tries) == (10, 2)
    made = timed_case(monkeypatch, tmp_path, unsteady, unsteady, unsteady)
    assert (made.record()["verdict"], made.tries) == ("PASS", 3)
    assert made.record()["points"] < 10


def test_what_is_wrong_while_it_is_timed_has_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wrong = noisy_calls(1, 0)
    wrong["calls"][3]["verdict"] = "wrong"
    said = timed_case(monkeypatch, tmp_path, wrong).record()
    assert (said["verdict"], said["points"], said["possible"]) == ("FAIL", 0, 10)
    assert said["reason"].startswith("was right before, and then not")


def test_who_is_far_too_slow_is_right_and_has_no_speed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slow = noisy_calls(1, 0)
    slow["calls"][3]["verdict"] = "slow"
    slow["end"] = "no result within 1 s"
    said = timed_case(monkeypatch, tmp_path, slow).record()
    assert (said["verdict"], said["points"], said["possible"]) == ("PASS", 7, 10)
    assert said["reason"] == "a call takes more than 1 s"


@pytest.mark.parametrize("points", [99, -1, math.inf, math.nan])
def test_a_record_with_points_that_no_lab_has_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, points: float
) -> None:
    record = timed_case(monkeypatch, tmp_path, noisy_calls(1, 0)).record()
    write(tmp_path / "one.json", record)
    assert case.read_case(tmp_path / "one.json")["points"] == 10
    (tmp_path / "one.json").write_text(json.dumps({**record, "points": points}))
    with pytest.raises(NoRecord):
        case.read_case(tmp_path / "one.json")


def test_nothing_timed() -> None:
    assert speed.timing([{**timed(1, 1, "uniform"), "reference_ms": None}]) is None
