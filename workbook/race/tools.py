# SPDX-License-Identifier: MIT
"""Which tools look at a lab, and at which shapes.

CPU     AddressSanitizer and UndefinedBehaviorSanitizer; and valgrind for what intrinsics read and
        write, which these do not see; ThreadSanitizer where there is OpenMP, with
        advanced/common/openmp.c. Ranks have one each, under the same mpirun
OpenCL  engine/ in random order, with these sanitizers and with ThreadSanitizer
CUDA    the same, and without a sanitizer; and on a device the four tools of compute-sanitizer
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from workbook import TOP
from workbook.core.clang import missing_clang
from workbook.core.process import run
from workbook.lab import ranks
from workbook.lab.labs import Lab
from workbook.race.barrier import with_remedy
from workbook.race.findings import Finding
from workbook.race.say import compute_sanitizer, emulated, sanitizers, valgrind
from workbook.race.threads import shared_by_threads

BATTERY = ("--check",)
# Of each shape one run, as the emulation is slow: what another finds is a result, and make check's.
BATTERY_ONCE = (*BATTERY, "--once")
ONCE = ("--once",)  # the shapes below
EMULATED = {"cuda": "CUDA=cpu", "opencl": "OPENCL=engine"}  # how make chooses engine/
# In an intrinsic, the frames say for whom; and not all that is misaligned is a mistake.
UBSAN = {"UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=0"}
RANKS = 4  # two rows of two: something is sent along both
LARGE = 512  # a tile of more has no end: a work-item takes a whole row
DEEP = 1031  # a K that is
DEEPER = 4201  # and a row, a column, where it costs next to nothing; as plan.c and shapes.c
STEPS = 1 << 21  # products for it, as a work-group computes all of its tile


@dataclass(frozen=True)
class Tool:
    name: str
    findings: Callable[[str, str], list[Finding]]
    settings: tuple[str, ...]  # with which the lab is built for it
    arguments: tuple[str, ...] = BATTERY
    command: tuple[str, ...] = ()  # that runs the program
    environment: dict[str, str] = field(default_factory=dict)
    missing: str = ""  # why it cannot be used here
    enough: Callable[[str], bool] | None = None  # it need not come to its end: until() says so
    summary: str = ""  # what its report has in any case, once it has looked
    doubt: Callable[[str], str] = lambda _source: ""  # what in a kernel the tool may be wrong about
    rounds: int = 1  # of all shapes: more where the order of the threads changes from run to run

    def until(self, over: Callable[[], bool]) -> Tool:
        return replace(self, enough=lambda _said: over())

    def explained(self, finding: Finding, source: str, others: Sequence[str] = ()) -> Finding:
        """By the code of the kernel: which barrier is missing, what threads share, from which the
        rest follows, and what the tool is wrong about; and with which tunables it was found, where
        these are others than its own."""
        if shared := shared_by_threads(source):
            finding = replace(finding, kind="race", text=shared)
        note = f"; with {' '.join(others)}" if others else ""
        return replace(with_remedy(finding, source.split("\n")), note=note + self.doubt(source))


def tools(lab: Lab, short: bool) -> list[Tool]:
    """Short: only what shows that a barrier is missing, or what is touched outside of A, B and
    C."""
    if lab.backend == "cpu":
        return for_cpu(lab)
    if lab.backend is None:
        return []
    on_device = lab.backend == "cuda" and not (short or lab.emulated or lab.skip)
    return for_engine(lab, short) + (for_device() if on_device else [])


def for_cpu(lab: Lab) -> list[Tool]:
    # Not optimised: in a register nobody can tell what was set. It knows no AVX-512: no CFLAGS for
    # this CPU, and SIMDE=1 in the RACE of such a lab. An array of some MiB on the stack is no other
    # stack.
    stack = "--max-stackframe=16777216"
    command: tuple[str, ...] = (
        "valgrind",
        "-q",
        "--track-origins=yes",
        "--redzone-size=4096",
        stack,
    )
    if lab.ranks:
        return for_ranks(lab, command)
    command += ("--error-exitcode=9",)
    return [
        Tool(
            "ASan+UBSan",
            sanitizers.findings,
            ("SAN=address,undefined", "GUARD_BYTES=0"),
            environment=UBSAN,
        ),
        Tool(
            "valgrind",
            valgrind.findings,
            ("GUARD_BYTES=0", "CFLAGS=-g", *lab.race),
            ONCE,
            command,
            missing=missing("valgrind"),
            doubt=valgrind.doubt,
        ),
        *([for_openmp(lab)] if lab.threads else []),
    ]


def for_ranks(lab: Lab, valgrind_command: tuple[str, ...]) -> list[Tool]:
    """MPI itself leaks, and sends what nobody has set: what has no line in the kernel is none of
    its own, and no reason to end with another status."""

    def in_kernel(
        findings: Callable[[str, str], list[Finding]],
    ) -> Callable[[str, str], list[Finding]]:
        return lambda said, kernel: [one for one in findings(said, kernel) if one.line is not None]

    command = ranks.mpirun(RANKS)
    here = {
        **ranks.ENVIRONMENT,
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "self,vader",
    }  # begins sooner
    return [
        Tool(
            "ASan+UBSan",
            in_kernel(sanitizers.findings),
            ("SAN=address,undefined", "GUARD_BYTES=0", *lab.race),
            BATTERY,
            command,
            {**here, **UBSAN, "LSAN_OPTIONS": "exitcode=0"},
        ),
        Tool(
            "valgrind",
            in_kernel(valgrind.findings),
            ("GUARD_BYTES=0", "CFLAGS=-g", *lab.race),
            ONCE,
            (*command, *valgrind_command),
            here,
            missing("valgrind"),
        ),
    ]


def for_openmp(lab: Lab) -> Tool:
    settings = ("CC=gcc", "CFLAGS=-g", "SAN=thread", *lab.race)
    options = {"TSAN_OPTIONS": "halt_on_error=1"}
    return Tool("TSan", sanitizers.findings, settings, ONCE, fixed(), options, missing("gcc"))


def for_engine(lab: Lab, short: bool) -> list[Tool]:
    """Both languages run on it. Of OpenCL all is found in a few shapes: a driver computes the
    battery."""
    emulated_here = EMULATED[lab.backend or ""]
    absent = missing_clang() if lab.backend == "opencl" else ""
    thread = Tool(
        "TSan",
        sanitizers.findings,
        (emulated_here, "SAN=thread", *lab.race),
        ONCE,
        fixed(),
        {"TSAN_OPTIONS": "halt_on_error=1"},
        missing=absent,
        rounds=2,
    )
    address = (emulated_here, "SAN=address,undefined")
    if short:
        return [
            Tool("ASan", sanitizers.findings, (*address, *lab.race), ONCE, missing=absent),
            thread,
        ]
    if lab.backend == "opencl":
        found = Tool("ASan+UBSan", sanitizers.findings, (*address, *lab.race), ONCE, missing=absent)
        return [found, thread]
    return [
        Tool("emulation", emulated.findings, (emulated_here,), BATTERY_ONCE),
        Tool("ASan+UBSan", sanitizers.findings, address, BATTERY_ONCE),
        thread,
    ]


def for_device() -> list[Tool]:
    if why := missing("compute-sanitizer", "is not in PATH: it comes with the CUDA Toolkit"):
        return [Tool("compute-sanitizer", compute_sanitizer.findings, (), missing=why)]
    command = ("compute-sanitizer", "--error-exitcode", "9", "--tool")
    return [
        Tool(
            check,
            compute_sanitizer.findings,
            ("CUDA=nvcc", "GUARD_BYTES=0"),
            ONCE,
            (*command, check),
            {"GEMM_ALONE": "1"},
            summary="SUMMARY: ",
            rounds=2,
        )
        for check in ("memcheck", "racecheck", "synccheck", "initcheck")
    ]


def missing(program: str, why: str = "") -> str:
    if shutil.which(program):
        return ""
    return f"{program} {why or f'is not installed: apt-get install {program}'}"


def is_emulated(tool: Tool) -> bool:
    return any(setting in tool.settings for setting in EMULATED.values())


def fixed() -> tuple[str, ...]:
    """What runs a program for ThreadSanitizer."""
    return ("setarch", "-R") if can_fix_addresses() else ()


@cache
def can_fix_addresses() -> bool:
    """ThreadSanitizer needs it on some kernels; containers may forbid it."""
    return bool(shutil.which("setarch")) and run(["setarch", "-R", "true"], TOP, 10).status == 0


def shapes(tile: Sequence[int], backend: str | None, short: bool) -> list[tuple[int, int, int]]:
    """One after the other, for one process: they grow, so that what a kernel keeps of a call is too
    small for the next, and shrink; one comes twice, with other inputs. Larger than a work-group's
    tile, so that there are inner groups and those at the edge, and smaller; of several steps along
    k; and multiples of nothing. make grade has the same, or a little more."""
    rows, columns, depth = tile
    rows, columns = (1 if edge > LARGE else edge for edge in (rows, columns))
    # Of a large tile fewer steps, as they take time; on a CPU there is no pipeline.
    steps = 2 * depth + 1 if short or rows * columns > 4096 else 3 * depth + 5
    if backend == "cpu":
        steps = depth + 3
    larger = (34 if rows < 33 else rows + 1, 35 if columns < 33 else columns + 2, max(17, steps))
    if short:  # a group inside and one at the edge
        larger = (34 if rows < 32 else rows, 35 if columns < 32 else columns + 2, max(17, steps))
    most = DEEPER if backend == "cpu" else DEEP
    deep = (5, 3, min(most, max(DEEP // 10, (STEPS // 2 if short else STEPS) // (rows * columns))))
    few = [(1, 1, 1), (3, 1, 5), (3, 1, 5), larger, (2, 3, 4), deep]
    if short:
        return few
    if backend != "cpu":
        return [*few, (41, 52, 40)]
    # Tall, wide; and smaller again: few rows of A, more of k than such a kernel takes at a time,
    # and 13 columns of 16 at the edge.
    return [*few, (100, 112, 110), (DEEPER, 3, 5), (3, DEEPER, 5), (9, 109, 70)]
