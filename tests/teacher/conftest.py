# SPDX-License-Identifier: MIT
"""Where submissions are graded by these tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that nobody can reach, as pytest's own belong to their user."""
    with tempfile.TemporaryDirectory(prefix="gemm-test.") as made:
        Path(made).chmod(0o777)
        yield Path(made)
