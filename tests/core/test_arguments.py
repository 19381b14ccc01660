# SPDX-License-Identifier: MIT
"""What the commands that take labs refuse, in one line, before anything is built."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support import run

LAB = "lab01_cpu_naive"


@pytest.mark.parametrize(
    "command",
    [
        "bench",
        "check",
        "race",
    ],
)
@pytest.mark.parametrize(
    ("words", "environment", "says"),
    [
        ([], {}, "which lab?"),
        (["lab99"], {}, "no lab lab99"),
        (["common"], {}, "common is no lab"),
        ([LAB], {"LIMIT": "soon"}, "LIMIT=soon: give whole seconds"),
        ([LAB], {"LIMIT": "0"}, "LIMIT=0: give whole seconds"),
        ([LAB], {"LIMIT": "²"}, "LIMIT=²: give whole seconds"),
        ([LAB], {"SIZE": "abc"}, "SIZE: abc is no size"),
        ([LAB], {"SIZE": "16 32"}, "SIZE: 2 sizes: give one"),
    ],
)
def test_bad_input(
    tree: Path, command: str, words: list[str], environment: dict[str, str], says: str
) -> None:
    said = run([sys.executable, "-m", "workbook", command, *words], tree, env=environment)
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith(f"{command}: {says}")


@pytest.mark.parametrize("words", [["describe"], ["describe", LAB], ["whole"]])
def test_what_is_for_make_says_so(tree: Path, words: list[str]) -> None:
    said = run([sys.executable, "-m", "workbook", *words], tree)
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert "make" in said.err
