# SPDX-License-Identifier: MIT
"""make hint: three or more a step, from a nudge to nearly the code; what is wrong comes first."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.stages import LABS, STAGES, of_lab
from tests.support import TOP, edit, make, run
from workbook.check.grade import Grade
from workbook.check.race import Race
from workbook.lab.labs import describe
from workbook.lab.program import FAIL, PASS, Result
from workbook.student.hints import TAGS, evidence, of_all_labs, sections


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
    assert list(
        sections((TOP / lab / "start/hints.md").read_text(encoding="utf-8"), "##")
    ) == of_lab(lab)


@pytest.mark.parametrize(
    "path", [*TOP.glob("lab*/start/hints.md"), TOP / "diagnosis/hints.md"], ids=str
)
def test_a_hint_fits_into_a_terminal(path: Path) -> None:
    for name, text in sections(path.read_text(encoding="utf-8"), "###?").items():
        assert max(map(len, text.splitlines()), default=0) <= 78, name
        assert len(text.splitlines()) <= 14, name


def flat(text: str) -> str:
    return " ".join(text.split())


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
    assert "there are no more hints on the idea of" in make(lab, "hint").out
    assert make(lab, "hint", "REPEAT=1").out == said[-1].out
    # A step that is begun again has its hints again.
    make(lab, "start")
    assert place(make(lab, "hint").out) == f"hint 1 of {count}"


def test_a_kernel_that_passes_needs_none(clone: Path) -> None:
    lab = clone / "lab01_cpu_naive"
    make(lab, "start")
    file = lab / "kernel.c"
    file.write_text("// mine\n" + (clone / "answers/lab01_cpu_naive/kernel.c").read_text())
    said = make(lab, "hint").out
    assert said.splitlines()[0] == "lab01_cpu_naive passes, there is nothing to hint at: make next"


# ---- what is wrong -----------------------------------------------------------------------------
def finding_of(kind: str | None) -> dict[str, Any]:
    return {"verdict": "incomplete", "finding": {"kind": kind, "unstable": False}}


STORE = "_mm256_store_ps(&C[i * N + j], sum)"
CPU, AVX, CUDA = "lab01_cpu_naive", "lab02_avx", "lab09_cuda_shared"
WRONG = {
    "build": (CPU, "real sum = 0;", "real sum = ;"),
    "index": (CPU, "A[i * K + k]", "A[k * M + i]"),
    "sum": (CPU, "real sum = 0;", "real sum = C[i * N + j];"),
    "outside": (CPU, "i < M", "i <= M"),
    "hang": (CPU, "    for (int i = 0;", "    for (;;)\n        C[0] = 0;\n    for (int i = 0;"),
    "crash": (CPU, "real sum = 0;", "real sum = *(volatile real *)(long)K;"),
    "divergence": (
        CUDA,
        "    real sum = 0;",
        "    if (row >= M)\n        return;\n    real sum = 0;",
    ),
}


@pytest.mark.parametrize("tag", WRONG)
def test_what_is_wrong_chooses_the_first_hint(clone: Path, tag: str) -> None:
    name, old, new = WRONG[tag]
    lab = clone / name
    make(lab, "start", "STEP=kernel")
    file = next(lab.glob("kernel.*"))
    file.write_text((clone / "answers" / name / file.name).read_text())
    edit(file, old, new)
    said = make(lab, "hint", "LIMIT=2" if tag == "hang" else "V=0")
    assert place(said.out) == f"what is wrong: {tag}", said.text
    own = parts(name, "kernel").get(f"when {tag}")
    common = of_all_labs(file.suffix)[tag]
    assert (own or common) in said.out


def wrong(clone: Path, *edits: tuple[str, str], name: str = CPU) -> Path:
    """A lab that is begun, with the reference and these mistakes in its kernel."""
    lab = clone / name
    make(lab, "start", "STEP=kernel")
    file = next(lab.glob("kernel.*"))
    file.write_text((clone / "answers" / name / file.name).read_text())
    for old, new in edits:
        edit(file, old, new)
    return lab


def shown(lab: Path) -> list[str]:
    hints: list[str] = json.loads((lab / "mine/state.json").read_text())["hints"]
    return hints


TRANSPOSED = ("A[i * K + k]", "A[k * M + i]")


def test_what_is_wrong_uses_up_no_hint_on_the_idea(clone: Path) -> None:
    """Of one kernel first its lab's hint, then that of all labs, then what is known."""
    lab = wrong(clone, TRANSPOSED)
    count = len([name for name in parts(CPU, "kernel") if name.isdigit()])
    own = parts(CPU, "kernel")["when index"]
    common = of_all_labs(".c")["index"]
    said = [make(lab, "hint").out for _ in range(4)]
    assert (own in said[0], common in said[1]) == (True, True)
    assert all(one.startswith(f"{CPU}: all is said of what is wrong\n") for one in said[2:])
    assert place(make(lab, "hint", "IDEA=1").out) == f"hint 1 of {count}"
    assert place(make(lab, "hint", "IDEA=1").out) == f"hint 2 of {count}"


def test_where_no_hint_fits_it_says_what_is_known(clone: Path) -> None:
    lab = wrong(clone, ("= sum;", "= i == 3 && j == 2 ? -sum : sum;"))
    said = make(lab, "hint").out
    assert said.startswith(f"{CPU}: no hint fits what is wrong\n")
    assert re.search(r"first wrong: \d+ x \d+ x \d+: C\(3,2\) is ", said)
    command = re.search(r"^  next: (make && [.]/gemm \d+ \d+ \d+)$", said, re.MULTILINE)
    assert command is not None, said
    shown_by_it = run(command[1], lab).out
    assert "C(3,2)" in shown_by_it
    assert "look at the map" in shown_by_it
    assert "make hint" not in shown_by_it  # that is where it was told
    assert said.splitlines()[-1] == "make hint IDEA=1: the next hint on the idea"
    assert shown(lab) == []


def test_a_crash_for_want_of_alignment_has_its_line(clone: Path) -> None:
    lab = wrong(clone, ("_mm256_maskstore_ps(&C[i * N + j], lanes, sum)", STORE), name=AVX)
    said = make(lab, "hint").out
    assert place(said) == "what is wrong: crash"
    line = next(
        n for n, text in enumerate((lab / "kernel.c").read_text().splitlines(), 1) if STORE in text
    )
    says = (
        f"kernel.c:{line} touches an address that is not aligned: _mm256_loadu_ps and its like "
        "take any"
    )
    assert says in flat(said)
    assert says in flat(make(lab, "run", "SIZE=64").err)


BUFFER = "static float block[BLOCK_KN * BLOCK_KN]"
TOO_SHORT = {
    "static": ((BUFFER, "static float block[BLOCK_KN * BLOCK_KN / 2]"),),
}
OUTSIDE = {
    "static": "block, of 131072 bytes",
}


@pytest.mark.parametrize("kind", TOO_SHORT)
def test_a_crash_for_a_buffer_that_is_too_short_is_no_matter_of_alignment(
    clone: Path, kind: str
) -> None:
    lab = wrong(clone, *TOO_SHORT[kind], name="lab03_avx_block")
    said = flat(make(lab, "hint").out)
    assert f"kernel.c:40: out of bounds: writes outside {OUTSIDE[kind]} (found by" in said
    assert "is not aligned" not in flat(make(lab, "run", "SIZE=64").err)


def test_memory_that_is_never_freed_is_found_before_the_next_step(clone: Path) -> None:
    """The result is right, and so is the battery of traps: a tool says so."""
    lab = wrong(clone, ("real sum = 0;", "real sum = 0 * *(real *)memset(malloc(4), 0, 4);"))
    edit(
        lab / "kernel.c",
        '#include "params.h"',
        '#include "params.h"\n#include <stdlib.h>\n#include <string.h>',
    )
    said = make(lab, "next", "ANYWAY=1")
    assert said.out.startswith(f"{CPU} does not pass: race: found in gemm\n")
    assert re.search(
        r"kernel[.]c:\d+: memory leak: \d+ bytes are allocated here and never freed", flat(said.out)
    )


PRIVATE = "kernel.cl:9: out of bounds: index 7 out of bounds for type '__private float[7]'"
OVERFLOWS = "kernel.cl:9: stack overflow: does a function call itself, or are private arrays large?"
STOPPED = "kernel.cu:26: barrier divergence: threads of block (1,3) wait at this __syncthreads()"


@pytest.mark.parametrize(
    ("result", "race", "tag"),
    [
        (Result("gemm", FAIL, "crashed", status=-11, crashed=True), Race(), "crash"),
        (Result("gemm", FAIL, "no result within 40 s", status=-15), Race(), "hang"),
        (Result("gemm", FAIL, "", {**finding_of(None), "verdict": "fail"}, status=1), Race(), ""),
        (Result("gemm", FAIL, "kernel.cl does not compile", status=2), Race(), "build"),
        (Result("gemm", FAIL, STOPPED, status=1), Race(), "divergence"),
        (Result("gemm", FAIL, "ended without verifying anything"), Race(), ""),
        (Result("gemm", PASS), Race(FAIL, kind="divergence"), "divergence"),
        (Result("gemm", PASS), Race(FAIL, kind="bounds"), "outside"),
        (Result("gemm", PASS), Race(FAIL, kind="copy"), "copy"),
        (Result("gemm", PASS), Race(FAIL, "", (PRIVATE,), "bounds"), "buffer"),
        (Result("gemm", FAIL), Race(FAIL, "", (OVERFLOWS,), "memory"), "stack"),
        (Result("gemm", PASS), Race(PASS), ""),
    ],
)
def test_the_evidence_names_the_hint(tree: Path, result: Result, race: Race, tag: str) -> None:
    lab = describe(str(tree / CUDA), [])
    assert evidence(Grade(lab, programs=[result], race=race)) == tag


@pytest.mark.parametrize(
    ("array", "at"),
    [("real part[4];", "part[threadIdx.x]"), ("__shared__ real t[4][4];", "t[1][threadIdx.x]")],
)
def test_an_index_past_an_array_in_cuda_has_its_line_and_a_hint(
    clone: Path, array: str, at: str
) -> None:
    """And not: a loop that does not end. It would overwrite the loop's own variables."""
    store = f"{array} {at} = sum; C[row * N + col] = {at};"
    lab = wrong(clone, ("C[row * N + col] = sum;", store), name="lab08_cuda_naive")
    said = " ".join(make(lab, "hint", "CUDA=cpu").out.split())
    assert "what is wrong: buffer " in said
    assert re.search(r"kernel\.cu:\d+: thread \(\d+,\d+,0\) of block .* uses index \d+ of an", said)
