# SPDX-License-Identifier: MIT
"""What was measured with: devices, compilers, flags; and which measurements they make stale when
they change."""

from __future__ import annotations

import hashlib
import platform
import re
from pathlib import Path

from workbook import TOP
from workbook.core.process import run
from workbook.lab.labs import Lab, Program, environment, make

SECONDS = 60
CLOCKS = "CPU labs CLOCK_MONOTONIC; OpenCL profiling events; CUDA events"
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")  # those that one core has, or shares with some

# What builds a backend's kernels.
FLAGS = {"cpu": ("compiler flags",), "cuda": ("CUDA compiler", "CUDA flags")}


def facts(labs: list[Lab], settings: list[str]) -> dict[str, str]:
    """By name, in the order in which a report shows them. The labs must have been built."""
    first = {
        backend: next((lab for lab in labs if lab.backend == backend), None)
        for backend in ("cpu", "opencl", "cuda")
    }
    cpu, cuda = first["cpu"], first["cuda"]
    said = {backend: device(lab) for backend, lab in first.items() if lab}
    said["caches"] = caches(CACHES)
    said = {name: said[name] for name in ("cpu", "caches", "opencl", "cuda") if said.get(name)}
    said["system"] = f"{platform.system()} {platform.release()}"
    if cpu:
        on_cpu = [lab for lab in labs if lab.backend == "cpu"]
        flags = {lab.name: shell(lab, "echo $(KERNEL_FLAGS)", settings) for lab in on_cpu}
        said["compiler"] = shell(cpu, "$(CC) --version 2>/dev/null | head -n 1", settings)
        said["compiler flags"] = shell(cpu, "echo $(CFLAGS)", settings) + of_kernels(flags)
    if cuda and not cuda.emulated:
        asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        said["CUDA driver"] = run(asked, TOP, SECONDS).out.partition("\n")[0]
        version = shell(cuda, "$(NVCC) --version | sed -n 's/^.*release/release/p'", settings)
        said["CUDA compiler"] = f"nvcc {version}"
        said["CUDA flags"] = shell(cuda, "echo $(nvcc)", settings).partition(" ")[2]
    said["clocks"] = CLOCKS
    return {name: value for name, value in said.items() if value}


def of_kernels(flags: dict[str, str]) -> str:
    """Labs whose kernels have the same flags of their own, by number."""
    labs: dict[str, list[str]] = {}
    for name, words in flags.items():
        if words:
            labs.setdefault(words, []).append(name[3:5])
    return "".join(
        f"; the kernels of labs {' and '.join(names)} also {words}" for words, names in labs.items()
    )


def device(lab: Lab) -> str:
    """The one that the lab uses, starred in its list, with its facts."""
    listed = run(["./gemm", "--list-devices"], lab.path, SECONDS, environment()).out
    starred = re.search(r"^\* *[0-9]* *(.*)\n *(.*)", listed, re.M)
    return f"{starred[1]} ({starred[2]})" if starred else ""


def caches(folder: Path) -> str:
    """L1 32 KiB, L2 ...: getconf adds up what several groups of cores have of the last one."""
    found = []
    for index in sorted(folder.glob("index*")):
        level, kind, size = (
            (index / name).read_text(encoding="utf-8").strip() for name in ("level", "type", "size")
        )
        if kind != "Instruction":
            kib = int(size.rstrip("K"))
            found.append(f"L{level} " + (f"{kib} KiB" if kib < 1024 else f"{kib / 1024:g} MiB"))
    return ", ".join(found)


def shell(lab: Lab, command: str, settings: list[str]) -> str:
    """What a command with make's variables says in the lab."""
    outcome = make(lab.path, ["--eval", f"said: ; @{command}", "said", *settings], SECONDS)
    return outcome.out.strip() if outcome.status == 0 else ""


def is_gpu(fact: str) -> bool:
    return "(GPU," in fact


def stamp(lab: Lab, program: Program, facts: dict[str, str], fresh: str) -> str:
    """Which sources, compilers, flags, device and driver a program's measurements belong to, and
    which FRESH=1. Clock and free memory of a device may change by themselves."""
    known = hashlib.sha256(fresh.encode())
    for name in (program.kernel, *lab.files):
        path = lab.path / name
        known.update(path.read_bytes() if path.is_file() else b"")
    for name in ("compiler", *FLAGS.get(lab.backend or "", ()), lab.backend or ""):
        fact = facts.get(name, "")
        known.update(re.sub(r"[0-9]* MHz|[0-9]* MiB of memory", "", fact).encode())
    return known.hexdigest()[:16]
