# SPDX-License-Identifier: MIT
"""make profile: how often the lanes of a warp go different ways, by line: each branch of
branches.cu, and of an OpenCL kernel."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tests.copies import workshop
from tests.counters import counting
from tests.profile.test_profile import edited, line_of, profile
from tests.support import TOP, needs, run
from workbook.lab import labs
from workbook.profile.advice import advice, slow_lines
from workbook.profile.counts import Branch, Count, branches_of
from workbook.profile.run_counted import Profile

BRANCHES = TOP / "tests/profile/branches.cu"
CUDA, OPENCL = "lab08_cuda_naive", "lab04_ocl_naive"
A_LOAD = Count(15, "A", "global", False, 1, 32, 4, 4, 1, 1)
OF_LANES = "for (int i = 0; i <= col % 4; i++) sum += 0 * A[i];"


def test_each_branch_of_a_cuda_kernel(tmp_path: Path) -> None:
    """Neither what is inlined from the emulation nor what is uniform counts as divergent."""
    needs("g++")
    ended = run(counting("branches.cu", tmp_path), tmp_path, env={"PROFILE": "counts.json"})
    assert ended.status == 0, ended.err
    source = BRANCHES.read_text(encoding="utf-8").splitlines()
    said = [re.search(r"// (\d+) of (\d+)$", line) for line in source]
    expected = {n: (int(one[1]), int(one[2])) for n, one in enumerate(said, 1) if one}
    found = branches_of(tmp_path / "counts.json", tmp_path / "counting", BRANCHES)
    assert {one.line: (one.divergent, one.times) for one in found} == expected


def test_of_an_opencl_kernel(tree: Path) -> None:
    """Six groups of eight warps; in two of them only half of the columns are C's."""
    needs("clang")
    folder = workshop(tree, OPENCL)
    with edited(folder, ("C[row * N + col] = sum;", f"{OF_LANES} C[row * N + col] = sum;")):
        ended, program = profile(folder, "SIZE=32 40 8", "GROUP_X=16", "GROUP_Y=16")
        k_loop, loop, edge = (line_of(folder, text) for text in ("k < K", OF_LANES, "col < N) {"))
    assert program["wrong"] is None
    found = {one["line"]: (one["divergent"], one["times"]) for one in program["branches"]}
    assert found == {edge: (16, 48), k_loop: (0, 48 * 9), loop: (48 * 3, 48 * 5)}
    assert re.search(rf"^ +{edge} +48 +16$", ended.out, re.MULTILINE)
    said = " ".join(ended.out.split())
    assert f"kernel.cl:{loop}: in 144 of 240 branches the lanes of a warp go different" in said
    assert f"kernel.cl:{edge}:" not in said  # it costs little


def test_a_slow_line_is_one_whose_branches_diverge_for_each_fma() -> None:
    """Of 32 x 32 x 32, 1024 FMAs of warps."""
    lab = labs.describe(str(TOP / CUDA), ["CUDA=cpu"])
    one = Profile(lab, lab.programs[0], dict.fromkeys("MNK", 32), [A_LOAD])
    often, seldom = ([Branch(15, 1024, divergent)] for divergent in (103, 102))
    [said] = slow_lines(replace(one, branches=often))
    assert said.startswith("kernel.cu:15: in 103 of 1,024 branches the lanes")
    assert slow_lines(replace(one, branches=seldom)) == []
    few = replace(one, counts=[replace(A_LOAD, lanes=16)])
    assert any("of 32 lanes take part" in text for text in advice(few))
    assert not any("take part" in text for text in advice(replace(few, branches=often)))
