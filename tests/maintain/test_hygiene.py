# SPDX-License-Identifier: MIT
"""No warnings, no undefined behaviour, one format: what tools can see in the sources."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.copies import copy_to, sources
from tests.support import TOP, make, needs, run

LABS = sorted(path.name for path in TOP.glob("lab[0-9]*"))
PYTHON = [name for name in sources() if name.endswith(".py")]
# May need what ./setup report and ./setup tune install.
RING_2 = ("workbook/report", "workbook/advanced", "workbook/maintain", "workbook/tune")
CORES = f"-j{os.cpu_count() or 1}"


def is_shell(name: str) -> bool:
    head = b"\n".join((TOP / name).read_bytes()[:300].splitlines()[:3])
    return re.match(rb"#!.*sh\n", head) is not None or b"shellcheck shell=" in head


def test_shellcheck_is_content() -> None:
    needs("shellcheck")
    scripts = [name for name in sources() if is_shell(name)]
    assert {"setup", ".ci/run"} <= set(scripts)
    assert run(["shellcheck", "-x", *scripts], TOP).text == ""


def test_c_has_one_format() -> None:
    needs("clang-format")
    files = [name for name in sources() if name.endswith((".c", ".h", ".cl", ".cpp", ".cu"))]
    assert len(files) > 50
    assert run(["clang-format", "--dry-run", "-Werror", *files], TOP).text == ""


def test_javascript_has_one_format() -> None:
    needs("clang-format")
    files = [name for name in sources() if name.endswith(".js")]
    assert len(files) > 10
    assert run(["clang-format", "--dry-run", "-Werror", *files], TOP).text == ""
    long = [name for name in files if max(map(len, (TOP / name).read_text().splitlines())) > 100]
    assert long == []


def test_javascript_has_types() -> None:
    needs("tsc")
    flags = (
        "--allowJs --checkJs --noEmit --target es2022 --module es2022 --lib es2022,dom,dom.iterable"
    )
    said = run(["tsc", *flags.split(), "workbook/page/view/main.js"], TOP)
    assert (said.status, said.text) == (0, "")


def module(*words: str) -> list[str]:
    return [sys.executable, "-m", *words]


def test_ruff_is_content() -> None:
    said = run(module("ruff", "check", "--no-cache", "-q", "workbook", "tests", "engine"), TOP)
    assert (said.status, said.text) == (0, "")


def test_python_has_one_format() -> None:
    said = run(
        module("ruff", "format", "--check", "--no-cache", "-q", "workbook", "tests", "engine"),
        TOP,
    )
    assert (said.status, said.text) == (0, "")


@pytest.mark.slow
def test_types_are_right() -> None:
    said = run(module("mypy", "-p", "workbook", "-p", "tests"), TOP)
    assert said.status == 0, said.text


@pytest.mark.parametrize("name", PYTHON)
def test_python_3_9_can_read_it(name: str) -> None:
    ast.parse((TOP / name).read_text(encoding="utf-8"), name, feature_version=(3, 9))


def test_a_room_is_read_in_one_sitting() -> None:
    """A folder, without those below it; a file is whole."""
    lines: Counter[str] = Counter()
    for name in PYTHON:
        if name.startswith("workbook/"):
            lines[os.path.dirname(name)] += len(
                (TOP / name).read_text(encoding="utf-8").splitlines()
            )
    assert {room: count for room, count in lines.items() if count > 1450} == {}
    assert [name for name in PYTHON if re.fullmatch(r"workbook/\w+\.py", name)] == [
        "workbook/__init__.py",
        "workbook/__main__.py",
    ]


def test_a_room_sees_those_below_it_alone() -> None:
    """The layers of pyproject.toml."""
    said = run([Path(sys.executable).with_name("lint-imports"), "--no-cache"], TOP)
    assert said.status == 0, said.text


def test_a_room_that_looks_up_is_seen(clone: Path) -> None:
    with (clone / "workbook/core/text.py").open("a") as module_py:
        module_py.write("\nfrom workbook.student import hints as hints\n")
    said = run([Path(sys.executable).with_name("lint-imports"), "--no-cache"], clone)
    assert said.status == 1
    assert "workbook.core is not allowed to import workbook.student" in said.text


def test_what_a_bare_machine_runs_needs_python_alone() -> None:
    modules = [
        name[: -len(".py")].replace("/__init__", "").replace("/", ".")
        for name in PYTHON
        if name.startswith("workbook/") and not name.startswith(RING_2) and "__main__" not in name
    ]
    assert "workbook.check" in modules
    said = run(
        [sys.executable, "-S", "-c", f"import {', '.join(modules)}"], TOP
    )  # no site-packages
    assert said.status == 0, said.text


# ---- what compilers see -----------------------------------------------------------------------
@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the workbook to build in otherwise than the other tests do."""
    return copy_to(tmp_path_factory.mktemp("strict"))


@pytest.mark.slow
@pytest.mark.parametrize("name", LABS)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_there_are_no_warnings(strict: Path, name: str, compiler: str) -> None:
    needs(compiler)
    made = make(strict / name, CORES, "CI=1", f"CC={compiler}", "CUDA=cpu", "all")
    assert (made.status, made.err) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LABS if (TOP / name / "kernel.cu").exists()])
def test_nvcc_gives_no_warnings(strict: Path, name: str) -> None:
    if not Path("/usr/local/cuda/bin/nvcc").exists():
        needs("nvcc")
    made = make(strict / name, CORES, "CI=1", "CUDA=nvcc", "all")
    assert (made.status, made.err) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in LABS if (TOP / name / "kernel.c").exists()])
def test_every_shape_is_right_under_sanitizers(strict: Path, name: str) -> None:
    assert make(strict / name, CORES, "SAN=address,undefined", "all").status == 0
    for program in sorted((strict / name).glob("gemm*")):
        said = run([f"./{program.name}", "--check"], strict / name)
        if said.status == 77:
            pytest.skip(said.err)
        assert (said.status, said.err) == (0, ""), (
            f"make -C {name} SAN=address,undefined; {said.out}"
        )
