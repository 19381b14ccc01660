# SPDX-License-Identifier: MIT
"""Where the markers of a Markdown document stand: <!-- fill NAME --> and <!-- end -->. What is code
and what is not, CommonMark's parser says; it knows lines, and the order of what stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

END = "end"
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")  # with its end, as CommonMark has it
CODE = ("fence", "code_block")
STRAY = "a marker where Markdown sees none"


@dataclass(frozen=True)
class Marker:
    word: str  # fill, or end
    name: str  # what follows it
    line: int  # from 0 on
    start: int  # its first column,
    end: int  # and the one behind it
    alone: bool  # nothing else stands in its line


@dataclass(frozen=True)
class Problem:
    line: int
    what: str
    advice: str


@dataclass
class Document:
    lines: list[str]  # with their ends
    markers: list[Marker] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)  # their first lines


@cache
def patterns(words: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A marker; and nearly one, as by an editor that makes one dash of two."""
    first = "|".join(words)
    marker = re.compile(rf"<!--[ \t]*(?:({first})((?:[ \t][^>\r\n]*)?)|({END})[ \t]*)-->")
    near = re.compile(
        rf"<[!–—-][^a-z<]*(?:(?:{first})[ \t]+[a-z0-9 _.-]+|{END})[ \t\r]*(?:-?-?>|[–—]|$)",
        re.I | re.M,
    )
    return marker, near


@cache
def markdown() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def find(text: str, words: tuple[str, ...]) -> Document:
    """The markers that begin with one of the words, and their ends."""
    marker, near = patterns(words)
    bom = text.startswith("\ufeff")
    document = Document(LINE.findall(text[bom:]))
    matches = {
        n: found for n, line in enumerate(document.lines) if (found := list(marker.finditer(line)))
    }
    parts = markdown().parse(text[bom:])
    document.headings = [part.map[0] for part in parts if part.type == "heading_open" and part.map]
    for part in parts:
        if part.type in CODE and part.map:
            hide(document, part, matches)
        elif part.type == "html_block" and part.map:
            for n in range(*part.map):
                keep(document, n, matches.pop(n, []))
                document.problems += damaged(n, marker.sub("\n", document.lines[n]), near)
    for (first, last), inlines in by_lines(parts).items():
        seen = [(n, match) for n in range(first, last) for match in matches.pop(n, [])]
        shown = [real for inline in inlines for real in occurrences(inline.children or [], marker)]
        if len(seen) != len(shown):
            document.problems += [Problem(n, STRAY, "move it out of there") for n, _ in seen]
        else:
            for (n, match), real in zip(seen, shown):
                keep(document, n, [match] if real else [])
        for inline in inlines:
            plain = "".join(without_code(inline.children or [], marker))
            document.problems += damaged(first, plain, near)
    document.problems += [Problem(n, STRAY, "move it out of there") for n in matches]
    document.markers.sort(key=lambda found: (found.line, found.start))
    if bom:
        document.lines[:1] = ["\ufeff" + "".join(document.lines[:1])]
        document.markers = [shifted(found) for found in document.markers]
    return document


def shifted(marker: Marker) -> Marker:
    """Behind a mark of the byte order, which no column of the parser counts."""
    by = 1 if marker.line == 0 else 0
    return Marker(
        marker.word, marker.name, marker.line, marker.start + by, marker.end + by, marker.alone
    )


def keep(document: Document, n: int, matches: Iterable[re.Match[str]]) -> None:
    for match in matches:
        alone = document.lines[n].strip(" \t\r\n") == match[0]
        name = (match[2] or "").strip(" \t")
        document.markers.append(Marker(match[1] or END, name, n, match.start(), match.end(), alone))


def hide(document: Document, part: Token, matches: dict[int, list[re.Match[str]]]) -> None:
    """What stands in code is text, unless it seems to stand there by mistake."""
    first, last = part.map or (0, 0)
    hidden = [n for n in range(first, last) if matches.pop(n, [])]
    if part.type == "code_block":
        what = "a marker behind four blanks or a tab, where Markdown begins code"
        document.problems += [Problem(n, what, "indent it less") for n in hidden]
    elif hidden and is_open(part, document.lines):
        what = "a code block without an end hides markers"
        document.problems.append(Problem(first, what, f"put {part.markup} behind it"))


def is_open(part: Token, lines: list[str]) -> bool:
    """Whether a fenced code block goes on to the end of the document, and not of a quote or
    list."""
    if part.type != "fence" or part.level > 0 or part.map is None:
        return False
    first, last = part.map
    closing = rf" {{0,3}}{re.escape(part.markup)}{re.escape(part.markup[0])}*[ \t\r\n]*"
    return last - first < 2 or re.fullmatch(closing, lines[last - 1]) is None


def by_lines(parts: list[Token]) -> dict[tuple[int, int], list[Token]]:
    """Paragraphs, headings and the like by their lines; all cells of a table's row share one."""
    groups: dict[tuple[int, int], list[Token]] = {}
    for part in parts:
        if part.type == "inline" and part.map:
            groups.setdefault((part.map[0], part.map[1]), []).append(part)
    return groups


def occurrences(children: Iterable[Token], marker: re.Pattern[str]) -> Iterator[bool]:
    """For each marker in a paragraph, in order, whether it is a comment there, or text, or code."""
    for child in children:
        yield from occurrences(child.children or [], marker)
        if not child.children:
            comment = child.type == "html_inline" and marker.fullmatch(child.content) is not None
            yield from (comment for _ in marker.finditer(child.content))


def without_code(children: Iterable[Token], marker: re.Pattern[str]) -> Iterator[str]:
    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            yield "\n"
        elif child.type == "code_inline":
            yield " ` "
        else:
            yield marker.sub(" ` ", child.content)


def damaged(first: int, plain: str, near: re.Pattern[str]) -> Iterator[Problem]:
    """Problems of a text that begins in line `first`, without its sound markers."""
    for match in near.finditer(plain):
        n = first + plain.count("\n", 0, match.start())
        yield Problem(n, "a damaged marker", f"write it as the others: <!-- {END} -->")
