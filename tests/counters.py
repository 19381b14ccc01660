# SPDX-License-Identifier: MIT
"""What ncu counts of the CUDA labs and of the controls: tests/profile/ncu/h100.json, against which
docs/counters.md holds the emulation.

    python3 -m tests.counters tests/profile/ncu/h100.json      on an NVIDIA GPU, without pytest"""

from __future__ import annotations

import csv
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from tests.support import TOP, emulation, run
from workbook import UserError
from workbook.core.records import now
from workbook.lab import labs
from workbook.profile.nvidia import ncu
from workbook.profile.nvidia.hardware import accesses
from workbook.profile.nvidia.ncu import Instruction
from workbook.profile.source import GLOBAL
from workbook.race.build import build

CONTROLS = "controls"
PROGRAMS = (
    *("lab08", "lab08 VARIANT=published"),
    *("lab09", "lab09 VARIANT=no_prefetch", "lab09 BLOCK=16"),
    *("lab15", "lab15 VARIANT=regtile", "lab15 PAD=0"),
    *("lab16", "lab16 VARIANT=warptile", "lab16 PAD=0"),
    *("lab17 VARIANT=banks", "lab17 VARIANT=multistage", "lab17 VARIANT=double_buffer"),
    "lab17 VARIANT=banks PAD=0",
    CONTROLS,
)
SIZES = ("256 256 256", "250 200 130")
# Of a whole launch: what the hardware itself counts of shared memory.
WHOLE = (
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
)
AT_ONCE = 4  # programs: ncu lets one kernel run at a time


def folder_of(lab: str) -> Path:
    [path] = [*TOP.glob(f"{lab}_*"), *TOP.glob(f"advanced/{lab}_*")]
    return path


def built(words: str, work: Path) -> tuple[list[str], Path]:
    """The command without its size, and where."""
    lab, *settings = words.split()
    if lab == CONTROLS:
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        flags = "-O3 -std=c++17 -lineinfo -arch=native -o controls".split()
        made = run([nvcc, *flags, TOP / "tests/profile/controls.cu"], work)
        assert made.status == 0, made.err
        return ["./controls"], work
    settings.append("CUDA=nvcc")
    described = labs.describe(str(folder_of(lab)), settings)
    program = labs.chosen(described, settings)
    folder, problem = build(described, program, settings, work)
    assert problem is None, f"{words}: {problem}"
    return [f"./{program.name}"], folder


def counted(words: str, size: str, place: tuple[list[str], Path]) -> list[dict[str, Any]]:
    command, folder = place
    of_lab = not words.startswith(CONTROLS)
    with tempfile.TemporaryDirectory() as work:
        once = ["--once"] if of_lab else []
        kernels = "gemm" if of_lab else ""
        report = ncu.report([*command, *size.split(), *once], folder, Path(work), kernels, WHOLE)
        return rows(words, size, ncu.instructions(report), launches_of(report))


def launches_of(report: Path) -> list[dict[str, str]]:
    """The raw page: the names of metrics, then their units, then a row for each launch."""
    lines = [*csv.reader(io.StringIO(ncu.page(report, "raw", ["--print-units", "base"])))]
    names = next(line for line in lines if line[:1] == ["ID"])
    of_launches = lines[lines.index(names) + 2 :]
    return [dict(zip(names, line)) for line in of_launches if len(line) == len(names)]


def rows(
    words: str, size: str, found: list[Instruction], launches: list[dict[str, str]]
) -> list[dict[str, Any]]:
    """One for each kernel."""
    lab, *settings = words.split()
    problem = dict(zip("MNK", map(int, size.split())))
    return [
        {
            "program": lab,
            "settings": settings,
            "kernel": kernel,
            "problem": problem,
            **sums(one for one in found if one.kernel == kernel),
            **of_hardware(one for one in launches if one["Kernel Name"].startswith(f"{kernel}(")),
        }
        for kernel in dict.fromkeys(one.kernel for one in found)
    ]


def sums(found: Iterator[Instruction]) -> dict[str, dict[str, int]]:
    names = [f"{space}_{access}" for space in (GLOBAL, "shared") for access in ("load", "store")]
    all_of = {
        name: {"sectors" if GLOBAL in name else "wavefronts": 0, "ideal": 0} for name in names
    }
    for one in found:
        for space, writes in accesses(one):
            units, ideal = one.sectors if space == GLOBAL else one.wavefronts
            into = all_of[f"{space}_{'store' if writes else 'load'}"]
            into["sectors" if space == GLOBAL else "wavefronts"] += units
            into["ideal"] += ideal
    return all_of


def of_hardware(found: Iterator[dict[str, str]]) -> dict[str, int]:
    wavefronts, loads, stores = WHOLE
    of_each = list(found)
    return {
        "hardware_wavefronts": sum(ncu.number(one[wavefronts]) for one in of_each),
        "hardware_conflicts": sum(
            ncu.number(one[name]) for one in of_each for name in (loads, stores)
        ),
    }


# ---- the emulation, and docs/counters.md --------------------------------------------------------
SOURCES = ("counts.cpp", "steps.cpp", "kernel.cpp")  # of engine/count/, in a CUDA kernel


def counting(kernel: str, folder: Path) -> list[str]:
    """Builds a file of tests/profile that is a program of its own, so that it counts."""
    flags = (
        "-std=c++17 -O1 -g -fsanitize=thread -fsanitize-coverage=trace-pc,trace-cmp"
        " -fno-tree-sra -c -o counted.o"
    ).split()
    compiled = run(
        [TOP / "engine/cuda/compile", "g++", *flags, TOP / "tests/profile" / kernel], folder
    )
    assert compiled.status == 0, compiled.err
    objects = emulation("g++", folder, *(TOP / "engine/count" / name for name in SOURCES))
    linked = run(["g++", "-pthread", "-o", "counting", "counted.o", *objects], folder)
    assert linked.status == 0, linked.err
    return ["./counting"]


def emulated(words: str, work: Path) -> tuple[list[str], Path]:
    """As built(), but to count in the emulation."""
    lab, *settings = words.split()
    if lab == CONTROLS:
        return counting("controls.cu", work), work
    settings += ["CUDA=cpu", "COUNT=1"]
    described = labs.describe(str(folder_of(lab)), settings)
    program = labs.chosen(described, settings)
    folder, problem = build(described, program, settings, work)
    assert problem is None, f"{words}: {problem}"
    return [f"./{program.name}"], folder


def ours(words: str, size: str, place: tuple[list[str], Path]) -> dict[str, dict[str, Any]]:
    """By kernel, in the shape of the record."""
    command, folder = place
    once = ["--once"] if not words.startswith(CONTROLS) else []
    out = folder / "counts.json"
    ended = run([*command, *size.split(), *once], folder, env={"PROFILE": str(out)})
    assert ended.status == 0, ended.err
    found: dict[str, dict[str, Any]] = {}
    for one in json.loads(out.read_text(encoding="utf-8"))["counts"]:
        of_kernel = found.setdefault(one["kernel"], sums(iter(())))
        into = of_kernel[f"{one['space']}_{'store' if one['writes'] else 'load'}"]
        into["sectors" if one["space"] == GLOBAL else "wavefronts"] += one["units"]
        into["ideal"] += one["ideal"]
    return found


def line(row: dict[str, Any], mine: dict[str, Any]) -> str:
    """Of the table: where ours is ncu's, it is one number."""
    name = (
        row["kernel"]
        if row["program"] == CONTROLS
        else ", ".join([row["program"], *row["settings"]])
    )
    cells = [name, " ".join(str(row["problem"][one]) for one in "MNK")]
    cells += [
        cell(mine[f"global_{access}"]["sectors"], row[f"global_{access}"]["sectors"])
        for access in ("load", "store")
    ]
    of_shared, of_ncu = shared(mine), shared(row)
    cells += [cell(of_shared[0], of_ncu[0])]
    cells += [cell(of_shared[0] - of_shared[1], of_ncu[0] - of_ncu[1])]
    return f"| {' | '.join(cells)} |"


def shared(row: dict[str, Any]) -> tuple[int, int]:
    parts = row["shared_load"], row["shared_store"]
    return sum(part["wavefronts"] for part in parts), sum(part["ideal"] for part in parts)


def cell(mine: int, other: int) -> str:
    return f"{mine:,}" if mine == other else f"**{mine:,}** / {other:,}"


def as_record(device: str, version: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    return {"schema": "gemm-ncu/1", **now(), "device": device, "ncu": version, "kernels": found}


def as_text(record: dict[str, Any]) -> str:
    """A line for each kernel."""
    kernels = ",\n ".join(json.dumps(one) for one in record["kernels"])
    head = json.dumps({**record, "kernels": []})[:-3]
    return f"{head}[\n {kernels}]}}\n"


def version() -> str:
    said = run(["ncu", "--version"], TOP).out.splitlines()
    return next((line.split()[1] for line in said if line.startswith("Version")), "?")


def at_once(tasks: Sequence[partial[Any]], count: int) -> list[Any]:
    with ThreadPoolExecutor(count) as pool:
        return [one.result() for one in [pool.submit(task) for task in tasks]]


def main(arguments: list[str]) -> int:
    [out] = arguments
    if why := ncu.missing():
        print(f"counters: {why}", file=sys.stderr)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        work = [Path(folder, str(number)) for number in range(len(PROGRAMS))]
        for one in work:
            one.mkdir()
        places = at_once(
            [partial(built, words, one) for words, one in zip(PROGRAMS, work)], len(PROGRAMS)
        )
        tasks = [
            partial(counted, words, size, place)
            for words, place in zip(PROGRAMS, places)
            for size in SIZES
        ]
        try:
            found = [row for of_one in at_once(tasks, AT_ONCE) for row in of_one]
        except UserError as error:
            print(f"counters: {error}", file=sys.stderr)
            return 1
    record = as_record(ncu.device(), version(), found)
    Path(out).write_text(as_text(record), encoding="utf-8")
    print(f"{len(found)} kernels counted on {record['device']}, ncu {record['ncu']}: {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
