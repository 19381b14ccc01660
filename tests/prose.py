# SPDX-License-Identifier: MIT
"""What a README claims and does not show.

A number that sounds measured ("five times", "twice", "a sixth", "80 percent", "28 GFLOP/s") has a
marker below its paragraph, on a line of its own, in the order of the numbers, which it repeats:
    <!-- eight times = lab02 xeon 1024 / lab01 xeon 1024 -->  cells of figures/, or plain numbers
    <!-- 36 ms no measurement: REASON -->   a count, a fact of a data sheet, another's claim
and a comparison without a number may have one:
    <!-- holds: lab03 published xeon 1024 > lab03 transpose xeon 1024 -->
Nothing stands inside a sentence: who reads the page as it is written reads on. In a list a marker
is indented as the item's text is.
What a cell is: tests/cells.py.

A number may be off by 10 percent; with "about", "almost", "nearly" or "some" by 20; with "more
than", "over" or "at least" it may be up to half as much again; with "less than", "under", "below"
or "at most" down to two thirds of that.

In the table of "Predict first", a formula of M, N and K gives the value beside it, and "(lab 04:
2)" is what that lab's table has: tests/predictions.py. A lab's README has all its parts, its
transcript says a speed, and its links for further reading are at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.cells import Unsupported, evaluate, has_cell, read
from tests.predictions import check_predictions


def values(words: str) -> dict[str, int]:
    return {word: int(value) for word, value in re.findall(r"([a-z]+) (\d+)", words)}


COUNTS = values("""
    a 1 an 1 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10
    eleven 11 twelve 12 dozen 12 fifteen 15 twenty 20 thirty 30 forty 40 fifty 50
    hundred 100 thousand 1000""")
PARTS = values("""
    third 3 quarter 4 fifth 5 sixth 6 seventh 7 eighth 8 ninth 9 tenth 10 sixteenth 16 twentieth 20
    hundredth 100 thousandth 1000""")
WORDS = {"twice": 2, "doubles": 2, "doubled": 2, "half": 1 / 2, "halves": 1 / 2, "halved": 1 / 2}
SCALE = {"percent": 0.01, "%": 0.01, "TFLOP/s": 1000}  # of a unit, where it is not 1

NUMBER = r"(?:\d[\d,]*(?:\.\d+)?|(?:(?:{0})[ -])*(?:{0}))".format("|".join(COUNTS))
UNIT = r"(?:(?:times|percent|ms|seconds)\b|[GT]FLOP/s|GB/s|%|×(?! ?\d))"
CLAIM = re.compile(
    rf"\bfactor of (?P<factor>{NUMBER})\b"
    rf"|(?<!/)\b(?P<count>{NUMBER})(?: *(?P<unit>{UNIT})|(?= +to +{NUMBER} *(?P<later>{UNIT})))"
    rf"|\b(?P<parts>{NUMBER}) (?P<part>{'|'.join(PARTS)}|\d+(?:st|nd|rd|th))s?\b"
    r"|\b(?P<over>\d+)/(?P<under>\d+)\b"
    rf"|\b(?P<word>{'|'.join(WORDS)})\b(?! precision)",
    re.IGNORECASE,
)
MARKER = re.compile(r"<!-- (?:([^=:]*?) )?(=|holds:|no measurement:) *(.*?) *-->", re.DOTALL)
FILLED = re.compile(r"<!-- (figures|transcript) .* -->")
UNREAD = r"<!--.*?-->", r"`[^`]*`", r"\]\([^)]*\)"  # comments, code, addresses
PARTS_OF_A_LAB = [
    "The idea",
    "In the literature",
    "Predict first",
    "Write it",
    "Run it",
    "Look closer",
    "What we measured, and why",
    "Questions",
    "Mistakes in the source",
    "Read next",
]


class Said(NamedTuple):
    """Of a place in a text: what is wrong there, or None for a claim that figures support."""

    place: int
    wrong: str | None


class Marker(NamedTuple):
    place: int
    claim: str  # what it repeats; "" of one that holds
    kind: str
    expression: str


def count(words: str) -> float:
    value = 0.0
    for word in re.split("[ -]", words.lower().replace(",", "")):
        one = COUNTS.get(word) or float(word)
        value = value * one if value and one >= 100 else value + one
    return value


def number_of(claim: re.Match[str]) -> float:
    """What the words of a claim say."""
    if claim["factor"]:
        return count(claim["factor"])
    if claim["count"]:
        return count(claim["count"]) * SCALE.get(claim["unit"] or claim["later"], 1)
    if claim["part"]:
        return count(claim["parts"]) / (PARTS.get(claim["part"].lower()) or int(claim["part"][:-2]))
    if claim["over"]:
        return int(claim["over"]) / int(claim["under"])
    return WORDS[claim["word"].lower()]


def limits(before: str) -> tuple[float, float]:
    """How far from it the words before a number let the truth be."""
    before = re.sub(r"( by)?( an?)?$", "", " ".join(before.lower().split()))
    if re.search(r"\b(more than|over|at least)$", before):
        return 1, 1.5
    if re.search(r"\b(less than|under|below|at most)$", before):
        return 1 / 1.5, 1
    if re.search(r"\b(about|almost|nearly|some)$", before):
        return 0.8, 1.2
    return 0.9, 1.1


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Line number and text of each paragraph, and of each table that has markers right below it;
    what is code, another table or filled in is left out."""
    lines: list[str] = []
    table: list[str] = []
    start, until = 0, ""
    for n, line in enumerate([*text.splitlines(), ""], 1):
        bare = line.strip()
        if until:
            until = "" if bare.startswith(until) else until
            line = bare = ""
        elif FILLED.fullmatch(bare) or bare.startswith("```"):
            until = "```" if bare.startswith("```") else "<!-- end -->"
            line = bare = ""
        if lines and (not bare or bare[0] == "|" or re.match(r"([-*]|\d+\.) ", bare)):
            yield start, "\n".join(lines)
            lines = []
        if bare.startswith("<!--") and table:
            start, lines = n - len(table), table
        table = [*table, line] if bare.startswith("|") else []
        if bare and not table and (lines or not line.startswith("    ")):
            start = start if lines else n
            lines.append(line)


def one_line(words: str) -> str:
    return " ".join(words.split())


def below(text: str) -> int:
    """Where the markers of a paragraph begin: at the first line that is a comment, up to its
    end."""
    lines = re.search(
        r"^[ ]*<!--((?!-->).)*-->\s*(<!--((?!-->).)*-->\s*)*\Z", text, re.DOTALL | re.MULTILINE
    )
    return lines.start() if lines else len(text)


def judge(top: Path, words: str, claim: re.Match[str], marker: Marker) -> str | None:
    """What is wrong with a claim, whose marker is this."""
    if marker.kind == "=":
        try:
            value = evaluate(top, marker.expression)
        except Unsupported as why:
            return str(why)
        claimed, (low, high) = number_of(claim), limits(words[: claim.start()])
        if not low * claimed <= value <= high * claimed:
            return f"{marker.expression} is {value:.4g}"
    return None


def check_marker(top: Path, marker: Marker) -> str | None:
    """What is wrong with a marker by itself."""
    if not marker.expression:
        return "a marker that says nothing"
    if marker.kind == "holds:":
        try:
            holds = evaluate(top, marker.expression) is True
        except Unsupported as why:
            return str(why)
        return None if holds else f"it does not hold: {marker.expression}"
    return None


def check_claims(top: Path, words: str, markers: list[Marker]) -> Iterator[Said]:
    """Each number with its marker: the next one that repeats it."""
    for claim in CLAIM.finditer(words):
        said = one_line(claim[0])
        if not markers or markers[0].claim != said:
            add = (
                f"<!-- {said} = CELLS --> or <!-- {said} no measurement: REASON --> below the "
                "paragraph"
            )
            yield Said(claim.start(), f'"{said}": nothing supports it; add {add}')
            continue
        marker = markers.pop(0)
        wrong = judge(top, words, claim, marker)
        if wrong:
            yield Said(claim.start(), f'"{said}": {wrong}')
        elif has_cell(marker.expression):
            yield Said(claim.start(), None)
    for marker in markers:
        yield Said(
            marker.place,
            f'a marker for "{marker.claim}": no such number above it, or not in this order',
        )


def check_paragraph(top: Path, text: str) -> Iterator[Said]:
    end = below(text)
    words = text[:end]
    for comment in re.finditer("<!--", words):
        yield Said(comment.start(), "a marker inside the text: put it below the paragraph")
    for unread in UNREAD:
        words = re.sub(unread, lambda match: " " * len(match[0]), words, flags=re.DOTALL)
    markers = []
    for comment in re.finditer("<!--", text[end:]):
        found = MARKER.match(text, end + comment.start())
        if not found:
            yield Said(end + comment.start(), "no such marker: see tests/prose.py")
            continue
        marker = Marker(found.start(), one_line(found[1] or ""), found[2], one_line(found[3]))
        markers.append(marker)
        if wrong := check_marker(top, marker):
            yield Said(marker.place, wrong)
    claimed = [marker for marker in markers if marker.kind != "holds:"]
    yield from check_claims(top, words.replace("\n", " "), claimed)


def check_prose(top: Path, text: str) -> Iterator[Said]:
    """Line number and what is wrong there, of each claim."""
    for start, paragraph in paragraphs(text):
        for place, wrong in check_paragraph(top, paragraph):
            yield Said(start + paragraph.count("\n", 0, place), wrong)


def check_transcripts(text: str) -> Iterator[Said]:
    for transcript in re.finditer(r"<!-- transcript .*? -->(.*?)<!-- end -->", text, re.DOTALL):
        for bad in re.finditer(r"^ *(given *$|.*too noisy to tell.*)", transcript[1], re.MULTILINE):
            line = text.count("\n", 0, transcript.start(1) + bad.start()) + 1
            yield Said(line, f'"{bad[0].strip()}": measure it again')


def check(top: Path, page: str) -> Iterator[Said]:
    text = read(top, page)
    claims = list(check_prose(top, text))
    yield from claims
    if not any(claim.wrong is None for claim in claims):
        yield Said(1, "no number in it is supported by figures/")
    formulas = [Said(*said) for said in check_predictions(top, text)]
    yield from formulas
    yield from check_transcripts(text)
    if page.startswith("lab"):
        if not formulas:
            yield Said(1, "nothing to predict")
        if re.findall(r"^## (.*)", text, re.MULTILINE) != PARTS_OF_A_LAB:
            yield Said(1, "its parts are not: " + ", ".join(PARTS_OF_A_LAB))
        if len(re.findall(r"\]\(https?://", text.partition("## Read next")[2])) < 2:
            yield Said(1, "less than two links under Read next")


def complaints(top: Path, page: str) -> list[str]:
    """What is wrong with a page of the workbook in this folder, a line each."""
    try:
        return [f"{page}:{line}: {wrong}" for line, wrong in check(top, page) if wrong]
    except Unsupported as why:
        return [f"{page}:1: {why}"]
