# SPDX-License-Identifier: MIT
"""A gradebook has one scale, and graded twice it says the same: what changed, and why, is one
line."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cheating import described
from tests.classes import FAST, FIRST, SECOND, answer, cheat, grade, hand_in, record, rows
from tests.copies import copy_to
from tests.support import TOP, edit
from workbook.lab import labs
from workbook.lab.course import read_course
from workbook.teacher.grade import scale as module
from workbook.teacher.grade.class_setup import Terms
from workbook.teacher.grade.publish.changes import Row, changed
from workbook.teacher.grade.scale import digest, judge, scale

VERSIONS = {"compiler": "cc 1", "python": "3.9", "system": "Linux"}


# ---- one scale -----------------------------------------------------------------------------------
def terms() -> Terms:
    return Terms(described(SECOND), read_course()[SECOND], "0" * 64, 64, 7, frozenset({"begin"}))


def parts(one: Terms, **versions: str) -> dict[str, str]:
    return scale(one, read_course(), {**VERSIONS, **versions})


def differing(one: Terms, **versions: str) -> list[str]:
    before, after = parts(terms()), parts(one, **versions)
    return [name for name in before if before[name] != after[name]]


def test_the_same_terms_have_the_same_digest() -> None:
    assert differing(terms()) == []
    assert digest(parts(terms())) == digest(parts(terms()))


def test_what_moves_no_mark_does_not_count() -> None:
    task = replace(terms().task, due="on Monday")
    assert differing(replace(terms(), task=task), python="3.14", system="another kernel") == []


@pytest.mark.parametrize("name", ["correct", "robust", "fast", "threads", "times"])
def test_each_number_of_the_course_counts(name: str) -> None:
    task = replace(terms().task, **{name: 4})  # type: ignore[arg-type]
    assert differing(replace(terms(), task=task)) == ["course.tsv"]


@pytest.mark.parametrize("name", ["compiler", "valgrind", "gpu"])
def test_the_versions_of_tools_count(name: str) -> None:
    assert differing(terms(), **{name: "another"}) == ["tools"]


def test_seed_size_and_rounds_count() -> None:
    for more in {"seed": "1" * 64}, {"size": 65}, {"rounds": 8}:
        assert differing(replace(terms(), **more)) == ["class"]


@pytest.mark.parametrize("lab", [FIRST, SECOND])
def test_the_reference_counts_and_that_of_the_lab_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lab: str
) -> None:
    before = parts(terms())
    shutil.copytree(TOP / "answers", tmp_path / "answers")
    monkeypatch.setattr(module, "ANSWERS", tmp_path / "answers")
    assert parts(terms()) == before
    edit(tmp_path / "answers" / lab / "kernel.c", "for", "for ")
    assert {name for name, said in parts(terms()).items() if said != before[name]} == {"reference"}


@pytest.mark.parametrize(("file", "part"), [("params.h", "params.h"), ("Makefile", "flags")])
def test_what_a_lab_is_built_with_counts(tmp_path: Path, file: str, part: str) -> None:
    shutil.copytree(TOP / SECOND, tmp_path / SECOND)
    with open(tmp_path / SECOND / file, "a") as text:
        text.write("\n")
    lab = replace(described(SECOND), path=tmp_path / SECOND, before=FIRST)
    assert part in differing(replace(terms(), lab=lab))


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("grading/judge.c", True),
        ("grading/opencl.c", True),
        ("grading/Makefile", True),
        ("common/verify.c", True),
        ("session/runs.c", True),
        ("engine/core/launch.h", True),
        ("workbook/teacher/grade/judge/scoring.py", True),
        ("workbook/teacher/grade/judge/new_rule.py", True),
        ("workbook/race/tools.py", True),
        ("workbook/race/say/emulated.py", True),
        ("engine/count/counts.cpp", True),
        ("workbook/profile/asked.py", True),
        ("workbook/profile/reference.tsv", True),
        ("workbook/teacher/grade/class_setup.py", True),
        ("workbook/teacher/grade/classroom.py", False),
        ("workbook/teacher/grade/publish/page.py", False),
        ("grading/README.md", False),
    ],
)
def test_the_judge_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, counts: bool
) -> None:
    folders = (
        "grading",
        *labs.IN_PROGRAM,
        "advanced/common",
        "engine",
        "workbook/teacher/grade",
        "workbook/race",
        "workbook/profile",
    )
    for folder in folders:
        shutil.copytree(TOP / folder, tmp_path / folder, ignore=shutil.ignore_patterns("build"))
    monkeypatch.setattr(module, "TOP", tmp_path)
    before = judge.__wrapped__()
    with open(tmp_path / file, "a") as text:
        text.write("\n")
    assert (judge.__wrapped__() != before) == counts


def test_what_has_other_terms_is_graded_anew(tmp_path: Path) -> None:
    for name in "anna", "zoe":
        hand_in(tmp_path / "subs" / name, FIRST, answer(FIRST))
    out = tmp_path / "out"
    assert grade(tmp_path / "subs", out, FIRST, *FAST).status == 0
    of_class = json.loads((out / "log").read_text())["labs"][FIRST]["terms"]
    assert {record(out, name, FIRST)["terms"] for name in ("anna", "zoe")} == {digest(of_class)}
    stale = {**record(out, "zoe", FIRST), "terms": "0" * 64, "points": 3}
    (out / f"zoe/{FIRST}.json").write_text(json.dumps(stale))
    said = grade(tmp_path / "subs", out, FIRST, *FAST)
    assert said.status == 0, said.text
    assert [row["points"] for row in rows(out)] == ["10", "10"]
    assert len({row["terms"] for row in rows(out)}) == 1


@pytest.mark.slow
def test_a_course_that_has_changed(tmp_path: Path) -> None:
    """Labs that it leaves as they are keep their records; the rest is of one scale. No speed has
    points, which a busy machine could not tell."""
    book = copy_to(tmp_path / "book")
    edit(book / "course.tsv", f"{SECOND}\t5\t2", f"{SECOND}\t6\t2")
    for name in "anna", "zoe":
        for lab in FIRST, SECOND:
            hand_in(tmp_path / "subs" / name, lab, answer(lab))
    out = tmp_path / "out"
    said = grade(tmp_path / "subs", out, FIRST, SECOND, *FAST, seconds=600, book=book)
    assert said.status == 0, said.text
    times = {path: path.stat().st_mtime_ns for path in out.glob("*/lab*.json")}
    edit(book / "course.tsv", f"{FIRST}\t8\t2", f"{FIRST}\t20\t5")
    hand_in(tmp_path / "subs/zoe", SECOND, cheat("zeros"))
    said = grade(tmp_path / "subs", out, FIRST, SECOND, *FAST, seconds=600, book=book)
    assert said.status == 0, said.text
    assert f"{FIRST}: graded anew, 2: on other terms than before (course.tsv)" in said.out
    assert "3 of 4 rows changed: 2 on other terms, 1 handed in again" in said.out
    assert [row["possible"] for row in rows(out) if row["lab"] == FIRST] == ["25", "25"]
    same = [path for path, time in times.items() if path.stat().st_mtime_ns == time]
    assert same == [out / f"anna/{SECOND}.json"]


# ---- twice ---------------------------------------------------------------------------------------
def test_the_same_kernels_have_the_same_points(tmp_path: Path) -> None:
    hand_in(tmp_path / "subs/anna", FIRST, answer(FIRST))
    hand_in(tmp_path / "subs/kim", FIRST, cheat("only_whole_tiles"))
    hand_in(tmp_path / "subs/zoe", SECOND, cheat("zeros"))
    out = tmp_path / "out"
    said = grade(tmp_path / "subs", out, FIRST, *FAST)
    assert "changed" not in said.text
    before = rows(out)
    for path in out.glob("*/lab*.json"):
        path.unlink()
    said = grade(tmp_path / "subs", out, FIRST, *FAST)
    assert said.out.splitlines()[-1] == "0 of 3 rows changed"
    assert rows(out) == before
    hand_in(tmp_path / "subs/anna", FIRST, cheat("zeros"))
    hand_in(tmp_path / "subs/new", FIRST, answer(FIRST))
    said = grade(tmp_path / "subs", out, FIRST, *FAST)
    assert said.out.splitlines()[-1] == "2 of 4 rows changed: 1 handed in again, 1 new"


def row(**more: str) -> Row:
    said = {"submission": "anna", "lab": SECOND, "verdict": "PASS", "points": "9", "possible": "10"}
    said |= {"speedup": "4", "measured": "9", "error": "0.01", "digest": "aa", "terms": "bb"}
    return {**said, **more}


@pytest.mark.parametrize(
    ("old", "why"),
    [
        ({"speedup": "4.1", "points": "9.1", "measured": "9.1"}, "speed within its error"),
        (
            {"speedup": "4.4", "error": "0.04", "points": "9.2", "measured": "9.2"},
            "speed within its error",
        ),
        ({"speedup": "5", "points": "9.8", "measured": "9.8"}, "speed beyond its error"),
        ({"digest": "cc", "points": "3"}, "handed in again"),
        ({"terms": "cc", "points": "3"}, "on other terms"),
        ({"points": "3"}, "decided"),
        (
            {"verdict": "INCONCLUSIVE", "speedup": "", "points": "7", "measured": "7"},
            "too noisy, then or now",
        ),
        ({"verdict": "PARTIAL", "points": "3", "measured": "3"}, "not the same twice"),
        ({"terms": "", "points": "3"}, "graded by an older workbook"),
        ({"submission": "zoe"}, "new"),
    ],
)
def test_why_a_row_has_changed(old: dict[str, str], why: str) -> None:
    assert changed([row(**old)], [row()]) == f"1 of 1 rows changed: 1 {why}"


def test_a_row_of_the_same_points_has_not_changed() -> None:
    assert changed([row(speedup="4.01", reason="x")], [row(reason="y")]) == "0 of 1 rows changed"


def test_a_gradebook_that_somebody_has_spoilt_is_written_anew(tmp_path: Path) -> None:
    hand_in(tmp_path / "subs/anna", FIRST, answer(FIRST))
    out = tmp_path / "out"
    assert grade(tmp_path / "subs", out, FIRST, *FAST).status == 0
    for content in b"\xff\xfe\0", b"submission;lab\nanna;x\n":
        (out / "grades.csv").write_bytes(content)
        assert grade(tmp_path / "subs", out, FIRST, *FAST).status == 0
        assert rows(out)[0]["points"] == "10"
