# SPDX-License-Identifier: MIT
"""From the records of a class to what an instructor and the students get. Every name and every
reason may be hostile: it is written by the libraries of each format."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

from workbook.core.files import put
from workbook.core.text import printable
from workbook.teacher.grade.classroom import record_path
from workbook.teacher.grade.grade_lab import read_case
from workbook.teacher.grade.intake.accepted import Submission
from workbook.teacher.grade.intake.names import seen
from workbook.teacher.grade.judge.scoring import VERDICTS
from workbook.teacher.grade.publish.changes import Row, changed, read_rows
from workbook.teacher.grade.publish.decisions import NAME, Decisions, decided, decision_of
from workbook.teacher.grade.publish.feedback import feedback
from workbook.teacher.grade.publish.page import page

COLUMNS = ("submission", "lab", "verdict", "points", "possible", "speedup", "reason")
# What was measured, where somebody has decided otherwise; and of what, on which terms, how exactly.
BESIDE = ("measured", "decision", "decided_on", "error", "digest", "terms")
DIGITS = 12  # of a digest
FORMULA = ("=", "+", "-", "\u2212", "@")  # with which a spreadsheet begins to compute, in any width


def publish(
    out: Path,
    submissions: list[Submission],
    labs: list[str],
    log: dict[str, Any],
    decisions: Decisions,
) -> list[str]:
    """All files; and what is told in the terminal."""
    graded: list[tuple[Submission, list[dict[str, Any]]]] = []
    for submission in submissions:
        measured = {lab: read_case(record_path(out, submission, lab)) for lab in labs}
        records = [
            decided(one, decisions.get((submission.folder, lab))) for lab, one in measured.items()
        ]
        graded.append((submission, records))
    for submission, records in graded:
        folder = out / submission.folder
        put(folder / "results.json", f"{json.dumps(gradescope(records), indent=2)}\n".encode())
        put(folder / "feedback.md", feedback(submission, records).encode())
        put(folder / "junit.xml", junit(submission, records))
    rows = [row(record) for _, records in graded for record in records]
    before = read_rows(out / "grades.csv")
    put(out / "grades.csv", table(rows).encode())
    put(out / "class.html", page(graded, labs, log).encode())
    return summary(out, graded, rows) + ([changed(before, rows)] if before else [])


def cell(value: object) -> str:
    """Text that no spreadsheet takes for a formula; 7 and not 7.0."""
    if not isinstance(value, str):
        return "" if value is None else f"{value:g}"
    text = printable(value)
    return f"'{text}" if seen(text).startswith(FORMULA) else text


def row(record: dict[str, Any]) -> Row:
    said = record["decision"] or {"words": "", "date": ""}
    more = {"decision": said["words"], "decided_on": said["date"]}
    more |= {name: record[name][:DIGITS] for name in ("digest", "terms")}
    return {name: cell({**record, **more}[name]) for name in (*COLUMNS, *BESIDE)}


def table(rows: list[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, (*COLUMNS, *BESIDE), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def gradescope(records: list[dict[str, Any]]) -> dict[str, Any]:
    """results.json as Gradescope's autograders write it."""
    tests = [
        {
            "name": f"{record['lab']}: {part['name']}",
            "score": part["points"],
            "max_score": part["possible"],
            "output": printable(
                part["reason"] or record["reason"] if part["points"] < part["possible"] else ""
            ),
        }
        for record in records
        for part in ([of_decision(record)] if record["decision"] else record["parts"])
    ]
    return {
        "score": round(sum(record["points"] for record in records), 1),
        "output": "\n".join(
            f"{r['lab']}: {r['verdict']} {printable(in_words(r))}" for r in records
        ),
        "stdout_visibility": "hidden",
        "tests": tests,
    }


def of_decision(record: dict[str, Any]) -> dict[str, Any]:
    """In the place of its parts."""
    return {
        "name": "decided",
        "points": record["points"],
        "possible": record["possible"],
        "reason": in_words(record),
    }


def in_words(record: dict[str, Any]) -> str:
    return "; ".join(said for said in (decision_of(record), record["reason"]) if said)


def failed(record: dict[str, Any]) -> bool:
    """A decision overrides the verdict where it gives all points, or fewer than were measured."""
    if record["decision"] and record["points"] == record["possible"]:
        return False
    lowered = record["points"] < record["measured"]
    return lowered or record["verdict"] not in ("PASS", "INCONCLUSIVE")


def skipped(record: dict[str, Any]) -> bool:
    return record["verdict"] == "INCONCLUSIVE" and record["decision"] is None


def junit(submission: Submission, records: list[dict[str, Any]]) -> bytes:
    suite = ElementTree.Element(
        "testsuite", name=printable(submission.name), tests=str(len(records))
    )
    for record in records:
        case = ElementTree.SubElement(suite, "testcase", name=record["lab"], classname="grade")
        said = printable(in_words(record))
        if failed(record):
            ElementTree.SubElement(case, "failure", type=record["verdict"], message=said)
        elif skipped(record):
            ElementTree.SubElement(case, "skipped", message=said)
    suite.set("failures", str(sum(map(failed, records))))
    suite.set("skipped", str(sum(map(skipped, records))))
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)) + b"\n"


def summary(
    out: Path, graded: list[tuple[Submission, list[dict[str, Any]]]], rows: list[Row]
) -> list[str]:
    counts = Counter(str(one["verdict"]) for one in rows)
    lines = [f"rows: {len(rows)}, submissions: {len(graded)}, in {out}/grades.csv"]
    lines += [f"  {verdict:<13}{counts[verdict]:>6}" for verdict in VERDICTS if counts[verdict]]
    lines.append(f"look at {out}/class.html; each student gets the feedback.md of a folder there")
    if of_nobody := others(out, [submission.folder for submission, _ in graded]):
        lines.append(
            f"not handed in any more, and left there: {len(of_nobody)}, {of_nobody[0]} first"
        )
    if count := sum(record["decision"] is not None for _, records in graded for record in records):
        lines.append(f"decided, whatever was measured: {count} by {out}/{NAME}")
    if counts["INCONCLUSIVE"]:
        lines.append("INCONCLUSIVE: no speed could be told; the same command grades these again")
    return lines


def others(out: Path, folders: list[str]) -> list[str]:
    """Results of a former run, of those who are not among the submissions now."""
    return sorted({path.parent.name for path in out.glob("*/results.json")} - set(folders))
