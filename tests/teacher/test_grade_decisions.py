# SPDX-License-Identifier: MIT
"""OUT/decisions.tsv: what an instructor has decided is applied last, survives whatever is graded
again, and stands beside what was measured."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tests.cheating import described
from tests.classes import FAST, FIRST, answer, cheat, grade, hand_in, record, rows
from workbook import UserError
from workbook.lab.course import Task
from workbook.teacher.grade.class_setup import Terms
from workbook.teacher.grade.intake.accepted import Submission
from workbook.teacher.grade.intake.names import folders
from workbook.teacher.grade.publish.decisions import (
    Decision,
    decided,
    read_decisions,
    require_possible_here,
)
from workbook.teacher.grade.publish.gradebook import failed, gradescope, row, skipped
from workbook.teacher.grade.publish.page import distribution

HEAD = "submission\tlab\tpoints\twords\tdate\n"
TASK = Task(5, 2, 3.0, 3, 1, "")
COURSE = {FIRST: TASK}
NAMES = [
    ("anna", "anna"),
    ("=1+1", "1_1~abcdef"),
    ("Zoë\nK", "Zo_K~123456"),
    ("x", "x"),
    ("x [x~1]", "x~1"),
]
GOOD = f"anna\t{FIRST}\t7.5\tasked in the exam\t2026-07-31\n"


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "decisions.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# ---- the file ------------------------------------------------------------------------------------
def test_there_may_be_none(tmp_path: Path) -> None:
    assert read_decisions(tmp_path / "decisions.tsv", NAMES, COURSE) == {}


@pytest.mark.parametrize(
    "text",
    [
        HEAD + GOOD,
        "\ufeff" + HEAD.replace("\n", "\r\n") + GOOD.replace("\n", "\r\n") + "\r\n",
        HEAD + "\n" + GOOD.rstrip("\n"),
        HEAD + GOOD.replace("asked in the exam", '"asked in the exam"'),
    ],
)
def test_a_decision_as_editors_and_spreadsheets_write_it(tmp_path: Path, text: str) -> None:
    said = read_decisions(written(tmp_path, text), NAMES, COURSE)[("anna", FIRST)]
    assert (said.points, said.words, said.date) == (7.5, "asked in the exam", "2026-07-31")


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("=1+1", "1_1~abcdef"),
        ("'=1+1", "1_1~abcdef"),
        ("1_1~abcdef",) * 2,
        ("Zoë K", "Zo_K~123456"),
        ("x", "x"),
    ],
)
def test_a_submission_is_called_as_in_the_gradebook_or_by_its_folder(
    tmp_path: Path, name: str, folder: str
) -> None:
    said = read_decisions(written(tmp_path, HEAD + GOOD.replace("anna", name)), NAMES, COURSE)
    assert list(said) == [(folder, FIRST)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"\xff\xfea\0", "is no UTF-8 text"),
        ("", ":1: the first line names the columns: submission, lab, points, words, date"),
        (GOOD, ":1: the first line names the columns"),
        (HEAD + "anna\n", ":2: 1 columns, where there are five"),
        (HEAD + GOOD.replace("anna", "ana"), ":2: no submission 'ana': anna?"),
        (
            HEAD + GOOD.replace(FIRST, "lab01_cpu_nave"),
            f":2: no lab 'lab01_cpu_nave' in course.tsv: {FIRST}?",
        ),
        (HEAD + GOOD.replace("7.5", "7,5"), ":2: points '7,5': give a number"),
        (HEAD + GOOD.replace("7.5", "-1"), ":2: points '-1'"),
        (HEAD + GOOD.replace("7.5", "nan"), ":2: points 'nan'"),
        (HEAD + GOOD.replace("7.5", ""), ":2: points ''"),
        (HEAD + GOOD.replace("7.5", "10.1"), ":2: 10.1 points, of 10 that are possible"),
        (
            HEAD + GOOD.replace("2026-07-31", "31.7.2026"),
            ":2: date '31.7.2026': give a day as 2026-07-31",
        ),
        (HEAD + GOOD.replace("2026-07-31", "2026-02-30"), ":2: date '2026-02-30'"),
        (HEAD + GOOD.replace("asked in the exam", " "), ":2: without words"),
        (
            HEAD + "\n" + GOOD + GOOD.replace("7.5", "3"),
            ":4: anna lab01_cpu_naive is decided twice, first in ",
        ),
        (HEAD + GOOD.replace("asked", '"asked'), "quotation mark too many"),
    ],
)
def test_what_cannot_be_meant_is_one_line_with_its_number(
    tmp_path: Path, text: str | bytes, says: str
) -> None:
    with pytest.raises(UserError) as said:
        read_decisions(written(tmp_path, text), NAMES, COURSE)
    assert says in str(said.value)
    assert str(tmp_path / "decisions.tsv") in str(said.value)
    assert "\n" not in str(said.value)


def test_a_name_that_is_several_is_asked_back(tmp_path: Path) -> None:
    names = [("a b", "a_b~1"), ("a  b", "a_b~2")]
    with pytest.raises(UserError, match="is several: give a folder of OUT: a_b~1, a_b~2"):
        read_decisions(written(tmp_path, HEAD + GOOD.replace("anna", "a b")), names, COURSE)


def test_nothing_is_graded_before_a_mistake_is_told(tmp_path: Path) -> None:
    hand_in(tmp_path / "subs/anna", FIRST, answer(FIRST))
    (tmp_path / "out").mkdir()
    written(tmp_path / "out", HEAD + GOOD.replace("anna", "nobody"))
    said = grade(tmp_path / "subs", tmp_path / "out", FIRST, *FAST)
    assert (said.status, len(said.err.splitlines())) == (2, 1), said.text
    assert "decisions.tsv:2: no submission 'nobody'" in said.err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["decisions.tsv"]


def test_a_link_that_leads_nowhere_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "decisions.tsv").symlink_to("nowhere")
    with pytest.raises(FileNotFoundError):
        read_decisions(tmp_path / "decisions.tsv", NAMES, COURSE)


def test_no_submission_takes_its_place() -> None:
    assert "decisions.tsv" not in folders(["decisions.tsv", "Decisions.TSV"])


# ---- what it does --------------------------------------------------------------------------------
def test_a_decision_survives_what_is_graded_again(tmp_path: Path) -> None:
    for name in "anna", "kim":
        hand_in(tmp_path / "subs" / name, FIRST, cheat("zeros"))
    out = tmp_path / "out"
    out.mkdir()
    words = "=1+1 <b>shown</b> in the exam"
    path = written(out, HEAD + GOOD.replace("asked in the exam", words))
    before = path.read_bytes()
    for kernel, measured, verdict in (cheat("zeros"), "0", "FAIL"), (answer(FIRST), "10", "PASS"):
        hand_in(tmp_path / "subs/anna", FIRST, kernel)
        said = grade(tmp_path / "subs", out, FIRST, *FAST)
        assert said.status == 0, said.text
        assert "decided, whatever was measured: 1 by" in said.out
        anna, kim = rows(out)
        assert (anna["points"], anna["measured"], anna["verdict"]) == ("7.5", measured, verdict)
        assert (anna["decision"], anna["decided_on"]) == (f"'{words}", "2026-07-31")
        assert (kim["points"], kim["measured"], kim["decision"], kim["decided_on"]) == (
            "0",
            "0",
            "",
            "",
        )
        assert str(record(out, "anna", FIRST)["points"]) in (measured, f"{measured}.0")
        text = (out / "anna/feedback.md").read_text()
        assert "7.5 of 10 points" in text
        assert (
            f"decided on 2026-07-31: =1+1 \\<b\\>shown\\</b\\> in the exam (measured: {measured})"
            in text
        )
        assert "exam" not in (out / "kim/feedback.md").read_text()
        results = json.loads((out / "anna/results.json").read_text())
        assert results["score"] == sum(test["score"] for test in results["tests"]) == 7.5
        assert words in results["tests"][0]["output"]
        suite = ElementTree.parse(out / "anna/junit.xml").getroot()
        assert suite.get("failures") == "1", "fewer than were measured, or wrong and not all"
        assert words in str([failure.attrib for failure in suite.iter("failure")])
        assert "<b>" not in (out / "class.html").read_text()
    path.unlink()
    said = grade(tmp_path / "subs", out, FIRST, *FAST)
    assert said.out.splitlines()[-1] == "1 of 2 rows changed: 1 decided"
    assert rows(out)[0]["points"] == "10"
    assert before == (HEAD + GOOD.replace("asked in the exam", words)).encode()


def measured(verdict: str, points: float, possible: float = 10) -> dict[str, Any]:
    part = {"name": "correct", "points": points, "possible": possible, "reason": ""}
    said = {
        "submission": "anna",
        "lab": FIRST,
        "verdict": verdict,
        "points": points,
        "possible": possible,
    }
    return {
        **said,
        "reason": "",
        "speedup": None,
        "error": None,
        "digest": "a" * 64,
        "terms": "b" * 64,
        "parts": [part],
    }


def decision(points: float) -> Decision:
    return Decision("decisions.tsv:2", points, "so it is", "2026-07-31")


@pytest.mark.parametrize(
    ("verdict", "points", "to", "fails"),
    [
        ("FAIL", 0, 10, False),
        ("FAIL", 0, 5, True),
        ("PASS", 10, 0, True),
        ("PASS", 7, 8, False),
        ("NOT YET", 7, 8, True),
        ("NOT YET", 7, 10, False),
        ("INCONCLUSIVE", 7, 9, False),
        ("REFUSED", 0, 0, True),
    ],
)
def test_tests_follow_a_decision(verdict: str, points: float, to: float, fails: bool) -> None:
    said = decided(measured(verdict, points), decision(to))
    assert (failed(said), skipped(said)) == (fails, False)
    assert gradescope([said])["score"] == to
    assert (row(said)["points"], row(said)["measured"]) == (f"{to:g}", f"{points:g}")


def test_the_page_of_the_class_counts_what_was_decided() -> None:
    graded = [(Submission("anna", "anna"), [decided(measured("FAIL", 0), decision(10))])]
    text = "".join(distribution(graded)).replace(' class="number"', "")
    assert "<td>90 to 100 %</td><td>1</td>" in text
    assert "<td>0 to 10 %</td><td>0</td>" in text


def test_more_than_is_possible_on_this_machine() -> None:
    """Where there are no points for speed; the course gives them."""
    with pytest.raises(UserError, match="decisions.tsv:2: 9 points, of 7 that are possible"):
        decided(measured("PASS", 7, 7), decision(9))


def test_it_is_said_as_soon_as_it_is_known(tmp_path: Path) -> None:
    """Nothing is graded before."""
    lab = "lab09_cuda_shared"
    hand_in(tmp_path / "subs/anna", lab, answer(lab))
    (tmp_path / "out").mkdir()
    written(tmp_path / "out", HEAD + GOOD.replace(FIRST, lab).replace("7.5", "11"))
    said = grade(tmp_path / "subs", tmp_path / "out", lab, *FAST)
    assert (said.status, said.out) == (2, "")
    assert "decisions.tsv:2: 11 points, of 10 that are possible" in said.err
    assert not (tmp_path / "out/anna").exists()


def test_of_a_lab_whose_reference_is_no_faster_it_is_said_before_a_submission_is_graded() -> None:
    lab = Terms(described(FIRST), TASK, "0" * 64, 48, 3, frozenset())
    require_possible_here({("anna", FIRST): decision(9)}, [lab])
    lab.no_speed = "here the reference is 1.02 times as fast as the lab before: no points for it"
    require_possible_here({("anna", FIRST): decision(7)}, [lab])
    with pytest.raises(
        UserError, match="9 points, of 7 that are possible here: here the reference"
    ):
        require_possible_here({("anna", FIRST): decision(9)}, [lab])
