# SPDX-License-Identifier: MIT
"""How many blocks an SM holds: as NVIDIA's header computes it, with what is one step up; registers
are ptxas's, or unknown."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.copies import workshop
from tests.support import TOP, make, needs, run
from workbook.lab import labs
from workbook.profile.nvidia.occupancy import DEVICES, Block, is_name_of, occupancy, of_ptxas, used

CUDA = "lab09_cuda_shared"
BY_CAPABILITY = {device.capability: device for device in DEVICES}


@pytest.fixture(scope="module")
def of_nvidia(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Block, int]]:
    needs("nvcc")
    folder = tmp_path_factory.mktemp("occupancy")
    include = Path(os.path.realpath(str(shutil.which("nvcc")))).parent.parent / "include"
    source = TOP / "tests/profile/occupancy.cpp"
    built = run(["g++", f"-I{include}", "-o", "occupancy", source], folder)
    assert built.status == 0, built.err
    said = run(["./occupancy"], folder)
    assert said.status == 0
    rows = [line.split() for line in said.out.splitlines()]
    return [(row[0], Block(int(row[1]), int(row[2]), int(row[3])), int(row[4])) for row in rows]


def test_blocks_are_those_of_nvidias_header(of_nvidia: list[tuple[str, Block, int]]) -> None:
    assert {capability for capability, _, _ in of_nvidia} == BY_CAPABILITY.keys()
    for capability, block, blocks in of_nvidia:
        assert occupancy(BY_CAPABILITY[capability], block).blocks == blocks, (capability, block)


def test_the_next_step_is_the_next_step(of_nvidia: list[tuple[str, Block, int]]) -> None:
    """With as much as it says there is one block more; with any more of one thing there is not."""
    fields = {"threads": "threads", "registers": "registers", "bytes of shared memory": "shared"}
    seen: set[str] = set()
    for capability, block, _ in of_nvidia:
        device = BY_CAPABILITY[capability]
        now = occupancy(device, block)
        at_most: dict[str, Any] = {fields[what]: count for what, count in now.more}
        seen |= at_most.keys()
        less = replace(block, **at_most)
        assert not at_most or occupancy(device, less).blocks > now.blocks, (capability, block)
        for name, count in at_most.items():
            more = replace(less, **{**at_most, name: count + 1})
            assert occupancy(device, more).blocks <= now.blocks, (capability, block, name)
    assert seen == {"threads", "registers", "shared"}


@pytest.mark.parametrize(
    "device, block, blocks, limits, more",
    [
        ("9.0", Block(1024, 32, 8192), 2, ("warps", "registers"), ()),  # all 64 warps
        ("9.0", Block(128, 242, 40960), 2, ("registers",), (("registers", 168),)),
        ("8.9", Block(1024, 38, 8192), 1, ("warps", "registers"), (("threads", 768),)),
        ("7.5", Block(128, 40, 40960), 1, ("shared",), (("bytes of shared memory", 32768),)),
        ("8.6", Block(32, 32, 0), 16, ("blocks",), ()),
        ("9.0", Block(1024, 255, 0), 0, ("registers",), (("registers", 64),)),
    ],
)
def test_what_limits(
    device: str,
    block: Block,
    blocks: int,
    limits: tuple[str, ...],
    more: tuple[tuple[str, int], ...],
) -> None:
    found = occupancy(BY_CAPABILITY[device], block)
    assert (found.blocks, found.limits, found.more) == (blocks, limits, more)


PTXAS = """ptxas info    : Compiling entry function '_Z4gemmiiiPKfS0_Pf' for 'sm_90'
ptxas info    : Function properties for _Z4gemmiiiPKfS0_Pf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 8192 bytes smem, 392 bytes cmem[0]
ptxas info    : Compiling entry function '_Z3sumv' for 'sm_120a'
ptxas info    : Used 8 registers"""


def test_registers_are_read_of_what_ptxas_says() -> None:
    found = of_ptxas(PTXAS)
    assert {key: (one.registers, one.declared) for key, one in found.items()} == {
        ("_Z4gemmiiiPKfS0_Pf", "9.0"): (32, 8192),
        ("_Z3sumv", "12.0"): (8, 0),
    }
    assert is_name_of("_Z4gemmiiiPKfS0_Pf", "gemm") and not is_name_of("_Z5gemm2v", "gemm")
    assert is_name_of("_ZN2my4gemmIfEEvv", "gemm") and is_name_of("gemm", "gemm")


def test_without_nvcc_nothing_is_guessed(tree: Path, tmp_path: Path) -> None:
    lab = labs.describe(str(tree / CUDA), [])
    found, why = used(lab, lab.programs[0], ["NVCC=no-such-nvcc"], tmp_path)
    assert not found and "there is no nvcc here" in why


def test_make_profile_shows_it(tree: Path) -> None:
    needs("g++")
    needs("nvcc")
    folder = workshop(tree, CUDA)
    ended = make(folder, "profile", "CUDA=cpu", "SIZE=32", "BLOCK=16")
    record = json.loads((folder / "build/profile.json").read_text(encoding="utf-8"))
    devices = record["programs"][0]["occupancy"]["devices"]
    assert {one["threads"] for one in devices} == {256}
    assert {one["shared"] for one in devices} == {2 * 16 * 16 * 4}
    assert [one["device"] for one in devices] == [device.name for device in DEVICES]
    assert "occupancy: gemm, 256 threads a block, registers by ptxas" in ended.out
