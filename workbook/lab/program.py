# SPDX-License-Identifier: MIT
"""Runs a program of a lab and judges how it ended. What counts is the record that it wrote: a
status of 0 proves nothing."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbook.core.process import Outcome, run
from workbook.core.quiet import beside, disturbed
from workbook.core.records import RUN, WIDE_SPREAD, NoRecord, read
from workbook.core.text import plain
from workbook.core.typed import at_top
from workbook.lab.labs import Lab, environment, every
from workbook.lab.limits import limit, seconds

NO_SPEED = "no speed is claimed: "  # how the reason of a right result begins, if it has one
STATUS = {"pass": 0, "fail": 1, "impossible": 1, "unfinished": 1, "error": 2, "skip": 77}
PASS, FAIL, SKIP, NOT_YET = "PASS", "FAIL", "SKIP", "NOT YET"
CRASHED = re.compile(r"^.*\bthread \([\d,]+\) of block .* \(cudaError\w+\)$", re.MULTILINE)
TODO = "TODO"  # a student's kernel that is not done yet


@dataclass(frozen=True)
class Result:
    """What came of one run."""

    program: str
    verdict: str
    reason: str = ""
    record: dict[str, Any] = field(default_factory=dict)
    status: int = 0  # negative: it crashed, or was stopped
    crashed: bool = False
    settings: tuple[str, ...] = ()  # other tunables than those of the lab
    disturbed: str = ""  # what ran beside it while it was timed

    @property
    def variant(self) -> str:
        """Its name; empty for the lab's own kernel."""
        return self.program[len("gemm_") :]

    @property
    def stopped(self) -> bool:
        """It did not end, as its compiler does not, or wrote too much."""
        endless = self.status == STATUS["error"] and self.record.get("verdict") == "incomplete"
        endless = endless or self.record.get("ended") == "limit"
        return endless or (self.status < 0 and not self.crashed)

    @property
    def shapes(self) -> list[dict[str, Any]]:
        return list(self.record.get("shapes", []))

    @property
    def battery(self) -> int:
        """How many shapes it should have tried."""
        size = self.record.get("battery")
        return size if isinstance(size, int) else 0

    @property
    def finding(self) -> dict[str, Any]:
        return self.record.get("finding") or {}

    @property
    def why(self) -> str:
        """Its reason in one line, also where only the finding says what is wrong."""
        if self.reason or not self.finding:
            return self.reason
        cause = plain(self.finding["cause"] or "no cause can be named")
        return "wrong at {M} x {N} x {K}: ".format(**self.finding) + cause

    @property
    def summary(self) -> str:
        """Why, and where to look."""
        return self.why + ("; make race says more" if self.crashed else "")

    @property
    def gflops(self) -> float:
        """At the median; 0 where there is no speed."""
        return self.record.get("gflops") or 0.0 if self.verdict == PASS else 0.0

    @property
    def is_wide(self) -> bool:
        return (self.record.get("spread") or 0.0) > WIDE_SPREAD

    @property
    def kernel_ms(self) -> float:
        """The median."""
        times = sorted(repetition["kernel_ms"] for repetition in self.record["repetitions"])
        return float(times[(len(times) - 1) // 2] + times[len(times) // 2]) / 2


def memory() -> int:
    """Bytes that a program may have: two of them run at a time."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def skipped(program: str, reason: str) -> Result:
    """A skip has a reason, or it is a failure."""
    reason = plain(reason.replace("skipped: ", "", 1))
    if reason == "":
        return Result(program, FAIL, "ended with the status of a skip, and no reason")
    return Result(program, SKIP, reason)


def time_program(lab: Path, program: str, arguments: Sequence[str]) -> Result:
    """Within what its size may take."""
    return run_program(lab, program, arguments, seconds(arguments))


def timing_size(lab: Lab) -> str:
    """512, or 2048 where the first lab of the backend shows a device for which 512 is over before
    it has begun. SIZE, if set, decides."""
    if size := os.environ.get("SIZE"):
        return size
    if lab.backend in ("cpu", None) or lab.emulated or lab.skip is not None:
        return "512"
    kernel = lab.programs[0].kernel
    built = (path for path in every() if (path / kernel).exists() and (path / "gemm").exists())
    trial = time_program(next(built, lab.path), "gemm", ["512", "--reps", "3"])
    return "2048" if trial.verdict == PASS and trial.kernel_ms < 1 else "512"


def run_program(
    lab: Path,
    program: str,
    arguments: Sequence[str],
    within: float | None = None,
    shown: bool = False,
) -> Result:
    """Within so many seconds, or the limit of a check."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "record.json")
        command = [f"./{program}", "--json", str(path), *arguments]
        with beside() as others:
            outcome = run(command, lab, within or limit(), environment(), memory(), shown)
        if "--json" in arguments:  # it is theirs that was written
            path = lab / arguments[len(arguments) - list(arguments)[::-1].index("--json")]
        try:
            record = read(path, RUN)
        except NoRecord as error:
            reason = without_verdict(program, outcome, str(error))
            return Result(program, FAIL, reason, status=outcome.status, crashed=outcome.crashed)
    crashed = outcome.crashed or record["ended"] == "crash"
    result = replace(judge(program, outcome, record), status=outcome.status, crashed=crashed)
    return replace(result, disturbed=disturbed(record, others))


def judge(program: str, outcome: Outcome, record: dict[str, Any]) -> Result:
    verdict, reason = record["verdict"], plain(record["reason"] or "")
    if record["ended"] and record["finding"]:
        how = "crashed" if record["ended"] == "crash" else "did not end"
        return Result(program, FAIL, f"wrong, and it {how}{place(record)}", record)
    if STATUS.get(verdict) != outcome.status:  # killed, crashed, or ended by the kernel
        return Result(program, FAIL, without_verdict(program, outcome, "", record), record)
    if verdict == "skip":
        return skipped(program, reason)
    if verdict == "unfinished":
        return Result(program, TODO, f"not done yet: {reason}", record)
    proof = record["shapes"] and (record["repetitions"] or record["mode"] != "time")
    wrong = any(shape["verdict"] != "pass" for shape in record["shapes"])
    if verdict == "pass" and (wrong or not proof):
        return Result(program, FAIL, "ended without verifying anything", record)
    if verdict == "pass" and reason:
        reason = f"{NO_SPEED}{reason}; {at_top('ceilings')} measures that again"
    elif (
        verdict == "pass"
        and record["mode"] == "time"
        and not (emulated(record) or record["gflops"])
    ):
        return Result(program, FAIL, "verified, but it has no speed", record)
    if verdict == "pass":
        return Result(program, PASS, reason, record)
    # The emulation has named the line of a kernel that crashed; main.cu only knows that its call
    # failed.
    crash = CRASHED.search(outcome.err)
    return Result(program, FAIL, plain(crash[0]) if crash else reason, record)


def emulated(record: dict[str, Any]) -> bool:
    return bool(record["backend"] == "emulated")


def place(record: dict[str, Any]) -> str:
    return " at {M} x {N} x {K}".format(**record["at"]) if record["at"] else ""


def endless(record: dict[str, Any] | None) -> str:
    """What a program may be doing that has no result in time."""
    other = ""
    if record and record["ranks"]:
        other = ", or a message that nobody sends"
    elif record and record["backend"] == "opencl":
        other = ", or stores outside C that broke the driver"
    return f"a loop that does not end{other}?"


def without_verdict(
    program: str, outcome: Outcome, problem: str, record: dict[str, Any] | None = None
) -> str:
    """Why it failed, of a program that ended before it could say so itself."""
    at = place(record) if record else ""
    said = [line for line in outcome.err.splitlines() if line.startswith("gemm: ")]
    last = plain(outcome.err.strip().rpartition("\n")[2])
    if outcome.timed_out:
        return f"no result within {outcome.limit:g} s{at}: {endless(record)}"
    if outcome.wrote_too_much:
        return f"wrote more than 100 MiB{at}"
    if outcome.status < 0:
        return f"crashed with signal {-outcome.status}{at}" + (f": {last}" if last else "")
    if outcome.status == 77:
        return "ended with the status of a skip, and no reason"
    if outcome.status in (126, 127):
        return f"{program} cannot be run: {last}"
    if outcome.status == 0:
        return f"ended without verifying anything{at}"
    if said:
        return plain(said[0][len("gemm: ") :])
    return f"ended with status {outcome.status}{at}, and its record {problem or 'does not say why'}"
