# SPDX-License-Identifier: MIT
"""A short look at memory for make check: enough to see that a barrier is missing, and what is
touched outside of A, B and C. In a CPU lab the battery itself has traps there, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from workbook.check.other import candidates, warning
from workbook.core.files import temp_folder
from workbook.lab.labs import Lab, Program
from workbook.lab.program import FAIL, PASS, SKIP, Result
from workbook.race.findings import Finding, sentence
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
    warning: str = ""  # found with some other tunables, and not with others


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
    runs, warned = missing_tools(lab, short=True), ""
    with temp_folder("race") as work:
        for program in owed(lab):
            run = partial(
                run_all,
                program=program,
                settings=settings,
                work=work,
                short=True,
                over=partial(has_stopped, program.name),
            )
            said = run(lab)
            if one := with_others_alone(said):
                said, warned = of_candidates(lab, said, one, run)
            runs += said
    return replace(judge(lab, runs), warning=warned)


def with_others_alone(said: list[ToolRun]) -> ToolRun | None:
    """A finding of a tool that finds nothing with the kernel's own tunables."""
    sound = {one.tool for one in said if one.verdict == PASS and not one.others}
    failed = (one for one in said if one.verdict == FAIL and one.others and one.tool in sound)
    return next(failed, None)


def of_candidates(
    lab: Lab, said: list[ToolRun], one: ToolRun, run: Callable[[Lab], list[ToolRun]]
) -> tuple[list[ToolRun], str]:
    """A warning if nothing is found with some of them, as of_other() has it."""
    finding = one.finding or Finding("other")
    for words in candidates(lab):
        again = run(replace(lab, race=words))
        if all(each.verdict == PASS for each in again) and any(each.others for each in again):
            what = sentence(replace(finding, note=""), lab.backend)
            return again, warning(lab, lab.race, f"{one.tool} finds: {what}", words)
    noted = replace(one, finding=replace(finding, note=finding.note + OWN))
    return [noted if each is one else each for each in said], ""


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
