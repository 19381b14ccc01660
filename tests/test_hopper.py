# SPDX-License-Identifier: MIT
"""Broken kernels with Hopper's own instructions, where there is such a GPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hopper import ALL, Broken, control, judge, missing
from tests.support import TOP


@pytest.mark.parametrize("broken", ALL, ids=[broken.name for broken in ALL])
def test_line_is_there(broken: Broken) -> None:
    """Without such a GPU, too: an edit that changes nothing would make the battery below look at nothing."""
    text = (TOP / "advanced" / broken.lab / "kernel_hopper.cu").read_text(encoding="utf-8")
    assert broken.line in text


@pytest.mark.skipif(missing() != "", reason=missing())
def test_the_kernels_are_right(tree: Path) -> None:
    assert control(tree) == ""


@pytest.mark.skipif(missing() != "", reason=missing())
@pytest.mark.parametrize("broken", ALL, ids=[broken.name for broken in ALL])
def test_is_caught(broken: Broken, tree: Path) -> None:
    assert judge(broken, tree) == ""
