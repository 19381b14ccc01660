# SPDX-License-Identifier: MIT
"""How much of a report is written: its questions and its predictions, by the lab that they are
about."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

QUESTION = "**Question.**"
UNWRITTEN = "(your answer)"
PREDICTION = re.compile(r"^\|[^|\n]*\|([^|\n]*)\|[ \t]*<!-- fill predict-lab(\d\d)-(\w+) ", re.M)
SIZE = "size"  # the N that is predicted for: given, not guessed


@dataclass
class Completion:
    """By a lab's number, "05", or "" for what is about none: how many there are, and how many are
    written."""

    questions: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    blanks: Counter[str] = field(default_factory=Counter)
    predictions: Counter[str] = field(default_factory=Counter)


def read_report(text: str) -> Completion:
    """A question is about the last lab that the heading above it names: (lab 05), (labs 08 and
    09)."""
    written, lab, answer, asked, fenced = Completion(), "", "", False, False
    for line in [*text.splitlines(), "# the end"]:
        fenced ^= line.startswith("```")
        heading = line.startswith("#") and not fenced
        if asked and not fenced and (heading or line.startswith((QUESTION, "<!-- fill"))):
            _, _, below = answer.partition("\n\n")  # the question itself is one paragraph
            written.answers[lab] += below.strip() not in ("", UNWRITTEN)
            asked = False
        if heading:
            named = re.search(r"\(labs? .*?(\d\d)\)", line)
            lab = named[1] if named else ""
        elif line.startswith(QUESTION) and not fenced:
            written.questions[lab] += 1
            answer, asked = "", True
        if asked:
            answer += f"{line}\n"
    for lab, mine in predictions(text).items():
        guesses = [value for quantity, value in mine.items() if quantity != SIZE]
        written.blanks[lab] = len(guesses)
        written.predictions[lab] = sum(value != "" for value in guesses)
    return written


def predictions(text: str) -> dict[str, dict[str, str]]:
    """Of each lab by its number, what is predicted of each quantity; "": nothing yet."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for value, lab, quantity in PREDICTION.findall(text):
        found[lab][quantity] = value.strip(" _")
    return found
