# SPDX-License-Identifier: MIT
"""The worker of each backend: what is built, and in which sandbox it runs. And the judge, who asks it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from workbook import TOP, Mistake
from workbook.grade.build import GRADING, PATIENCE, TRIES, Overdue, Work, open_bench
from workbook.grade.compile import compile_for_gpu, compile_opencl, link
from workbook.grade.machine import NO_MEMORY, memory_kills, require_machine
from workbook.grade.sandbox import Box, enclose, grading, own, unprivileged
from workbook.handin import take
from workbook.handin.bench import Geometry
from workbook.labs import Lab
from workbook.process import run
from workbook.records import NoRecord, read
from workbook.text import plain

CALL = 10  # seconds for one call of a kernel
# Seconds of the processor for all that a judge asks, by its plan; a busy machine takes longer.
JUDGED = {"shapes": 150.0, "speed": 300.0, "few": 400.0, "anew": 60.0}
SHARED = 1 << 30  # bytes of the memory that the judge shares with it, a file
JUDGE = {
    "schema": "gemm-judge/1",
    "plan": str,
    "seed": str,
    "overhead_ms": (int, float, None),
    "clock": ("wall", "processor"),
    "reference_end": (str, None),
    "gpu": (dict, None),
    "started": bool,
    "end": (str, None),
    "at": (dict, None),
    "outside": (str, None),
    "finding": (dict, None),
    "calls": [{"M": int, "N": int, "K": int, "class": str, "data": str, "verdict": str}],
}
NVIDIA = Path("/etc/OpenCL/vendors/nvidia.icd")
# Those that the judge has: enum defence of judge.h.
IN_JUDGE = "fresh every secret whole fractions readonly freeze edges".split()
DEFENCES = {name: 1 << bit for bit, name in enumerate(IN_JUDGE)}


@dataclass(frozen=True)
class Worker:
    """A command in its sandbox; it knows no paths but those inside."""

    work: Work
    shape: Geometry
    command: list[str]
    box: Box
    copies: bool = False  # it has memory of its own
    most: int = 0  # MiB of it, where its box does not limit the addresses; 0: no matter


def make(work: Work, files: dict[str, bytes]) -> Worker:
    """The worker that is graded; Unfit says why there is none."""
    open_bench(work, files)
    shape = take(work, with_object=not on_gpu(work.lab))
    if work.backend == "cuda" and on_gpu(work.lab):
        compile_for_gpu(work, gpu())
        return of_gpu(work, shape, "cuda_device", [], "kernel.cubin")
    if work.backend == "opencl" and on_gpu(work.lab):
        return of_gpu(work, shape, "opencl", ["source"], work.preprocessed)
    if work.backend == "opencl":
        compile_opencl(work, shape)
        return of_opencl(work, shape)
    link(work, "worker", work.backend, "-static")
    filter = "threads" if work.task.threads > 1 or work.backend == "cuda" else "kernel"
    words = shape.words if work.backend == "cuda" else []
    return Worker(work, shape, ["/worker", *words], alone(work, filter))


def alone(work: Work, filter: str) -> Box:
    """Of a program that needs no file but itself."""
    return Box(filter, ((str(work.built / "worker"), "/worker"),), without=work.without)


def of_opencl(work: Work, shape: Geometry) -> Worker:
    """A program of ours, and the driver with its libraries: /tmp is where it unpacks the kernel."""
    program = str(grading() / "opencl")
    files = ((program, "/opencl"), (str(work.built / "kernel.bin"), "/kernel.bin"), *driver())
    where = ("LD_LIBRARY_PATH=/libraries", "POCL_CACHE_DIR=/tmp", "POCL_DEVICES=pthread")
    box = Box("files", files, environment=where, memory=8 << 30, without=work.without)
    return Worker(work, shape, ["/opencl", "shared", *shape.words, "/kernel.bin"], box)


@cache
def gpu() -> str:
    """The architecture of NVIDIA's GPU here, sm_90; nothing where there is none, or no toolkit."""
    if not (GRADING / "cuda_device").exists():
        return ""
    said = run(["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"], TOP, 60)
    found = re.match(r"(\d+)\.(\d)\b", said.out) if said.status == 0 else None
    return f"sm_{found[1]}{found[2]}" if found else ""


def on_gpu(lab: Lab) -> bool:
    """Does its kernel run on a GPU here?"""
    return bool(gpu()) and (lab.backend == "cuda" or lab.backend == "opencl" and NVIDIA.is_file())


def of_gpu(work: Work, shape: Geometry, program: str, mode: list[str], kernel: str) -> Worker:
    """Host code of ours, with the driver of the system: see grading/README.md for what a GPU does not
    isolate."""
    wanted = (
        (str(grading() / program), "/worker"),
        (str(work.built), "/built"),
        ("/etc/OpenCL", "/etc/OpenCL"),
    )
    files = tuple(pair for pair in wanted if Path(pair[0]).exists())
    devices = tuple(str(path) for path in sorted(Path("/dev").glob("nvidia*")) if not path.is_dir())
    box = Box("tool", files, devices, system=True, memory=None, without=work.without)
    return Worker(work, shape, ["/worker", *mode, *shape.words, f"/built/{kernel}"], box, copies=True)


@cache
def driver() -> tuple[tuple[str, str], ...]:
    """The files that a program needs for OpenCL on this CPU, and where it looks for them."""
    vendor = Path("/etc/OpenCL/vendors/pocl.icd")
    if not vendor.is_file():
        raise Mistake("no PoCL here, on which OpenCL kernels are graded: ./setup")
    pocl = vendor.read_text().strip()
    plugins = sorted(Path("/usr/lib").glob("*/pocl"))
    libraries = closure(
        [str(grading() / "opencl"), find(pocl), *(str(so) for p in plugins for so in p.glob("*.so"))]
    )
    files = [(str(path.resolve()), f"/libraries/{path.name}") for path in libraries]
    loaders = [path for path in libraries if path.name.startswith("ld-")]
    files += [(str(path.resolve()), str(path)) for path in loaders]
    files += [(str(plugin), str(plugin)) for plugin in plugins]
    files += [(path, path) for path in ("/etc/OpenCL", "/usr/share/pocl", "/proc/cpuinfo", "/proc/meminfo")]
    return tuple(files)


def find(library: str) -> str:
    """Where the loader finds it."""
    if "/" in library:
        return library
    for folder in ("/usr/local/lib", "/usr/lib", "/usr/lib64"):
        for found in (*Path(folder).glob(library), *Path(folder).glob(f"*/{library}")):
            return str(found)
    raise Mistake(f"cannot find {library}, which /etc/OpenCL/vendors/pocl.icd names: ./setup")


def closure(programs: list[str]) -> list[Path]:
    """All libraries that these need, and those themselves that are some."""
    said = run(["ldd", *programs], TOP, 60).out
    paths = {Path(path) for path in re.findall(r"(?:=> |^\s+)(/\S+) \(", said, re.MULTILINE)}
    return sorted(paths | {Path(program) for program in programs if ".so" in program})


# ---- the judge -------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Asked:
    """How a kernel is judged: seeds of 64 hexadecimal digits."""

    plan: str  # shapes, speed, few or anew
    seed: str
    class_seed: str
    size: int  # of what is timed
    rounds: int = 7
    seconds: float = CALL
    few: tuple[tuple[int, int, int], ...] = ()  # shapes for a tool


def clock_of(work: Work) -> dict[str, str]:
    """One thread has one core, and the time that it computes there; several of them, and a GPU, are faster
    on a wall clock alone."""
    if on_gpu(work.lab):
        return {"clock": "wall", "cores": "0", "gpu": "1"}
    threads = work.task.threads if work.backend == "cpu" else 1
    return {"clock": "wall" if threads > 1 else "processor", "cores": str(threads)}


def alone_on_its_core(worker: Worker) -> Worker:
    """OpenCL on a CPU has as many threads as there are cores, which would wait for each other on one: PoCL to
    version 4, and later."""
    if worker.work.backend != "opencl" or on_gpu(worker.work.lab):
        return worker
    one = ("POCL_MAX_PTHREAD_COUNT=1", "POCL_CPU_MAX_CU_COUNT=1")
    return replace(worker, box=replace(worker.box, environment=(*worker.box.environment, *one)))


def judge(worker: Worker, asked: Asked, reference: Worker | None = None) -> tuple[dict[str, Any], str]:
    """What the judge saw, and what the worker printed. A worker that did not come up, or that ended while the
    system had no memory, is asked once more, on a machine that is well."""
    for _ in range(TRIES):
        kills = memory_kills()
        said, printed = judge_once(worker, asked, reference)
        killed = said["end"] is not None and memory_kills() > kills
        if said["started"] and not killed:
            break
        require_machine(worker.work.folder)
    if killed:
        raise Mistake(NO_MEMORY)
    return said, printed


def judge_once(worker: Worker, asked: Asked, reference: Worker | None) -> tuple[dict[str, Any], str]:
    work = worker.work
    verdict = work.folder / f"verdict.{asked.plan}"
    verdict.mkdir(exist_ok=True)
    own(verdict)
    record, log = verdict / "judge.json", verdict / "log"
    record.unlink(missing_ok=True)
    switched = sum(DEFENCES.get(name, 0) for name in work.without)
    options = {
        "plan": asked.plan,
        "few": " ".join(f"{m},{n},{k}" for m, n, k in asked.few),
        "tile": worker.shape.around,
        "size": str(asked.size),
        "rounds": str(asked.rounds),
        "limit": str(round(asked.seconds * 1000)),
        "total": str(round(JUDGED[asked.plan] * 1000)),
        "memory": str(worker.most),
        "copies": str(int(worker.copies)),
        "without": str(switched),
        "record": str(record),
        "log": str(log),
    }
    if reference is not None:
        worker, reference = alone_on_its_core(worker), alone_on_its_core(reference)
        options |= clock_of(work)
    command = [
        str(grading() / "judge"),
        *(word for name, value in options.items() for word in (f"--{name}", value)),
    ]
    command += enclose(worker.command, worker.box)
    if reference is not None:
        command += ["::", *enclose(reference.command, reference.box)]
    seeds = {"GEMM_SEED": asked.seed, "GEMM_CLASS_SEED": asked.class_seed}  # a command line is seen by all
    environment = {"PATH": os.environ["PATH"], **seeds}
    seconds = PATIENCE * JUDGED[asked.plan] + 60
    outcome = run([*unprivileged(), *command], TOP, seconds, environment, output=SHARED)
    try:
        said = read(record, JUDGE)
    except NoRecord as error:
        if outcome.timed_out:
            raise Overdue("FAIL", f"all calls together take more than {seconds:g} s") from error
        ended = f"is ended by signal {-outcome.status}" if outcome.status < 0 else error
        raise Mistake(f"the judge fails at {work.lab.name}: {plain(outcome.err) or ended}") from error
    return said, log.read_bytes()[: 64 << 10].decode("utf-8", "replace")
