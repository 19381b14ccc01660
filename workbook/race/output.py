# SPDX-License-Identifier: MIT
"""What came of a race run: for people, in 80 columns, and as a record for tools."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbook.core.text import WIDTH
from workbook.lab.labs import Lab
from workbook.lab.program import FAIL, PASS, SKIP
from workbook.race.findings import Finding, sentence
from workbook.race.run_tools import ToolRun

SCHEMA = "gemm-race/1"
ROW = "{:<20} {:<7} {}"
SILENT = "nothing, and no tool says why: a fault of make race"


@dataclass(frozen=True)
class RaceResult:
    """A lab, and all that the tools say of its programs."""

    lab: Lab
    runs: Sequence[ToolRun]
    digest: str = ""  # of the lab's own kernel, as it was looked at

    @property
    def verdict(self) -> str:
        verdicts = {run.verdict for run in self.runs}
        if FAIL in verdicts or not verdicts or any(not reason for reason in self.skips):
            return FAIL
        return PASS if PASS in verdicts else SKIP

    @property
    def skips(self) -> list[str]:
        """Why something was not run, each reason once."""
        return list(dict.fromkeys(run.reason for run in self.runs if run.verdict == SKIP))

    @property
    def reason(self) -> str:
        """The first one, of a failure before that of a skip."""
        for run in self.runs:
            if run.finding is not None:
                return f"{run.program}: {sentence(run.finding, self.lab.backend)}"
        return (self.skips or [SILENT])[0] if self.verdict != PASS else ""


def header() -> str:
    return ROW.format("lab", "verdict", "programs and tools")


def format_row(raced: RaceResult) -> list[str]:
    """The row of a lab, and what is to be said of it."""
    used = [run for run in raced.runs if run.verdict != SKIP]
    programs = ", ".join(dict.fromkeys(run.program or "" for run in used))
    tools = ", ".join(dict.fromkeys(run.tool for run in used))
    row = ROW.format(raced.lab.name, raced.verdict, f"{programs}: {tools}" if used else "").rstrip()
    lines = textwrap.wrap(
        row, WIDTH, subsequent_indent=" " * 29, drop_whitespace=False, break_on_hyphens=False
    )
    reasons = raced.skips or ([] if raced.runs else [SILENT])
    if reasons:
        lines += indented(
            f"not run: {', '.join(reason or 'no reason was given' for reason in reasons)}"
        )
    for run in raced.runs:
        if run.finding is not None:
            lines += found(raced.lab, run, run.finding)
    return lines


def found(lab: Lab, run: ToolRun, finding: Finding) -> list[str]:
    """The place, what is wrong there, who says so, and the lines of the kernel."""
    kernel = next((program.kernel for program in lab.programs if program.name == run.program), "")
    place = f"{lab.name}/{kernel or 'kernel'}" + (f":{finding.line}" if finding.line else "")
    by = "" if finding.kind == "build" else f" (found by {run.tool})"  # but by the compiler
    lines = indented(f"{place}: {sentence(finding, lab.backend)}{by}")
    try:
        source = (lab.path / kernel).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        source = []
    for number in finding.line, finding.other:
        if number and number <= len(source):
            lines.append(f"    {number} | {source[number - 1].strip()}"[: WIDTH - 2].rstrip())
    return lines


def indented(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH - 2, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
    )


def cost(runs: Sequence[ToolRun], seconds: float) -> str:
    """Where the time went; of several that ran at a time, each for itself."""
    spent: Counter[str] = Counter()
    for run in runs:
        spent[run.tool] += round(run.seconds)
        spent["building"] += round(run.building)
    parts = ", ".join(f"{name} {many} s" for name, many in spent.most_common() if many)
    return f"{seconds:.0f} s" + (f"; of all cores together: {parts}" if parts else "")


def as_record(raced: RaceResult) -> dict[str, Any]:
    lab = raced.lab
    kernels = {program.name: program.kernel for program in lab.programs}
    return {
        "lab": lab.name,
        "digest": raced.digest,
        "verdict": raced.verdict,
        "reason": raced.reason,
        "tools": [
            {
                "program": run.program,
                "tool": run.tool,
                "verdict": run.verdict,
                "reason": run.reason,
                "seconds": round(run.seconds, 1),
                "building": round(run.building, 1),
            }
            for run in raced.runs
        ],
        "findings": [
            {
                "program": run.program,
                "tool": run.tool,
                "file": kernels.get(run.program or "") or None,
                "line": run.finding.line,
                "other": run.finding.other,
                "kind": run.finding.kind,
                "text": sentence(run.finding, lab.backend),
            }
            for run in raced.runs
            if run.finding is not None
        ],
    }
