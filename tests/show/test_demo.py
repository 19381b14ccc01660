# SPDX-License-Identifier: MIT
"""make demo: a row for each program, steps in their order, and a word for what went wrong."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.conftest import Copy
from tests.support import TOP, Result, edit, make, run
from tests.terminal import in_terminal
from workbook.lab.program import FAIL, PASS, SKIP
from workbook.lab.program import Result as Run
from workbook.show.ladder import Row, notes, table

# Those of baseline/ have rows where they are installed.
NO_LIBRARY = {
    f"{name}_LIBRARY": "/none"
    for name in ("OPENBLAS", "BLIS", "MKL", "SCALAPACK", "CLBLAST", "CUBLAS")
}
DEMO = [sys.executable, "-m", "workbook", "demo"]


def demo(tree: Path, *folders: Path, **settings: str) -> Result:
    return run([*DEMO, *folders], tree, env={"SIZE": "48", **settings})


def rows(text: str) -> list[str]:
    """The labels of the ladder: from the heading to the empty line."""
    lines = text.splitlines()
    heading = next(n for n, line in enumerate(lines) if line.lstrip().startswith("time"))
    return [line[:19].rstrip() for line in lines[heading + 1 : lines.index("", heading)]]


@pytest.mark.slow
def test_every_program_of_every_lab_has_its_row(tree: Path) -> None:
    result = make(tree, "demo", "SIZE=48", env=NO_LIBRARY, seconds=600)
    assert result.status == 0, result.text
    page = (TOP / "docs/results.md").read_text(encoding="utf-8")
    younger = {"  step square"}  # than the transcripts of the page, as it says
    shown = [row for row in rows(result.out) if row not in younger]
    assert shown == rows(page[page.index("```\nC = A * B") :])
    assert result.out.count(" PASS") == len(rows(result.out))
    assert "FAIL" not in result.out and "SKIP" not in result.out
    assert max(map(len, result.text.splitlines())) <= 80
    assert len(result.err.splitlines()) <= 12, result.err


def test_a_right_lab_passes_and_a_skip_is_no_failure(broken: Copy, tree: Path) -> None:
    """VARIANT is not for demo, which shows them all; the last line is the way to the page."""
    page = tree / "build/page.html"
    page.unlink(missing_ok=True)  # of another test
    right = demo(tree, broken("right"), SIZE="48 16 32", MAKEFLAGS=" -- VARIANT=published")
    assert right.status == 0
    assert right.out.startswith("C = A * B, float, each lab verified, then timed (median)\n\n")
    row = r"^right_lab01_cpu_naive +[\d.]+ ms +[\d.]+ +- +1.00x  PASS #+$"
    assert re.search(row, right.out, re.M) and ": N=48 16 32\n" in right.out
    assert right.out.splitlines()[-1].startswith("next: make page, which shows every step")
    page.write_text("", encoding="utf-8")
    skip = demo(tree, Path("lab02_avx"), broken("right"), MAKEFLAGS=" -- TYPE=int")
    page.unlink()
    assert skip.status == 0
    assert re.search("^lab02_avx  +SKIP$", skip.out, re.M) and "C = A * B, int, " in skip.out
    assert "skipped lab02_avx: the AVX labs are written for float, not int" in skip.out
    assert skip.out.splitlines()[-1].startswith("page: build/page.html ")


ENDED = "the kernel ended the program{} before its result was verified"
KINDS = {
    "hangs": "no result within 2 s at 48 x 48 x 48: a loop that does not end?",
    "crashes": "crashed with signal 11 at 48 x 48 x 48: kernel.c:12 writes where there is no",
    "is_wrong": "wrong at 48 x 48 x 48: ",
    "ends": ENDED.format(""),
    "skips": ENDED.format(" with status 77"),
    "does_not_build": "does not build: kernel.c:",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_lab_that_fails_says_why_and_the_others_go_on(
    broken: Copy, tree: Path, kind: str
) -> None:
    limit = {"LIMIT": "2"} if kind == "hangs" else {}
    result = demo(tree, broken("right"), broken(kind), broken("right"), **limit)
    assert result.status == 1
    labels = [f"{one}_lab01_cpu_naive"[:19] for one in ("right", kind, "right")]
    assert rows(result.out) == labels
    verdicts = re.findall("(PASS|FAIL)(?: #+)?$", result.out, re.M)
    assert verdicts == ["PASS", "FAIL", "PASS"]
    # After a lab that failed there is nothing to compare with.
    ratios = re.findall(r"^right_lab01_cpu_naive +[\d.]+ ms +[\d.]+ +(\S+) ", result.out, re.M)
    assert ratios == ["-", "-"]
    said = " ".join(result.out.split())
    assert f"failed {kind}_lab01_cpu_naive: {KINDS[kind]}" in said
    assert max(map(len, result.out.splitlines())) <= 80


# ---- in a terminal ------------------------------------------------------------------------------
@pytest.mark.parametrize(("height", "no_color"), [(6, ""), (50, "1")])
def test_a_terminal_shows_the_ladder_once(
    broken: Copy, tree: Path, height: int, no_color: str
) -> None:
    folders = [str(broken(kind)) for kind in ("right", "is_wrong", "right")]
    env = {"SIZE": "48", "NO_COLOR": no_color}
    result = in_terminal([*DEMO, *folders], tree, rows=height, env=env)
    screen = re.sub("\033\\[\\d*m", "", "\n".join(result.screen))
    shown = re.findall(r"^(\w+)_lab01_cpu_naive .*(?:PASS|FAIL)", screen, re.M)
    assert shown == ["right", "is_wrong", "right"]
    assert max(map(len, screen.splitlines())) <= 80
    assert "demo [" not in screen and "demo [" in result.out
    assert ("\033[32mPASS\033[0m" in result.out) == (not no_color)
    assert bool(re.search("\033\\[3\\dm", result.out)) == (not no_color)  # 3A goes up three lines


@pytest.mark.slow
def test_steps_come_first_and_are_compared_with_each_other(
    broken: Copy, lab: Copy, tree: Path
) -> None:
    """In the order of STEPS, which is not that of the alphabet; `other` is a variant."""
    folder = lab("lab01_cpu_naive")
    for variant in "zebra", "aardvark", "other":
        edited = (folder / "kernel.c").read_text(encoding="utf-8")
        (folder / f"kernel_{variant}.c").write_text(edited + f"// {variant}\n", encoding="utf-8")
    edit(folder / "Makefile", "include", "STEPS = zebra aardvark\ninclude")
    result = demo(tree, broken("right"), folder, SIZE="256")
    steps = ["  step zebra", "  step aardvark", folder.name[:19], "  other"]
    assert rows(result.out)[1:] == steps
    line = r"^\s*(?:step )?(\S+) +[\d.]+ ms +([\d.]+) +([\d.]+|-)x?"
    found = re.findall(line, result.out, re.M)
    speeds = {name: float(speed) for name, speed, _ in found}
    before = float(found[0][1])
    for name, speed, than in found[1:]:
        former = speeds["zebra"] if name == "aardvark" else before
        ratio = float(speed) / former
        rounding = ratio * (0.005 / float(speed) + 0.005 / former)  # of a slow machine's speeds
        assert float(than) == pytest.approx(ratio, abs=0.02 + rounding), name
    assert "\nstep: on the way to the lab below" in result.out


# ---- the table alone ----------------------------------------------------------------------------
def a_run(gflops: float, spread: float = 0.0, device: str = "a CPU") -> Run:
    about = {"spread": spread, "device": device, "backend": "cpu"}
    return Run("gemm", PASS, "", {"gflops": gflops, "repetitions": [{"kernel_ms": 1.0}], **about})


def test_bars_are_parts_of_the_best_and_ratios_of_one_device_at_one_size() -> None:
    failed = Run("gemm", FAIL, "why")
    runs = [("512", 2.0, "a CPU"), ("512", 8.0, "a CPU"), ("512", 50.0, "a GPU")]
    runs += [("2048", 100.0, "a CPU"), ("512", 0.001, "a CPU")]
    made = [Row("a", "a", a_run(speed, device=name), size) for size, speed, name in runs]
    lines = table([*made, Row("b", "b", failed)], False)
    assert [line[48:57].strip() for line in lines[2:7]] == ["1.00x", "4.00x", "", "", "0.00x"]
    assert [line.count("#") for line in lines[2:]] == [1, 2, 7, 13, 0, 0]
    assert lines[0].split() == ["speedup", "over"] and lines[-1].split() == ["b", "FAIL"]


def test_notes_are_said_once_and_fit_the_screen() -> None:
    wide = a_run(1, spread=0.3)
    skip = Run("gemm", SKIP, "no device of which anybody knows anything is here, as far as can be")
    said = notes([Row(name, name, one, "64") for name, one in zip("abcd", [wide, skip] * 2)])
    assert said.count("a CPU: N=64") == 1
    assert "a: spread 30 %, run it again on a quiet machine" in said
    assert max(map(len, said)) <= 80
