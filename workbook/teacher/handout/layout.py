# SPDX-License-Identifier: MIT
"""How a page of a handout reads, also raw in a terminal: without the formulas that the workbook's
tests evaluate, and in lines of at most 88 columns."""

from __future__ import annotations

import re
import textwrap

WIDTH = 88
FORMULA = r"\n *<!-- (?:[^=:>]*? )?(?:=|holds:|no measurement:)((?!-->).)*-->"  # below a paragraph
OURS = re.compile(r"(?ms)^<!-- (?:transcript|figures) [^>\n]*-->\n(.*?)^<!-- end -->\n")
OTHER = re.compile(
    r" {4}|\||```|<!--|#|>|\[.*?\]: "
)  # code, tables, headings and the like stay as they are
ITEM = re.compile(r"(?:-|\d\d?\.) +")
MARKUP = re.compile(r"(?:[-+*]|#+|1[.)])(?:\s|$)|[>|]")  # at the start of a line


def sections(text: str, heading: str = "## ") -> list[str]:
    """What is above the first heading of this form, and each of them with its text."""
    parts, fenced = [""], False
    for line in text.splitlines(keepends=True):
        fenced ^= line.startswith("```")
        if re.match(heading, line) and not fenced:
            parts.append("")
        parts[-1] += line
    return parts


def without_formulas(text: str) -> str:
    return re.sub(rf"(?s){FORMULA}", "", OURS.sub(r"\1", text))


def wrapped(text: str) -> str:
    """Paragraphs and items of lists, filled anew."""
    lines: list[str] = []
    paragraph: list[str] = []
    fenced = False

    def end() -> None:
        lines.extend(filled(paragraph))
        paragraph.clear()

    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        if fenced or not line.strip() or OTHER.match(line):
            end()
            lines.append(line)
        else:
            if ITEM.match(line):
                end()
            paragraph.append(line)
    end()
    return "\n".join(lines) + "\n"


def filled(lines: list[str]) -> list[str]:
    """One paragraph or item, in lines that do not begin with what would be markup there."""
    indent = " " * len(found[0]) if lines and (found := ITEM.match(lines[0])) else ""
    text = " ".join(line.strip() for line in lines)
    for width in range(WIDTH, WIDTH // 2, -1):
        new = textwrap.wrap(
            text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
        if not any(MARKUP.match(line.strip()) for line in new[1:]):
            return new
    return lines
