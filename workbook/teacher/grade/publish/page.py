# SPDX-License-Identifier: MIT
"""class.html: one page for the instructor, to be shown in class: no name is on it."""

from __future__ import annotations

from collections import Counter
from html import escape
from textwrap import shorten
from typing import Any

from workbook.core.text import printable
from workbook.teacher.grade.intake.accepted import Submission
from workbook.teacher.grade.judge.scoring import VERDICTS

BINS = 10
MOST = 12  # reasons, ranks
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { padding: .2rem .7rem; text-align: left }
th { border-bottom: 2px solid #888 } td { border-bottom: 1px solid #ddd }
td.number { text-align: right }
.bar { display: inline-block; background: #4477aa; height: .9rem } h2 { margin-top: 2.2rem }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd }
    td { border-color: #444 } }
"""
Graded = list[tuple[Submission, list[dict[str, Any]]]]


def page(graded: Graded, labs: list[str], log: dict[str, Any]) -> str:
    parts = [
        "<!doctype html>",
        '<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>The class</title><style>{STYLE}</style>",
        f"<h1>The class</h1><p>Submissions: {len(graded)}, labs: {len(labs)}.",
        f"{text(log['versions']['processor'])}.</p>",
        *distribution(graded),
        *verdicts(graded, labs),
        *stumbles(graded),
        *leaderboard(graded, labs),
        *noted(graded),
    ]
    return "\n".join(parts) + "\n</html>\n"


def text(value: str) -> str:
    return escape(printable(value))


def rows(head: list[str], body: list[list[str]]) -> list[str]:
    """Cells are HTML; those that are numbers stand to the right."""
    lines = ["<table><tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"]
    for row in body:
        cells = [
            f'<td class="number">{c}</td>' if c[:1].isdigit() else f"<td>{c}</td>" for c in row
        ]
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return [*lines, "</table>"]


def bar(count: int, most: int) -> str:
    return f'<span class="bar" style="width:{16 * count / max(1, most):.1f}rem"></span>'


def distribution(graded: Graded) -> list[str]:
    counts = [0] * BINS
    for _, records in graded:
        possible = sum(record["possible"] for record in records)
        part = sum(record["points"] for record in records) / possible if possible else 0
        counts[min(BINS - 1, int(part * BINS))] += 1
    body = [
        [f"{100 * n // BINS} to {100 * (n + 1) // BINS} %", str(count), bar(count, max(counts))]
        for n, count in enumerate(counts)
    ]
    return ["<h2>Points, of what is possible</h2>", *rows(["part", "submissions", ""], body)]


def verdicts(graded: Graded, labs: list[str]) -> list[str]:
    counts = {lab: Counter[str]() for lab in labs}
    for _, records in graded:
        for record in records:
            counts[record["lab"]][record["verdict"]] += 1
    body = [[text(lab), *(str(counts[lab][verdict]) for verdict in VERDICTS)] for lab in labs]
    return ["<h2>Verdicts</h2>", *rows(["lab", *VERDICTS], body)]


def stumbles(graded: Graded) -> list[str]:
    """What most stumbled over: the likely cause, or the part that was lost, and how often. An
    archive that cannot be read counts once."""
    reasons: Counter[tuple[str, str]] = Counter()
    for submission, records in graded:
        if submission.refused:
            reasons["all labs", submission.refused] += 1
            continue
        for record in records:
            if record["verdict"] not in ("PASS", "MISSING"):
                reasons[record["lab"], stumble(record)] += 1
    most = reasons.most_common(MOST)
    body = [
        [text(lab), text(why), str(count), bar(count, most[0][1])] for (lab, why), count in most
    ]
    return ["<h2>What most stumbled over</h2>", *rows(["lab", "what", "how often", ""], body)]


def stumble(record: dict[str, Any]) -> str:
    """As one of few kinds: no compiler says the same of two kernels."""
    finding, reason = record["finding"], str(record["reason"])
    if finding and finding["cause"]:
        return str(finding["cause"])
    if reason.startswith("does not build"):
        return "does not build"
    return shorten(reason, 160, placeholder=" ...")


def leaderboard(graded: Graded, labs: list[str]) -> list[str]:
    """Without names: each finds itself by its time."""
    lines = [
        "<h2>The fastest</h2><p>Times as fast as the reference, interleaved with it on the same "
        "machine.</p>"
    ]
    for lab in labs:
        found = [
            (record["of_reference"], record["ms"], record["speedup"])
            for _, records in graded
            for record in records
            if record["lab"] == lab
            and record["of_reference"] is not None
            and record["verdict"] == "PASS"
        ]
        if not found:
            continue
        body = [
            [
                str(rank),
                f"{of:.2f}",
                f"{ms:.3g} ms",
                f"{speedup:.2f}",
                bar(round(100 * of), round(100 * max(found)[0])),
            ]
            for rank, (of, ms, speedup) in enumerate(sorted(found, reverse=True)[:MOST], 1)
        ]
        lines += [
            f"<h3>{text(lab)}</h3>",
            *rows(["rank", "of the reference", "time", "of the lab before", ""], body),
        ]
    return lines


def noted(graded: Graded) -> list[str]:
    """What was odd beside a speed, or right by shapes alone; whose it is stands in the records."""
    found = [
        [text(record["lab"]), text(shorten(note["text"], 200, placeholder=" ..."))]
        for _, records in graded
        for record in records
        for note in record["notes"]
        if note["odd"]
    ]
    return (
        ["<h2>Notes, which cost no points</h2>", *rows(["lab", "what"], sorted(found))]
        if found
        else []
    )
