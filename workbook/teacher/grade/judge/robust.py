# SPDX-License-Identifier: MIT
"""Races, and what is touched outside A, B and C: the tools of make race, on a guest that computes
with copies of the matrices which are no larger than these. Each tool runs in a sandbox of its own.
What it says goes to stderr, to a file of its own."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from workbook import UserError
from workbook.core.text import plain
from workbook.handin.bench import Step, Unfit
from workbook.handin.compile import compiling, silenced
from workbook.race.findings import Finding, sentence, worst
from workbook.race.say import emulated
from workbook.race.tools import Tool, is_emulated, shapes, tools
from workbook.teacher.grade.compiling.builder import Overdue, Work
from workbook.teacher.grade.compiling.compile import linking
from workbook.teacher.grade.compiling.sandbox import Box, own
from workbook.teacher.grade.judge.judging import UNSTARTED, Asked, beginning, verify
from workbook.teacher.grade.judge.workers import MOST, Worker, on_gpu

CALL = 150.0  # seconds of the processor for a call under a tool
# AddressSanitizer gives no more memory itself.
MEMORY = (
    "ASAN_OPTIONS=max_allocation_size_mb=2048:soft_rss_limit_mb=2560:allocator_may_return_null=1"
)
PROCESSES = 32 + (os.cpu_count() or 1)  # and threads: LeakSanitizer's, the engine's
UNOPTIMISED = ["-O0"]
# valgrind's own code lies at 0x58000000, and a program below it, where large arrays have no room.
ABOVE_VALGRIND = "-Wl,-Ttext-segment=0x100000000"
# Of a tool that says to stdout what it found. What a kernel prints there goes where it did.
TO_STDERR = ["/bin/sh", "-c", 'exec 7>&1 >&2 && exec "$@"', "sh"]
PRINTS = "GEMM_PRINTS=7"  # for guest/guest.c
BY_ITSELF = ("exit", "main")  # a guest ended, and not by a signal, nor by the judge
MOST_SAID = 1 << 20  # bytes of a report: of a sanitizer's
LONGEST = 4096  # characters of a line of it
SHOWN = 1000  # of a finding


@dataclass(frozen=True)
class Robust:
    """What the tools say of a kernel; `found` is empty where it is sound."""

    found: str = ""
    tools: tuple[str, ...] = ()  # that looked
    unseen: tuple[str, ...] = ()  # and did not come to the end, as it is too slow for them
    kind: str = ""  # of a mistake that a tool names


# These take memory for what a kernel never touches, or for each work-item of a group.
HAVE_SHADOWS = ("valgrind",)


class Unseen(Exception):
    """Too slow for a tool, or too large; or on a GPU what the emulation cannot build. No
    mistake."""


def on_device(tool: Tool) -> bool:
    """Its program is nvcc's; it has no settings where it is not installed."""
    return "CUDA=nvcc" in tool.settings or not tool.settings


def required(work: Work) -> list[Tool]:
    """All of them are here, or nothing is graded. Where a GPU is, the emulation looks as well: it
    sees a barrier that some threads have left out by their end, and a sum that nobody has set."""
    every = tools(work.lab, short=False)
    gpu = work.backend == "cuda" and on_gpu(work.lab)
    wanted = [tool for tool in every if gpu or not on_device(tool)]
    for tool in wanted:
        if tool.missing:
            raise UserError(f"{tool.missing}: ./setup grade")
    return wanted


def look(work: Work, worker: Worker, asked: Asked) -> Robust:
    """Until a tool names a mistake. That the result is wrong the judge knows; the next tool may
    know why."""
    if work.holds("silenced") and (said := silenced(work)):
        return Robust(said)
    used: list[str] = []
    unseen: list[str] = []
    wrong = ""
    unwritten: Robust | None = None
    few = tuple(shapes(worker.shape.tile, work.backend, short=False))
    asked = replace(asked, few=few, seconds=CALL if work.backend != "cpu" else CALL / 5)
    for tool in required(work):
        used.append(tool.name)
        try:
            finding = under(tool, work, worker, asked)
        except Unseen:
            unseen.append(tool.name)
            continue
        if finding is None:
            continue
        finding = tool.explained(finding, work.text(f"lab/{work.source}"))
        said = sentence(finding, work.lab.backend)[:SHOWN]
        place = f"line {finding.line}, {tool.name}" if finding.line else tool.name
        named = Robust(f"{place}: {said}", kind=finding.kind)
        if finding.kind == "wrong":
            wrong = wrong or f"{tool.name}: {said}"
        elif finding.kind == "unwritten":  # it may follow from a race, which the next tool sees
            unwritten = unwritten or named
        else:
            return replace(named, tools=tuple(used))
    if unwritten:
        return replace(unwritten, tools=tuple(used))
    nothing = f"; no access out of bounds is found by {', '.join(used)}"
    nothing += ", which look for no races" if work.backend == "cpu" else ", and no race"
    return Robust(wrong + nothing if wrong else "", tuple(used), tuple(unseen))


def under(tool: Tool, work: Work, worker: Worker, asked: Asked) -> Finding | None:
    report = emptied(work.folder / "report")
    try:
        under_tool = for_tool(tool, work, worker)
        record, _ = verify(replace(under_tool, box=replace(under_tool.box, report=report)), asked)
    except Overdue as why:
        raise Unseen from why
    except Unfit as why:  # its build for the tool
        if on_gpu(work.lab) and not on_device(tool):
            raise Unseen from why
        return Finding("wrong", why.reason)
    told = "\n".join(line[:LONGEST] for line in beginning(report, MOST_SAID).splitlines())
    verdicts = {
        shape["verdict"]: shape for shape in reversed(record["shapes"])
    }  # the first of each
    mistakes = tool.findings(told, work.source) + emulated.findings(told, work.source)
    if record["grown"]:
        mistakes.append(Finding("growth", f"{record['grown']} bytes in 24 calls of one shape"))
    if "fail" not in verdicts and is_emulated(tool):  # nothing depends on it
        mistakes = [one for one in mistakes if one.kind != "unwritten"]
    elif "fail" in verdicts:  # C itself may be what nobody has written
        mistakes = [one for one in mistakes if one.line or one.kind != "unwritten"]
    if finding := worst(mistakes):
        return finding
    if report.stat().st_size > MOST_SAID:  # what the tool found may be behind it
        return Finding("limit", "writes so much to stderr that a tool's report has no room")
    if tool.summary not in told and record["ended"] in (None, UNSTARTED, *BY_ITSELF):
        raise UserError(f"{tool.name} does not come to its summary: {last_line(told)}")
    if "fail" in verdicts:
        at = "at {M} x {N} x {K}".format(**verdicts["fail"])
        changed = (record["finding"] or {}).get("changed") or {}
        if name := next((name for name in changed if changed[name]), None):
            return Finding("other", f"the kernel writes to {name}, which is to be read alone, {at}")
        return Finding("wrong", f"the result is wrong {at}")
    if record["ended"] == "limit":  # right, as far as it came
        raise Unseen
    if record["verdict"] == "pass":  # every shape was computed
        return None
    said = [plain(line) for line in told.splitlines() if re.search(r"[a-z]{3}", line)]
    line = next((line for line in said if "error" in line.lower()), said[-1] if said else "")
    greedy = record["ended"] == "memory"
    if greedy and tool.name in HAVE_SHADOWS:
        raise Unseen
    return Finding(
        "limit" if greedy else "wrong",
        f"{record['reason'] or 'it did not come to its end'}{': ' + line[:200] if line else ''}",
    )


def last_line(said: str) -> str:
    lines = [line for line in (plain(one).strip("= ") for one in said.splitlines()) if line]
    return lines[-1] if lines else "it is silent"


def emptied(path: Path) -> Path:
    """A file that who is in the sandbox can write to."""
    path.write_bytes(b"")
    own(path)
    return path


def for_tool(tool: Tool, work: Work, worker: Worker) -> Worker:
    """The kernel once more, built and run as the tool wants it."""
    if on_device(tool):
        # A tool that starts the program as a process of its own.
        environment = (*worker.box.environment, PRINTS)
        box = replace(worker.box, filter="compiler", processes=PROCESSES, environment=environment)
        # The toolkit is in no usual place.
        program = shutil.which(tool.command[0]) or tool.command[0]
        words = [*TO_STDERR, program, *tool.command[1:], *worker.command]
        return replace(worker, command=words, box=box)
    files = [(str(work.built), "/built")]
    name = "".join(c for c in tool.name if c.isalnum())
    build_for_tool(work, tool, linking(work, name, "bare", *build_flags(work, tool)))
    words = [f"/built/{name}", *own_words(work, worker)]
    settings = (MEMORY, *(f"{key}={value}" for key, value in tool.environment.items()))
    box = Box(
        "tool",
        tuple(files),
        system=True,
        environment=settings,
        memory=None,
        processes=PROCESSES,
        without=work.without,
    )
    return Worker(work, worker.shape, [*tool.command, *words], box, most=MOST)


def own_words(work: Work, worker: Worker) -> list[str]:
    """Those of grading/opencl.c; a lab's main has none."""
    if work.backend == "opencl":
        return ["source", *worker.shape.words, f"/built/{work.source}"]
    return []


def build_for_tool(work: Work, tool: Tool, link: list[Step]) -> None:
    """Some kernels compile as their lab has it alone: a constant is none where nothing is
    optimised, an inline function is one of another file. And not every linker can put a program
    elsewhere."""
    flags = build_flags(work, tool)
    ways = [(flags, link)]
    if flags == UNOPTIMISED:
        high = [*link[:-1], replace(link[-1], command=[*link[-1].command, ABOVE_VALGRIND])]
        ways = [(flags, high), ([], high), (flags, link), ([], link)]
    for compiled, linked in ways:
        try:
            work.build(*compiling(work, *compiled, of_tool=True), *linked)
            return
        except Unfit as why:  # what is too slow to compile is so for any linker
            if (compiled, linked) == ways[-1] or isinstance(why, Overdue) and not compiled:
                raise


def build_flags(work: Work, tool: Tool) -> list[str]:
    """As make race has it: objects.mk, emulation.mk."""
    sanitizers = next((s.partition("=")[2] for s in tool.settings if s.startswith("SAN=")), "")
    if sanitizers:
        return [
            *{"cuda": ["-O1"], "opencl": ["-O0"]}.get(work.backend, []),
            f"-fsanitize={sanitizers}",
            "-fno-sanitize=shift-base",
            "-fno-sanitize-recover=all",
            "-fsanitize-recover=alignment",
            "-fno-omit-frame-pointer",
        ]
    return (
        UNOPTIMISED if tool.name == "valgrind" else []
    )  # in a register nobody can tell what was set
