# SPDX-License-Identifier: MIT
"""What a README claims and does not show.

A number that sounds measured ("five times", "twice", "a sixth", "80 percent", "28 GFLOP/s") has a marker
behind it, before the next such number and never at the beginning of a line, where Markdown would end the
paragraph:
    <!-- = lab02 xeon 1024 / lab01 xeon 1024 -->   the number is this: cells of figures/, or plain numbers
    <!-- no measurement: REASON -->                it is a count, a fact of a data sheet, another's claim
and a comparison without a number may have one:
    <!-- holds: lab03 chapter xeon 1024 > lab03 transpose xeon 1024 -->
What a cell is: tests/cells.py.

A number may be off by 10 percent; with "about", "almost", "nearly" or "some" by 20; with "more than", "over"
or "at least" it may be up to half as much again; with "less than", "under", "below" or "at most" down to two
thirds of that.

In the table of "Predict first", a formula of M, N and K gives the value beside it, and "(lab 04: 2)" is
what that lab's table has: tests/predictions.py. A lab's README has all its parts, its transcript says a
speed, and its links for further reading are at the end.
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
    a 1 an 1 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12
    dozen 12 fifteen 15 twenty 20 thirty 30 forty 40 fifty 50 hundred 100 thousand 1000""")
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
MARKER = re.compile(r"<!-- (?:(=|holds:|no measurement:) *(.*?)) *-->", re.DOTALL)
FILLED = re.compile(r"<!-- (figures|transcript) .* -->")
UNREAD = r"<!--.*?-->", r"`[^`]*`", r"\]\([^)]*\)"  # comments, code, addresses
PARTS_OF_A_LAB = [
    "The idea",
    "Predict first",
    "Run it",
    "Look closer",
    "Questions",
    "What the source got wrong",
    "Read next",
]


class Said(NamedTuple):
    """Of a place in a text: what is wrong there, or None for a claim that figures support."""

    place: int
    wrong: str | None


class Marker(NamedTuple):
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
    """Line number and text of each paragraph; what is code, a table or filled in is left out."""
    lines: list[str] = []
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
        if bare and bare[0] != "|" and (lines or not line.startswith("    ")):
            start = start if lines else n
            lines.append(line)


def check_comments(text: str) -> Iterator[Said]:
    """Where a marker may stand, and how it looks."""
    for comment in re.finditer("<!--", text):
        if text[: comment.start()].rpartition("\n")[2].strip() == "":
            yield Said(comment.start(), "a marker at the beginning of a line ends the paragraph: move it up")
        if re.match(r" <!--((?!-->).)*-->[.,;:)]", text[comment.start() - 1 :], re.DOTALL):
            yield Said(comment.start(), "the blank before this marker stays before the stop: remove it")
        if not MARKER.match(text, comment.start()):
            yield Said(comment.start(), "no such marker: see tests/prose.py")


def judge(top: Path, words: str, claim: re.Match[str], marker: Marker | None) -> str | None:
    """What is wrong with a claim, whose marker is this."""
    if marker is None:
        return "nothing supports it; add <!-- = CELLS --> or <!-- no measurement: REASON --> behind it"
    if marker.kind == "=":
        try:
            value = evaluate(top, marker.expression)
        except Unsupported as why:
            return str(why)
        claimed, (low, high) = number_of(claim), limits(words[: claim.start()])
        if not low * claimed <= value <= high * claimed:
            return f"{marker.expression} is {value:.4g}"
    return None


def check_marker(top: Path, marker: Marker, has_claim: bool) -> str | None:
    """What is wrong with a marker by itself."""
    if not marker.expression:
        return "a marker that says nothing"
    if marker.kind == "holds:":
        try:
            holds = evaluate(top, marker.expression) is True
        except Unsupported as why:
            return str(why)
        return None if holds else f"it does not hold: {marker.expression}"
    return None if has_claim else "a marker without a number before it"


def check_paragraph(top: Path, text: str) -> Iterator[Said]:
    yield from check_comments(text)
    words = text
    for unread in UNREAD:
        words = re.sub(unread, lambda match: " " * len(match[0]), words, flags=re.DOTALL)
    words = words.replace("\n", " ")
    tokens = sorted([*MARKER.finditer(text), *CLAIM.finditer(words)], key=lambda token: token.start())
    claim: re.Match[str] | None = None  # the one that waits for its marker
    for token in [*tokens, None]:
        marker = Marker(token[1], " ".join(token[2].split())) if token and token.re is MARKER else None
        if token and marker:
            wrong = check_marker(top, marker, claim is not None)
            if wrong:
                yield Said(token.start(), wrong)
            if marker.kind == "holds:":
                continue
        if claim:
            wrong = judge(top, words, claim, marker)
            if wrong:
                yield Said(claim.start(), f'"{claim[0]}": {wrong}')
            elif marker and has_cell(marker.expression):
                yield Said(claim.start(), None)
        claim = None if marker else token


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
