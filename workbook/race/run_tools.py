# SPDX-License-Identifier: MIT
"""Runs a program of a lab under each tool until one of them finds something."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbook.core.process import Outcome, run
from workbook.core.records import RUN, NoRecord, read
from workbook.core.text import plain
from workbook.lab import labs
from workbook.lab.labs import Lab, Program, environment
from workbook.lab.limits import limit
from workbook.lab.program import FAIL, PASS, SKIP, TODO, endless, judge
from workbook.lab.stages import text_of
from workbook.lab.whole import no_kernel
from workbook.race.build import build
from workbook.race.findings import Finding, worst
from workbook.race.say import emulated
from workbook.race.tools import BATTERY, Tool, is_emulated, shapes, tools

LIMIT = 400  # seconds for a run, where LIMIT does not say
# What a tool says that cannot do its work here: nothing is known of the kernel, then.
CANNOT = re.compile(
    "FATAL: ThreadSanitizer|of FakeStack|Shadow memory range interleaves|"
    "LeakSanitizer has encountered|^valgrind: ",
    re.MULTILINE,
)
# What a sanitizer reports, and no reader in say/ knows.
UNREAD = re.compile(r"\b(?:ERROR|WARNING): \w+Sanitizer: .*|runtime error: .*")
UNKNOWN = (16, 16, 16)  # a tile whose sizes in params.h only a compiler knows, as those of an enum
STOPPED = "make check has stopped the kernel, and under a tool it is slower still"
NOT_FOUND = "wrong result, but no tool finds a race or an access out of bounds: see make check"


@dataclass(frozen=True)
class ToolRun:
    """What came of a program, or of all of them, under one tool."""

    program: str | None
    tool: str
    verdict: str
    reason: str = ""  # of a skip
    finding: Finding | None = None
    seconds: float = 0.0
    building: float = 0.0  # seconds before that
    others: tuple[str, ...] = ()  # settings, where it ran with others than the kernel's own


def missing_tools(lab: Lab, short: bool) -> list[ToolRun]:
    if lab.skip and lab.backend != "cuda":  # which is emulated in any case
        return [ToolRun(None, "-", SKIP, lab.skip)]
    return [
        ToolRun(None, tool.name, SKIP, tool.missing) for tool in tools(lab, short) if tool.missing
    ]


def run_all(
    lab: Lab,
    program: Program,
    settings: list[str],
    work: Path,
    short: bool = False,
    verbose: bool = False,
    over: Callable[[], bool] | None = None,
) -> list[ToolRun]:
    """What all tools say of a program, until it is over. What may come from a race that the next
    tool finds is kept for the end: memory that is used before it is written, and then a wrong
    result. Without one, what an emulated kernel computes with such memory is dropped."""
    if lab.skip and lab.backend != "cuda":
        return []
    if lab.backend is None:
        return [
            ToolRun(program.name, "no tool", FAIL, finding=Finding("build", no_kernel(lab.path)))
        ]
    if program.skip and (program.capability or lab.emulated or program.skip != lab.skip):
        return [ToolRun(program.name, "-", SKIP, lab.skip or f"{program.name}: {program.skip}")]
    runs: list[ToolRun] = []
    kept: list[ToolRun] = []
    for tool in looks(lab, program, short):
        if tool.missing or (program.capability and is_emulated(tool)):
            continue
        if over is not None and over():
            return [*runs, ToolRun(program.name, tool.name, SKIP, STOPPED)]
        tool = tool if over is None else tool.until(over)
        said = run_tool(tool, lab, program, settings, work, bool(runs or kept), short, verbose)
        if over is not None and over() and said.finding and said.finding.kind == "other":
            said = replace(said, verdict=SKIP, reason=STOPPED, finding=None)
        late = said.finding is not None and said.finding.kind in ("unwritten", "wrong")
        if late:
            kept.append(said)
        else:
            runs.append(said)
            if said.verdict == FAIL:
                return runs
    kept.sort(key=lambda one: one.finding is not None and one.finding.kind == "wrong")
    if any(one.verdict == FAIL for one in kept):
        return [*runs, replace(kept[0], verdict=FAIL)]
    return runs + [replace(one, finding=None) for one in kept]


def looks(lab: Lab, program: Program, short: bool) -> list[Tool]:
    """The lab's own kernel is looked at with its own tunables, and then with those of RACE; on a
    CPU, where valgrind needs these, and the variants, with them alone."""
    every = tools(lab, short)
    if program.variant or lab.backend == "cpu":
        return every
    own = tools(replace(lab, race=()), short)
    return own + [tool for tool in every if tool not in own]


def run_tool(
    tool: Tool,
    lab: Lab,
    program: Program,
    settings: list[str],
    work: Path,
    built_before: bool,
    short: bool,
    verbose: bool,
) -> ToolRun:
    start = time.monotonic()
    given, settings = settings, [*settings, *of_tool(tool, lab, settings)]
    folder, problem = build(lab, program, settings, work)
    if problem and lab.race:  # a params.h of one's own may allow no small blocks
        settings = [*given, *of_tool(tool, lab, given, small=False)]
        folder, problem = build(lab, program, settings, work)
    building = time.monotonic() - start
    others: list[str] = []

    def ended(verdict: str, reason: str = "", finding: Finding | None = None) -> ToolRun:
        seconds = time.monotonic() - start - building
        return ToolRun(
            program.name, tool.name, verdict, reason, finding, seconds, building, tuple(others)
        )

    if problem and built_before and "cannot find" in problem:  # nothing but the tool's library
        return ended(SKIP, f"{tool.name} does not link: {problem}")
    if problem:
        return ended(FAIL, finding=Finding("build", f"does not build: {problem}"))
    if lab.race and set(lab.race) <= set(tool.settings):  # other blocks, other shapes, SIMDe
        described = labs.describe(str(folder), settings)
        own = [*program.settings, *map("=".join, lab.defaults)]
        program = next(one for one in described.programs if one.name == program.name)
        others = [word for word in program.settings if word not in own]
        if program.skip:
            return ended(SKIP, f"{tool.name}: {program.skip}")
    tile = program.tile or UNKNOWN
    sizes = [] if BATTERY[0] in tool.arguments else shapes(tile, lab.backend, short) * tool.rounds
    words = [*(str(number) for size in sizes for number in size), *tool.arguments]
    outcome, record = execute(tool, folder, program, words, work)
    if verbose:
        tell(f"{lab.name} {program.name} {tool.name}", outcome)
    verdict, reason, finding = judged(tool, program, outcome, record, short)
    if finding is not None:
        finding = tool.explained(finding, text_of(folder / program.kernel), others)
    return ended(verdict, reason, finding)


def of_tool(tool: Tool, lab: Lab, settings: Sequence[str], small: bool = True) -> list[str]:
    """Its settings. Small blocks are for who says nothing else; and beside VARIANT they would
    replace those that an OpenCL or CUDA kernel is written for."""
    given = {word.partition("=")[0] for word in settings}
    written_for = "VARIANT" in given and lab.backend != "cpu"
    settled = lab.tunables if written_for or not small else given
    return [
        word
        for word in tool.settings
        if word not in lab.race or word.partition("=")[0] not in settled
    ]


def execute(
    tool: Tool, folder: Path, program: Program, words: Sequence[str], work: Path
) -> tuple[Outcome, dict[str, Any] | None]:
    path = folder / f"{program.name}.json"
    path.unlink(missing_ok=True)
    command = [*tool.command, f"./{program.name}", *words, "--json", path.name]
    outcome = run(
        command, folder, limit(LIMIT), {**environment(), **tool.environment}, enough=tool.enough
    )
    try:
        return outcome, read(path, RUN)
    except NoRecord:  # it crashed early, or is the program that says why the lab is skipped
        return outcome, None


def tell(who: str, outcome: Outcome) -> None:
    lines = (outcome.out + outcome.err).splitlines()
    print("\n".join(f"{who}: {line}" for line in lines), flush=True)


def judged(
    tool: Tool, program: Program, outcome: Outcome, record: dict[str, Any] | None, short: bool
) -> tuple[str, str, Finding | None]:
    """Verdict, the reason of a skip, and what was found: by the tool, or by the program itself."""
    said = outcome.out + outcome.err
    reason = plain(record["reason"] or "") if record else ""
    found = tool.findings(said, program.kernel) + emulated.findings(reason, program.kernel)
    finding = worst(found)
    is_right = (
        record is not None
        and not record["finding"]
        and judge(program.name, outcome, record).verdict in (PASS, TODO)
    )
    if finding is not None:
        dropped = is_right and finding.kind == "unwritten" and is_emulated(tool)
        return PASS if dropped else FAIL, "", finding
    if outcome.timed_out:
        why = f"no result within {limit(LIMIT):g} seconds"
        if short:  # and no verdict
            return SKIP, f"{tool.name}: {why}", None
        return FAIL, "", Finding("limit", f"{why}: {endless(record)}")
    if outcome.wrote_too_much:
        return FAIL, "", Finding("limit", "wrote more than 100 MiB")
    if outcome.status == 77:
        reason = reason.replace("skipped: ", "", 1)
        if reason:
            return SKIP, reason, None
        return FAIL, "", Finding("other", f"{tool.name} gave no reason for a skip")
    if is_right:
        return PASS, "", None
    if (unread := UNREAD.search(said)) and not CANNOT.search(said):
        return FAIL, "", Finding("other", f"{tool.name}: {plain(unread[0])}")
    if record and record["finding"] and outcome.status == 1:
        return FAIL, "", Finding("wrong", NOT_FOUND)
    if "unhandled instruction bytes" in said:
        return (
            SKIP,
            f"{tool.name} does not know all instructions of {program.kernel} (AVX-512?)",
            None,
        )
    if cannot := CANNOT.search(said):
        return SKIP, f"{tool.name} cannot: {line_at(said, cannot.start())}", None
    return FAIL, "", Finding("other", how_it_ended(program, outcome, said))


def line_at(said: str, at: int) -> str:
    return plain((said[said.rfind("\n", 0, at) + 1 :].splitlines() or [""])[0])


def how_it_ended(program: Program, outcome: Outcome, said: str) -> str:
    number = -outcome.status if outcome.status < 0 else outcome.status
    ended = f"ends with {'signal' if outcome.status < 0 else 'status'} {number}"
    lines = [line for line in said.splitlines() if line.strip()]
    for sign in "error:", "gemm: ":
        for line in lines:
            if sign in line:
                return f"{ended}: {plain(line)}"
    return f"{ended}: {plain(lines[-1]) if lines else 'it says nothing'}"
