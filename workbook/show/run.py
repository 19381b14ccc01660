# SPDX-License-Identifier: MIT
"""run LAB PROGRAM [ARGUMENT ...]: what make run does with a program that is built: its output is
shown as it comes. One that crashes, or has not ended within its limit, gets a line that says so. A
skip is no error."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from workbook.check.other import replaced
from workbook.check.words.misdeclared import no_kernel
from workbook.check.words.unshared import has_barriers, of_source, shares, unreached, unwaited
from workbook.core.process import run
from workbook.core.progress_bar import ProgressBar
from workbook.core.quiet import ANOTHER
from workbook.core.typed import command
from workbook.lab import labs, whole
from workbook.lab.labs import Lab
from workbook.lab.limits import seconds
from workbook.lab.program import (
    FAIL,
    NOT_YET,
    PASS,
    SKIP,
    STATUS,
    Result,
    run_program,
    without_verdict,
)
from workbook.lab.stages import text_of
from workbook.lab.workspace import Workspace
from workbook.measure import ceilings
from workbook.measure.requested import requested

ROUNDS = 10000  # of the tutorial
SMALL = ["3", "7", "5"]
# Memory of a CPU kernel's own, which no trap of the battery surrounds: it is taken, or an array.
OWN_MEMORY = re.compile(r"alloc\w*\s*\(|\b(?:float|double|real|int|__m\d+i?)\s+\w+\s*\[")
TELLS = {"--help", "--list-devices"}  # something else, and verifies nothing


def main(words: list[str]) -> int:
    does = "Runs a program of a lab that is built, within LIMIT seconds, or what its size may take."
    epilog = "exit status: 0 verified or skipped, 1 wrong, 2 bad usage or impossible."
    parser = argparse.ArgumentParser(prog="run", description=does, epilog=epilog)
    parser.add_argument("lab", help="its folder: lab05_ocl_coarsen")
    parser.add_argument("program", help="gemm, or gemm_VARIANT")
    about = "for the program; gemm --help says which"
    parser.add_argument("argument", nargs=argparse.REMAINDER, help=about)
    options = parser.parse_args(words)
    limit = seconds(options.argument)
    said = whole.edited(Path(options.lab))
    if said:
        print(f"gemm: {said}", file=sys.stderr, flush=True)
    lab = labs.describe(options.lab, labs.given())
    skips = any(program.skip for program in lab.programs if program.name == options.program)
    if skips or TELLS & set(options.argument):
        return tell(lab, options.program, options.argument, limit)
    kernel = next((one.kernel for one in lab.programs if one.name == options.program), "")
    if missing := no_kernel(lab.path / kernel):
        print(f"gemm: {missing}", file=sys.stderr)
        return 1
    if lab.backend and not lab.emulated and ceilings.is_wanted(lab.backend, lab.type):
        with ProgressBar("run", ceilings.A_BACKEND) as progress:
            progress.show_only("what this machine can do at most, measured once")
            ceilings.ensure(lab.backend, lab.type)
    result = run_program(
        lab.path, options.program, [*options.argument, "--rehearse"], limit, shown=True
    )
    if result.verdict == FAIL and not said and (said := whole.edited(lab.path, failed=True)):
        print(f"gemm: {said}", file=sys.stderr)
    if result.verdict == FAIL:
        for cause in causes(lab, result, lab.path / kernel):
            print(f"gemm: {cause}", file=sys.stderr)
    if result.verdict == PASS:
        rows = {**below(result), **open_questions(lab, result)}
        print("".join(f"  {name:<15}{words}\n" for name, words in rows.items() if words), end="")
    if untold := what_it_did_not_say(lab, result):
        print(f"gemm: {untold}", file=sys.stderr)
    if result.verdict in (PASS, SKIP):
        return 0
    return 2 if result.status == 2 else 1


def causes(lab: Lab, result: Result, kernel: Path) -> Iterator[str]:
    """What its program cannot say: what the kernel's text tells; and of one that crashes, what is
    wrong with a product so small that nothing far away is overwritten."""
    yield from (words for _, words in of_source(kernel))
    if has_barriers(kernel):  # which not all may reach: then it computes what nobody wrote
        return
    if not result.finding and (result.crashed or "IllegalAddress" in result.reason):
        small = run_program(lab.path, result.program, SMALL)
        if cause := small.finding.get("cause"):
            yield f"at {' x '.join(SMALL)} it does not crash, and is wrong: likely cause: {cause}"


def below(result: Result) -> dict[str, str]:
    """What its figures come to."""
    said = {"disturbed": others_of(result)}
    if result.gflops and not result.is_wide:
        said = {"requested": requested(result), "total": total(result), **said}
    return said


def open_questions(lab: Lab, result: Result) -> dict[str, str]:
    """What a right result leaves open, of a student's own kernel: that the last check has found it
    without its idea; its memory, which no run has looked at yet, a tunable that it does not use,
    and a barrier that is missing, or that not all reach."""
    desk = Workspace(lab)
    if result.variant or not desk.is_own():
        return {}
    from workbook.student.lab_status import lab_status  # all of make check, for one question

    in_c = lab.backend == "cpu" and OWN_MEMORY.search(text_of(desk.kernel))
    last = lab_status(desk, None)
    idea = last.found["reason"] if last.found and last.found["verdict"] == NOT_YET else ""
    unseen = last.race == "-" and (in_c or lab.backend == "opencl" or shares(desk.kernel))
    return {
        NOT_YET: f"{idea} ({command(lab.path, 'hint')})" if idea else "",
        "memory": f"not looked at yet: {command(lab.path, 'race')}" if unseen else "",
        "tunable": replaced(lab),
        "barrier": unreached(desk.kernel) or unwaited(desk.kernel),
    }


def total(result: Result) -> str:
    """How long its user waits, who needs one product, or many of the same matrices on a GPU."""
    record, times = result.record, result.record["repetitions"]
    if record["alloc_ms"] is None:
        return ""
    copies = sum(median(one[key] for one in times) for key in ("h2d_ms", "d2h_ms"))
    before = sum(record[key] or 0.0 for key in ("alloc_ms", "context_ms", "build_ms")) + copies
    once, many = before + result.kernel_ms, before + ROUNDS * result.kernel_ms
    return (
        f"{once:.4g} ms for one product, set-up and copies included; "
        f"{many / 1000:.4g} s for {ROUNDS:,}"
    )


def tell(lab: Lab, program: str, arguments: list[str], limit: float) -> int:
    """What is no computation: a skip, or what the program says of itself."""
    outcome = run([f"./{program}", *arguments], lab.path, limit, labs.environment(), shown=True)
    if outcome.status < 0:
        print(f"gemm: {without_verdict(program, outcome, '')}", file=sys.stderr)
        return 1
    return 0 if outcome.status == STATUS["skip"] else outcome.status


def others_of(result: Result) -> str:
    """What ran beside it; of its CPU time the program has said so itself."""
    if ANOTHER in result.disturbed:
        return ANOTHER
    return result.disturbed if result.record["backend"] != "cpu" else ""


def what_it_did_not_say(lab: Lab, result: Result) -> str:
    """Why it failed, of a program that ended before it could say so."""
    if result.crashed:
        race = f"race VARIANT={result.variant}" if result.variant else "race"
        told = "" if result.record.get("ended") else f"{result.reason}; "
        return f"{told}next: {command(lab.path, race)}"
    silent = result.status <= 0 or result.status == STATUS["skip"]
    return result.reason if result.verdict == FAIL and silent else ""
