# SPDX-License-Identifier: MIT
"""Puts values between the markers of a Markdown document, and leaves every other byte of it
alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from workbook import UserError
from workbook.report.data.files import read, replace
from workbook.report.document.markers import END, Document, Marker, Problem, find, is_open, markdown

Value = Callable[
    [Marker], "str | None"
]  # what belongs between a marker and its end; None: nobody knows


def fill(text: str, words: tuple[str, ...], value: Value) -> tuple[str, list[Problem]]:
    """The text with its markers filled, and why some had to be left as they were, by lines."""
    document = find(text, words)
    times = Counter(marker.name for marker in document.markers if marker.word != END)
    # From the last to the first, so that the lines and columns of the others stay right.
    for opening, closing in reversed(pairs(document)):
        if said := unfit(document, opening, closing, times[opening.name]) or put(
            document, opening, closing, value(opening)
        ):
            document.problems.append(Problem(opening.line, *said))
    return "".join(document.lines), sorted(document.problems, key=lambda problem: problem.line)


def fill_file(path: Path, words: tuple[str, ...], value: Value) -> list[Problem]:
    """The file is replaced whole or not at all, and only if something changes."""
    old = read(path)
    if b"\0" in old:
        raise UserError(
            f"{path}: has bytes of 0, as UTF-16 has, and stays as it is: save it as UTF-8"
        )
    text, problems = fill(old.decode("utf-8", "surrogateescape"), words, value)
    new = text.encode("utf-8", "surrogateescape")
    if new != old:
        replace(path, new)
    return problems


def format_problem(path: Path, problem: Problem) -> str:
    return f"{path}:{problem.line + 1}: {problem.what}: left as it is; {problem.advice}"


def pairs(document: Document) -> list[tuple[Marker, Marker]]:
    """Each marker with its end. Those that have none, or no beginning, become problems."""
    found, before = [], list(document.markers)
    while before:
        last = before.pop()
        if last.word != END:
            closed = f" before line {after.line + 1}" if (after := next_of(document, last)) else ""
            what = f"{last.word} {last.name} has no end{closed}"
            document.problems.append(Problem(last.line, what, "put <!-- end --> behind it"))
        elif before and before[-1].word != END:
            found.append((before.pop(), last))
        elif [marker.word == END for marker in before[-3:]] == [False, False, True]:
            outer, inner = before[-3], before[-2]
            del before[-3:]
            what = f"{inner.word} {inner.name} lies inside {outer.word} {outer.name}"
            document.problems.append(Problem(inner.line, what, "move it out of there"))
            what = f"{outer.word} {outer.name} has {inner.word} {inner.name} inside"
            document.problems.append(Problem(outer.line, what, "move that one out"))
        else:
            advice = "remove it, or put its beginning back"
            document.problems.append(Problem(last.line, "end without a beginning", advice))
    return found[::-1]


def next_of(document: Document, marker: Marker) -> Marker | None:
    after = document.markers.index(marker) + 1
    return document.markers[after] if after < len(document.markers) else None


def unfit(
    document: Document, opening: Marker, closing: Marker, times: int
) -> tuple[str, str] | None:
    """Why nothing may be put between the two, and what to do."""
    name = f"{opening.word} {opening.name}"
    if times > 1:
        return f"{name} is there {times} times", "keep one of them"
    if opening.line == closing.line:
        return None
    if not (opening.alone and closing.alone):
        advice = "put both on lines of their own, or both into one line"
        return f"{name} and its end share lines with other text", advice
    # No value has headings: where there is one, an end and a beginning may be lost, and the text is
    # not ours.
    for n in document.headings:
        if opening.line < n < closing.line:
            return f"{name} has a heading inside, in line {n + 1}", "put <!-- end --> where it ends"
    return None


def put(
    document: Document, opening: Marker, closing: Marker, value: str | None
) -> tuple[str, str] | None:
    """Fills one pair, or says why it cannot."""
    if value is None:
        return f"there is nothing to fill into {opening.name}", "if the name is wrong, mend it"
    if "<!--" in value or "-->" in value:
        return f"the value of {opening.name} has a comment in it", "mend what it is made of"
    lines = value.split("\n")
    if lines[-1] == "":
        lines.pop()
    if any(is_open(part, lines) for part in markdown().parse(value)):
        return (
            f"the value of {opening.name} has a code block without an end",
            "mend what it is made of",
        )
    line = document.lines[opening.line]
    if opening.line != closing.line:
        end = "\r\n" if line.endswith("\r\n") else "\n"
        document.lines[opening.line + 1 : closing.line] = [text + end for text in lines]
    elif len(lines) > 1 or "`" in value:
        advice = "put both markers on lines of their own"
        return f"the value of {opening.name} does not fit into a line", advice
    else:
        inside = f" {lines[0]} " if lines else " "
        document.lines[opening.line] = line[: opening.end] + inside + line[closing.start :]
    return None
