# SPDX-License-Identifier: MIT
"""What had another name is refused with the new one, in a line: make/renamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import TOP, make

TABLE = (TOP / "make/renamed").read_text(encoding="utf-8")
ROWS = [line.split("\t") for line in TABLE.splitlines() if not line.startswith("#")]


def typed(what: str, old: str, new: str) -> list[tuple[str, str]]:
    """What somebody types who knows the old name, and what make says."""
    if what == "target":
        return [(f"{old} LAB=02", f"make {old} is now make {new}")]
    if what == "lab":
        return [(f"check LABS={old}", f"LABS={old} is now {new}")]
    if what == "setting":
        labs = [
            path for path in TOP.glob("**/lab*/params.h") if f"define {new} " in path.read_text()
        ]
        folder = labs[0].parent.relative_to(TOP) if labs else "lab01_cpu_naive"
        return [(f"-C {folder} run {old}=1", f"{old} is now {new}")]
    lab = next(path for path in TOP.glob(f"**/lab*/kernel_{new}.c*")).parent.relative_to(TOP)
    return [
        (f"-C {lab} run VARIANT={old}", f"VARIANT={old} is now {new}"),
        (f"-C {lab} gemm_{old}", f"gemm_{old} is now gemm_{new}"),
    ]


COMMANDS = [command for row in ROWS for command in typed(*row)]


@pytest.mark.parametrize(("words", "says"), COMMANDS, ids=[words for words, _ in COMMANDS])
def test_the_old_name_is_refused_with_the_new(tree: Path, words: str, says: str) -> None:
    result = make(tree, *words.split())
    said = [line for line in result.err.splitlines() if "***" in line]
    assert (result.status, len(said)) == (2, 1), result.text
    assert said[0].endswith(f"*** {says}.  Stop."), said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        # blocking is lab 21's own, and a lab without the new one has neither.
        ("-C advanced/lab21_mpi -n gemm_blocking", ""),
        ("-C lab02_avx run VARIANT=chapter", "VARIANT=chapter: this lab has none"),
        ("-C lab08_cuda_naive -n gemm BLOCK=8", ""),
    ],
)
def test_what_is_still_called_so_passes(tree: Path, words: str, says: str) -> None:
    result = make(tree, *words.split())
    assert (result.status == 0, says in result.err) == (says == "", True), result.text
