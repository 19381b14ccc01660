# SPDX-License-Identifier: MIT
"""make progress: a row for each lab with what the last check found of the kernel as it is now, what
is written of the report, and one line that says what is next."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.copies import without
from tests.support import edit, make
from workbook.student.report_completion import read_report

LAB, STEPS = "lab01_cpu_naive", "lab03_avx_block"
SMALL = {"SIZE": "64"}  # no speed is asked for


@pytest.fixture
def clone(clone: Path) -> Path:
    """With the first three labs, as make progress asks each what it is, and of the first its own
    program alone."""
    table = clone / "course.tsv"
    rows = table.read_text().splitlines(keepends=True)
    table.write_text("".join(row for row in rows if not re.match("lab0[4-9]", row)))
    for lab in clone.glob("lab0[4-9]*"):
        shutil.rmtree(lab)
    without(clone / LAB, "row_column")
    return clone


def progress(clone: Path) -> dict[str, list[str]]:
    """The cells of each lab's row, by its name; and "next"."""
    said = make(clone, "progress")
    assert (said.status, said.err) == (0, "")
    assert max(map(len, said.out.splitlines())) <= 80
    rows = {
        line.split()[0]: re.split(r"  +", line)[1:]
        for line in said.out.splitlines()
        if line.startswith("lab0")
    }
    return {**rows, "next": [said.out.splitlines()[-1]]}


def solve(clone: Path, lab: str, change: str = "") -> None:
    kernel = next((clone / "answers" / lab).glob("kernel.*"))
    (clone / lab / kernel.name).write_text("// mine\n" + kernel.read_text() + change)


@pytest.mark.slow
def test_from_the_beginning_to_the_end_of_a_lab(clone: Path) -> None:
    said = progress(clone)
    assert said[LAB] == ["not begun", "-", "-", "-", "0/1", "0/5"]
    assert said["next"] == ["next: make predict LAB=01, then make start LAB=01"]
    make(clone, "start", "LAB=1")
    assert progress(clone)[LAB][0] == "not done"
    assert progress(clone)["next"] == [
        "next: edit lab01_cpu_naive/kernel.c; make hint LAB=01 helps"
    ]
    solve(clone, LAB)
    assert progress(clone)[LAB][0] == "not checked"
    assert progress(clone)["next"] == ["next: make check LAB=01"]
    make(clone, "check", "LAB=1", env=SMALL)
    said = progress(clone)
    assert said[LAB][:2] == ["right", "33/33"]
    assert said["next"] == ["next: make predict LAB=02, then make start LAB=02"]
    edit(clone / LAB / "kernel.c", "k < K", "k < K - 1")
    assert progress(clone)[LAB][0] == "not checked"  # that check was of another kernel
    make(clone, "check", "LAB=1", env=SMALL)
    said = progress(clone)
    assert said[LAB][0] == "wrong"
    assert said["next"] == ["next: edit lab01_cpu_naive/kernel.c; make hint LAB=01 helps"]
    assert re.search(r"right: .*edges \d+/11; ", " ".join(make(clone, "progress").out.split()))


def test_what_make_grade_refuses_does_not_pass(clone: Path) -> None:
    """In its words: by make check and its record, make progress and make next."""
    make(clone, "start", "LAB=1")
    solve(clone, LAB, '__attribute__((no_sanitize("address"))) int none(void);\n')
    why = "robust: kernel.c switches a sanitizer off: remove 'no_sanitize'"
    said = make(clone, "check", "LAB=1", env=SMALL)
    assert said.status != 0
    assert re.search(rf"^{LAB} +FAIL +0/10 .* (\d+)/\1 ", said.out, re.MULTILINE)
    assert f"make grade gives it no points: FAIL: {why}" in " ".join(said.out.split())
    lab = json.loads((clone / LAB / "build/check.json").read_text())["labs"][0]
    assert (lab["verdict"], lab["reason"], lab["points"]) == ("FAIL", why, 0)
    assert progress(clone)[LAB][:2] == ["wrong", "33/33"]
    following = make(clone, "next", "LAB=1")
    assert following.status != 0
    assert f"does not pass: {why}" in " ".join(following.out.split())


def test_the_steps_of_a_lab(clone: Path) -> None:
    lab = without(clone / STEPS, "published", "transpose")
    make(lab, "start")
    assert "steps: regtile (here), block, kernel" in make(lab, "progress").out
    (lab / "kernel.c").write_text("// mine\n" + (lab / "kernel_regtile.c").read_text())
    make(clone, "check", "LAB=3", env=SMALL)
    assert make(lab, "progress").out.splitlines()[-1] == "next: make next"
    assert make(clone, "progress", "LAB=3").out.splitlines()[-1] == "next: make next LAB=03"
    make(lab, "next", "ANYWAY=1")
    assert "steps: regtile passed, block (here), kernel" in make(lab, "progress").out


@pytest.mark.parametrize("content", [b"", b"{", b'{"schema": "gemm-check/2", "labs": []}', b"\xff"])
def test_a_damaged_record_is_none(clone: Path, content: bytes) -> None:
    solve(clone, LAB)
    (clone / LAB / "build").mkdir()
    (clone / LAB / "build/check.json").write_bytes(content)
    assert progress(clone)[LAB][0] == "not checked"


# ---- the report --------------------------------------------------------------------------------
REPORT = """# Title

### Task (lab 01)

**Question.** One? Over
two lines.

(your answer)

**Question.** Two?

It is so.

<!-- fill x -->
| a | b |
<!-- end -->

**Question.** Three?

<!-- fill y -->
<!-- end -->

```
# no heading (lab 02)
**Question.** none
```

### Two (labs 08 and 09)

**Question.** Four?

| my | table |

## Rest

**Question.** Five?

(your answer) and more

| work | ____ | <!-- fill predict-lab01-work --> ____ <!-- end --> | |
| MB | 12 | <!-- fill predict-lab01-bytes --> 3 <!-- end --> | |
"""


def test_what_is_written_of_a_report() -> None:
    written = read_report(REPORT)
    assert dict(written.questions) == {"01": 3, "09": 1, "": 1}
    assert {lab: count for lab, count in written.answers.items() if count} == {
        "01": 1,
        "09": 1,
        "": 1,
    }
    assert (written.blanks["01"], written.predictions["01"]) == (2, 1)


def test_predictions_come_before_measuring(clone: Path) -> None:
    assert "which is not there yet" in make(clone, "progress").out
    (clone / "report").mkdir()
    shutil.copy(clone / "report_template/report.md", clone / "report/report.md")
    assert progress(clone)["next"] == ["next: make predict LAB=01, then make start LAB=01"]
    report = clone / "report/report.md"
    text = report.read_text(encoding="utf-8")
    report.write_text(
        re.sub(r"\| ____ (\| <!-- fill predict-lab01)", r"| 7 \1", text), encoding="utf-8"
    )
    said = progress(clone)
    assert said[LAB][-1] == "5/5"
    assert said["next"] == ["next: make start LAB=01"]
    assert "rest of the report" in make(clone, "progress").out
