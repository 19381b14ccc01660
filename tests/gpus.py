# SPDX-License-Identifier: MIT
"""Lab 22 on a machine with several GPUs: right on 1, 2 and all of them in each type, without races,
mistakes beside what the emulation says of them, and times.

    python3 -m tests.gpus [check] [race] [mistakes] [figures]      all without a word; no pytest

What is right or wrong is found for all at a time, what is timed has the machine for itself."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from tests.copies import copy_to
from tests.support import TOP, edit, make, run
from workbook.lab import labs
from workbook.lab.program import PASS
from workbook.race.run_tools import run_tool
from workbook.race.tools import Tool, for_device

LAB = "lab22_multi_gpu"
TYPES = ("float", "double", "int")
PARTS = 5  # of which each buffer is reused
LARGE = 4096  # where a copy takes long enough to come too late
LIMIT = 60  # seconds, for what takes five


@dataclass(frozen=True)
class Mistake:
    line: str  # of the kernel
    instead: str
    least: int = 2  # GPUs with which it is one
    luck: bool = False  # a GPU may be fast enough not to show it


MISTAKES = {
    "nobody-waits-for-a-copy": Mistake(
        "CHECK(cudaStreamWaitEvent(g->stream, g->copied[buffer]));", "{}", luck=True
    ),
    "a-buffer-is-overwritten": Mistake(
        "CHECK(cudaStreamWaitEvent(g->copies, g->computed[1 - buffer]));", "{}", 4, luck=True
    ),
    "recorded-too-early": Mistake(
        "            launch(g, N, K, owner, step > 0 ? g->next[buffer] : g->B, step > 0);\n"
        "            CHECK(cudaEventRecord(g->computed[buffer], g->stream));\n",
        "            CHECK(cudaEventRecord(g->computed[buffer], g->stream));\n"
        "            launch(g, N, K, owner, step > 0 ? g->next[buffer] : g->B, step > 0);\n",
        4,
        luck=True,
    ),
    "another-buffer": Mistake("g->next[1 - buffer], g->copies", "g->next[buffer], g->copies"),
    "the-same-rows-again": Mistake("(n + step + 1) % count", "(n + 1) % count", 3),
    "as-many-rows-as-its-own": Mistake("(size_t)owner->depth", "(size_t)g->depth"),
    "the-first-part-is-added": Mistake("g->B, step > 0);", "g->B, true);", 1),
    "the-others-are-not": Mistake("g->B, step > 0);", "g->B, false);"),
    "always-its-own-rows": Mistake("owner->B, owner->device", "g->B, owner->device"),
    "a-part-of-the-wrong-k": Mistake("&g->A[owner->from]", "&g->A[g->from]"),
    "on-one-gpu": Mistake("CHECK(cudaSetDevice(g->device));", ""),
    "beside-its-rows": Mistake("(g->rows, N, owner", "(g->rows + 1, N, owner", 1),
}
# Several parts on each GPU: then those that are there can be more than two.
SHARED = (
    ("if (there < COUNT)", "if (false)"),
    ("open_gpu(&gpus[n], n);", "open_gpu(&gpus[n], n % there);"),
    (
        "CHECK(cudaDeviceCanAccessPeer(&can, number, peer));",
        "(void)cudaDeviceCanAccessPeer(&can, number, peer), (void)cudaGetLastError();",
    ),
    (
        "CHECK(cudaDeviceEnablePeerAccess(peer, 0));",
        "(void)cudaDeviceEnablePeerAccess(peer, 0), (void)cudaGetLastError();",
    ),
)

# GB/s that each of two GPUs receives, of so many bytes, one way and both at a time: what their link
# gives to copies.
PEERS = r"""
#include <cstdio>
#include <cstdlib>
int main(int, char **argv)
{
    const size_t bytes = strtoull(argv[1], nullptr, 10);
    char *from[2], *to[2];
    cudaStream_t streams[2];
    cudaEvent_t before, after, begun, done;
    for (int g = 1; g >= 0; g--) {
        cudaSetDevice(g);
        cudaDeviceEnablePeerAccess(1 - g, 0);
        cudaMalloc(&from[g], bytes);
        cudaMalloc(&to[g], bytes);
        cudaStreamCreateWithFlags(&streams[g], cudaStreamNonBlocking);
        if (g == 1)
            cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    }
    cudaEventCreate(&before);
    cudaEventCreate(&after);
    cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    for (int ways = 1; ways <= 2; ways++)
        for (int n = 0; n < 5; n++) {
            float ms = 0;
            cudaEventRecord(before, streams[0]);
            cudaEventRecord(begun, streams[0]);
            cudaStreamWaitEvent(streams[1], begun);
            for (int copy = 0; copy < 4; copy++)
                for (int g = 0; g < ways; g++)
                    cudaMemcpyPeerAsync(to[g], g, from[1 - g], 1 - g, bytes, streams[g]);
            cudaSetDevice(1);
            cudaEventRecord(done, streams[1]);
            cudaSetDevice(0);
            cudaStreamWaitEvent(streams[0], done);
            cudaEventRecord(after, streams[0]);
            cudaDeviceSynchronize();
            cudaEventElapsedTime(&ms, before, after);
            printf("%d %.1f\n", ways, 4e-6 * bytes / ms);
        }
    const cudaError_t status = cudaGetLastError();
    fprintf(stderr, "%s\n", cudaGetErrorName(status));
    return status != cudaSuccess;
}
"""


def gpus_here() -> int:
    if not shutil.which("nvidia-smi"):
        return 0
    said = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False).stdout
    return said.count("GPU ")


def counts(there: int) -> list[int]:
    return sorted({1, 2, there})


# ---- right, and without races ------------------------------------------------------------------
def check(gpus: int, type: str, folder: Path) -> tuple[str, bool]:
    """What make check says of so many GPUs, and whether it is well."""
    tree = copy_to(folder / f"check-{gpus}-{type}")
    ended = make(tree, "check", "LAB=22", f"GPUS={gpus}", f"TYPE={type}", seconds=500)
    said = ended.out.strip().rpartition("\n")[2] if ended.status == 0 else ended.text[-2000:]
    return f"make check GPUS={gpus} TYPE={type}: {said}", ended.status == 0


def race(gpus: int, type: str, tool: Tool, folder: Path) -> tuple[str, bool]:
    """What a tool of compute-sanitizer says; make race has them, too, after those of the
    emulation."""
    settings = [f"GPUS={gpus}", f"TYPE={type}"]
    lab = labs.describe(str(TOP / "advanced" / LAB), settings)
    work = folder / f"{tool.name}-{gpus}-{type}"
    work.mkdir()
    said = [run_tool(tool, lab, p, settings, work, False, False, False) for p in lab.programs]
    words = ", ".join(
        f"{one.program} {one.verdict} {one.reason or one.finding or ''}".strip() for one in said
    )
    return (
        f"{tool.name} GPUS={gpus} TYPE={type}: {words}",
        bool(said) and all(one.verdict == PASS for one in said),
    )


# ---- mistakes ----------------------------------------------------------------------------------
def kinds(there: int) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Where a mistake is looked for: GPUs or parts, settings."""
    return {
        f"emulated, {PARTS} GPUs": (PARTS, ("CUDA=cpu",)),
        f"{there} GPUs": (there, (f"GPUS={there}",)),
        f"{PARTS} parts on {there} GPUs": (PARTS, (f"GPUS={PARTS}",)),
    }


def control(kind: str, folder: Path, there: int) -> tuple[Path, str]:
    """The lab as it is for it, built; and what is wrong with it."""
    lab = copy_to(folder / kind.replace(" ", "-")) / "advanced" / LAB
    if "parts" in kind:
        for old, new in SHARED:
            edit(lab / "main.cu", old, new)
    return lab, verdict(lab, kinds(there)[kind][1])


def verdict(lab: Path, settings: tuple[str, ...]) -> str:
    """Of a kernel: "", or how the first run that was not right ended."""
    built = make(lab, "gemm", *settings)
    if built.status != 0:
        return f"does not compile: {built.text[-500:]}"
    words = {0: "", 1: "wrong", 2: "an error", 137: "hangs", -9: "hangs"}
    for arguments in ["--check"] + [f"{LARGE} --once"] * 2 * ("CUDA=cpu" not in settings):
        command = ["timeout", "-s", "KILL", str(LIMIT), "./gemm", *arguments.split()]
        ended = run(command, lab, 2 * LIMIT)
        if ended.status != 0:
            return words.get(ended.status, f"status {ended.status}: {ended.text[-500:]}")
    return ""


def judge(name: str, kind: str, lab: Path, folder: Path, there: int) -> str:
    mistake = MISTAKES[name]
    copy = folder / f"{name}-{kind.replace(' ', '-')}"
    shutil.copytree(lab.parent.parent, copy)
    mine = copy / "advanced" / LAB
    edit(mine / "kernel.cu", mistake.line, mistake.instead)
    return verdict(mine, kinds(there)[kind][1])


def mistakes(folder: Path, there: int) -> bool:
    missed = 0
    with ThreadPoolExecutor(max(3, (os.cpu_count() or 1) // 2)) as pool:
        controls = pool.map(lambda kind: control(kind, folder, there), kinds(there))
        built = dict(zip(kinds(there), controls))
        for kind, (_, why) in built.items():
            print(f"{'as it is':26}{kind:24}{why or 'right'}", flush=True)
        if any(why for _, why in built.values()):
            return False
        asked = [(name, kind) for name in MISTAKES for kind in built]

        def said_of(one: tuple[str, str]) -> str:
            return judge(one[0], one[1], built[one[1]][0], folder, there)

        said = pool.map(said_of, asked)
        for (name, kind), how in zip(asked, said):
            mistake, count = MISTAKES[name], kinds(there)[kind][0]
            none = count < mistake.least
            excused = none or (mistake.luck and "emulated" not in kind)
            missed += how == "" and not excused
            told = f"right: it takes {mistake.least} GPUs" if none else "right, by luck"
            print(f"{name:26}{kind:24}{how or (told if excused else 'MISSED')}", flush=True)
    print(f"mistakes: {missed} missed", flush=True)
    return missed == 0


# ---- figures -----------------------------------------------------------------------------------
ROUNDS = {4096: 3, 8192: 3, 16384: 3, 32768: 1}  # of these each takes 20 s, most of it the host's
Times = dict[tuple[int, int, str], list[float]]  # ms of each round, by size, GPUS, program


def link(folder: Path, size: int, gpus: int) -> dict[str, float]:
    """GB/s into each of two GPUs, of the rows of B that one copies."""
    if not (folder / "peers").exists():
        (folder / "peers.cu").write_text(PEERS, encoding="utf-8")
        built = run(["nvcc", "-O2", "-o", "peers", "peers.cu"], folder)
        assert built.status == 0, built.text
    ended = run(["./peers", str(4 * size * size // gpus)], folder)
    assert ended.status == 0, ended.text
    speeds = defaultdict(list)
    for line in ended.out.splitlines():
        ways, speed = line.split()
        speeds[ways].append(float(speed))
    return {ways: median(some) for ways, some in speeds.items()}


def spread(some: list[float]) -> str:
    if len(some) < 2:
        return ""
    low, _, high = quantiles(some, n=4, method="inclusive")
    return f", spread {100 * (high - low) / median(some):.1f} %"


def figures(folder: Path, there: int) -> None:
    for command in "nvidia-smi topo -m", "nvidia-smi nvlink -s -i 0":
        print(run(command, folder).out)
    programs = [
        (1, "gemm"),
        *((n, p) for n in counts(there)[1:] for p in ("gemm_no_overlap", "gemm")),
    ]
    folders = {n: copy_to(folder / f"figures-{n}") / "advanced" / LAB for n in counts(there)}
    with ThreadPoolExecutor() as pool:
        for built in pool.map(lambda n: make(folders[n], "-j4", "all", f"GPUS={n}"), folders):
            assert built.status == 0, built.text
    links = {(size, n): link(folder, size, n) for size in ROUNDS for n in counts(there)[1:]}
    times: Times = defaultdict(list)
    steady: Times = defaultdict(list)
    for turn in range(max(ROUNDS.values())):
        for size in [size for size, rounds in ROUNDS.items() if turn < rounds]:
            for gpus, program in programs:
                reps = "1" if size > LARGE else "5"
                words = [str(size), "--no-warmup", "--reps", reps, "--json", "timed.json"]
                ended = run([f"./{program}", *words], folders[gpus])
                assert ended.status == 0, ended.text
                record = json.loads((folders[gpus] / "timed.json").read_text(encoding="utf-8"))
                ms = [each["kernel_ms"] for each in record["repetitions"]]
                times[size, gpus, program].append(median(ms))
                again = record["steady"]
                steady[size, gpus, program].append(again["kernel_ms"] if again else median(ms))
                print(
                    f"N={size} GPUS={gpus} {program}: {ms} ms, steady {record['steady']}, "
                    f"clock {record['clock']}, {record['shapes'][0]['verdict']}",
                    flush=True,
                )
        print_table(times, steady, links)


def print_table(
    times: Times, steady: Times, links: dict[tuple[int, int], dict[str, float]]
) -> None:
    for (size, gpus, program), ms in times.items():
        one, mine = median(times[size, 1, "gemm"]), median(ms)
        print(
            f"N={size:5} GPUS={gpus} {program:16} {mine:9.3f} ms{spread(ms)}, "
            f"{2e-6 * size**3 / mine:8.0f} GFLOP/s, efficiency {one / gpus / mine:.3f}"
        )
    for (size, gpus), speed in links.items():
        copy = 4e-6 * size * size * (gpus - 1) / gpus / speed["2"]
        before, after = (median(steady[size, gpus, p]) for p in ("gemm_no_overlap", "gemm"))
        print(
            f"N={size:5} GPUS={gpus} copies {speed['1']:.0f} GB/s one way, {speed['2']:.0f} "
            f"both: {copy:.3f} ms, of which {(before - after) / copy:.2f} are hidden",
            flush=True,
        )


def main(words: list[str]) -> int:
    there, well = gpus_here(), True
    if there < 2:
        print(f"skipped: it takes two NVIDIA GPUs, and there are {there} here", file=sys.stderr)
        return 77
    words = words or ["check", "race", "mistakes", "figures"]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool:
        kinds_of_run = [(gpus, type) for gpus in counts(there) for type in TYPES]
        jobs = []
        if "race" in words:
            tools = [(*one, tool) for one in kinds_of_run for tool in for_device()]
            jobs += [pool.submit(race, *one, Path(name)) for one in tools]
        if "check" in words:
            jobs += [pool.submit(check, *one, Path(name)) for one in kinds_of_run]
        if "mistakes" in words:
            well = mistakes(Path(name), there)
        for job in jobs:
            said, right = job.result()
            print(said, flush=True)
            well = well and right
        if "figures" in words:
            figures(Path(name), there)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
