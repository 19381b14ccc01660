# SPDX-License-Identifier: MIT
"""similar.html: for the instructor alone, with names on it: pairs of submissions that are alike,
and the lines that they share side by side. Every name and every line may be hostile."""

from __future__ import annotations

from html import escape
from pathlib import Path

from workbook.core.files import put
from workbook.lab.labs import Lab
from workbook.teacher.grade.intake.accepted import Submission
from workbook.teacher.grade.publish.fingerprints import GRAM, LONGEST
from workbook.teacher.grade.publish.page import STYLE, rows, text
from workbook.teacher.grade.publish.similar import (
    ALIKE,
    CLASS,
    LEAST,
    Likenesses,
    Pair,
    Side,
    find,
    passages,
)

CODE = 40  # pairs of a lab whose lines are shown,
NAMES = 400  # and of which the names are
LINES = 120  # of a side of a pair
WIDEST = 200  # characters of a line
LOOK = """
:root { color-scheme: light dark } body { max-width: 90rem }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 0 1rem }
figure { margin: .6rem 0; min-width: 0 } figcaption { font-weight: 600; overflow-wrap: anywhere }
pre { margin: 0; padding: .3rem; font-size: 13px; border: 1px solid #8886; overflow-x: auto }
.line { display: block; min-width: max-content; unicode-bidi: isolate }
.line::before { content: attr(data-n); display: inline-block; width: 3em;
    padding-left: .5em; opacity: .6 }
.own { background: #fff0c2 } .same { background: #ffd9b8; box-shadow: inset 4px 0 #c50 }
.warning { border-left: 4px solid #c50; padding: .2rem .8rem }
summary { cursor: pointer; padding: .4rem 0; overflow-wrap: anywhere }
@media (max-width: 45rem) { .sides { grid-template-columns: 1fr } th, td { padding: .2rem .15rem } }
@media (prefers-color-scheme: dark) { .own { background: #4a3c10 } .same { background: #5d3210 } }
"""
ABOUT = f"""<p class="warning"><strong>For you alone: it has names on it.
A likeness is no verdict.</strong>
Two who follow the same page write the same, and two who share a line may both have it from a
third. Read the lines, then ask.</p>
<p>A kernel's <em>own</em> code is what is left without the handout (starting points, hints, pages),
the reference with its steps and variants, the kernel of the lab before, and what more than half of
the class have, if these are {CLASS} or more. Of that, {GRAM} tokens in a row are shared if they
stand anywhere in the other one. Names, numbers, braces, comments and spaces make no difference. A
pair is listed where both share {LEAST} tokens or more, and this is {ALIKE:.0%} or more of what one
of them has of its own. A kernel with less than {LEAST} tokens of
its own is not compared: nobody can tell whose it is.</p>
<p>Of the lines of a pair, <span class="own">these have shared code</span>, and
<span class="same">&nbsp;these are the same word for word</span>, names and comments
included.</p>"""


def publish_likenesses(out: Path, submissions: list[Submission], labs: list[Lab]) -> str:
    """Writes the page; and what is told in the terminal."""
    found = [find(lab, submissions) for lab in labs]
    path = out / "similar.html"
    put(path, page(found).encode())
    path.chmod(0o600)
    count = sum(len(one.pairs) for one in found)
    pairs = "1 pair shares" if count == 1 else f"{count or 'no'} pairs share"
    return (
        f"{path}, for you alone: {pairs} {ALIKE:.0%} or more of their own code; a likeness is "
        "no verdict"
    )


def page(found: list[Likenesses]) -> str:
    heads = ["lab", "handed in", "not compared", "pairs"]
    body = [[text(o.lab), str(o.handed_in), str(o.poor), str(len(o.pairs))] for o in found]
    parts = [
        "<!doctype html>",
        '<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>Similarity</title><style>{STYLE}{LOOK}</style><h1>Similarity</h1>",
        ABOUT,
        *rows(heads, body),
        *(line for one in found for line in of_lab(one)),
    ]
    return "\n".join(parts) + "\n</html>\n"


def of_lab(one: Likenesses) -> list[str]:
    if not one.pairs and not one.cut:
        return []
    lines = [f"<h2>{text(one.lab)}</h2>"]
    if one.cut:
        lines.append(
            f"<p>Too long, so that only the first {LONGEST} tokens are compared: {one.cut}.</p>"
        )
    lines += [of_pair(pair) for pair in one.pairs[:CODE]]
    lines += [f"<p>{heading(pair)}</p>" for pair in one.pairs[CODE:NAMES]]
    if len(one.pairs) > NAMES:
        lines.append(f"<p>And {len(one.pairs) - NAMES} pairs more, less alike.</p>")
    return lines


def heading(pair: Pair) -> str:
    def share(side: Side) -> str:
        return (
            f"{text(side.document.name)} {side.share:.0%} ({len(side.shared)} of {side.own} tokens)"
        )

    return f"{share(pair.left)} and {share(pair.right)}"


def of_pair(pair: Pair) -> str:
    parts, shown = [], 0
    found = passages(pair)
    for number, (left, right) in enumerate(found):
        if shown >= LINES:
            parts.append(f"<p>And {len(found) - number} passages more.</p>")
            break
        shown += max(len(left), len(right))
        sides = figure(pair.left, left, pair.right) + figure(pair.right, right, pair.left)
        parts.append(f'<div class="sides">{sides}</div>')
    return f"<details><summary>{heading(pair)}</summary>{''.join(parts)}</details>"


def figure(side: Side, place: range, other: Side) -> str:
    lines = side.document.lines
    file, first, last = lines[place[0]].file, lines[place[0]].number, lines[place[-1]].number
    where = f"{text(side.document.name)}, {text(file)} {first} to {last}"
    code = "".join(line(side, at, other) for at in place[:LINES])
    more = f"<p>And {len(place) - LINES} lines more.</p>" if len(place) > LINES else ""
    return f"<figure><figcaption>{where}</figcaption><pre>{code}</pre>{more}</figure>"


def line(side: Side, at: int, other: Side) -> str:
    here = side.document.lines[at]
    look = ""
    if at in side.marked:
        look = " same" if " ".join(here.text.split()) in other.texts else " own"
    shown = "".join(c if c.isprintable() else "?" for c in here.text.expandtabs(4))
    cut = f"{shown[:WIDEST]} ..." if len(shown) > WIDEST else shown
    return f'<span class="line{look}" data-n="{here.number}">{escape(cut)}</span>'
