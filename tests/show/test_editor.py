# SPDX-License-Identifier: MIT
"""make editor: an editor that reads compile_commands.json understands every kernel, whatever its
language."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.support import Result, edit, make, needs, run

KERNELS = (
    "lab03_avx_block/kernel.c",
    "lab07_ocl_localmem/kernel.cl",
    "lab09_cuda_shared/kernel.cu",
)


def commands(clone: Path) -> dict[str, dict[str, str]]:
    said = make(clone, "editor")
    assert said.status == 0, said.text
    entries = json.loads((clone / "compile_commands.json").read_text())
    return {str(Path(entry["file"]).relative_to(clone)): entry for entry in entries}


def read_by_clang(entry: dict[str, str]) -> Result:
    words = shlex.split(entry["command"])
    return run(["clang", "-fsyntax-only", *words[1:]], Path(entry["directory"]))


@pytest.mark.slow
def test_clang_reads_every_file(clone: Path) -> None:
    needs("clang")
    entries = commands(clone)
    written = {str(path.relative_to(clone)) for path in clone.glob("lab*/*.c*")}
    assert written <= set(entries)
    assert "common/verify.c" in entries
    wrong = {
        name: said.text for name, entry in entries.items() if (said := read_by_clang(entry)).status
    }
    assert wrong == {}


@pytest.mark.parametrize("name", KERNELS)
def test_clang_sees_a_mistake(clone: Path, name: str) -> None:
    needs("clang")
    edit(clone / name, "int k = 0", "intt k = 0")
    said = read_by_clang(commands(clone)[name])
    assert said.status != 0
    assert "intt" in said.err


def test_it_stays_when_nothing_can_be_written(clone: Path) -> None:
    commands(clone)
    before = (clone / "compile_commands.json").read_bytes()
    (clone / "lab01_cpu_naive/Makefile").write_text("$(error broken)\n")
    assert make(clone, "editor").status == 2
    assert (clone / "compile_commands.json").read_bytes() == before


def test_a_container_has_what_this_workbook_has(tree: Path) -> None:
    """Nothing here can build one: its file is read, and what it is to run is known here."""
    said = json.loads((tree / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    known = {"name", "image", "hostRequirements", "postCreateCommand", "customizations"}
    assert set(said) <= known
    assert said["postCreateCommand"] == "./setup editor && make editor"
    assert "no part 'nothing'" in run(["sh", "setup", "editor", "nothing"], tree).err
    assert make(tree, "-n", "editor").status == 0
