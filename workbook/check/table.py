# SPDX-License-Identifier: MIT
"""The table at the end of a check: a row for each lab, and under it what is wrong, in 80
columns."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from workbook.check.grade import Grade, classes
from workbook.core.text import plain, wrap
from workbook.core.typed import into
from workbook.lab.program import FAIL, NOT_YET, PASS, SKIP, TODO, Result
from workbook.lab.stages import stages
from workbook.lab.workspace import Workspace
from workbook.race.run_tools import STOPPED

ROW = "{:<20} {:<7} {:>6} {:>9} {:>9} {:>7} {:>8}  {}"


def table(grades: list[Grade], record: dict[str, Any], settings: list[str]) -> str:
    lines = [
        ROW.format("lab", "verdict", "points", "GFLOP/s", "speed-up", "needed", "shapes", "memory")
    ]
    for grade, entry in zip(grades, record["labs"]):
        lines.append(row(grade, entry))
        lines += notes(grade, settings)
    lines.append(
        ROW.format("total", "", f"{record['points']}/{record['possible']}", *[""] * 5).rstrip()
    )
    lines.append("")
    if any(grade.lab.emulated for grade in grades):
        lines.append("emulated: on a CPU; this shows what is right or wrong, never how fast it is")
    if any(grade.race.verdict == PASS for grade in grades):
        lines.append("memory: races, and what lies outside A, B and C; make race looks further")
    lines.append("{passed} passed, {failed} failed, {skipped} skipped".format(**record))
    return "\n".join(lines) + "\n"


def row(grade: Grade, entry: dict[str, Any]) -> str:
    gflops = (
        "emulated" if grade.lab.emulated else f"{entry['gflops']:.4g}" if entry["gflops"] else "-"
    )
    return ROW.format(
        entry["lab"],
        entry["verdict"],
        f"{entry['points']}/{entry['possible']}",
        gflops,
        f"{entry['speedup']:.2f} x" if entry["speedup"] else "-",
        f"{entry['needed']:g} x" if entry["needed"] else "-",
        f"{grade.right}/{grade.tried}" if grade.tried else "-",
        "SKIP" if grade.race.verdict == "-" else grade.race.verdict,
    )


def notes(grade: Grade, settings: list[str]) -> list[str]:
    """What is to be said of a lab beside its row."""
    folder, words = grade.lab.path, shlex.join(["make", *settings])
    lines = wrap(grade.edited) if grade.edited else []
    if grade.unbuilt:
        return [*lines, *wrap(grade.first_reason), *following(folder, words)]
    if grade.refused and grade.verdict != TODO:
        lines += wrap(
            f"make grade gives it no points: {grade.refused.verdict}: {grade.refused.reason}"
        )
        lines += wrap("what may be handed in: docs/handing-in.md")
    elif grade.refusal is not None:
        lines += wrap(
            f"make grade may still refuse it, which nobody looked at: {grade.refusal.reason}"
        )
    for result in grade.relevant:
        if result.verdict == SKIP:
            lines += wrap(f"{result.program} skipped: {result.reason}")
        elif result.verdict == TODO:
            lines += wrap(f"{result.reason}; make progress says what comes next")
        elif result.verdict == FAIL:
            lines += wrong(result) + following(folder, again(result, settings))
    if said := grade.warning or grade.race.warning:
        lines += wrap(f"warning: {said}")
    if grade.is_right and (step := step_of(grade)):
        lines += wrap(f"this is the step {step}; make next goes on")
        if grade.alone and not grade.worthless:
            words = " ".join(grade.alone.settings)
            lines += wrap(f"its points are those of params.h alone, without the step's {words}")
    lines += wrap(grade.worthless)
    if grade.counted.said:
        lines += wrap(grade.counted.said)
        lines += following(folder, f"{words} hint") if grade.verdict == NOT_YET else []
    if grade.speed.failure:
        lines += wrap(f"when it was timed: {grade.speed.failure}") + following(
            folder, f"{words} run"
        )
    if grade.speed.note:
        lines += wrap(grade.speed.note)
    if grade.speed.disturbed:
        lines += wrap(f"when it was timed, {grade.speed.disturbed}")
    if len(grade.speed.rounds) > 1:
        least, most = min(grade.speed.rounds), max(grade.speed.rounds)
        lines += wrap(
            f"measured {len(grade.speed.rounds)} times, interleaved, {least:.2f} to {most:.2f} "
            "x: the median"
        )
    if grade.race.verdict == SKIP and (grade.is_right or grade.race.reason == STOPPED):
        lines += wrap(f"race not run: {grade.race.reason}")
    elif grade.race.verdict == PASS and grade.race.reason:
        lines += wrap(f"no race run of {grade.race.reason}")
    elif grade.race.verdict == FAIL and not any(result.status == 2 for result in grade.programs):
        lines += (
            wrap(f"race: {grade.race.reason}")
            + list(grade.race.found)
            + following(folder, f"{words} race")
        )
    return lines


def step_of(grade: Grade) -> str:
    """Where a student has not come to the lab's last step."""
    desk = Workspace(grade.lab)
    names = [stage.name for stage in stages(grade.lab)]
    at = desk.stage.name
    return "" if at == names[-1] else f"{at}, {names.index(at) + 1} of {len(names)}"


def wrong(result: Result) -> list[str]:
    """What is wrong with a program, from the whole to the first element."""
    counts, finding = classes(result), result.finding
    lines = wrap(f"{result.program}: {result.reason}") if result.reason else []
    if counts:
        right, seen = (sum(count[n] for count in counts.values()) for n in (0, 1))
        left = f"; {result.battery - seen} were not tried" if seen < result.battery else ""
        each = "; ".join(f"{name or 'size'} {some}/{all_}" for name, (some, all_) in counts.items())
        lines += wrap(f"{result.program}: {right} of {seen} shapes are right{left}: {each}")
    if finding:
        lines += (
            wrap(first_wrong(finding))
            if finding["first"] or any(finding["outside"].values())
            else []
        )
        cause = plain(finding["cause"] or "")
        if finding["unstable"] and "run to run" not in cause:
            lines += wrap("changes from run to run: a race, or memory nobody wrote: make race")
        if cause or not result.settings:
            lines += wrap(f"likely cause: {cause or 'none can be named'}")
    return lines or wrap(f"{result.program}: it does not say why")


def first_wrong(finding: dict[str, Any]) -> str:
    said = [f"writes outside {name}" for name, words in finding["outside"].items() if words]
    said += [f"changes {name}" for name, elements in finding["changed"].items() if elements]
    first = finding["first"]
    if first:
        got, wanted = (number(first[key]) for key in ("got", "expected"))
        said.append(f"C({first['i']},{first['j']}) is {got} instead of {wanted}")
        said.append(f"{finding['wrong']} of {finding['examined']} are wrong")
    return ": ".join(
        ["first wrong: {M} x {N} x {K}".format(**finding), *(["; ".join(said)] if said else [])]
    )


def number(value: float | None) -> str:
    return "not a number" if value is None else f"{value:.7g}"


def again(result: Result, settings: list[str]) -> str:
    """The shape that was explained, whose map shows where. A program that ended early has none: it
    crashed, did not end, or could not begin, as with an OpenCL kernel that does not compile."""
    if not result.finding:
        variant = [f"VARIANT={result.variant}"] if result.variant else []
        target = (
            "hint" if result.stopped else "run" if result.status == 2 or result.settings else "race"
        )
        return shlex.join(["make", target, *variant, *settings, *result.settings])
    return shlex.join(["make", *settings, *result.settings]) + " && ./{} {M} {N} {K}".format(
        result.program, **result.finding
    )


def following(lab: Path, command: str) -> list[str]:
    return [f"    next: {into(lab)}{command}"]
