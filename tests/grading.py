# SPDX-License-Identifier: MIT
"""A workbook to grade submissions in, and make check as the tests call it."""

from __future__ import annotations

import json
import re
import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.copies import copy_with, without
from tests.schemas import complaints
from tests.support import TOP, edit, run

CPU = "lab01_cpu_naive"
SUM = "real sum = 0"
INCLUDES = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
Submit = Callable[..., None]


@dataclass(frozen=True)
class Check:
    """What a check said; its lines are joined, as reasons are wrapped."""

    status: int
    out: str
    text: str

    def assert_says(self, status: int, *words: str) -> None:
        assert self.status == status, self.out
        for each in words:
            assert each in self.text, self.out


def check(book: Path, *labs: str, **environment: str) -> Check:
    """python3 -m workbook check LAB ...: what it records is sound."""
    settings = {"CUDA": "cpu", "SIZE": "64", **environment}
    record(book).unlink(missing_ok=True)
    said = run([sys.executable, "-m", "workbook", "check", *labs], book, env=settings)
    if said.status in (0, 1):
        assert complaints(json.loads(record(book).read_text()), "gemm-check") == []
    return Check(said.status, said.text, re.sub(r"\s+", " ", said.text))


def record(book: Path) -> Path:
    return book / "build/check.json"


def recorded(book: Path) -> Any:
    return json.loads(record(book).read_text())


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory, objects: Path) -> Path:
    """A copy of the workbook whose labs these tests replace; the first has no other program."""
    folder = copy_with(objects, tmp_path_factory.mktemp("books") / "book")
    without(folder / CPU, "row_column")
    return folder


@pytest.fixture
def kernel_alone(book: Path) -> Iterator[None]:
    """Without the variants of the labs for a GPU, which take their time."""
    variants = {path: path.read_bytes() for path in book.glob("lab*/kernel_*.c[lu]")}
    for path in variants:
        path.unlink()
    yield
    for path, content in variants.items():
        path.write_bytes(content)


@pytest.fixture
def submit(book: Path) -> Iterator[Submit]:
    """submit(OLD, NEW, FILE): a kernel with this change is handed in, for this test."""
    changed = set()

    def hand_in(
        old: str, new: str, file: str = f"{CPU}/kernel.c", includes: str = INCLUDES
    ) -> None:
        if file not in changed:
            changed.add(file)
            text = (TOP / file).read_text(encoding="utf-8")
            (book / file).write_text(includes + text, encoding="utf-8")
        edit(book / file, old, new)

    yield hand_in
    for file in changed:
        (book / file).write_bytes((TOP / file).read_bytes())


@pytest.fixture
def endless_stack() -> Iterator[None]:
    """What is started has as large a stack as this machine allows."""
    had = resource.getrlimit(resource.RLIMIT_STACK)
    if had[1] != resource.RLIM_INFINITY and had[1] < 64 << 20:
        pytest.skip("the stack is limited here, and nobody may have a larger one")
    resource.setrlimit(resource.RLIMIT_STACK, (had[1], had[1]))
    yield
    resource.setrlimit(resource.RLIMIT_STACK, had)
