# SPDX-License-Identifier: MIT
"""How points are given: by kinds of shape, and for speed on a scale from the lab before to the
reference."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from tests.cheating import described
from tests.classes import answer
from workbook import UserError
from workbook.core.progress_bar import ProgressBar
from workbook.core.records import NoRecord, write
from workbook.handin.bench import Unfit
from workbook.lab.course import Task
from workbook.teacher.grade import class_setup, classroom, grade_lab
from workbook.teacher.grade.class_setup import Terms, terms_of
from workbook.teacher.grade.grade_lab import Case
from workbook.teacher.grade.intake.accepted import Handed, Submission
from workbook.teacher.grade.judge import judging, notes, robust, scoring, speed
from workbook.teacher.grade.judge.robust import Robust
from workbook.teacher.grade.judge.scoring import Mark, Part
from workbook.teacher.grade.judge.workers import Worker
from workbook.teacher.grade.log import Settings

TASK = Task(5, 2, 3.0, 3, 1, "")


def shape(kind: str, verdict: str) -> dict[str, Any]:
    return {"M": 8, "N": 8, "K": 8, "class": kind, "verdict": verdict}


def record(*shapes: dict[str, Any]) -> dict[str, Any]:
    ended = {"reason": "crashed with signal 11", "ended": None, "outside": None}
    return {"shapes": list(shapes), "finding": None, "at": None, **ended}


def test_a_kind_counts_where_all_of_it_is_right() -> None:
    said = record(
        shape("edges", "pass"),
        shape("edges", "fail"),
        shape("large", "pass"),
        shape("large", "pass"),
    )
    part = scoring.correct(said, TASK)
    assert (part.points, part.possible) == (2.5, 5)
    assert part.reason == "not right: edges: crashed with signal 11"


@pytest.mark.parametrize("verdict", ["fail", "crash", "limit", "skipped"])
def test_whatever_is_not_right_is_not(verdict: str) -> None:
    assert scoring.correct(record(shape("edges", verdict)), TASK).points == 0


def test_all_right() -> None:
    part = scoring.correct(record(shape("edges", "pass"), shape("large", "pass")), TASK)
    assert (part.points, part.reason) == (5, "")


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([Part("correct", 5, 5), Part("robust", 2, 2)], "PASS"),
        ([Part("correct", 5, 5), Part("robust", 2, 2), Part("speed", 0, 3, "slow")], "PASS"),
        ([Part("correct", 5, 5), Part("robust", 2, 2), Part("idea", 0, 3, "loads")], "NOT YET"),
        ([Part("correct", 5, 5), Part("robust", 2, 2), Part("idea", 3, 3)], "PASS"),
        ([Part("correct", 5, 5), Part("robust", 2, 2), Part("idea", 0, 0, "no g++")], "PASS"),
        ([Part("correct", 5, 5), Part("robust", 0, 2, "race"), Part("idea", 0, 3)], "PARTIAL"),
        ([Part("correct", 3, 5, "edges"), Part("robust", 2, 2)], "PARTIAL"),
        ([Part("correct", 5, 5), Part("robust", 0, 2, "race")], "PARTIAL"),
        ([Part("correct", 0, 5, "all"), Part("robust", 0, 2, "-")], "FAIL"),
    ],
)
def test_verdicts(parts: list[Part], verdict: str) -> None:
    assert scoring.verdict(Mark(parts=parts)) == verdict


def test_who_is_wrong_everywhere_is_not_robust() -> None:
    right, wrong = Part("correct", 5, 5), Part("correct", 0, 5, "large")
    assert scoring.robust(None, wrong, TASK).points == 0
    assert scoring.robust(Robust(), wrong, TASK).points == 0
    assert scoring.robust(Robust("a race"), right, TASK) == Part("robust", 0, 2, "a race")
    assert scoring.robust(Robust(), right, TASK).points == 2


@pytest.mark.parametrize(
    ("ratio", "share"),
    [(2.0, 1), (1.0, 1), (0.96, 1), (1 / 9, 0), (0.01, 0), (0.9, 1)],
)
def test_the_ends_of_the_scale(ratio: float, share: float) -> None:
    assert speed.share(ratio, 9.0) == pytest.approx(share)


def test_the_scale_is_one_of_factors() -> None:
    """With the reference (nearly) 16 times as fast, 4 times as fast is half the way."""
    assert speed.share(4 / (16 / 0.9), 16 / 0.9) == pytest.approx(0.5, abs=0.001)
    shares = [speed.share(n / 100, 9.0) for n in range(1, 130)]
    assert shares == sorted(shares)


def timed(
    ms: float, reference: float, data: str, size: int = 8, waited: bool = False
) -> dict[str, Any]:
    shape = {"M": size, "N": size, "K": size}
    return {**shape, "data": data, "ms": ms, "reference_ms": reference, "waited": waited}


def timing(*calls: dict[str, Any], clock: str = "processor") -> speed.Timing:
    said = speed.timing([{"clock": clock, "calls": list(calls)}])
    assert said is not None
    return said


def test_the_slower_kind_of_data_counts() -> None:
    said = timing(*[timed(1, 4, "integers")] * 5, *[timed(4, 4, "uniform")] * 5)
    assert said.ratio == pytest.approx(1)


def test_kinds_of_data_that_are_alike_count_together() -> None:
    """The least of two medians would be below the truth on any machine that is not silent."""
    calls = [timed(4, 4 + n / 10, "integers") for n in (-2, -1, 0, 1, 2)]
    calls += [timed(4, 4 + n / 10, "uniform") for n in (-3, -1, -1, 0, 3)]
    assert timing(*calls).ratio == pytest.approx(1, abs=0.013)


def test_kinds_of_data_that_are_apart_by_noise_count_together() -> None:
    """Of a kernel that is as fast as the reference, on a machine on which two medians differ by a
    fifth."""
    calls = [timed(4, 4 * slow, "integers") for slow in (0.7, 0.8, 0.9, 1.2, 1.3)]
    calls += [timed(4, 4 * slow, "uniform") for slow in (0.8, 0.9, 1.15, 1.2, 1.4)]
    assert timing(*calls).ratio == pytest.approx(1.025)


def test_one_outlier_is_nothing() -> None:
    said = timing(*[timed(2, 4, "uniform")] * 6, timed(900, 4, "uniform"), timed(2, 900, "uniform"))
    assert said.ratio == pytest.approx(2)
    assert said.error == 0


def test_what_slows_down_both_calls_of_a_pair_is_no_noise() -> None:
    """A neighbour who comes and goes, as seen by a clock that he slows down."""
    said = timing(*[timed(2 * slow, 4 * slow, "uniform") for slow in (1, 1.1, 1.8, 1.9, 1.2, 2, 1)])
    assert said.ratio == pytest.approx(2)
    assert said.error == pytest.approx(0)
    assert said.reference > 0.1
    assert not speed.is_noisy(said.ratio, said.error, 3.0)


def test_what_slows_down_one_of_them_is_noise() -> None:
    """Which the times of the reference alone do not show."""
    said = timing(*[timed(4 * slow, 4, "uniform") for slow in (1, 1.6, 1, 1.9, 1.3, 2, 1)])
    assert said.reference == 0
    assert speed.is_noisy(said.ratio, said.error, 3.0)


def test_more_pairs_are_a_smaller_error() -> None:
    few = [timed(4 + n, 4, "uniform") for n in range(7)]
    assert timing(*few * 4).error == pytest.approx(timing(*few).error / 2)


def test_noise_at_the_ends_of_the_scale_moves_no_points() -> None:
    assert speed.is_noisy(0.5, 0.05, 3.0)
    assert not speed.is_noisy(1.3, 0.05, 3.0)
    assert not speed.is_noisy(0.2, 0.05, 3.0)
    assert not speed.is_noisy(0.5, 0.01, 3.0)


def test_a_pair_that_had_to_wait_does_not_count() -> None:
    waited = [timed(9, 1, "uniform", waited=True)] * 20
    assert timing(*[timed(2, 4, "uniform")] * 4, *waited).ratio == pytest.approx(2)
    assert timing(*[timed(2, 4, "uniform")] * 4, *waited, clock="wall").waited == 20


def test_where_all_had_to_wait_the_time_of_the_processor_counts_and_no_wall_clock() -> None:
    waited = [timed(2, 4, "uniform", waited=True)] * 7
    assert timing(*waited).ratio == pytest.approx(2)
    assert speed.timing([{"clock": "wall", "calls": waited}]) is None


def test_what_waited_with_one_kind_of_data_is_not_left_out_of_the_mixture() -> None:
    """Or else who is slow with some data, and so waits more, would have the speed with the other
    alone."""
    fast, slow = timed(1, 4, "integers"), timed(8, 4, "uniform", waited=True)
    assert timing(*[fast] * 7, *[slow] * 7).ratio == pytest.approx(0.5)


# ---- several tries -------------------------------------------------------------------------------
def noisy_calls(ratio: float, noise: float, **more: Any) -> dict[str, Any]:
    times = [4 + noise * n for n in (3, 0, 5, 1, 6, 2, 4)]
    others = times[1:] + times[:1]
    calls = [
        {**timed(other / ratio, time, "uniform"), "verdict": "right"}
        for time, other in zip(times, others)
    ]
    return {"calls": calls, "finding": None, "end": None, "at": None, **OF_CLOCK, **more}


OF_CLOCK = {"clock": "processor", "reference_end": None, "gpu": None}


def timed_case(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *records: dict[str, Any] | Exception
) -> Case:
    """One that is right, and timed with these results, one after the other."""
    said = iter(records)

    def time(*_: object) -> dict[str, Any]:
        record = next(said)
        if isinstance(record, Exception):
            raise record
        return record

    monkeypatch.setattr(judging, "time", time)
    worker = cast(Worker, object())
    terms = Terms(described("lab02_avx"), TASK, "0" * 64, 64, 7, frozenset(), worker, range=9.0)
    made = Case(Submission("anna", "anna"), terms, tmp_path / "work", worker=worker)
    made.mark = Mark(parts=[Part("correct", 5, 5), Part("robust", 2, 2)])
    while not made.over:
        made.time()
    return made


def test_a_noisy_machine_never_lowers_a_mark(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = timed_case(monkeypatch, tmp_path, *[noisy_calls(0.5, 9)] * 3).record()
    assert (said["verdict"], said["points"], said["possible"]) == ("INCONCLUSIVE", 7, 10)
    assert "too noisy" in said["reason"]
    assert said["of_reference"] is None


def test_all_tries_count_and_not_the_best(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of which each has its noise: the best would be its choice."""
    worse, better = noisy_calls(0.45, 0.15), noisy_calls(0.55, 0.15)
    made = timed_case(monkeypatch, tmp_path, worse, better)
    assert (made.record()["verdict"], made.record()["pairs"], made.tries) == ("PASS", 14, 2)
    assert 0.46 < made.record()["of_reference"] < 0.56, "each alone is too noisy"


def test_an_unsteady_kernel_is_timed_in_the_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Beside a reference that is steady: it cannot make itself inconclusive, nor is it so for
    ever."""
    unsteady = noisy_calls(0.5, 0)
    for number, one in enumerate(unsteady["calls"]):
        one["ms"] *= 1 + number
    made = timed_case(monkeypatch, tmp_path, unsteady, unsteady, unsteady)
    assert (made.record()["verdict"], made.tries) == ("PASS", 3)
    assert 7 <= made.record()["points"] < 10


DEAD = "the reference crashed with signal 9 (Killed)"


@pytest.mark.parametrize(
    "hiccup", [noisy_calls(1, 0, reference_end=DEAD), Unfit("FAIL", "takes more than 300 s")]
)
def test_a_hiccup_of_the_reference_ends_one_try(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, hiccup: dict[str, Any] | Exception
) -> None:
    made = timed_case(monkeypatch, tmp_path, hiccup, noisy_calls(1, 0))
    assert (made.record()["verdict"], made.record()["points"], made.tries) == ("PASS", 10, 2)


def test_a_reference_that_always_dies_costs_nobody_a_point(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = timed_case(monkeypatch, tmp_path, *[noisy_calls(1, 0, reference_end=DEAD)] * 3).record()
    assert (said["verdict"], said["points"], said["possible"]) == ("INCONCLUSIVE", 7, 10)
    assert said["reason"] == DEAD


def test_what_is_wrong_while_it_is_timed_has_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
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


# ---- the range of a class ------------------------------------------------------------------------
def ranged(
    monkeypatch: pytest.MonkeyPatch,
    *records: dict[str, Any],
    build: Callable[..., Worker] = lambda *_: cast(Worker, object()),
) -> tuple[Terms, dict[str, Any]]:
    """Of a lab whose reference was timed beside the lab before with these results."""
    said = iter(records)
    monkeypatch.setattr(class_setup, "reference_worker", build)
    monkeypatch.setattr(judging, "time", lambda *_: next(said))
    lab = described("lab02_avx")
    one = Terms(lab, TASK, "0" * 64, 64, 7, frozenset())
    entry: dict[str, Any] = {"range": None, "former_ms": None, "why": ""}
    with ProgressBar("test", 1) as progress:
        class_setup.find_ranges([one], {"labs": {lab.name: entry}}, Path("nowhere"), progress)
    return one, entry


def test_a_calm_range(monkeypatch: pytest.MonkeyPatch) -> None:
    one, entry = ranged(monkeypatch, noisy_calls(1 / 3, 0))
    assert (one.range, entry["range"], one.timed, one.trouble) == (3, 3, True, "")


def test_a_range_is_surer_than_will_do_where_tries_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of 4.43 and one of 4.09 shifted all who had some of the points by a tenth of one."""
    tries = [noisy_calls(1 / 2.99, 0.03), noisy_calls(1 / 3.01, 0.03)]
    first, both = timing(*tries[0]["calls"]), timing(*tries[0]["calls"], *tries[1]["calls"])
    assert not speed.is_rough(3, first.error)
    assert ranged(monkeypatch, *tries)[0].range == round(1 / both.ratio, 3)
    will_do, _ = ranged(monkeypatch, *[noisy_calls(1 / 3, 0.08)] * 4)
    assert (will_do.timed, will_do.trouble) == (True, "")


@pytest.mark.parametrize(
    ("second", "ends"),
    [((1 / 3, 0), ("PASS", 10, "")), ((1 / 3, 9), ("INCONCLUSIVE", 7, class_setup.TOO_NOISY))],
)
def test_a_range_that_is_noisy_is_measured_once_more_at_the_end_of_the_run(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    second: tuple[float, float],
    ends: tuple[str, float, str],
) -> None:
    """And those whom it concerns are graded then."""
    tries = class_setup.RANGE_TRIES
    said = iter([noisy_calls(1 / 3, 9)] * tries + [noisy_calls(*second)] * tries)
    right = record(shape("large", "pass"))
    monkeypatch.setattr(class_setup, "reference_worker", lambda *_: object())

    def time(_: object, asked: judging.Asked, __: object) -> dict[str, Any]:
        of_range = asked.rounds == class_setup.RANGE_ROUNDS
        return next(said) if of_range else noisy_calls(1, 0)

    monkeypatch.setattr(judging, "time", time)
    monkeypatch.setattr(grade_lab, "make", lambda *_: object())
    monkeypatch.setattr(judging, "verify", lambda *_: (right, ""))
    monkeypatch.setattr(robust, "look", lambda *_: Robust())
    monkeypatch.setattr(notes, "drawn_anew", lambda *_: notes.Note("anew", "6 of 6 right"))
    lab = described("lab02_avx")
    entry = {"range": None, "former_ms": None, "why": ""}
    settings = Settings(tmp_path, tmp_path / "out", 64, 1, "0" * 64)
    monkeypatch.setattr(classroom, "read_log", lambda *_: {"labs": {lab.name: entry}})
    handed = {lab.name: Handed({"kernel.c": answer(lab.name).read_bytes()})}
    one = Terms(lab, TASK, settings.seed, 64, 7, frozenset())
    classroom.grade_all([Submission("anna", "anna", handed)], [one], settings)
    made = grade_lab.read_case(settings.out / f"anna/{lab.name}.json")
    assert (made["verdict"], made["points"], made["reason"]) == ends
    kept = json.loads((settings.out / "log").read_text())["labs"][lab.name]
    assert kept["range"] == (3 if ends[0] == "PASS" else None)


def test_a_hiccup_of_the_reference_while_its_range_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, entry = ranged(
        monkeypatch, noisy_calls(1 / 3, 0, reference_end=DEAD), noisy_calls(1 / 3, 0)
    )
    assert (one.range, entry["range"], one.trouble) == (3, 3, "")


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (noisy_calls(1 / 3, 9), "too noisy to tell how far"),
        (noisy_calls(1 / 3, 0, reference_end=DEAD), DEAD),
        (noisy_calls(1 / 1.12, 0.5), "too noisy to tell how far"),
    ],
)
def test_a_range_that_is_noisy_is_none(
    monkeypatch: pytest.MonkeyPatch, record: dict[str, Any], says: str
) -> None:
    """It holds for nobody, and the next run measures it again."""
    one, entry = ranged(monkeypatch, *[record] * 4)
    assert says in one.trouble
    assert (one.timed, entry["range"], entry["why"]) == (True, None, "")


def test_a_reference_that_is_not_faster_is_no_range(monkeypatch: pytest.MonkeyPatch) -> None:
    one, entry = ranged(monkeypatch, noisy_calls(1.2, 0))
    assert not one.timed
    assert "0.83 times as fast as the lab before" in entry["why"]


def test_a_reference_that_does_not_build_ends_one_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    def unfit(*_: object) -> Worker:
        raise Unfit("FAIL", "does not build: no room")

    one, _ = ranged(monkeypatch, build=unfit)
    assert one.timed and "no room" in one.trouble


@pytest.mark.parametrize("points", [99, -1, math.inf, math.nan])
def test_a_record_with_points_that_no_lab_has_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, points: float
) -> None:
    record = timed_case(monkeypatch, tmp_path, noisy_calls(1, 0)).record()
    write(tmp_path / "one.json", record)
    assert grade_lab.read_case(tmp_path / "one.json")["points"] == 10
    (tmp_path / "one.json").write_text(json.dumps({**record, "points": points}))
    with pytest.raises(NoRecord):
        grade_lab.read_case(tmp_path / "one.json")


def test_nothing_timed() -> None:
    calls = [{**timed(1, 1, "uniform"), "reference_ms": None, "waited": None}]
    assert speed.timing([{"clock": "processor", "calls": calls}]) is None


def test_the_first_lab_has_no_lab_before_it_to_be_faster_than() -> None:
    """Told with the terms, before anything is graded."""
    with pytest.raises(UserError, match="lab01_cpu_naive is the first lab"):
        terms_of(
            described("lab01_cpu_naive"),
            Task(5, 2, 3.0, 3, 1, ""),
            {"seed": "", "size": 48, "rounds": 3},
        )


def test_ones_own_kernel_of_the_lab_before_is_a_beginning() -> None:
    """As make check says; and a record that knows no better is out of date then."""
    second, third = "lab02_avx", "lab03_avx_block"
    kernel = f"{third}/kernel.c"
    own = b'// mine\n#include <math.h>\n#include "params.h"\r\n/* \xff */ int x;\n'
    both = {
        second: Handed({"kernel.c": own}),
        third: Handed({"kernel.c": own.replace(b"// mine", b"")}),
    }
    same, begun = Submission("anna", "anna", both), Submission("bert", "bert", dict(both))
    begun.labs[third] = Handed(
        {"kernel.c": b'#include "params.h"\n/* \xff */ int x;\n'}
    )  # make start
    alone = Submission("carl", "carl", {third: both[third]})
    assert [one.borrowed(third, second) for one in (same, begun, alone)] == [True, True, False]
    assert same.digest(kernel, second) != alone.digest(kernel, second)
    begun.labs[third] = Handed({"kernel.c": b"int y;"})
    assert not begun.borrowed(third, second)
    assert begun.digest(kernel, second) == begun.labs[third].digest
    third_lab = Terms(
        described(third), Task(5, 2, None, 0, 1, ""), "", 48, 3, frozenset(), former=second
    )
    said = Case(same, third_lab, Path("/nowhere")).without_running()
    assert said is not None and said.verdict == "FAIL"
    assert scoring.reason(said) == f"not done yet: the code of kernel.c is that of {second}"
