# SPDX-License-Identifier: MIT
"""Arguments of each kind, NDRanges with offsets or without a local size, rectangles and bad calls
have the same results on the engine as with PoCL."""

from __future__ import annotations

from pathlib import Path

from tests.opencl import HERE, on_engine, on_pocl
from tests.support import needs, run
from workbook.core.clang import clang


def test_arguments_as_pocl(tmp_path: Path) -> None:
    needs("clang")
    ours, theirs = (
        run([program, HERE / "arguments.cl"], tmp_path, env={"POCL_CACHE_DIR": str(tmp_path)})
        for program in (on_engine("arguments", tmp_path, clang()), on_pocl("arguments", tmp_path))
    )
    assert (ours.status, ours.err) == (0, "")
    assert len(ours.out.splitlines()) == 10
    assert ours.out == theirs.out
