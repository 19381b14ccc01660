# SPDX-License-Identifier: MIT
"""How make grade times beside a reference: on cores of their own, by the time of the processor, and
what it notes beside. What a time is decides nothing here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cheating import SEED, described
from tests.classes import FIRST, answer, cheat
from tests.schemas import complaints
from tests.support import TOP, run
from workbook.core import process
from workbook.handin.bench import Unfit
from workbook.lab.course import Task
from workbook.measure import ceilings
from workbook.teacher.grade.classroom import build_folder
from workbook.teacher.grade.compiling.builder import Work, build_tools
from workbook.teacher.grade.intake.accepted import Submission
from workbook.teacher.grade.judge import judging, notes, speed
from workbook.teacher.grade.judge.judging import Asked
from workbook.teacher.grade.judge.notes import Note
from workbook.teacher.grade.judge.workers import Worker, make
from workbook.teacher.grade.publish import page

ASKED = Asked("speed", SEED, "c1a5" * 16, 128, rounds=3)


@pytest.fixture(scope="module", autouse=True)
def _tools() -> None:
    build_tools()


@pytest.fixture
def folder() -> Iterator[Path]:
    with build_folder() as made:
        yield made


def worker(folder: Path, kernel: Path, threads: int = 1) -> Worker:
    work = Work(described(FIRST), Task(8, 2, None, 0, threads, ""), folder / kernel.stem)
    return make(work, {"kernel.c": kernel.read_bytes()})


def timed(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for call in record["calls"] if call["reference_ms"]]


@contextmanager
def neighbours() -> Iterator[None]:
    """Somebody on each core, who never pauses."""
    loop = (
        "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nprint(flush=True)\n"
        "while True: pass"
    )
    with ExitStack() as stack:
        for core in sorted(os.sched_getaffinity(0)):
            command = [sys.executable, "-c", loop, str(core)]
            one = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE))
            stack.callback(one.kill)
            assert one.stdout is not None and one.stdout.readline() == b"\n"
        yield


# ---- waiting -------------------------------------------------------------------------------------
@pytest.mark.parametrize("clock", ["processor", "wall"])
def test_who_had_to_wait_for_a_core_is_seen(
    folder: Path, monkeypatch: pytest.MonkeyPatch, clock: str
) -> None:
    """A call of more than a time slice beside a neighbour has to; a pair is repeated, and then says
    so."""
    one = worker(folder, answer(FIRST))
    monkeypatch.setattr(judging, "clock_of", lambda _: {"clock": clock, "cores": "1"})
    with neighbours():
        record = judging.time(one, replace(ASKED, size=320), one)
    assert complaints(record, "gemm-pairs") == []
    assert [call["verdict"] for call in record["calls"]].count("right") == len(record["calls"])
    assert record["clock"] == clock
    assert len(timed(record)) == 12
    assert all(call["waited"] for call in timed(record))
    measured = speed.timing([record])
    assert (measured is None) == (clock == "wall"), "what is no time of theirs counts for nobody"


CALLS = """#include "judge.h"
#include <stdio.h>
int main(void)
{
    const struct spent calls[] = {
        {.wall = 5, .waited = 0.09},                // to be woken takes some microseconds
        {.wall = 5, .waited = 0.2},                 // a neighbour had the core
        {.wall = 17, .waited = 0.6, .usual = 0.25}, // for two dozen threads it is more
        {.wall = 17, .waited = 3.0, .usual = 0.25}, // and a neighbour
        {.wall = 50, .waited = 0.4},                // less than one percent
    };
    for (int c = 0; c < 5; c++)
        printf("%d", had_to_wait(&calls[c]));
}
"""


def test_what_it_takes_to_wake_all_threads_is_no_waiting(tmp_path: Path) -> None:
    """NVIDIA's driver has 22 for OpenCL, each of which is let go and stopped with every call: no
    kernel was ever timed there."""
    (tmp_path / "calls.c").write_text(CALLS)
    flags = "-D_XOPEN_SOURCE=700 -Dreal=float -Igrading -I. -Icommon".split()
    program = str(tmp_path / "calls")
    sources = [str(tmp_path / "calls.c"), "grading/build/spent.o", "grading/build/common.a"]
    built = run(["cc", *flags, "-o", program, *sources, "-lm", "-ldl"], TOP)
    assert built.status == 0, built.text
    assert run([program], tmp_path).out == "01010"


def test_one_thread_has_the_clock_of_the_processor_and_one_core(folder: Path) -> None:
    one, two = Task(8, 2, None, 0, 1, ""), Task(8, 2, None, 0, 2, "")
    assert judging.clock_of(Work(described(FIRST), one, folder)) == {
        "clock": "processor",
        "cores": "1",
    }
    assert judging.clock_of(Work(described(FIRST), two, folder)) == {"clock": "wall", "cores": "2"}


def affinities(folder: Path) -> tuple[list[set[int]], list[set[int]]]:
    """Of the workers that have a file of this folder inside, and of their judge."""
    of_workers, of_judges = [], []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            words, mounts = (
                (path / "cmdline").read_bytes().split(b"\0"),
                (path / "mountinfo").read_text(),
            )
            cores = os.sched_getaffinity(int(path.name))
        except OSError:  # it has just ended
            continue
        if words[0] == b"/worker" and folder.name in mounts:
            of_workers.append(cores)
        elif words[0].endswith(b"/pairs") and any(os.fsencode(folder) in word for word in words):
            of_judges.append(cores)
    return of_workers, of_judges


def test_both_workers_are_on_one_core_and_the_judge_elsewhere(folder: Path) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core")
    one = worker(folder, cheat("endless_loop"))
    seen: list[tuple[list[set[int]], list[set[int]]]] = []
    with ThreadPoolExecutor(1) as pool:
        judged = pool.submit(judging.time, one, replace(ASKED, seconds=4), one)
        while not judged.done():
            seen.append(affinities(folder))
            time.sleep(0.05)
    both = [(workers, judges) for workers, judges in seen if len(workers) == 2 and len(judges) == 1]
    assert both, seen
    for (first, second), (its_judge,) in both:
        assert first == second and len(first) == 1
        assert not first & its_judge


def test_the_time_of_a_thread_that_has_ended_counts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside one that computes the same by itself: if it did not, it would be a hundred times as
    fast."""
    threads = worker(folder, TOP / "tests/honest/threads.c", threads=2)
    monkeypatch.setattr(judging, "clock_of", lambda _: {"clock": "processor", "cores": "1"})
    record = judging.time(
        threads, replace(ASKED, size=320), worker(folder, TOP / "tests/honest/ikj.c")
    )
    assert record["end"] is None
    measured = speed.timing([record])
    assert measured is not None and measured.ratio < 10


# ---- the reference -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "says"),
    [("crash", "the reference crashed with signal"), ("zeros", "the reference is wrong at")],
)
def test_a_reference_that_fails_says_nothing_of_the_kernel(
    folder: Path, name: str, says: str
) -> None:
    record = judging.time(worker(folder, answer(FIRST)), ASKED, worker(folder, cheat(name)))
    assert complaints(record, "gemm-pairs") == []
    assert says in record["reference_end"]
    assert (record["end"], record["finding"]) == (None, None)
    assert {call["verdict"] for call in record["calls"]} <= {"right", "skipped"}


def test_a_reference_that_does_not_start_is_no_mistake_either(folder: Path) -> None:
    good = worker(folder, answer(FIRST))
    record = judging.time(good, ASKED, replace(good, command=["/nothing"]))
    assert record["reference_end"].startswith("the reference ended by itself")
    assert record["end"] is None


# ---- notes ---------------------------------------------------------------------------------------
def test_shapes_drawn_anew_are_others_each_time(folder: Path) -> None:
    one = worker(folder, answer(FIRST))
    asked = replace(ASKED, plan="anew")
    records = [judging.verify(one, replace(asked, class_seed=digit * 64))[0] for digit in "12"]
    kinds = [sorted(shape["class"] for shape in record["shapes"]) for record in records]
    assert kinds[0] == kinds[1] and len(kinds[0]) == len(set(kinds[0])) == 6
    shapes = [{(one["M"], one["N"], one["K"]) for one in record["shapes"]} for record in records]
    assert shapes[0] != shapes[1]
    assert complaints(records[0], "gemm-run") == []
    assert notes.drawn_anew(one, asked) == Note(
        "anew", "on shapes drawn anew in this run: 6 of 6 right"
    )


def test_a_kernel_that_is_wrong_on_shapes_drawn_anew_is_noted(folder: Path) -> None:
    note = notes.drawn_anew(worker(folder, cheat("zeros")), replace(ASKED, plan="anew"))
    assert note.odd
    assert "0 of 6 right: first at" in note.text


def test_shapes_drawn_anew_are_of_no_seed_that_anybody_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seeds = []

    def judged(_: object, asked: Asked) -> tuple[dict[str, Any], str]:
        seeds.append(asked.class_seed)
        raise Unfit("FAIL", "takes more than 60 s")

    monkeypatch.setattr(judging, "verify", judged)
    said = [notes.drawn_anew(None, ASKED) for _ in range(2)]  # type: ignore[arg-type]
    assert len({*seeds, ASKED.class_seed}) == 3
    assert said[0].odd and said[0].text.endswith("takes more than 60 s")


def test_a_speed_above_the_ceiling_is_noted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = tmp_path / "ceilings.tsv"
    table.write_text(
        "cpu\tone\tfloat\t100.0\t9.0\tavx2=100.0\tavx512=150.0\ncpu\tone\tdouble\t999\t9\n"
    )
    monkeypatch.setattr(ceilings, "TABLE", table)
    notes.ceiling.cache_clear()
    lab = described(FIRST)

    def noted(gflops: float, threads: int = 1) -> list[str]:
        measured = speed.Timing(1.0, 2e-6 * 100**3 / gflops, 0, 0, 28, 0)
        return [note.kind for note in notes.of_timing(lab, measured, 100, threads, {"gpu": None})]

    assert noted(149) == noted(155) == noted(290, threads=2) == []
    assert noted(160) == ["ceiling"]
    notes.ceiling.cache_clear()


def test_without_a_ceiling_nothing_is_above_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(ceilings, "TABLE", tmp_path / "ceilings.tsv")
    monkeypatch.setattr(ceilings, "ensure", lambda *_: None)
    notes.ceiling.cache_clear()
    assert notes.above_ceiling(1e6, notes.ceiling("cpu")) == []
    notes.ceiling.cache_clear()


def test_the_gpu_is_looked_at_behind_each_timed_call(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a library that stands in for NVIDIA's. The first look is before all calls."""
    library = [
        "cc",
        "-shared",
        "-fPIC",
        "-o",
        str(folder / "libnvidia-ml.so.1"),
        str(TOP / "tests/nvml.c"),
    ]
    subprocess.run(library, check=True)
    one = worker(folder, answer(FIRST))
    monkeypatch.setattr(judging, "clock_of", lambda _: {"clock": "wall", "gpu": "1"})

    def with_library(command: Any, place: Any, seconds: Any, environment: Any, **more: Any) -> Any:
        return process.run(
            command, place, seconds, {**environment, "LD_LIBRARY_PATH": str(folder)}, **more
        )

    assert judging.time(one, ASKED, one)["gpu"] is None or Path("/dev/nvidia0").exists()
    monkeypatch.setattr(judging, "run", with_library)
    record = judging.time(one, ASKED, one)
    assert complaints(record, "gemm-pairs") == []
    said = record["gpu"]
    assert said["calls"] >= 2 * len(timed(record))
    assert (said["mhz"], said["most_mhz"]) == ([1510, 1500 + 10 * said["calls"]], 1980)
    assert said["celsius"] == [42, 41 + said["calls"]]
    assert said["throttled"] == (said["calls"] + 1) // 2
    assert said["reasons"] == ["power", "temperature"]
    (note,) = notes.of_gpu(said)
    assert note.odd
    assert f"throttled in {said['throttled']} of {said['calls']} timed calls: power" in note.text
    subprocess.run([*library, "-DCLOCK_ALONE"], check=True)
    assert judging.time(one, ASKED, one)["gpu"] is None


def test_a_calm_gpu_is_noted_and_not_odd() -> None:
    said = {
        "mhz": [1970, 1980],
        "most_mhz": 1980,
        "celsius": [40, 41],
        "calls": 9,
        "throttled": 0,
        "reasons": [],
    }
    assert notes.of_gpu(said) == [
        Note("gpu", "the GPU ran at 1970 to 1980 MHz of 1980, at 40 to 41 degrees Celsius")
    ]
    assert notes.of_gpu({**said, "mhz": [1200, 1980]})[0].odd
    assert notes.of_gpu(None) == []


def test_the_page_has_what_is_odd_and_no_name() -> None:
    odd = vars(Note("ceiling", "200 GFLOP/s <b>", odd=True))
    records = [{"lab": FIRST, "notes": [odd, vars(Note("anew", "6 of 6 right"))]}]
    said = json.dumps(page.noted([(Submission("anna", "anna"), records)]))
    assert "200 GFLOP/s &lt;b&gt;" in said
    assert "6 of 6" not in said and "anna" not in said
    assert page.noted([(Submission("anna", "anna"), [{"lab": FIRST, "notes": []}])]) == []
