# SPDX-License-Identifier: MIT
"""make race where it cannot do its work, or is asked for more. That it finds mistakes, and where,
is tested by tests/mutants/race; how it reads what the tools say, by test_race_findings.py."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Copy
from tests.copies import changed
from tests.schemas import complaints
from tests.support import TOP, Result, edit, make, needs, run, without
from tests.terminal import in_terminal

PARAMS = '#include "params.h"\n'
SUM = "real sum = 0;"


def flat(text: str) -> str:
    return " ".join(text.split())


def last(result: Result) -> str:
    return result.out.strip().rpartition("\n")[2]


def record(tree: Path) -> dict[str, Any]:
    said = json.loads((tree / "build/race.json").read_text(encoding="utf-8"))
    assert complaints(said, "gemm-race") == []
    return dict(said)


@pytest.fixture
def naive(lab: Copy) -> Path:
    return lab("lab01_cpu_naive")


def break_sum(folder: Path, words: str) -> None:
    edit(folder / "kernel.c", SUM, words)


def test_without_valgrind_the_sanitizers_are_left(tree: Path, tmp_path: Path) -> None:
    result = make(tree / "lab01_cpu_naive", "race", env=without("valgrind", tmp_path / "bin"))
    assert result.status == 0
    assert "apt-get install valgrind" in result.out
    assert last(result) == "1 passed, 0 failed, 0 skipped"


def test_a_build_for_a_tool_that_cannot_be_made_is_a_skip_with_the_builds_reason(
    lab: Copy, tree: Path
) -> None:
    """As that of an AVX-512 lab for valgrind, where SIMDe is missing."""
    needs("valgrind")
    folder = lab("lab02_avx")
    edit(folder / "Makefile", "include", "RACE = SIMDE=1\ninclude")
    makefile = tree / "make/c.mk"
    with changed(makefile, makefile.read_text().replace("/simde/x86/avx2.h", "/simde/nowhere.h")):
        result = make(folder, "race")
    assert result.status == 0, result.text
    assert "valgrind: no SIMDe, which is what AVX needs with SIMDE=1: run ./setup" in flat(
        result.out
    )
    assert last(result) == "1 passed, 0 failed, 0 skipped"
    verdicts = {tool["tool"]: tool["verdict"] for tool in record(tree)["labs"][0]["tools"]}
    assert verdicts == {"ASan+UBSan": "PASS", "valgrind": "SKIP"}


@pytest.mark.slow
def test_makes_flags_do_not_reach_the_tools(lab: Copy, tree: Path) -> None:
    needs("clang")
    folder = lab("lab07_ocl_localmem")
    edit(
        folder / "kernel_one_per_item.cl",
        "barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete",
        ";",
    )
    result = run(
        ["make", "-w", "-j2", "-k", "-C", folder.name, "race", "VARIANT=one_per_item", "TILE=8"],
        tree,
    )
    assert result.status == 2
    assert f"{folder.name}/kernel_one_per_item.cl:28: data race: line 36" in result.out
    said = record(tree)
    assert said["settings"] == ["VARIANT=one_per_item", "TILE=8"] or said["settings"] == [
        "TILE=8",
        "VARIANT=one_per_item",
    ]
    finding = said["labs"][0]["findings"][0]
    assert (finding["program"], finding["tool"], finding["file"]) == (
        "gemm_one_per_item",
        "TSan",
        "kernel_one_per_item.cl",
    )
    assert (finding["line"], finding["kind"]) == (28, "race")
    assert finding["text"].startswith("data race")
    assert {tool["program"] for tool in said["labs"][0]["tools"]} == {"gemm_one_per_item"}


def test_a_loop_without_an_end_is_ended(naive: Path) -> None:
    break_sum(naive, f"for (volatile int forever = 1; forever;) {{}} {SUM}")
    result = make(naive, "race", env={"LIMIT": "2"})
    assert result.status == 2
    assert "no result within 2 seconds" in result.out


def test_what_does_not_build_says_where(naive: Path, tree: Path) -> None:
    break_sum(naive, "real sum = nothing;")
    result = make(naive, "race")
    assert result.status == 2
    assert "does not build: kernel.c" in result.out
    assert last(result) == "0 passed, 1 failed, 0 skipped"
    assert record(tree)["labs"][0]["findings"][0]["kind"] == "build"


@pytest.mark.parametrize(("setting", "verbose"), [("", False), ("V=0", False), ("V=1", True)])
def test_noise_is_shown_only_when_asked_for(naive: Path, setting: str, verbose: bool) -> None:
    edit(naive / "kernel.c", "k < K; k++", "k <= K; k++")
    result = make(naive, "race", *setting.split())
    assert result.status == 2
    assert "kernel.c:12: out of bounds" in result.out
    assert "12 | sum += A[i * K + k] * B[k * N + j];" in result.out
    assert ("Shadow bytes" in result.out) == verbose
    assert verbose or max(map(len, result.out.splitlines())) <= 80


def test_a_wrong_result_that_no_tool_explains(naive: Path, tree: Path) -> None:
    needs("valgrind")
    break_sum(naive, "real sum = 1;")
    result = make(naive, "race")
    assert result.status == 2
    assert "wrong result, but no tool finds a race" in result.out
    assert record(tree)["labs"][0]["findings"][0]["kind"] == "wrong"


def test_an_interrupt_ends_everything(naive: Path, tree: Path) -> None:
    break_sum(
        naive,
        f'FILE *f = fopen("pid", "w"); fprintf(f, "%d", (int)getpid()); fclose(f); for (;;) {{}} '
        f"{SUM}",
    )
    edit(
        naive / "kernel.c",
        '#include "params.h"',
        '#include "params.h"\n#include <stdio.h>\n#include <unistd.h>',
    )
    before = (
        (tree / "build/race.json").read_bytes() if (tree / "build/race.json").exists() else None
    )
    pids: list[int] = []

    def when(_: str) -> int:
        for file in (tree / "build").glob("race.*/*/*/pid"):
            if file.read_text():
                pids.append(int(file.read_text()))
                return signal.SIGINT
        return 0

    session = in_terminal(["python3", "-m", "workbook", "race", naive.name], tree, when=when)
    assert session.status == 130
    assert pids
    stat = Path(f"/proc/{pids[0]}/stat")
    assert not stat.exists() or ") Z " in stat.read_text(), (
        "it may wait for init, and computes no more"
    )
    assert not list((tree / "build").glob("race.*/"))
    after = (tree / "build/race.json").read_bytes() if (tree / "build/race.json").exists() else None
    assert before == after


def test_what_a_killed_run_left_goes(tree: Path) -> None:
    ended = (
        subprocess.run(["sh", "-c", "echo $$"], stdout=subprocess.PIPE, check=True)
        .stdout.decode()
        .strip()
    )
    left, others = tree / f"build/race.{ended}.abc", tree / f"build/race.{os.getpid()}.abc"
    left.mkdir(parents=True)
    others.mkdir()
    run([sys.executable, "-m", "workbook", "race", "lab01_cpu_naive"], tree)
    assert (left.exists(), others.exists()) == (False, True)
    others.rmdir()


def test_an_intrinsic_takes_two_floats_at_any_address(lab: Copy) -> None:
    needs("valgrind")
    folder = lab("lab02_avx")
    honest, other = (TOP / "tests" / of / "two_floats.c" for of in ("honest", "cheats"))
    (folder / "kernel.c").write_text(PARAMS + honest.read_text())
    result = make(folder, "race")
    assert last(result) == "1 passed, 0 failed, 0 skipped", result.text
    (folder / "kernel.c").write_text(PARAMS + other.read_text())
    assert "kernel.c:17: undefined behaviour: load of misaligned" in make(folder, "race").out
    make(folder, "gemm", "SAN=undefined")
    ended = run(["./gemm", "17", "--once"], folder)  # by itself
    assert (ended.status, "misaligned address" in ended.err) == (1, True), ended.text


OWN_PARAMS = {
    "settled": "#define GROUP_X 16\n#define GROUP_Y 16\n",
    "no-small-blocks": "#ifndef GROUP_X\n#define GROUP_X 16\n#endif\n#ifndef GROUP_Y\n"
    "#define GROUP_Y 16\n#endif\n#if GROUP_Y < 16\n#error small\n#endif\n",
}


@pytest.mark.parametrize("name", OWN_PARAMS)
def test_of_a_params_h_of_ones_own_only_what_is_wrong_is_told(lab: Copy, name: str) -> None:
    """Where it does not take the small blocks of the lab's RACE, what it says is looked at."""
    needs("clang")
    folder = lab("lab04_ocl_naive")
    for variant in folder.glob("kernel_*"):
        variant.unlink()
    sizes = {"TILE_M": "GROUP_Y", "TILE_N": "GROUP_X", "TILE_K": "1"}
    own = OWN_PARAMS[name]
    own += "".join(f"#define {size} {is_}\n" for size, is_ in sizes.items() if size not in own)
    (folder / "params.h").write_text(own)
    result = make(folder, "race")
    assert last(result) == "1 passed, 0 failed, 0 skipped", result.text
    edit(folder / "kernel.cl", "row < M && col < N", "row <= M && col < N")
    result = make(folder, "race")
    said = flat(result.out)
    assert "kernel.cl:16: out of bounds: reads outside" in said, result.text
    assert "; with " not in said


@pytest.mark.parametrize("refusal", ["", "static_assert(BLOCK == 32);\n"])
def test_a_race_with_the_kernels_own_block_alone(lab: Copy, refusal: str) -> None:
    """Whether it accepts the small blocks of RACE, which have the barrier, or not."""
    folder = lab("lab09_cuda_shared")
    (folder / "kernel_no_prefetch.cu").unlink()
    edit(folder / "kernel.cu", PARAMS, f"{PARAMS}{refusal}")
    barrier = "__syncthreads(); // the tiles are complete"
    edit(folder / "kernel.cu", barrier, f"if (BLOCK < 32) {barrier}")
    result = make(folder, "race", "CUDA=cpu")
    assert last(result) == "0 passed, 1 failed, 0 skipped", result.text
    assert "data race" in result.out
    assert "; with " not in flat(result.out)


# ---- what the sanitizers take, and what they call a fault, is not the kernel's ------------------
def emulated(folder: Path, sanitizer: str, *words: str, **options: str) -> Result:
    built = make(folder, "gemm", "CUDA=cpu", f"SAN={sanitizer}")
    assert built.status == 0, built.text
    return run(["setarch", "-R", folder / "gemm", *words, "--once"], folder, env=options)


def test_the_stacks_that_a_sanitizer_has_for_emulated_threads_are_not_its_kernel_s(
    lab: Copy,
) -> None:
    """2.7 MB for each of 1024 that wait at a barrier; gcc has them by default since 13."""
    folder = lab("lab09_cuda_shared")
    edit(folder / "kernel.cu", SUM, "volatile real sums[2] = {}; volatile real &sum = sums[x % 2];")
    said = emulated(folder, "address", "33", ASAN_OPTIONS="detect_stack_use_after_return=1")
    assert said.status == 0, said.text
