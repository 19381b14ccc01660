# SPDX-License-Identifier: MIT
"""feedback.md: what a student is told of each lab, with the reason of each point that is
missing."""

from __future__ import annotations

import re
from typing import Any

from workbook.core.text import printable
from workbook.teacher.grade.intake.accepted import Submission
from workbook.teacher.grade.publish.decisions import decision_of

ESCAPED = re.compile(r"([\\`*_{}\[\]<>#|&~])")


def markdown(text: str) -> str:
    return ESCAPED.sub(r"\\\1", printable(text))


def feedback(submission: Submission, records: list[dict[str, Any]]) -> str:
    points, possible = (
        round(sum(record[key] for record in records), 1) for key in ("points", "possible")
    )
    lines = [f"# {markdown(submission.name)}", "", f"{points:g} of {possible:g} points.", ""]
    lines += ["| lab | verdict | points | why not all |", "|---|---|---|---|"]
    for record in records:
        score = f"{record['points']:g} of {record['possible']:g}"
        why = markdown(decision_of(record) or record["reason"])
        lines.append(f"| {record['lab']} | {record['verdict']} | {score} | {why} |")
    for record in records:
        lines += of_lab(record)
    return "\n".join(lines) + "\n"


def of_lab(record: dict[str, Any]) -> list[str]:
    if record["verdict"] == "MISSING" and record["decision"] is None:
        return []
    lines = ["", f"## {record['lab']}", ""]
    if record["decision"]:
        lines += [
            f"{record['points']:g} points, {markdown(decision_of(record))}. What was measured:",
            "",
        ]
    if record["reason"] not in ("", *(part["reason"] for part in record["parts"])):
        lines += [f"{record['verdict']}: {markdown(record['reason'])}", ""]
    for part in record["parts"]:
        said = f": {markdown(part['reason'])}" if part["reason"] else ""
        lines.append(f"- {part['name']}: {part['points']:g} of {part['possible']:g}{said}")
    if record["no_speed"]:
        lines.append(f"- speed: {markdown(record['no_speed'])}")
    if record["of_reference"] is not None:
        lines.append(
            f"- measured: {record['ms']:g} ms, {record['of_reference']:.2f} times as fast as the "
            "reference, "
            f"{record['speedup']:.2f} times as fast as the lab before"
        )
    lines += [f"- note, without points: {markdown(note['text'])}" for note in record["notes"]]
    lines += (
        shapes(record) + wrong(record["finding"]) + to_try(record) + said_itself(record["printed"])
    )
    return lines


def shapes(record: dict[str, Any]) -> list[str]:
    if not record["classes"]:
        return []
    lines = ["", "| shapes | right of all |", "|---|---|"]
    return [
        *lines,
        *(f"| {kind} | {right} of {all_} |" for kind, (right, all_) in record["classes"].items()),
    ]


def wrong(finding: dict[str, Any] | None) -> list[str]:
    if finding is None:
        return []
    data = "whole numbers" if finding["data"] == "integers" else "numbers in [-1,1)"
    lines = ["", f"Wrong at {finding['M']} x {finding['N']} x {finding['K']}, {data}:", ""]
    if first := finding["first"]:
        off = f", off by {first['bounds']:.3g} times the bound" if first["bounds"] else ""
        got = "no number" if first["got"] is None else first["got"]
        lines.append(f"- C({first['i']},{first['j']}) is {got}, expected {first['expected']}{off}")
        lines.append(f"- {finding['wrong']} of {finding['examined']} elements looked at are wrong")
    if outside := finding["outside"]["C"]:
        lines.append(f"- overwritten outside C: {outside} words")
    lines.append(f"- likely cause: {markdown(finding['cause'] or 'none can be named')}")
    return lines


def to_try(record: dict[str, Any]) -> list[str]:
    """Commands of the workbook that show it again."""
    lab, at = record["lab"], record["finding"] or record["at"]
    lines = []
    if at:
        lines.append(f'- `make -C {lab} run SIZE="{at["M"]} {at["N"]} {at["K"]}"` shows it')
    elif record["reason"].startswith("does not build"):
        lines.append(f"- `make -C {lab}` shows all that the compiler says")
    if any(
        part["name"] == "robust" and part["reason"] and record["classes"]
        for part in record["parts"]
    ):
        lines.append(f"- `make -C {lab} race` names the line, where a tool knows it")
    return ["", "To see it in the workbook:", "", *lines] if lines else []


def said_itself(printed: str) -> list[str]:
    """What the kernel printed: it is not believed, and shown as it is."""
    lines = [printable(line)[:200] for line in printed.splitlines() if line.strip()]
    return ["", "It printed:", "", *(f"    {line}" for line in lines[:12])] if lines else []
