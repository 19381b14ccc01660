# SPDX-License-Identifier: MIT
"""What holds for a lab in a whole class: its points, its seed, the reference to be timed beside,
and how far that is from the lab before."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from workbook import UserError
from workbook.core.progress_bar import ProgressBar
from workbook.handin.bench import Unfit
from workbook.lab import labs
from workbook.lab.course import Task, read_whole_course
from workbook.lab.labs import Lab
from workbook.lab.stages import ANSWERS, codes, kernel_name, suffix, text_of
from workbook.profile.asked import require_counters
from workbook.teacher.grade.compiling.builder import Limits, Work
from workbook.teacher.grade.judge import judging, scoring, speed
from workbook.teacher.grade.judge.judging import CALL, Asked
from workbook.teacher.grade.judge.workers import Worker, make, on_gpu

LARGEST = 4096  # that the judge takes
EMULATED_SIZE = 64  # of a large problem, where there is no GPU
SLOWER = 10  # times as slow as the lab before, a kernel is timed no further
RANGE_ROUNDS = 9
RANGE_TRIES = 4
TOO_NOISY = (
    "this machine was too noisy to tell how far the reference is from the lab before, twice in "
    "this run"
)


@dataclass
class Terms:
    """What holds for a lab in a whole class."""

    lab: Lab
    task: Task
    seed: str  # of the run
    size: int
    rounds: int
    starts: frozenset[str]  # code that is no work of a student's: see beginnings()
    reference: Worker | None = None  # to be timed beside; None: no points for speed here
    range: float = 0.0  # how many times as fast as the lab before the reference is
    former_ms: float = 0.0  # what the lab before takes for the round square
    no_speed: str = ""  # why there are none
    trouble: str = ""  # why nobody can tell a speed in this run
    scale: str = ""  # a digest of all this: see scale.py
    changed: str = ""  # what of it is otherwise than when the class was last graded
    former: str = (
        ""  # the lab before, in the same language: one's own kernel of it is a beginning, too
    )
    limits: Limits = Limits()
    seconds: float = CALL  # for one call
    without: frozenset[str] = frozenset()  # defences that a test switches off

    @property
    def timed(self) -> bool:
        return self.reference is not None or bool(self.trouble)

    @property
    def worth(self) -> float:
        """Seconds for a call that is timed: who takes longer has no points for speed in any
        case."""
        return min(self.seconds, max(1.0, SLOWER * self.former_ms / 1000))

    def seed_of(self, *words: str) -> str:
        return sha256(
            "\0".join((self.seed, self.lab.name, *words)).encode("utf-8", "surrogateescape")
        ).hexdigest()


def terms_of(lab: Lab, task: Task, log: dict[str, Any]) -> Terms:
    require_counters(lab, task)
    path = labs.before(lab)
    if path is None and task.fast > 0:
        raise UserError(
            f"{lab.name} is the first lab: it has no lab before it to be faster than: course.tsv"
        )
    former = labs.describe(str(path), []) if path else None
    if former and suffix(former) != suffix(lab):
        former = None
    starts, name = beginnings(lab, former), former.name if former else ""
    return Terms(
        lab, task, log["seed"], size_for(lab, log["size"]), log["rounds"], starts, former=name
    )


def size_for(lab: Lab, size: int) -> int:
    """Larger on a GPU, which a small problem does not fill; emulated, as small as will do."""
    if on_gpu(lab):
        return min(4 * size, LARGEST)
    return EMULATED_SIZE if lab.backend == "cuda" else size


def beginnings(lab: Lab, former: Lab | None) -> frozenset[str]:
    """The code of its starting points, and of the kernel of the lab before if that is written in
    the same language."""
    paths = sorted((lab.path / "start").glob("kernel*"))
    if former is not None:
        paths += [ANSWERS / former.name / kernel_name(lab), former.path / kernel_name(lab)]
    return frozenset().union(*(codes(text_of(path)) for path in paths if path.is_file()))


# ---- speed ---------------------------------------------------------------------------------------
def reference_worker(lab: Lab, task: Task, folder: Path) -> Worker:
    """Of the lab's own solution."""
    name = kernel_name(lab)
    path = ANSWERS / lab.name / name
    if not path.is_file():
        raise UserError(
            f"there is no answers/{lab.name}/{name}: a class is graded in the workbook, not in a "
            "handout"
        )
    return make(Work(lab, task, folder), {name: path.read_bytes()})


def why_untimed(one: Terms, log: dict[str, Any]) -> str:
    """Why there are no points for speed, as far as it is known before anything runs."""
    if one.task.fast == 0:
        return "course.tsv gives no points for its speed"
    if one.lab.backend == "cuda" and not on_gpu(one.lab):
        return "emulated on a CPU: right or wrong, never how fast"
    return str(log["labs"][one.lab.name]["why"])


def find_ranges(
    terms: list[Terms], log: dict[str, Any], folder: Path, progress: ProgressBar
) -> None:
    """Beside which worker each lab is timed, and how far that is from the lab before. Once for a
    class; where that fails, no other lab waits for it, and the end of the run, or the next, tries
    again."""
    for one in terms:
        entry = log["labs"][one.lab.name]
        if not one.no_speed:
            with progress.at(f"{one.lab.name}, reference"):
                try:
                    one.reference = reference_worker(one.lab, one.task, folder / one.lab.name)
                    one.range, one.former_ms = entry["range"] or 0.0, entry["former_ms"] or 0.0
                    if not one.range:
                        measure_range(one, entry, folder)
                except Unfit as why:
                    one.trouble = f"the reference could not be timed: {why.reason}"


def measure_range(one: Terms, entry: dict[str, Any], folder: Path) -> None:
    """What a whole class shares is not its noise, and shifts all its points: as long as there are
    tries, the range is to be twice as sure as will do in the end."""
    path = labs.before(one.lab)
    assert path is not None and one.reference is not None, "terms_of has seen to that"
    lab = labs.describe(str(path), [])
    former = reference_worker(
        lab, read_whole_course().get(lab.name, one.task), folder / f"before.{one.lab.name}"
    )
    records: list[dict[str, Any]] = []
    said: speed.Timing | None = None
    for number in range(RANGE_TRIES):
        asked = Asked(
            "speed", one.seed_of("range", str(number)), one.seed_of("class"), one.size, RANGE_ROUNDS
        )
        record = judging.time(former, asked, one.reference)
        one.trouble = failed(record)
        records += [] if one.trouble else [record]
        said = speed.timing(records) if records else None
        if said is not None and not speed.is_rough(1 / said.ratio, 2 * said.error):
            break
    settle_range(one, entry, said)


def failed(record: dict[str, Any]) -> str:
    """Why there is nothing to learn from how long two kernels of ours took."""
    if record["reference_end"]:
        return f"its reference could not be timed: {record['reference_end']}"
    if any(call["verdict"] != "right" for call in record["calls"]):
        return f"the kernel of the lab before could not be timed: {scoring.why_wrong(record)}"
    return ""


def settle_range(one: Terms, entry: dict[str, Any], said: speed.Timing | None) -> None:
    if said is None:
        one.trouble = one.trouble or TOO_NOISY
        return
    times = 1 / said.ratio
    rough = speed.is_rough(times, said.error)
    if times * (1 + 2 * said.error if rough else 1) < speed.LEAST_RANGE:
        entry["why"] = (
            f"here the reference is {times:.2f} times as fast as the lab before: no points for it"
        )
        one.reference, one.no_speed, one.trouble = None, entry["why"], ""
    elif rough:
        one.trouble = TOO_NOISY
    else:
        entry["range"] = one.range = round(times, 3)
        entry["former_ms"] = one.former_ms = round(said.ms, 4)
        one.trouble = ""
