# SPDX-License-Identifier: MIT
"""One lab of one submission: built, judged, looked at, timed; and its record, gemm-grade/2 of
docs/records.md."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import shorten
from typing import Any

from workbook.check.words.in_time import of_source_in_time
from workbook.check.words.unshared import caused
from workbook.core.records import NoRecord, read
from workbook.core.text import printable
from workbook.handin.bench import Unfit
from workbook.handin.todo import first_todo
from workbook.lab.stages import bare, decoded, kernel_name
from workbook.profile.asked import Asked as Counted
from workbook.teacher.grade.class_setup import Terms
from workbook.teacher.grade.compiling.builder import Work
from workbook.teacher.grade.intake.accepted import Handed, Submission
from workbook.teacher.grade.judge import counters, judging, notes, robust, scoring, speed
from workbook.teacher.grade.judge.judging import Asked
from workbook.teacher.grade.judge.scoring import (
    FAIL,
    INCONCLUSIVE,
    MISSING,
    REFUSED,
    VERDICTS,
    Mark,
)
from workbook.teacher.grade.judge.workers import Worker, make

SCHEMA = "gemm-grade/2"
PATIENCE = 10  # times as long as a call elsewhere, one that is counted may take
TRIES = 3  # on a machine that is too noisy
MOST = 1e6  # points
LONGEST = 400  # characters of a cause, which has a kernel's own words
CAUSES = ("divergence", "copy")  # of a wrong result, that it cannot tell from others
PRINTED = 4000  # characters of what a kernel printed that are kept
RECORD = {
    "schema": SCHEMA,
    "submission": str,
    "lab": str,
    "digest": str,
    "seed": str,
    "terms": str,
    "verdict": VERDICTS,
    "points": (int, float),
    "possible": (int, float),
    "reason": str,
    "parts": [{"name": str, "points": (int, float), "possible": (int, float), "reason": str}],
    "classes": dict,
    "finding": (dict, None),
    "at": (dict, None),
    "speedup": (int, float, None),
    "notes": [{"kind": str, "text": str, "odd": bool}],
}


@dataclass
class Case:
    submission: Submission
    terms: Terms
    folder: Path  # to work in
    mark: Mark = field(default_factory=Mark)
    worker: Worker | None = None  # while it is still to be timed
    classes: dict[str, list[int]] = field(default_factory=dict)
    finding: dict[str, Any] | None = None
    at: dict[str, Any] | None = None  # the call in which it crashed, or did not end
    looked: robust.Robust | None = None
    timed: list[dict[str, Any]] = field(default_factory=list)  # what the judge saw in each try
    measured: speed.Timing | None = None
    notes: list[notes.Note] = field(default_factory=list)
    printed: str = ""
    tries: int = 0
    seconds: float = 0.0

    @property
    def handed(self) -> Handed | None:
        return self.submission.labs.get(self.terms.lab.name)

    @property
    def kernel(self) -> str:
        return f"{self.terms.lab.name}/{kernel_name(self.terms.lab)}"

    @property
    def digest(self) -> str:
        return self.submission.digest(self.kernel, self.terms.former)

    @property
    def over(self) -> bool:
        return self.worker is None

    def asked(self, plan: str) -> Asked:
        """Inputs of its own, and the shapes of the class. Another try has other inputs."""
        seed = self.terms.seed_of(self.submission.name, self.digest, plan, str(self.tries))
        seconds = self.terms.worth if plan == "speed" else self.terms.seconds
        return Asked(
            plan, seed, self.terms.seed_of("class"), self.terms.size, self.terms.rounds, seconds
        )

    # ---- the steps -----------------------------------------------------------------------------
    def examine(self) -> None:
        """Everything but its speed, for which it has to be alone."""
        start = time.monotonic()
        self.mark = self.without_running() or self.run()
        self.seconds += time.monotonic() - start
        if self.over:
            shutil.rmtree(self.folder, ignore_errors=True)

    def without_running(self) -> Mark | None:
        """Where nothing is to be run."""
        if self.submission.refused:
            return self.nothing(REFUSED, self.submission.refused)
        if self.submission.lacks(self.kernel):
            other = self.submission.instead(self.kernel)
            return self.nothing(MISSING, other or f"no {self.kernel} was handed in")
        handed, kernel = self.handed, kernel_name(self.terms.lab)
        assert handed is not None
        if handed.refused:
            return self.nothing(REFUSED, handed.refused)
        if said := unfinished(decoded(handed.files[kernel]), kernel, self.terms.starts):
            return self.nothing(FAIL, said)
        if self.submission.borrowed(self.terms.lab.name, self.terms.former):
            return self.nothing(
                FAIL, f"not done yet: the code of {kernel} is that of {self.terms.former}"
            )
        return None

    def run(self) -> Mark:
        handed = self.handed
        assert handed is not None
        kernel = kernel_name(self.terms.lab)
        work = Work(
            self.terms.lab, self.terms.task, self.folder, self.terms.limits, self.terms.without
        )
        try:
            worker = make(
                work,
                {name: handed.files[name] for name in (kernel, "params.h") if name in handed.files},
            )
            record, self.printed = judging.verify(worker, self.asked("shapes"))
            self.classes, self.finding, self.at = (
                scoring.classes(record),
                record["finding"],
                record["at"],
            )
            outside = f"out of bounds: {record['outside']}" if record["outside"] else ""
            if outside:
                self.looked = robust.Robust(outside)
            verdicts = {record["ended"], *(shape["verdict"] for shape in record["shapes"])}
            if "limit" not in verdicts:
                tools = "tools" not in self.terms.without
                said = robust.look(work, worker, self.asked("few")) if tools else robust.Robust()
                self.looked = replace(said, found=said.found or outside)
                self.notes += notes.of_tools(said.unseen)
            record["finding"] = self.finding = explained(record["finding"], work, self.looked)
            right = scoring.correct(record, self.terms.task)
            if self.looked and self.looked.found and record["ended"] in robust.BY_ITSELF:
                right = replace(right, reason=f"{right.reason}: {self.looked.found}")
            if not right.reason:
                self.notes.append(notes.drawn_anew(worker, self.asked("anew")))
        except Unfit as why:
            return self.nothing(why.verdict, why.reason)
        mark = Mark(parts=[right, scoring.robust(self.looked, right, self.terms.task)])
        if self.terms.task.idea:
            mark.parts.append(scoring.idea(self.count(work, worker, mark), self.terms.task))
        if self.terms.timed and right.reason:
            mark.parts.append(
                scoring.Part("speed", 0, self.terms.task.fast, "only what is right is timed")
            )
        elif self.terms.trouble:
            self.end_untimed(mark, self.terms.trouble)
        elif self.terms.timed:
            self.worker = worker
        return mark

    def count(self, work: Work, worker: Worker, mark: Mark) -> Counted:
        if any(part.reason for part in mark.parts):
            return Counted(False, "only what is right is counted")
        seconds = min(counters.CALL, PATIENCE * self.terms.seconds)
        return counters.count(work, worker, replace(self.asked("counted"), seconds=seconds))

    def time(self) -> None:
        """With nothing beside it."""
        worker, reference = self.worker, self.terms.reference
        assert worker is not None and reference is not None
        start = time.monotonic()
        self.tries += 1
        try:
            self.settle(judging.time(worker, self.asked("speed"), reference))
        except Unfit as why:
            self.put_off(f"while it was timed: {why.reason}")
        self.seconds += time.monotonic() - start
        if self.over:
            shutil.rmtree(self.folder, ignore_errors=True)

    def settle(self, record: dict[str, Any]) -> None:
        task = self.terms.task
        if any(call["verdict"] == "slow" for call in record["calls"]):
            why = f"a call takes more than {self.terms.worth:g} s"
            self.mark.parts.append(scoring.Part("speed", 0, task.fast, why))
            self.worker = None
            return
        wrong = [call for call in record["calls"] if call["verdict"] not in ("right", "skipped")]
        if wrong or record["end"]:
            self.finding = record["finding"] or self.finding
            if at := record["at"]:
                self.at = {"M": at["M"], "N": at["N"], "K": at["K"], "class": "large"}
            self.fail(f"was right before, and then not: {scoring.why_wrong(record)}")
            return
        if record["reference_end"]:
            self.put_off(record["reference_end"])
            return
        self.timed.append(record)
        measured = speed.timing(
            self.timed
        )  # all tries count: the best of them would be the noise's choice
        if measured is None or not speed.is_settled(
            measured, self.terms.range, self.tries == TRIES
        ):
            self.put_off("this machine was too noisy to tell its speed")
            return
        self.measured = measured
        self.mark.parts.append(scoring.speed(measured, self.terms.range, task))
        lab, size, threads = self.terms.lab, self.terms.size, task.threads
        self.notes += notes.of_timing(lab, measured, size, threads, record)
        self.worker = None

    def put_off(self, reason: str) -> None:
        """Not the kernel's fault: it is queued again, and after the last try nobody can tell."""
        if self.tries == TRIES:
            self.end_untimed(self.mark, reason)

    def end_untimed(self, mark: Mark, reason: str) -> None:
        mark.parts.append(scoring.Part("speed", 0, self.terms.task.fast, reason))
        mark.verdict = INCONCLUSIVE
        self.worker = None

    def give_up(self, reason: str) -> None:
        self.mark = self.nothing(INCONCLUSIVE, reason)
        self.worker = None

    def fail(self, reason: str) -> None:
        self.mark = self.nothing(FAIL, reason)
        self.worker = None

    def nothing(self, verdict: str, reason: str) -> Mark:
        return scoring.nothing(verdict, printable(reason), self.terms.task, self.terms.timed)

    def record(self) -> dict[str, Any]:
        mark = self.mark
        return {
            "schema": SCHEMA,
            "submission": self.submission.name,
            "lab": self.terms.lab.name,
            "digest": self.digest,
            "seed": self.terms.seed,
            "terms": self.terms.scale,
            "verdict": scoring.verdict(mark),
            "points": mark.points,
            "possible": mark.possible,
            "reason": scoring.reason(mark),
            "parts": [vars(part) for part in mark.parts],
            "classes": self.classes,
            "finding": self.finding,
            "at": self.at,
            "tools": list(self.looked.tools) if self.looked else [],
            "speedup": round(self.measured.ratio * self.terms.range, 3) if self.measured else None,
            "of_reference": round(self.measured.ratio, 4) if self.measured else None,
            "ms": round(self.measured.ms, 4) if self.measured else None,
            "error": round(self.measured.error, 4) if self.measured else None,
            "pairs": self.measured.pairs if self.measured else None,
            "waited": self.measured.waited if self.measured else None,
            "notes": [vars(note) for note in self.notes],
            "no_speed": self.terms.no_speed,
            "printed": self.printed[:PRINTED],
            "seconds": round(self.seconds, 2),
        }


def explained(
    finding: dict[str, Any] | None, work: Work, looked: robust.Robust | None
) -> dict[str, Any] | None:
    """A finding, with the cause that make check tells by the kernel's text, or that of a tool; what
    the judge names by the result is a guess."""
    if finding is None:
        return None
    if told := of_source_in_time(work.folder / "lab" / work.source):
        kind, cause = told[0]
        return caused(finding, kind, shorten(printable(cause), LONGEST, placeholder=" ..."))
    if looked and looked.kind in CAUSES:
        return caused(finding, "race", looked.found)
    return finding


def unfinished(text: str, kernel: str, starts: frozenset[str]) -> str:
    if line := first_todo(text):
        return f"not done yet: {kernel}:{line} still says TODO"
    return "not done yet: this is the kernel that it begins from" if bare(text) in starts else ""


def read_case(path: Path) -> dict[str, Any]:
    """What was recorded of one. Raises NoRecord, also where no lab has such points."""
    record = read(path, RECORD)
    if not 0 <= record["points"] <= record["possible"] <= MOST:
        raise NoRecord(f"{path.name}: {record['points']} of {record['possible']} points")
    return record
