# SPDX-License-Identifier: MIT
"""A short race run of a lab, by tools/race: enough to see that a barrier is missing."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from workbook import TOP
from workbook.labs import Lab, environment
from workbook.program import FAIL, PASS, SKIP
from workbook.run import plain, run

LAB_LIMIT = 300  # seconds for a lab,
RUN_LIMIT = 60  # and for one run of a program
SHOWN = 8  # lines of what was found


@dataclass(frozen=True)
class Race:
    verdict: str = "-"  # not owed
    reason: str = ""
    found: tuple[str, ...] = ()


def race(lab: Lab, settings: list[str]) -> Race:
    quoted = " ".join(re.sub(r"([\\\s])", r"\\\1", setting) for setting in settings)
    ours = {"TYPE": lab.type, "RACE_SHORT": "1", "RACE_LIMIT": str(RUN_LIMIT), "MAKEFLAGS": f"-- {quoted}"}
    theirs = {name: value for name, value in environment().items() if name not in ("V", "VARIANT")}
    with tempfile.TemporaryDirectory() as folder:
        command = [str(TOP / "tools/race/lab"), folder, str(lab.path)]
        outcome = run(command, lab.path, LAB_LIMIT, {**theirs, **ours})
        rows = [line.split("\t") for line in lines(Path(folder, f"{lab.name}.tsv"))]
        found = lines(Path(folder, f"{lab.name}.found"))[:SHOWN]
    if outcome.timed_out:
        return Race(SKIP, f"it was not done within {LAB_LIMIT} s")
    if outcome.status != 0 or any(len(row) != 4 for row in rows):
        last = plain(outcome.err.strip().rpartition("\n")[2])
        return Race(FAIL, f"tools/race/lab ended with status {outcome.status}: {last}")
    return judge(lab, rows, tuple(found))


def lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return ["".join(c if " " <= c <= "~" or c == "\t" else "?" for c in line) for line in text.splitlines()]


def judge(lab: Lab, rows: list[list[str]], found: tuple[str, ...]) -> Race:
    """Of rows of verdict, program or -, tool and what it found or why it did not run."""
    # The lab builds; where its build for the tool does not, the tool is to blame.
    unbuilt = [
        f"{program} does not build for {tool}"
        for v, program, tool, what in rows
        if (v, what) == (FAIL, "build")
    ]
    wrong = [program for v, program, _, what in rows if v == FAIL and what != "build"]
    reasons = [plain(why) for v, _, _, why in rows if v == SKIP] + unbuilt
    told = {program for _, program, _, _ in rows}
    if wrong:
        return Race(FAIL, f"found in {', '.join(wrong)}", found)
    if "" in reasons:
        return Race(FAIL, "skipped without a reason")
    silent = [program.name for program in lab.programs if not told & {program.name, "-"}]
    if silent:
        return Race(FAIL, f"nothing is said of {', '.join(silent)}")
    return Race(SKIP, reasons[0]) if reasons else Race(PASS)
