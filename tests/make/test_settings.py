# SPDX-License-Identifier: MIT
"""A setting on make's command line that nothing knows is refused before anything is built, and the
nearest one is named; all that there are pass."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support import TOP, make

LAB = "lab03_avx_block"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("-C lab04_ocl_naive run GROUPX=8", "the nearest is GROUP_X"),
        ("run BLOK=8", "the nearest is BLOCK"),
        ("run size=64", "the nearest is SIZE"),
        ("-C lab01_cpu_naive check type=int", "the nearest is TYPE"),
        ("-C lab01_cpu_naive check LAB=lab77", "there are"),
        ("-C lab03_avx_block run FOO=1", "there are BLOCK_KN ROWS SIZE"),
    ],
)
def test_an_unknown_setting_is_refused(bare: Path, words: str, says: str) -> None:
    result = make(bare, *words.split())
    assert result.status == 2
    assert result.err.count("no such setting here; ") == 1
    assert f"no such setting here; {says}" in result.err
    assert not list(bare.glob("**/build"))


@pytest.mark.parametrize(
    "value", ["abc", "", "-16", "3.5", "16x", "0x10", "(16)", "16 32", "16;id"]
)
def test_a_tunable_is_a_whole_number(bare: Path, value: str) -> None:
    """Or the compiler would name every line that uses it."""
    result = make(bare, "-C", LAB, "gemm", f"BLOCK_KN={value}")
    assert result.status == 2
    assert (
        f"*** BLOCK_KN={value}: a tunable is a whole number, as in params.h: BLOCK_KN=16.  Stop."
        in result.err
    )
    assert not list(bare.glob("**/build"))


@pytest.mark.parametrize("name", ["GROUP_X", "TILE_K"])
def test_a_tunable_that_a_variant_makes_of_another_is_refused(clone: Path, name: str) -> None:
    """With another value the kernel would be wrong, and nothing in it is."""
    result = make(clone, "-C", "lab07_ocl_localmem", "run", "VARIANT=square", f"{name}=8")
    assert f"*** {name}=8: here {name} is TILE: set that.  Stop." in result.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("rnu", "no target rnu: the nearest is run"),
        ("chekc LAB=05", "no target chekc: the nearest is check"),
        ("-C lab02_avx strat", "no target strat: the nearest is start"),
        (
            "-C lab03_avx_block gemm_publihsed",
            "no target gemm_publihsed: the nearest is gemm_published",
        ),
        ("-C advanced/lab10_avx_pack xyz", "no target xyz: make help lists them"),
        ("check LABS=lab99", "LABS=lab99: no such lab; there are lab01_cpu_naive"),
    ],
)
def test_an_unknown_target_or_lab_is_one_line(bare: Path, words: str, says: str) -> None:
    result = make(bare, *words.split())
    assert (result.status, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert f"*** {says}" in result.err
    assert not list(bare.glob("**/build"))


def test_labs_are_some_of_them(clone: Path) -> None:
    said = make(clone, "-n", "check", "LABS=02 lab01_cpu_naive 10")
    assert said.out.splitlines()[-1].endswith(
        "check lab02_avx lab01_cpu_naive advanced/lab10_avx_pack"
    )


@pytest.mark.parametrize(
    ("lab", "setting", "says"),
    [
        (LAB, "TYPE=half", "choose float, double or int"),
        (LAB, "VARIANT=best", "this lab has block published regtile transpose"),
        ("lab02_avx", "VARIANT=best", "this lab has none"),
        ("lab08_cuda_naive", "CUDA=gpu", "choose nvcc, for a device, or cpu, to emulate one"),
    ],
)
def test_a_choice_is_one_of_those_that_there_are(
    bare: Path, lab: str, setting: str, says: str
) -> None:
    result = make(bare, "-C", lab, "gemm", setting)
    assert result.status == 2
    assert f"*** {setting}: {says}.  Stop." in result.err
    assert not list(bare.glob("**/build"))


def with_a_default() -> list[str]:
    """Every name with a default in a Makefile."""
    makefiles = [
        TOP / "Makefile",
        TOP / "make/lab.mk",
        *TOP.glob("make/*.mk"),
        *TOP.glob("lab*/Makefile"),
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in makefiles)
    names = re.findall(r"^([A-Z][A-Z0-9_]*) *[?]?=", text, re.MULTILINE)
    return sorted(
        {
            name
            for name in names
            if not re.match(
                "SWEEP|OTHER|EXPERIMENTS|PAYS|PAGE|BASE|BESIDE|RACE|DEFS|STEPS|TYPE|VARIANT", name
            )
        }
    )


SETTINGS = """TYPE=int SIZE=64 SIZES=64,128 LIMIT=9 ARGS=--reps V=1 SAN=address CUDA=cpu CC=clang
CXX=clang++ NVCC=nvcc CFLAGS=-g CI=1 A=lab01_cpu_naive B=lab02_avx QUICK=1 FRESH=1 TRIALS=9
TUNE=BLOCK=16,32 TUNED=0 GUARD_BYTES=0 VARIANT= SWEEP=BLOCK=16
SWEEP_published= TUNE_published= DEFS_published=""".split()


@pytest.mark.parametrize("folder", [".", LAB])
def test_what_there_is_passes(tree: Path, folder: str) -> None:
    result = make(tree / folder, "-n", "help", *SETTINGS)
    assert (result.status, result.err) == (0, "")


def test_names_with_a_default_pass(tree: Path) -> None:
    names = [f"{name}=1" for name in with_a_default()]
    result = make(tree / "lab01_cpu_naive", "-n", "help", *names)
    assert result.status == 0, result.text


def test_at_the_top_the_tunables_of_any_lab_pass(tree: Path) -> None:
    assert make(tree, "-n", "help", "BLOCK=16", "TILE_K=8").status == 0


def test_tunables_reach_the_labs_that_have_them(tree: Path) -> None:
    result = make(tree, "-n", "lab01_cpu_naive", LAB, "BLOCK_KN=16", "V=1")
    assert result.status == 0
    assert " -DBLOCK_KN=16 " in result.out


def test_the_environment_is_not_judged(tree: Path) -> None:
    assert make(tree, "help", env={"GROUPX": "8"}).status == 0


@pytest.mark.parametrize("of", ["lab02_avx", "advanced/lab10_avx_pack"])
@pytest.mark.parametrize(
    ("number", "lab"),
    [
        ("02", "lab02_avx"),
        ("2", "lab02_avx"),
        ("lab03_avx_block", "lab03_avx_block"),
        ("10", "lab10_avx_pack"),
    ],
)
def test_a_number_typed_in_the_folder_of_any_lab_is_that_lab(
    tree: Path, of: str, number: str, lab: str
) -> None:
    """A hint says make start LAB=02, wherever it is read."""
    said = make(tree / of, "-s", "describe", f"LAB={number}", env={"PWD": str(tree / of)})
    assert (said.status, said.err) == (0, "")
    assert json.loads(said.out)["lab"] == lab


def test_what_stops_there_stops_here(tree: Path) -> None:
    said = make(tree / "lab02_avx", "describe", "LAB=03", "TYPE=real")
    assert said.status == 2
    assert "TYPE=real: choose float, double or int" in said.err
