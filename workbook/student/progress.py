# SPDX-License-Identifier: MIT
"""progress LAB ...: how far a student is: a row for each lab with its steps, from what the last
checks left and from the report, and what to do next. It builds and runs nothing."""

from __future__ import annotations

from typing import Any

from workbook import TOP
from workbook.core.text import wrap
from workbook.core.typed import command
from workbook.lab.arguments import labs_and_settings
from workbook.lab.course import read_whole_course
from workbook.lab.labs import Lab, describe
from workbook.lab.stages import LAST
from workbook.lab.workspace import Workspace
from workbook.student.lab_status import NOT_BEGUN, REFUSED, WITHOUT_IDEA, LabStatus, lab_status
from workbook.student.report_completion import Completion, read_report

ROW = "{:<20}{:<12}{:>7}{:>7}{:>15}{:>9}{:>10}"
HEAD = ("lab", "kernel", "shapes", "memory", "speed-up", "answers", "predicted")
REPORT = TOP / "report/report.md"
TEMPLATE = TOP / "report_template/report.md"
NO_REPORT = [
    "answers, predicted: in report/report.md, which is not there yet; make predict",
    "begins it, or: mkdir report && cp report_template/report.md report",
]


def rows(one: LabStatus, written: Completion) -> list[str]:
    """Of a lab: its own, what is not right, its steps."""
    number, classes, found = one.desk.lab.number, one.classes, one.found
    right, tried = (sum(count[n] for count in classes.values()) for n in (0, 1))
    judged = found is not None and one.state != NOT_BEGUN
    cells = [
        one.state,
        f"{right}/{tried}" if judged and tried else "-",
        one.race if one.state != NOT_BEGUN else "-",
        speed(found) if judged and found else "-",
        f"{written.answers[number]}/{written.questions[number]}",
        f"{written.predictions[number]}/{written.blanks[number]}",
    ]
    lines = [ROW.format(one.desk.lab.name, *cells)]
    if judged and right < tried:
        each = (f"{name} {some}/{every}" for name, (some, every) in classes.items() if some < every)
        lines += wrap(f"right: {'; '.join(each)}")
    if one.state in (REFUSED, WITHOUT_IDEA) and found:
        lines += wrap(f"{one.state}: {found['reason']}")
    if (state := one.desk.state) is not None and one.desk.lab.stages:
        steps = (step(name, state) for name in (*one.desk.lab.stages, LAST))
        lines += wrap(f"steps: {', '.join(steps)}")
    if one.task is not None and one.task.due:
        lines += wrap(f"due: {one.task.due}")
    return lines


def step(name: str, state: dict[str, Any]) -> str:
    if name in state["passed"]:
        return f"{name} passed"
    return f"{name} (here)" if name == state["stage"] else name


def speed(found: dict[str, Any]) -> str:
    if found["speedup"] is None:
        return "emulated" if found["emulated"] else "-"
    needed = f" of {found['needed']:g}" if found["needed"] else ""
    return f"{found['speedup']:.3g}{needed} x"


def advice(standings: list[LabStatus], written: Completion) -> str:
    """What to do next: the labs in their order, then their speed, then the report."""
    for one in standings:
        if said := one.advice:
            number = one.desk.lab.number
            owed = one.state == NOT_BEGUN and written.predictions[number] < written.blanks[number]
            return f"make predict LAB={number}, then {said}" if owed else said
    for one in standings:
        if one.is_slow:
            hint = command(one.desk.lab.path, "hint")
            return f"{one.desk.lab.name} is right, but slow: {hint}; or the report"
    if not REPORT.is_file():
        return "make report"
    unanswered = sum(written.questions.values()) - sum(written.answers.values())
    return f"{unanswered} questions in report/report.md" if unanswered else "nothing: all is done"


def rest(described: list[Lab], written: Completion) -> str:
    """The row of the questions that are about none of the labs."""
    others = set(written.questions) - {lab.number for lab in described}
    answers, questions = (
        sum(count[key] for key in others) for count in (written.answers, written.questions)
    )
    return ROW.format("rest of the report", "", "", "", "", f"{answers}/{questions}", "").rstrip()


def main(words: list[str]) -> int:
    described, _ = labs_and_settings("progress", words, "How far you are, and what to do next.", "")
    course = read_whole_course()
    report = REPORT if REPORT.is_file() else TEMPLATE
    written = read_report(report.read_text(encoding="utf-8", errors="replace"))
    standings = [lab_status(Workspace(lab), course.get(lab.name)) for lab in described]
    lines = [ROW.format(*HEAD)]
    for one in standings:
        lines += rows(one, written)
    if len(described) > 1:
        lines.append(rest(described, written))
    elif not standings[0].advice:  # on to the others
        desks = {name: Workspace(describe(str(TOP / name), [])) for name in course}
        standings = [lab_status(desks[name], task) for name, task in course.items()]
    if not REPORT.is_file():
        lines += ["", *NO_REPORT]
    print("\n".join([*lines, "", f"next: {advice(standings, written)}"]))
    return 0
