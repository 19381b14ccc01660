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
from workbook.race.run_tools import Look

SCHEMA = "gemm-race/1"
ROW = "{:<20} {:<7} {}"
SILENT = "nothing, and no tool says why: a fault of make race"


@dataclass(frozen=True)
class Raced:
    """A lab, and all that the tools say of its programs."""

    lab: Lab
    looks: Sequence[Look]
    digest: str = ""  # of the lab's own kernel, as it was looked at

    @property
    def verdict(self) -> str:
        verdicts = {look.verdict for look in self.looks}
        if FAIL in verdicts or not verdicts or any(not reason for reason in self.skips):
            return FAIL
        return PASS if PASS in verdicts else SKIP

    @property
    def skips(self) -> list[str]:
        """Why something was not run, each reason once."""
        return list(dict.fromkeys(look.reason for look in self.looks if look.verdict == SKIP))

    @property
    def reason(self) -> str:
        """The first one, of a failure before that of a skip."""
        for look in self.looks:
            if look.finding is not None:
                return f"{look.program}: {sentence(look.finding, self.lab.backend)}"
        return (self.skips or [SILENT])[0] if self.verdict != PASS else ""


def header() -> str:
    return ROW.format("lab", "verdict", "programs and tools")


def told(raced: Raced) -> list[str]:
    """The row of a lab, and what is to be said of it."""
    used = [look for look in raced.looks if look.verdict != SKIP]
    programs = ", ".join(dict.fromkeys(look.program or "" for look in used))
    tools = ", ".join(dict.fromkeys(look.tool for look in used))
    row = ROW.format(raced.lab.name, raced.verdict, f"{programs}: {tools}" if used else "").rstrip()
    lines = textwrap.wrap(
        row, WIDTH, subsequent_indent=" " * 29, drop_whitespace=False, break_on_hyphens=False
    )
    reasons = raced.skips or ([] if raced.looks else [SILENT])
    if reasons:
        lines += indented(f"not run: {', '.join(reason or 'no reason was given' for reason in reasons)}")
    for look in raced.looks:
        if look.finding is not None:
            lines += found(raced.lab, look, look.finding)
    return lines


def found(lab: Lab, look: Look, finding: Finding) -> list[str]:
    """The place, what is wrong there, who says so, and the lines of the kernel."""
    kernel = next((program.kernel for program in lab.programs if program.name == look.program), "")
    place = f"{lab.name}/{kernel or 'kernel'}" + (f":{finding.line}" if finding.line else "")
    lines = indented(f"{place}: {sentence(finding, lab.backend)} (found by {look.tool})")
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


def cost(all_looks: Sequence[Look], seconds: float) -> str:
    """Where the time went; of several that ran at a time, each for itself."""
    spent: Counter[str] = Counter()
    for look in all_looks:
        spent[look.tool] += round(look.seconds)
        spent["building"] += round(look.building)
    parts = ", ".join(f"{name} {many} s" for name, many in spent.most_common() if many)
    return f"{seconds:.0f} s" + (f"; of all cores together: {parts}" if parts else "")


def as_record(raced: Raced) -> dict[str, Any]:
    lab = raced.lab
    kernels = {program.name: program.kernel for program in lab.programs}
    return {
        "lab": lab.name,
        "digest": raced.digest,
        "verdict": raced.verdict,
        "reason": raced.reason,
        "tools": [
            {
                "program": look.program,
                "tool": look.tool,
                "verdict": look.verdict,
                "reason": look.reason,
                "seconds": round(look.seconds, 1),
                "building": round(look.building, 1),
            }
            for look in raced.looks
        ],
        "findings": [
            {
                "program": look.program,
                "tool": look.tool,
                "file": kernels.get(look.program or "") or None,
                "line": look.finding.line,
                "other": look.finding.other,
                "kind": look.finding.kind,
                "text": sentence(look.finding, lab.backend),
            }
            for look in raced.looks
            if look.finding is not None
        ],
    }
