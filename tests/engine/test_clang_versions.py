# SPDX-License-Identifier: MIT
"""The engine with each clang that is installed: a race, an index past a tile, a barrier that some
work-items miss, and a stack that overflows are found at their lines. From clang 20 on the body of a
kernel is in another function than the one that the engine calls."""

from __future__ import annotations

import pytest

from tests.conftest import Copy
from tests.support import edit, make, needs

CLANGS = [f"clang-{version}" for version in (14, 15, 16, 18, 19, 21)]
BARRIER = "        barrier(CLK_LOCAL_MEM_FENCE); // the tiles may be overwritten\n"
RECURSION = "int depth(int n);\nint depth(int n) { return n < 1 ? 0 : 1 + depth(n - 1) * 3; }\n"
MUTANTS = {
    "race": (BARRIER, "", "data race: line 38 reads what line 31 writes in the next iteration"),
    "bounds": (
        "a_tile[TILE_K][TILE_M + PAD]",
        "a_tile[TILE_K][TILE_M - 1]",
        "cl:27: out of bounds",
    ),
    "divergence": (
        "        barrier(CLK_LOCAL_MEM_FENCE); // the tiles are complete",
        "        if (col + x < N) barrier(CLK_LOCAL_MEM_FENCE);",
        "kernel.cl:33: barrier divergence",
    ),
    "stack": (
        "real sum[ROWS_PER_ITEM]",
        "if (depth(1000000 + N) < 0) return; real sum[ROWS_PER_ITEM]",
        "calls itself, which OpenCL C forbids",
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
@pytest.mark.parametrize("clang", CLANGS)
def test_a_mistake_is_found_at_its_line(lab: Copy, clang: str, mutant: str) -> None:
    needs(clang)
    before, after, said = MUTANTS[mutant]
    folder = lab("lab07_ocl_localmem")
    for variant in folder.glob("kernel_*"):
        variant.unlink()
    edit(folder / "kernel.cl", before, after)
    if mutant == "stack":
        edit(folder / "kernel.cl", "#define ITEMS", f"{RECURSION}#define ITEMS")
    result = make(folder, "race", f"CLANG={clang}")
    assert said in " ".join(result.out.split()), result.text
