# SPDX-License-Identifier: MIT
"""Each question of the READMEs and of the report is asked once, and has its answer, which something
shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.stages import LABS
from tests.support import TOP


def one_line(text: str) -> str:
    return " ".join(text.split())


def of_readme(lab: str) -> list[str]:
    part = (TOP / lab / "README.md").read_text(encoding="utf-8").partition("## Questions\n")[2]
    part = part.partition("\n## ")[0] + "\n"
    return [
        one_line(found) for found in re.findall(r"^(\d+\. .+\n(?:   .+\n)*)", part, re.MULTILINE)
    ]


def of_report() -> list[str]:
    text = (TOP / "report_template/report.md").read_text(encoding="utf-8")
    return [
        one_line(found)
        for found in re.findall(r"^\*\*Question\.\*\* ((?:.+\n)+)", text, re.MULTILINE)
    ]


def answers(path: Path) -> dict[str, str]:
    """By the question, which stands above it as a quotation."""
    parts = re.split(r"^((?:> .*\n)+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    quotes = [one_line(re.sub(r"^> ", "", part, flags=re.MULTILINE)) for part in parts[1::2]]
    assert len(set(quotes)) == len(quotes)
    return dict(zip(quotes, parts[2::2]))


FILES = {
    **{lab: TOP / "answers" / lab / "README.md" for lab in LABS},
    "report": TOP / "answers/report.md",
}


@pytest.mark.parametrize("name", FILES)
def test_each_question_has_its_answer(name: str) -> None:
    asked = of_report() if name == "report" else of_readme(name)
    assert len(asked) >= 6
    assert list(answers(FILES[name])) == asked


@pytest.mark.parametrize("name", FILES)
def test_an_answer_is_whole_and_says_what_shows_it(name: str) -> None:
    for question, answer in answers(FILES[name]).items():
        assert len(answer.split()) >= 25, question
        assert "____" not in answer, question
        shown = re.search(
            r"`[^`]+`|^\||^    \S|\d", answer, re.MULTILINE
        )  # a command, a table, a figure
        assert shown, question


@pytest.mark.parametrize("lab", LABS)
def test_the_reference_is_the_kernel_that_the_lab_comes_with(lab: str) -> None:
    kernels = list((TOP / lab).glob("kernel.*"))
    assert [path.name for path in (TOP / "answers" / lab).glob("kernel*")] == [
        path.name for path in kernels
    ]
    assert kernels[0].read_bytes() == (TOP / "answers" / lab / kernels[0].name).read_bytes()
