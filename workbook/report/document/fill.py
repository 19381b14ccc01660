# SPDX-License-Identifier: MIT
"""Puts values between the markers of a Markdown document, <!-- fill NAME --> and <!-- end -->, and
leaves every other byte of it alone. A marker in code is text. The word may be another than fill."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from workbook import UserError
from workbook.report.data.files import read, replace

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")  # with its end, as CommonMark defines it
MARKER = r"(?<!\\)<!--[ \t]*(?:({words})(?=[ \t-])[ \t]*([^>\r\n]*?)|end)[ \t]*-->"
# Nearly a marker: with one dash, in capitals, or without its end.
DAMAGED = r"(?<!\\)<[!–—-][^a-z<]*(?:(?:{words})[ \t]+[a-z0-9 _.-]+|end[ \t\r]*(?:-?-?>|[–—]|$))"
INLINE_CODE = re.compile(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)")


class Marker(NamedTuple):
    word: str  # fill, or "" of an end
    name: str
    line: int  # from 0 on
    start: int  # its first column,
    end: int  # and the one behind it
    alone: bool  # on its line


Value = Callable[[Marker], "str | None"]  # None: there is none


class Problem(NamedTuple):
    line: int
    what: str
    advice: str


def fill(text: str, value: Value, words: tuple[str, ...] = ("fill",)) -> tuple[str, list[Problem]]:
    """The text with its markers filled, and why some were left as they were, by lines."""
    lines = LINE.findall(text)
    marker = re.compile(MARKER.format(words="|".join(words)))
    near = re.compile(DAMAGED.format(words="|".join(words)), re.I)
    hidden, headings, problems = structure(text, lines, marker)
    markers = []
    for n, line in enumerate(lines):
        if n not in hidden:
            plain = INLINE_CODE.sub(lambda code: " " * len(code[0]), line)
            markers += markers_of(n, plain, marker)
            if near.search(marker.sub(" ", plain)):
                advice = "write it as the others: <!-- fill NAME --> or <!-- end -->"
                problems.append(Problem(n, "a damaged marker", advice))
    times = Counter(found[:2] for found in markers)
    # From the last to the first, so that the lines and columns of the others stay right.
    for opening, closing in reversed(pairs(markers, problems)):
        problem = unfit(opening, closing, times[opening[:2]], headings)
        if problem is None:
            problem = put(lines, opening, closing, value(opening))
        if problem:
            problems.append(Problem(opening.line, *problem))
    return "".join(lines), sorted(problems)


def structure(
    text: str, lines: list[str], marker: re.Pattern[str]
) -> tuple[set[int], list[int], list[Problem]]:
    """The lines that are code and the lines of headings, as CommonMark's parser sees them. Code
    that hides markers by mistake is a problem."""
    hidden: set[int] = set()
    headings, problems = [], []
    for token in MarkdownIt("commonmark").parse(text.removeprefix("\ufeff")):
        first, last = token.map or (0, 0)
        if token.type == "heading_open":
            headings.append(first)
        elif token.type in ("fence", "code_block"):
            hidden |= set(range(first, last))
            has_marker = any(marker.search(line) for line in lines[first:last])
            if has_marker and token.type == "code_block":
                what = "a marker behind four blanks or a tab, where Markdown begins code"
                problems.append(Problem(first, what, "indent it less"))
            elif has_marker and last == len(lines) and token.markup not in lines[last - 1]:
                what = "a code block without an end hides markers"
                problems.append(Problem(first, what, f"put {token.markup} behind it"))
    return hidden, headings, problems


def markers_of(n: int, line: str, marker: re.Pattern[str]) -> list[Marker]:
    alone = line.strip("\ufeff \t\r\n")
    return [
        Marker(match[1] or "", match[2] or "", n, *match.span(), alone == match[0])
        for match in marker.finditer(line)
    ]


def pairs(markers: list[Marker], problems: list[Problem]) -> list[tuple[Marker, Marker]]:
    """Each marker with its end. One without becomes a problem."""
    found, opening = [], None
    for marker in markers:
        if marker.word:
            if opening:
                problems.append(without_end(opening, f" before line {marker.line + 1}"))
            opening = marker
        elif opening:
            found.append((opening, marker))
            opening = None
        else:
            advice = "remove it, or put its beginning back"
            problems.append(Problem(marker.line, "end without a beginning", advice))
    if opening:
        problems.append(without_end(opening, ""))
    return found


def without_end(opening: Marker, before: str) -> Problem:
    what = f"{opening.word} {opening.name} has no end{before}"
    return Problem(opening.line, what, "put <!-- end --> behind it")


def unfit(
    opening: Marker, closing: Marker, times: int, headings: list[int]
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
    # No value has headings: if there is one, an end and a beginning may be lost, and the text is
    # not ours.
    for n in headings:
        if opening.line < n < closing.line:
            return f"{name} has a heading inside, in line {n + 1}", "put <!-- end --> where it ends"
    return None


def put(
    lines: list[str], opening: Marker, closing: Marker, value: str | None
) -> tuple[str, str] | None:
    """Fills one pair, or says why it cannot."""
    if value is None:
        return f"there is nothing to fill into {opening.name}", "if the name is wrong, mend it"
    new, line = value.splitlines(), lines[opening.line]
    if opening.line != closing.line:
        end = "\r\n" if line.endswith("\r\n") else "\n"
        lines[opening.line + 1 : closing.line] = [text + end for text in new]
    elif len(new) > 1:
        advice = "put both markers on lines of their own"
        return f"the value of {opening.name} does not fit into a line", advice
    else:
        inside = f" {new[0]} " if new else " "
        lines[opening.line] = line[: opening.end] + inside + line[closing.start :]
    return None


def fill_file(path: Path, value: Value) -> list[str]:
    """The file is replaced whole or not at all, and only if something changes. A line for each
    problem."""
    old = read(path)
    if b"\0" in old:
        raise UserError(
            f"{path}: has bytes of 0, as in UTF-16, and stays as it is: save it as UTF-8"
        )
    text, problems = fill(old.decode("utf-8", "surrogateescape"), value)
    new = text.encode("utf-8", "surrogateescape")
    if new != old:
        replace(path, new)
    return [
        f"{path}:{problem.line + 1}: {problem.what}: left as it is; {problem.advice}"
        for problem in problems
    ]
