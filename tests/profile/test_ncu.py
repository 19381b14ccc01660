# SPDX-License-Identifier: MIT
"""make profile DEVICE=gpu: what ncu said on an H100 (tests/profile/ncu, less most instructions that
access no memory), read and held against the counts; who has no GPU, no ncu or no rights is told so
in a line."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.copies import workshop
from tests.profile.test_profile import profile
from tests.support import TOP, make, needs
from workbook import UserError
from workbook.profile.nvidia import ncu
from workbook.profile.nvidia.hardware import ALL, Sum, by_line, of_all

SAID = TOP / "tests/profile/ncu"
CUDA = "lab09_cuda_shared"
G, S = "global", "shared"


def text_of(name: str) -> str:
    return (SAID / name).read_text(encoding="utf-8")


def test_each_line_of_lab_09() -> None:
    """Line 27 has instructions of which no lane takes part; nvcc merged loads of line 30."""
    found = by_line(ncu.parse(text_of("lab09.csv")), "kernel.cu")
    assert {key: (one.requests, one.units, one.ideal) for key, one in found.items()} == {
        (17, G, False): (2048, 8192, 8192),
        (18, G, False): (2048, 8192, 8192),
        (22, S, True): (16384, 16384, 16384),
        (23, S, True): (16384, 16384, 16384),
        (27, G, False): (16384, 57344, 57344),
        (28, G, False): (16384, 57344, 57344),
        (30, S, False): (655360, 786432, 786432),
        (35, G, True): (2048, 8192, 8192),
    }


def test_a_copy_is_a_load_and_a_store_and_counts_once_for_each_launch() -> None:
    """It is in the sections of two files. Of five copies of a line of a header ncu says of the
    first which line calls it: line 0 has the others."""
    text = text_of("copy_four_rows.csv")
    for launches in (1, 2):
        lines = by_line(ncu.parse(launches * text), "controls.cu")
        assert {line for line, _, _ in lines} == {0, 103}
        found, copies = of_all(lines), frozenset({"LDGSTS.E"})
        n = launches
        assert found[ALL, G, False] == Sum(n * 8960, n * 56028, n * 35252, copies)
        assert found[ALL, S, True] == Sum(n * 8960, n * 42392, n * 8960, copies)
    assert list(ncu.parse('"ID","Kernel Name"\n"0","gemm"\n')) == []  # another page


# ---- the command -------------------------------------------------------------------------------
SMI = 'case "$1" in -L) echo "GPU 0: NVIDIA H100";; *) echo "NVIDIA H100 80GB HBM3";; esac\n'
# With -o a report, with -i the page that was kept.
NCU = f"""for word; do
    [ "$before" != -o ] || : >"$word"
    [ "$word" != source ] || cat "{SAID}/lab09.csv"
    before=$word
done
"""
REFUSED = 'echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"; exit 1\n'


def tools(folder: Path, **scripts: str) -> str:
    """A PATH with these in front."""
    for name, text in scripts.items():
        (folder / name.replace("_", "-")).write_text(f"#!/bin/sh\n{text}")
        (folder / name.replace("_", "-")).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_the_gpus_counts_stand_beside_ours(tree: Path, tmp_path: Path) -> None:
    needs("g++")
    needs("nvcc")
    path = tools(tmp_path, nvidia_smi=SMI, ncu=NCU)
    words = ("SIZE=256", "CUDA=cpu", "DEVICE=gpu")
    ended, program = profile(workshop(tree, CUDA), *words, env={"PATH": path})
    assert ended.status == 0, ended.err
    assert program["hardware"]["device"] == "NVIDIA H100 80GB HBM3"
    assert program["hardware"]["merged"] == [30]
    of_gpu = {
        (one["line"], one["space"], one["writes"]): one for one in program["hardware"]["lines"]
    }
    for one in program["lines"]:
        beside = of_gpu[one["line"], one["space"], one["writes"]]
        if one["space"] == G:
            assert one["sectors"] == beside["sectors"], one
    said = " ".join(ended.out.split())
    assert "30 shared load 1,048,576 655,360 1,048,576 786,432 0 0" in said
    assert "all shared store 32,768 32,768 32,768 32,768 0 0" in said
    assert "kernel.cu:30: nvcc merged shared loads: 655,360 instructions for 1,048,576" in said


def test_who_cannot_ask_is_told_so(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(lab: str, **scripts: str) -> str:
        env = {"PATH": tools(tmp_path, **scripts)}
        ended = make(workshop(tree, lab), "profile", "DEVICE=gpu", "CUDA=cpu", env=env)
        lines = [line for line in ended.err.splitlines() if not line.startswith("make")]
        assert ended.status == 2 and len(lines) == 1, ended.err
        return lines[0]

    def no_report(script: str) -> str:
        monkeypatch.setenv("PATH", tools(tmp_path, ncu=script))
        with pytest.raises(UserError) as said:
            ncu.report(["./gemm"], tmp_path, tmp_path)
        return str(said.value)

    assert "there is no NVIDIA GPU here" in refused(CUDA, nvidia_smi="exit 9\n")
    if shutil.which("ncu") is None:
        assert "ncu is not installed" in refused(CUDA, nvidia_smi=SMI)
    assert "knows CUDA alone" in refused("lab01_cpu_naive", nvidia_smi=SMI, ncu=NCU)
    assert "ncu may not read this GPU's counters (ERR_NVGPUCTRPERM)" in no_report(REFUSED)
    assert no_report('echo "==ERROR== No kernels"').endswith("report: ==ERROR== No kernels")


def test_ncu_is_asked_for_its_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never for what it says to people."""
    monkeypatch.setenv("PATH", tools(tmp_path, ncu=f'echo "$@" >>"{tmp_path}/asked"\n{NCU}'))
    assert ncu.instructions(ncu.report(["./gemm"], tmp_path, tmp_path, "^(gemm)$"))
    asked = (tmp_path / "asked").read_text().splitlines()
    assert "--kernel-name regex:^(gemm)$" in asked[0] and ",".join(ncu.METRICS) in asked[0]
    assert "--csv --page source --print-source cuda,sass" in asked[1]
