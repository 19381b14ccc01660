# SPDX-License-Identifier: MIT
"""Broken kernels with Hopper's own instructions, where there is such a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hopper import ALL, Broken, control, judge, missing
from tests.support import TOP, needs


@pytest.mark.parametrize("broken", ALL, ids=[broken.name for broken in ALL])
def test_line_is_there(broken: Broken) -> None:
    """Without such a GPU, too: an edit that changes nothing would make the battery below look at
    nothing."""
    text = (TOP / "advanced" / broken.of.lab / broken.of.kernel).read_text(encoding="utf-8")
    assert broken.line in text


def test_all_are_caught_and_the_whole_ones_are_not(tree: Path) -> None:
    needs("nvidia-smi")
    if missing():
        pytest.skip(missing())
    assert control(tree) == ""
    assert {one.name: why for one in ALL if not one.luck and (why := judge(one, tree))} == {}
