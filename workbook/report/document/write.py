# SPDX-License-Identifier: MIT
"""Makes plots, tables and report.html from the measurements in a report's data. Measures
nothing."""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from workbook import TOP, UserError
from workbook.report.data.files import put, read
from workbook.report.document import html
from workbook.report.document.fill import fill, fill_file
from workbook.report.plots import draw
from workbook.report.tables.data_warnings import doubts
from workbook.report.tables.times import Values
from workbook.report.tables.values import values

BLOCK = re.compile(r"<!--[ \t]*fill[ \t]+([a-z0-9-]+)[ \t]*-->(.*?)<!--[ \t]*end[ \t]*-->", re.S)


def write(report: Path, quick: bool, other: Path | None = None) -> int:
    draw.draw(report)
    made = values(report, other)
    document, filled = report / "report.md", report / "data/filled.md"
    # All that is the tool's: not the report as it will be, where words may be left alone for now.
    own = "".join(f"<!-- fill {name} -->\n{value}<!-- end -->\n" for name, value in made.items())
    keep_words(document, [own, text_of(filled)], made)
    for problem in fill_file(document, lambda marker: made.get(marker.name)):
        print(f"report: {problem}", file=sys.stderr)
    put(filled, own)
    if other and "<!-- fill beside -->" not in text_of(document):
        place = (
            "put <!-- fill beside --> and <!-- end -->, each on a line, where the ratios should be"
        )
        print(f"report: {document} has no place for them: {place}", file=sys.stderr)
    status, made_pages = 0, ["report.md"]
    try:
        html.write(report)
        made_pages.append(html.PAGE)
    except UserError as mistake:
        print(f"report: {mistake}", file=sys.stderr)
        status = 2
    for line in doubts(report, quick):
        print(f"report: {line}", file=sys.stderr)
    print(f"report: done, see {', '.join(made_pages)} in {report}")
    return status


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape") if path.exists() else ""


def keep_words(document: Path, known: list[str], made: Values) -> None:
    """What stands between markers and is neither the template's nor the tool's is a student's, who
    took them for a form. It is about to be overwritten, so a copy of the report as it is stays."""
    old = read(document).decode("utf-8", "surrogateescape")
    new, _ = fill(old, lambda marker: made.get(marker.name))
    template = text_of(TOP / "report_template/report.md")
    tools = {block for text in (template, new, *known) for block in between(text)}
    names = dict.fromkeys(name for name, words in between(old) if (name, words) not in tools)
    if not names:
        return
    copy = document.with_name(f"report.{time.strftime('%Y-%m-%dT%H.%M.%S')}.md")
    try:
        whole = copy.with_name(f".new.{copy.name}")
        shutil.copy2(document, whole)
        whole.replace(copy)
    except OSError as error:
        why = "cannot be written, and report.md has words of yours between markers: free some space"
        raise UserError(f"{copy} {why}") from error
    said = f"what you wrote between the markers of {' '.join(names)} makes way for measurements"
    print(f"report: {said}: it is kept in {copy}", file=sys.stderr)


def between(text: str) -> Iterator[tuple[str, str]]:
    for name, words in BLOCK.findall(text.replace("\r\n", "\n")):
        yield name, words.strip(" \t\n")
