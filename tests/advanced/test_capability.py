# SPDX-License-Identifier: MIT
"""A variant for GPUs of one compute capability, with a main of its own: elsewhere it is a skip that
says why, and takes nothing away from its lab."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.broken import spare_the_ceilings
from tests.conftest import Copy
from tests.copies import copy_to
from tests.schemas import complaints
from tests.support import Result, edit, lead_on, make, run
from workbook.lab.labs import Lab, describe
from workbook.libraries.baseline import choose, competing

LAB = "lab08_cuda_naive"
KERNEL = """#include "params.h"
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    C[0] = A[0] * B[0] + M + N + K;
}
"""
TENSOR_MAP = "#include <cuda.h>\nCUtensorMap map; // of NVIDIA's header\n"
REASON = "it needs a GPU of compute capability 9.0 and cannot be emulated"
SMI = '#!/bin/sh\ncase "$*" in *compute_cap*) echo %s ;; *) echo "GPU 0: of a test" ;; esac\n'


def give_hopper(folder: Path) -> None:
    (folder / "kernel_hopper.cu").write_text(KERNEL)
    (folder / "main_hopper.cu").write_text(TENSOR_MAP + (folder / "main.cu").read_text())
    lead_on(folder, "CAPABILITY_hopper = 9.0\nSWEEP_hopper = BLOCK=8")


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbook whose lab 08 has such a variant."""
    top = copy_to(tmp_path_factory.mktemp("hopper"))
    spare_the_ceilings(top)
    give_hopper(top / LAB)
    (top / LAB / "kernel_published.cu").unlink()  # it is not what these tests are about
    return top


@pytest.fixture
def hopper(lab: Copy) -> Path:
    folder = lab(LAB)
    give_hopper(folder)
    return folder


@pytest.fixture
def described(book: Path) -> Lab:
    return describe(str(book / LAB), ["CUDA=cpu"])


def with_gpu(capability: str, folder: Path, tmp_path: Path, *words: str) -> Result:
    """What make would do where nvidia-smi shows such a GPU."""
    smi = tmp_path / "nvidia-smi"
    smi.write_text(SMI % capability)
    smi.chmod(0o755)
    path = run("printf %s $PATH", folder).out
    return make(folder, *words, "CUDA=nvcc", "NVCC=nvcc", env={"PATH": f"{tmp_path}:{path}"})


def words_of(said: str) -> str:
    assert max(map(len, said.splitlines())) <= 80
    return " ".join(said.split())


def test_the_program_says_why_and_the_others_are_built(book: Path) -> None:
    assert make(book / LAB, "all", "CUDA=cpu").status == 0
    ended = run(["./gemm_hopper"], book / LAB)
    assert (ended.status, ended.err) == (77, f"gemm: skipped: {REASON}\n")
    assert run(["./gemm", "32", "--once"], book / LAB).status == 0


def test_check_passes_the_lab_without_it(book: Path) -> None:
    ended = make(book, "check", "LAB=08", "CUDA=cpu")
    said = words_of(ended.out)
    assert re.search(rf"{LAB} PASS (\d+)/\1 ", said), said
    assert f"gemm_hopper skipped: {REASON}" in said
    assert "1 passed, 0 failed, 0 skipped" in said
    record = json.loads((book / "build/check.json").read_text())
    assert complaints(record, "gemm-check") == []
    one = record["labs"][0]
    assert (ended.status, one["verdict"], one["reason"]) == (0, "PASS", "")
    programs = {
        program["program"]: (program["verdict"], program["reason"]) for program in one["programs"]
    }
    assert programs["gemm_hopper"] == ("SKIP", REASON)
    assert programs["gemm"] == ("PASS", "")


@pytest.mark.slow
def test_race_names_what_it_did_not_run(book: Path) -> None:
    ended = make(book, "race", "LAB=08", "CUDA=cpu")
    said = words_of(ended.out.partition("\n\n")[0])
    assert f"not run: gemm_hopper: {REASON}" in said
    assert (ended.status, ended.out.splitlines()[-1]) == (0, "1 passed, 0 failed, 0 skipped")
    record = json.loads((book / "build/race.json").read_text())
    assert complaints(record, "gemm-race") == []
    verdicts = {
        tool["verdict"] for tool in record["labs"][0]["tools"] if tool["program"] == "gemm_hopper"
    }
    assert verdicts == {"SKIP"}


def test_an_old_nvcc_is_a_skip(hopper: Path, tmp_path: Path) -> None:
    for release, reason in {
        "11.8": "it needs nvcc 12.5 or newer and this is 11.8: update the CUDA Toolkit",
        "12.4": "it needs nvcc 12.5 or newer and this is 12.4: update the CUDA Toolkit",
        "12.5": None,
        "13.0": None,
    }.items():
        nvcc = tmp_path / "nvcc"
        nvcc.write_text(
            f"#!/bin/sh\necho 'Cuda compilation tools, release {release}, V{release}.1'\n"
        )
        nvcc.chmod(0o755)
        lab = json.loads(with_gpu("9.0", hopper, tmp_path, "-s", "describe").out)
        skips = {program["variant"]: program["skip"] for program in lab["programs"]}
        assert (skips["hopper"], skips[""]) == (reason, None)


def test_its_own_gpu_compiles_it_for_all_that_it_can(hopper: Path, tmp_path: Path) -> None:
    make(hopper, "gemm_hopper", "CUDA=cpu")  # a skip, which goes
    said = with_gpu("9.0", hopper, tmp_path, "-n", "V=1", "gemm", "gemm_hopper").out
    compiled = {
        line.split()[-1]: line
        for line in said.splitlines()
        if " -c -o build/" in line and "nvcc" in line
    }
    assert set(compiled) == {"main.cu", "kernel.cu", "main_hopper.cu", "kernel_hopper.cu"}
    for name, line in compiled.items():
        assert ("-gencode arch=compute_90a,code=sm_90a" in line) == ("hopper" in name)
        assert ("-arch=native" in line) == ("hopper" not in name)


def test_a_variant_may_have_a_main_of_its_own(lab: Copy) -> None:
    folder = lab("lab01_cpu_naive")
    (folder / "kernel_other.c").write_bytes((folder / "kernel.c").read_bytes())
    (folder / "params_other.h").write_text("#define TILE_M 7\n#define TILE_N 8\n#define TILE_K 9\n")
    (folder / "main_other.c").write_text(
        '#include <stdio.h>\n#include "params_other.h"\n'
        'int main(void) { printf("%d\\n", TILE_M); return 0; }\n'
    )
    assert make(folder, "all").status == 0
    assert run(["./gemm_other"], folder).out == "7\n"
    assert run(["./gemm", "16", "--once"], folder).status == 0
    said = describe(str(folder), [])
    assert [program.tile for program in said.programs if program.variant == "other"] == [(7, 8, 9)]
    assert "main_other.c" in said.files
    edit(folder / "params_other.h", "TILE_M 7", "TILE_M 6")
    rebuilt = set(re.findall(r"build/(\w+)\.o", run("make gemm gemm_other", folder).out))
    assert rebuilt >= {"main_other", "kernel_other"}
    assert run(["./gemm_other"], folder).out == "6\n"
    edit(folder / "main_other.c", "%d", "now %d")
    assert re.findall(r"build/(\w+)\.o", run("make gemm gemm_other", folder).out) == ["main_other"]
    assert run(["./gemm_other"], folder).out == "now 6\n"
    assert make(folder, "clean").status == 0
    assert not (folder / "gemm_other").exists()


def test_the_baseline_has_what_was_written_for_this_gpu(described: Lab) -> None:
    hopper = next(one for one in described.programs if one.variant == "hopper")
    missing: dict[str, str] = {}
    assert choose(replace(described, emulated=False), "1", missing)
    assert missing == {f"{described.name}, hopper": hopper.skip}
    assert [one.name for one in competing(described)] == ["gemm"]
    there = replace(described, programs=(described.programs[0], replace(hopper, skip=None)))
    assert [one.name for one in competing(there)] == ["gemm", "gemm_hopper"]


def test_a_gpu_of_another_kind_is_a_skip(hopper: Path, tmp_path: Path) -> None:
    assert with_gpu("8.6", hopper, tmp_path, "gemm_hopper").status == 0
    ended = run(["./gemm_hopper"], hopper)
    assert ended.status == 77
    assert (
        ended.err
        == "gemm: skipped: it needs a GPU of compute capability 9.0 and this one has 8.6\n"
    )
