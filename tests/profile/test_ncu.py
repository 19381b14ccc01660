# SPDX-License-Identifier: MIT
"""make profile DEVICE=gpu: what ncu said on an H100 (tests/profile/ncu), read and held against the
counts; who has no GPU, no ncu or no rights is told so in a line."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.copies import workshop
from tests.profile.test_profile import profile
from tests.support import TOP, make, needs
from workbook import UserError
from workbook.profile.counts import Count
from workbook.profile.nvidia import ncu
from workbook.profile.nvidia.hardware import Sum, by_line, counted, merged, of_all, remarks
from workbook.profile.nvidia.ncu import Instruction

SAID = TOP / "tests/profile/ncu"
CUDA = "lab09_cuda_shared"
G, S = "global", "shared"


def units(name: str, kernel: str) -> dict[tuple[int, str, bool], tuple[int, int, int]]:
    text = (SAID / name).read_text(encoding="utf-8")
    return {
        key: (one.requests, one.units, one.ideal)
        for key, one in by_line(ncu.parse(text), kernel).items()
    }


def test_each_line_of_lab_09() -> None:
    """Line 27 has instructions of which no lane takes part; nvcc merged loads of line 30."""
    assert units("lab09.csv", "kernel.cu") == {
        (17, G, False): (2048, 8192, 8192),
        (18, G, False): (2048, 8192, 8192),
        (22, S, True): (16384, 16384, 16384),
        (23, S, True): (16384, 16384, 16384),
        (27, G, False): (16384, 57344, 57344),
        (28, G, False): (16384, 57344, 57344),
        (30, S, False): (655360, 786432, 786432),
        (35, G, True): (2048, 8192, 8192),
    }


def test_a_copy_is_a_load_and_a_store_and_has_the_line_that_calls_it() -> None:
    """Of five copies of a line of a header ncu says it of the first."""
    text = (SAID / "copy_four_rows.csv").read_text(encoding="utf-8")
    lines = by_line(ncu.parse(text), "controls.cu")
    assert {line for line, _, _ in lines} == {103}
    found = of_all(lines)
    of_copies = frozenset({"LDGSTS.E"})
    assert found[-1, G, False] == Sum(8960, 56028, 35252, of_copies)
    assert found[-1, S, True] == Sum(8960, 42392, 8960, of_copies)


def copy(*places: tuple[str, int]) -> Instruction:
    return Instruction("gemm", places, "LDGSTS.E [R1], [R2]", 1, 4, 4, 1, 1)


def test_where_two_lines_call_the_same_of_a_header_nobody_knows_which() -> None:
    header, other = ("helpers.h", 190), ("helpers.h", 198)
    found = [copy(("kernel.cu", 20), header), copy(("kernel.cu", 30), other), copy(header)]
    assert by_line(found, "kernel.cu")[20, G, False].requests == 2
    known = by_line([*found, copy(("kernel.cu", 31), header)], "kernel.cu")
    assert {line: one.requests for (line, space, _), one in known.items() if space == G} == {
        0: 1,
        20: 1,
        30: 1,
        31: 1,
    }


def test_an_instruction_of_two_places_counts_once_and_each_launch_anew() -> None:
    text = (SAID / "copy_four_rows.csv").read_text(encoding="utf-8")
    once = list(ncu.parse(text))
    shown = [line for line in text.splitlines() if '"0x' in line]
    assert len({(one.places, one.text) for one in once}) <= len(once) < len(shown)
    assert len(list(ncu.parse(text + text))) == 2 * len(once)


def test_another_page_is_no_report() -> None:
    assert list(ncu.parse('"ID","Kernel Name"\n"0","gemm"\n')) == []


def count(line: int, requests: int, each: int = 1) -> Count:
    return Count(line, "a_tile", S, False, requests, 0, 0, 0, each * requests, requests)


def test_merged_lines_are_named() -> None:
    ours = counted([count(30, 100), count(31, 100, 2)])
    theirs = {
        (30, S, False): Sum(25, 100, 100, frozenset({"LDS.128"})),
        (31, S, False): Sum(100, 200, 100, frozenset({"LDS"})),
    }
    assert merged(ours, theirs) == [(30, S, False)]
    [said] = remarks(ours, theirs, "kernel.cu")
    assert said.startswith("kernel.cu:30: nvcc merged shared loads: 25 instructions for 100")
    assert of_all(ours)[-1, S, False] == Sum(200, 300, 200)


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
    assert "kernel.cu:30: nvcc merged shared loads" in ended.out


def refused(folder: Path, *words: str, path: str = "") -> str:
    ended = make(folder, "profile", *words, env={"PATH": path} if path else None)
    lines = [line for line in ended.err.splitlines() if not line.startswith("make")]
    assert ended.status == 2 and len(lines) == 1, ended.err
    return lines[0]


def test_who_cannot_ask_is_told_so(tree: Path, tmp_path: Path) -> None:
    folder = workshop(tree, CUDA)
    none = tools(tmp_path, nvidia_smi="exit 9\n")
    assert "there is no NVIDIA GPU here" in refused(folder, "DEVICE=gpu", path=none)
    assert "make profile knows DEVICE=gpu" in refused(folder, "DEVICE=h100")
    if shutil.which("ncu") is None:
        path = tools(tmp_path, nvidia_smi=SMI)
        assert "ncu is not installed" in refused(folder, "DEVICE=gpu", "CUDA=cpu", path=path)
    path = tools(tmp_path, nvidia_smi=SMI, ncu=NCU)
    naive = workshop(tree, "lab01_cpu_naive")
    assert "knows CUDA alone" in refused(naive, "DEVICE=gpu", path=path)


def test_who_has_no_rights_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def report(**scripts: str) -> str:
        monkeypatch.setenv("PATH", tools(tmp_path, **scripts))
        with pytest.raises(UserError) as said:
            ncu.report(["./gemm"], tmp_path, tmp_path)
        return str(said.value)

    assert "ncu may not read this GPU's counters (ERR_NVGPUCTRPERM)" in report(ncu=REFUSED)
    assert report(ncu='echo "==ERROR== No kernels"') == "ncu makes no report: ==ERROR== No kernels"


def test_ncu_is_asked_for_its_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never for what it says to people."""
    monkeypatch.setenv("PATH", tools(tmp_path, ncu=f'echo "$@" >>"{tmp_path}/asked"\n{NCU}'))
    assert ncu.instructions(ncu.report(["./gemm"], tmp_path, tmp_path, "^(gemm)$"))
    asked: Sequence[str] = (tmp_path / "asked").read_text().splitlines()
    assert "--kernel-name regex:^(gemm)$" in asked[0] and ",".join(ncu.METRICS) in asked[0]
    assert "--csv --page source --print-source cuda,sass" in asked[1]
