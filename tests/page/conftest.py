# SPDX-License-Identifier: MIT
"""Recordings of labs as they are handed out, each made once."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support import TOP, make, needs

TOOLS = {"kernel.c": ("g++", "nm"), "kernel.cl": ("clang",), "kernel.cu": ("g++",)}
Recorded = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="session")
def recorded(tree: Path) -> Recorded:
    """recorded("lab04_ocl_naive"): gemm-steps/2 of it, with the default settings."""

    @cache
    def record(lab: str) -> dict[str, Any]:
        for tool in TOOLS[next((TOP / lab).glob("kernel.c*")).name]:
            needs(tool)
        ended = make(tree, "page", "CUDA=cpu", f"LAB={lab[3:5]}")
        assert ended.status == 0, ended.err
        found: dict[str, Any] = json.loads((tree / lab / "build/steps.json").read_text("utf-8"))
        return found

    return record
