# SPDX-License-Identifier: MIT
"""A copy of the workbook works if git, a file system or an archive has changed how its files are
stored: the ends of lines, or the x bit of scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.copies import copy_to, sources
from tests.support import TOP, make, needs, run


def test_git_never_checks_out_carriage_returns(tmp_path: Path) -> None:
    """A shell takes them for part of a word, and core.autocrlf adds them."""
    needs("git")
    first, second = copy_to(tmp_path / "first"), tmp_path / "second"
    git = ["git", "-c", "core.autocrlf=true", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["commit", "-qm", "all"],
        ["clone", "-q", str(first), str(second)],
    ):
        assert run([*git, *words], first).status == 0
    differs = [
        name for name in sources() if (second / name).read_bytes() != (TOP / name).read_bytes()
    ]
    assert differs == []
    assert run(["./setup", "--help"], second).status == 0
    assert make(second / "lab01_cpu_naive", "run", "SIZE=64").status == 0


@pytest.mark.parametrize("lab", ["lab01_cpu_naive", "lab08_cuda_naive"])
def test_no_script_needs_its_x_bit(tmp_path: Path, lab: str) -> None:
    """An archive, or a file system of another system, may lose it."""
    needs("g++")
    book = copy_to(tmp_path / "book")
    for path in book.rglob("*"):
        if path.is_file() and not path.is_relative_to(book / "tests"):  # links to the workbook's
            path.chmod(0o644)
    assert run(["sh", "setup", "--help"], book).status == 0
    assert make(book, "describe", f"LAB={lab}").status == 0
    built = make(book / lab, "run", "SIZE=64", "CUDA=cpu")
    assert built.status == 0, built.text
