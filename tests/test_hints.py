# SPDX-License-Identifier: MIT
"""make hint: three or more a step, from a nudge to nearly the code; what is wrong comes first."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.stages import LABS, STAGES, of_lab
from tests.support import TOP, edit, make
from workbook.hints import TAGS, sections


def parts(lab: str, stage: str) -> dict[str, str]:
    text = (TOP / lab / "start/hints.md").read_text(encoding="utf-8")
    return sections(sections(text, "##")[stage], "###")


@pytest.mark.parametrize(("lab", "stage"), STAGES)
def test_a_stage_has_three_hints_or_more_and_some_for_what_is_wrong(lab: str, stage: str) -> None:
    names = list(parts(lab, stage))
    numbers = [name for name in names if name.isdigit()]
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]
    assert len(numbers) >= 3
    tags = [name[len("when ") :] for name in names if not name.isdigit()]
    assert len(tags) >= 2
    assert set(tags) <= set(TAGS)


@pytest.mark.parametrize("lab", LABS)
def test_a_lab_has_hints_for_its_stages_alone(lab: str) -> None:
    assert list(sections((TOP / lab / "start/hints.md").read_text(encoding="utf-8"), "##")) == of_lab(lab)


def test_there_is_something_to_say_whatever_is_wrong() -> None:
    assert set(sections((TOP / "common/diagnosis/hints.md").read_text(encoding="utf-8"), "##")) == set(TAGS)


@pytest.mark.parametrize(
    "path", [*TOP.glob("lab*/start/hints.md"), TOP / "common/diagnosis/hints.md"], ids=str
)
def test_a_hint_fits_into_a_terminal(path: Path) -> None:
    for name, text in sections(path.read_text(encoding="utf-8"), "###?").items():
        assert max(map(len, text.splitlines()), default=0) <= 78, name
        assert len(text.splitlines()) <= 14, name


# ---- one after the other -----------------------------------------------------------------------
def place(out: str) -> str:
    return out.splitlines()[0].partition(", ")[2]


def test_hints_follow_one_another_to_the_last(clone: Path) -> None:
    lab = clone / "lab01_cpu_naive"
    make(lab, "start")
    count = len([name for name in parts(lab.name, "kernel") if name.isdigit()])
    said = [make(lab, "hint") for _ in range(count)]
    assert [place(one.out) for one in said] == [f"hint {n} of {count}" for n in range(1, count + 1)]
    assert parts(lab.name, "kernel")["2"] in said[1].out
    assert "there are no more hints" in make(lab, "hint").out
    assert make(lab, "hint", "AGAIN=1").out == said[-1].out
    # A step that is begun again has its hints again.
    make(lab, "start")
    assert place(make(lab, "hint").out) == f"hint 1 of {count}"


def test_again_before_the_first(clone: Path) -> None:
    make(clone / "lab01_cpu_naive", "start")
    said = make(clone / "lab01_cpu_naive", "hint", "AGAIN=1")
    assert (said.status, said.out) == (2, "")
    assert "has shown no hint yet: make hint" in said.err


def test_a_kernel_that_passes_needs_none(clone: Path) -> None:
    lab = clone / "lab01_cpu_naive"
    make(lab, "start")
    file = lab / "kernel.c"
    file.write_text("// mine\n" + (clone / "answers/lab01_cpu_naive/kernel.c").read_text())
    said = make(lab, "hint").out
    assert said.splitlines()[0] == "lab01_cpu_naive passes, there is nothing to hint at: make next"


# ---- what is wrong -----------------------------------------------------------------------------
CPU, AVX, CUDA = "lab01_cpu_naive", "lab02_avx", "lab09_cuda_shared"
WRONG = {
    "build": (CPU, "real sum = 0;", "real sum = ;"),
    "index": (CPU, "A[i * K + k]", "A[k * M + i]"),
    "k": (CPU, "k < K", "k < K - 1"),
    "sum": (CPU, "real sum = 0;", "real sum = C[i * N + j];"),
    "unwritten": (CPU, "C[i * N + j] = sum;", "(void)C, (void)sum;"),
    "outside": (CPU, "i < M", "i <= M"),
    "crash": (CPU, "    for (int i = 0;", "    for (;;)\n        C[0] = 0;\n    for (int i = 0;"),
    "edge": (AVX, "j < N;", "j + 8 <= N;"),
    "race": (CUDA, "__syncthreads(); // the tiles may", "// the tiles may"),
}


@pytest.mark.parametrize("tag", WRONG)
def test_what_is_wrong_chooses_the_first_hint(clone: Path, tag: str) -> None:
    name, old, new = WRONG[tag]
    lab = clone / name
    make(lab, "start", "STEP=kernel")
    file = next(lab.glob("kernel.*"))
    file.write_text((clone / "answers" / name / file.name).read_text())
    edit(file, old, new)
    said = make(lab, "hint", "LIMIT=5" if tag == "crash" else "V=0")
    assert place(said.out) == f"what is wrong: {tag}", said.text
    own = parts(name, "kernel").get(f"when {tag}")
    common = sections((TOP / "common/diagnosis/hints.md").read_text(encoding="utf-8"), "##")[tag]
    assert (own or common) in said.out


def test_what_is_wrong_and_what_comes_next_take_turns(clone: Path) -> None:
    """With the same kernel the hints go on; the same mistake in another kernel is told of again."""
    lab = clone / CPU
    make(lab, "start")
    (lab / "kernel.c").write_text((clone / "answers" / CPU / "kernel.c").read_text())
    edit(lab / "kernel.c", "A[i * K + k]", "A[k * M + i]")
    said = [make(lab, "hint").out for _ in range(3)]
    count = len([name for name in parts(CPU, "kernel") if name.isdigit()])
    own = parts(CPU, "kernel").get("when index")
    common = sections((TOP / "common/diagnosis/hints.md").read_text(encoding="utf-8"), "##")["index"]
    tagged = [text for text in (own, common) if text]
    assert [text in out for text, out in zip(tagged, said)] == [True] * len(tagged)
    assert place(said[len(tagged)]) == f"hint 1 of {count}" if len(tagged) < 3 else True
    edit(lab / "kernel.c", "i < M", "M > i")
    assert place(make(lab, "hint").out) == "what is wrong: index"
    for _ in range(count + len(tagged)):
        last = make(lab, "hint").out
    assert place(last) == "what is wrong: index"  # there is nothing else to say


def test_an_opencl_kernel_that_does_not_compile(clone: Path) -> None:
    lab = clone / "lab04_ocl_naive"
    make(lab, "start")
    (lab / "kernel.cl").write_text((clone / "answers/lab04_ocl_naive/kernel.cl").read_text())
    edit(lab / "kernel.cl", "real sum = 0;", "real sum = ;")
    assert place(make(lab, "hint").out) == "what is wrong: build"


def test_what_is_seen_stands_above_the_hint(clone: Path) -> None:
    lab = clone / CPU
    make(lab, "start")
    (lab / "kernel.c").write_text((clone / "answers" / CPU / "kernel.c").read_text())
    edit(lab / "kernel.c", "k < K", "k < K - 1")
    said = make(lab, "hint").out
    assert re.search(r"seen: \d+ of 30 shapes are right", said)
    assert "likely cause: the last k is missing" in said
