# SPDX-License-Identifier: MIT
"""The name that a mistyped setting was probably meant to be."""

from __future__ import annotations

import sys

import pytest

from tests.support import TOP, run
from workbook.core.suggest import suggest

NAMES = (
    "BLOCK ROWS GROUP_X GROUP_Y SIZE SIZES TYPE VARIANT ARGS LIMIT SWEEP QUICK A B V SAN CC".split()
)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("GROUPX", "GROUP_X"),  # left out
        ("SIZEE", "SIZE"),  # put in
        ("BLOCC", "BLOCK"),  # changed
        ("TPYE", "TYPE"),  # swapped
        ("size", "SIZE"),
        ("GROUP", "GROUP_X"),  # its beginning
        ("var", "VARIANT"),
        ("group_y", "GROUP_Y"),
        ("LAB", ""),
        ("FOO", ""),
        ("X", ""),
        ("", ""),
    ],
)
def test_the_nearest_name(word: str, name: str) -> None:
    assert suggest(word, NAMES) == name


def test_without_a_near_one_nothing_is_printed() -> None:
    result = run([sys.executable, "-m", "workbook", "suggest", "FOO", "BLOCK"], TOP)
    assert (result.status, result.out) == (0, "\n")
