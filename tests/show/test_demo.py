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


def test_a_right_lab_passes(broken: Copy, tree: Path) -> None:
    result = demo(tree, broken("right"))
    assert result.status == 0
    assert result.out.startswith("C = A * B, float, each lab verified, then timed (median)\n\n")
    assert re.search(
        r"^right_lab01_cpu_naive +[\d.]+ ms +[\d.]+ +- +1.00x  PASS #+$", result.out, re.M
    )
    assert re.search(r"^.+: N=48$", result.out, re.M)


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        (
            "hangs",
            {"LIMIT": "2"},
            "no result within 2 s at 48 x 48 x 48: a loop that does not end?",
        ),
        (
            "crashes",
            {},
            "crashed with signal 11 at 48 x 48 x 48: kernel.c:12 writes where there is no memory",
        ),
        ("is_wrong", {}, "wrong at 48 x 48 x 48: "),
        ("ends", {}, "the kernel ended the program before its result was verified"),
        ("skips", {}, "the kernel ended the program with status 77 before its result was verified"),
        ("does_not_build", {}, "does not build: kernel.c:"),
    ],
)
def test_a_lab_that_fails_says_why_and_the_others_go_on(
    broken: Copy, tree: Path, kind: str, settings: dict[str, str], words: str
) -> None:
    result = demo(tree, broken(kind), broken("right"), **settings)
    assert result.status == 1
    assert rows(result.out) == [f"{kind}_lab01_cpu_naive"[:19], "right_lab01_cpu_naive"[:19]]
    assert re.findall("(PASS|FAIL)( #+)?$", result.out, re.M) == [
        ("FAIL", ""),
        ("PASS", " " + 13 * "#"),
    ]
    assert f"failed {kind}_lab01_cpu_naive: {words}" in " ".join(result.out.split())
    assert max(map(len, result.out.splitlines())) <= 80


def test_after_a_lab_that_does_not_build_there_is_nothing_to_compare_with(
    broken: Copy, tree: Path
) -> None:
    result = demo(tree, broken("right"), broken("does_not_build"), broken("right"))
    speeds = re.findall(r"^right_lab01_cpu_naive +[\d.]+ ms +[\d.]+ +(\S+) ", result.out, re.M)
    assert speeds == ["-", "-"]


def test_a_skip_has_its_reason_and_is_no_failure(tree: Path, broken: Copy) -> None:
    result = demo(tree, Path("lab02_avx"), broken("right"), MAKEFLAGS=" -- TYPE=int")
    assert result.status == 0
    assert re.search("^lab02_avx  +SKIP$", result.out, re.M)
    assert "skipped lab02_avx: the AVX labs are written for float, not int" in result.out
    assert "C = A * B, int, " in result.out


@pytest.mark.parametrize(
    "size", ["0", "abc", "0^5", "-3", "-3^2", "99999999999", "2^31", "64 0 64"]
)
def test_a_size_that_is_none_is_told_at_once(bare: Path, size: str) -> None:
    result = make(bare, "demo", f"SIZE={size}")
    assert result.status == 2
    assert result.out == ""
    assert re.match(
        r"demo: SIZE: \S+ is no size: give 1 to 2\^31-1, as 1024 or 2\^10\nmake: .*\n$", result.err
    )
    assert not list(bare.glob("**/build"))


def test_three_sizes(broken: Copy, tree: Path) -> None:
    assert ": N=48 16 32\n" in demo(tree, broken("right"), SIZE="48 16 32").out


@pytest.mark.parametrize("words", [["lab99"], ["common"], []])
def test_what_is_no_lab(tree: Path, words: list[str]) -> None:
    result = run([*DEMO, *words], tree)
    assert result.status == 2
    assert "lab" in result.err.splitlines()[-1]


def test_variant_is_not_for_demo_which_shows_them_all(tree: Path, broken: Copy) -> None:
    result = demo(tree, broken("right"), MAKEFLAGS=" -- VARIANT=published")
    assert result.status == 0


# ---- in a terminal ------------------------------------------------------------------------------
@pytest.mark.parametrize("height", [6, 50])
def test_a_terminal_shows_the_ladder_once(broken: Copy, tree: Path, height: int) -> None:
    folders = [str(broken("right")), str(broken("is_wrong")), str(broken("right"))]
    result = in_terminal([*DEMO, *folders], tree, rows=height, env={"SIZE": "48"})
    shown = re.findall(r"^(\w+)_lab01_cpu_naive .*(?:PASS|FAIL)", "\n".join(result.screen), re.M)
    assert shown == ["right", "is_wrong", "right"]
    assert max(map(len, result.screen)) <= 80
    assert not any("demo [" in line for line in result.screen)
    assert "demo [" in result.out


@pytest.mark.parametrize(("no_color", "colours"), [("", True), ("1", False)])
def test_colours_only_where_they_are_wanted(
    broken: Copy, tree: Path, no_color: str, colours: bool
) -> None:
    env = {"SIZE": "48", "NO_COLOR": no_color}
    result = in_terminal([*DEMO, str(broken("right"))], tree, env=env)
    assert ("\033[32mPASS\033[0m" in result.out) == colours
    assert bool(re.search("\033\\[3\\dm", result.out)) == colours  # 3A goes up three lines


# ---- steps --------------------------------------------------------------------------------------
@pytest.fixture
def stepwise(lab: Copy) -> Path:
    """lab01 with two steps, whose order is not that of the alphabet, and a variant that is none."""
    folder = lab("lab01_cpu_naive")
    for variant in "zebra", "aardvark", "other":
        edited = (folder / "kernel.c").read_text(encoding="utf-8")
        (folder / f"kernel_{variant}.c").write_text(edited + f"// {variant}\n", encoding="utf-8")
    edit(folder / "Makefile", "include", "STEPS = zebra aardvark\ninclude")
    return folder


@pytest.mark.slow
def test_steps_come_first_and_are_compared_with_each_other(
    stepwise: Path, broken: Copy, tree: Path
) -> None:
    result = demo(tree, broken("right"), stepwise, SIZE="256")
    assert rows(result.out)[1:] == [
        "  step zebra",
        "  step aardvark",
        stepwise.name[:19],
        "  other",
    ]
    line = r"^\s*(?:step )?(\S+) +[\d.]+ ms +([\d.]+) +([\d.]+)x"
    table = {
        name: (float(speed), float(than))
        for name, speed, than in re.findall(line, result.out, re.M)
    }
    before = float(re.findall(r"^right_\S+ +[\d.]+ ms +([\d.]+)", result.out, re.M)[0])
    for name in "zebra", "aardvark", stepwise.name, "other":
        speed, than = table[name]
        former = table["zebra"][0] if name == "aardvark" else before
        rounding = speed / former * (0.005 / speed + 0.005 / former)  # of a slow machine's speeds
        assert than == pytest.approx(speed / former, abs=0.02 + rounding), name
    assert "\nstep: on the way to the lab below" in result.out


# ---- the table alone ----------------------------------------------------------------------------
def a_run(gflops: float, ms: float = 1.0, spread: float = 0.0, device: str = "a CPU") -> Run:
    record = {
        "gflops": gflops,
        "spread": spread,
        "device": device,
        "backend": "cpu",
        "repetitions": [{"kernel_ms": ms}],
    }
    return Run("gemm", PASS, "", record)


def test_bars_are_parts_of_the_best() -> None:
    lines = table(
        [Row("a", "a", a_run(50)), Row("b", "b", a_run(100)), Row("c", "c", a_run(0.001))], False
    )
    assert [line.count("#") for line in lines[2:]] == [7, 13, 0]


def test_a_speedup_over_the_first_is_of_one_device_at_one_size() -> None:
    runs = [("a CPU", "512", 2), ("a CPU", "512", 8), ("a GPU", "512", 50), ("a CPU", "2048", 9)]
    shown = [Row("a", "a", a_run(speed, device=name), size) for name, size, speed in runs]
    assert [line[48:57].strip() for line in table(shown, False)[2:]] == ["1.00x", "4.00x", "", ""]


def test_what_has_no_speed_before_it_has_no_ratio() -> None:
    lines = table(
        [Row("a", "a", Run("gemm", FAIL, "why")), Row("b", "b", a_run(100), "64", 0.0)], False
    )
    assert lines[0].split() == ["speedup", "over"]
    assert lines[2].split() == ["a", "FAIL"]
    assert lines[3].split() == ["b", "1.00", "ms", "100", "-", "PASS", 13 * "#"]


def test_it_ends_with_the_way_to_the_page(lab: Copy, tree: Path) -> None:
    said = demo(tree, lab("lab01_cpu_naive")).out.splitlines()[-1]
    assert said == "next: make page, which shows every step of these kernels in a browser"
    page = tree / "build/page.html"
    page.write_text("", encoding="utf-8")
    try:
        said = demo(tree, lab("lab01_cpu_naive")).out.splitlines()[-1]
    finally:
        page.unlink()
    assert said.startswith("page: build/page.html ")


def test_notes_are_said_once_and_fit_the_screen() -> None:
    wide = a_run(1, spread=0.3)
    skip = Run(
        "gemm",
        SKIP,
        "no device of which anybody knows anything is here, as far as can be told today",
    )
    said = notes(
        [
            Row("a", "a", wide, "64"),
            Row("b", "b", skip),
            Row("c", "c", wide, "64"),
            Row("d", "d", skip),
        ]
    )
    assert said.count("a CPU: N=64") == 1
    assert "a: spread 30 %, run it again on a quiet machine" in said
    assert max(map(len, said)) <= 80
