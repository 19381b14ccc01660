# SPDX-License-Identifier: MIT
"""Every program of every lab is right on every shape, for every type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.copies import workshop
from tests.support import TOP, gemm, make

PROGRAMS = [
    (file.parent.name, f"gemm{file.stem[len('kernel') :]}")
    for file in sorted(TOP.glob("lab*/kernel*.c*"))
]
SHAPES = 33


@pytest.mark.parametrize("type", ["float", "double", "int"])
@pytest.mark.parametrize(("lab", "program"), PROGRAMS, ids=["-".join(pair) for pair in PROGRAMS])
def test_is_right_on_every_shape(tree: Path, lab: str, program: str, type: str) -> None:
    settings = [] if type == "float" else [f"TYPE={type}"]
    folder = workshop(tree, lab, *settings)
    built = make(folder, program, *settings)
    assert built.status == 0, built.text
    ended, record = gemm(folder, "--check", program=program)
    if ended.status == 77:
        if f"written for float, not {type}" in ended.err:
            return  # it says so
        pytest.skip(ended.err)
    assert ended.status == 0, ended.text
    assert (record["verdict"], record["type"]) == ("pass", type)
    assert [shape["verdict"] for shape in record["shapes"]] == ["pass"] * SHAPES
    assert ended.out.splitlines()[-1] == f"PASS  {SHAPES} shapes, {type}"
