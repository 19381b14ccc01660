# SPDX-License-Identifier: MIT
"""A short look at memory for make check: enough to see that a barrier is missing, and what is
touched outside of A, B and C. In a CPU lab the battery itself has traps there, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from workbook.core.files import temp_folder
from workbook.lab.labs import Lab, Program
from workbook.lab.program import FAIL, PASS, SKIP, Result
from workbook.race.output import found
from workbook.race.run_tools import ToolRun, missing_tools, run_all

SHOWN = 8  # lines of what was found
OWN = ", not with the values of params.h, which make grade takes: make check alone asks for others"


@dataclass(frozen=True)
class Race:
    verdict: str = "-"  # nobody looked yet
    reason: str = ""
    found: tuple[str, ...] = ()
    kind: str = ""  # of the first finding, as in gemm-race/1


def needs_tools(lab: Lab) -> bool:
    return lab.backend in ("opencl", "cuda") and lab.skip is None


def by_traps(lab: Lab, programs: Sequence[Result]) -> Race:
    """Of a CPU lab, what came of the battery's traps in each of its programs."""
    if lab.ranks:
        return Race(SKIP, "each rank has its own parts of A and B: make race looks at them")
    if any(result.finding.get("kind") == "outside" for result in programs):
        return Race(FAIL, "see above", kind="bounds")
    ran = [result for result in programs if result.verdict == PASS]
    if len(ran) < len([result for result in programs if result.verdict != SKIP]) or not ran:
        return Race(SKIP, "what is wrong comes first")
    idle = [result.program for result in ran if not result.record["trapped"]]
    return (
        Race(SKIP, f"{idle[0]} has no traps: built without guards, or with SIMDe, which reads more")
        if idle
        else Race(PASS)
    )


def race(lab: Lab, settings: list[str], has_stopped: Callable[[str], bool]) -> Race:
    """Of a program that does not end no longer than until that is known."""
    runs = missing_tools(lab, short=True)
    with temp_folder("race") as work:
        for program in owed(lab):
            over = partial(has_stopped, program.name)
            said = run_all(lab, program, settings, work, short=True, over=over)
            if any(one.finding and one.others for one in said if one.verdict == FAIL):
                own = replace(lab, race=())
                again = run_all(own, program, settings, work, short=True, over=over)
                if again and all(one.verdict == PASS for one in again):
                    said = [with_others_alone(one) for one in said]
            runs += said
    return judge(lab, runs)


def with_others_alone(one: ToolRun) -> ToolRun:
    if one.finding is None or not one.others:
        return one
    return replace(one, finding=replace(one.finding, note=one.finding.note + OWN))


def owed(lab: Lab) -> list[Program]:
    """Those that the emulation runs, which is what looks at them here."""
    every = lab.programs
    return [program for program in every if program.capability is None and program.skip is None]


def judge(lab: Lab, runs: list[ToolRun]) -> Race:
    # The lab builds; where its build for the tool does not, the tool is to blame.
    unbuilt = [one for one in runs if one.finding is not None and one.finding.kind == "build"]
    wrong = [one for one in runs if one.verdict == FAIL and one not in unbuilt]
    if wrong and all(one.finding is not None and one.finding.kind == "wrong" for one in wrong):
        said = "the result is wrong; no tool finds a race, or an access out of bounds"
        notes = [one.finding.note for one in wrong if one.finding]
        return Race(FAIL, said + notes[0], (), "wrong")
    if wrong:
        shown = [line for one in wrong if one.finding for line in found(lab, one, one.finding)]
        kind = next((one.finding.kind for one in wrong if one.finding), "")
        names = ", ".join(str(one.program) for one in wrong)
        return Race(FAIL, f"found in {names}", tuple(shown[:SHOWN]), kind)
    reasons = [one.reason for one in runs if one.verdict == SKIP]
    reasons += [f"{one.program} {one.finding.text}" for one in unbuilt if one.finding]
    if "" in reasons:
        return Race(FAIL, "skipped without a reason")
    seen = {one.program for one in runs}
    silent = [program.name for program in owed(lab) if not seen & {program.name, None}]
    if silent:
        return Race(FAIL, f"nothing is said of {', '.join(silent)}")
    if reasons:
        return Race(SKIP, reasons[0])
    left = [p.name for p in lab.programs if p not in owed(lab) and p.skip is None]
    return Race(PASS, f"{', '.join(left)}: not emulated, so only make race looks" if left else "")
