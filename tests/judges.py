# SPDX-License-Identifier: MIT
"""A judge that lacks one of its defences, to see a cheat succeed: the session's source with some
lines less, linked as grading/ links it."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from pathlib import Path

from tests.support import TOP, edit, run

Edits = dict[str, tuple[tuple[str, str], ...]]
FILL = "fill_inputs(p, s->lab->run == 0 ? INTEGERS : UNIFORM, seed)"
DEFENCES: dict[str, Edits] = {
    "fresh": {  # every run has other inputs
        "session/runs.c": (("(uint32_t)s->judged->draw()", "1"),),
    },
    "every": {  # every C is verified, not the first of a shape alone
        "session/runs.c": (
            ("struct found found;", "struct found found = {0};"),
            ("if (verify(", "if (s->lab->run > 0 || verify("),
        ),
    },
    "secret": {  # the vector and the rows of the check are known to the judge alone
        "session/runs.c": (("s->judged->draw() | 1", "0"),),
    },
    "whole": {  # some inputs are whole numbers, which narrow arithmetic cannot add up
        "session/runs.c": ((FILL, "fill_inputs(p, UNIFORM, seed)"),),
    },
    "fractions": {  # some are not, which integer arithmetic cannot
        "session/runs.c": ((FILL, "fill_inputs(p, INTEGERS, seed)"),),
    },
    "readonly": {  # a guest cannot write to its inputs, and who could would be seen
        "guest/shared.c": (("inputs_too ? F_SEAL_FUTURE_WRITE : 0", "inputs_too ? 0 : 0"),),
        "common/verify.c": (("changed_elements(p, inputs[m], &f->input_at[m])", "0"),),
    },
    "freeze": {  # it is stopped before the clock stops, and before C is read
        "guest/process.c": (
            ("        send_signal(g, SIGSTOP);\n", ""),
            ("sum_of_threads(g->pid, moves)", "sum_of_threads(g->pid, computes)"),
        ),
    },
    "edges": {  # there is no memory where A, B or C ends, or none where they begin
        "session/runs.c": (("if (!is_in_place(s) ||", "if (true ||"),),
    },
}
FLAGS = "-std=c11 -O2 -D_XOPEN_SOURCE=700 -Dreal=float -w".split()


def without(defences: Collection[str], folder: Path) -> Path:
    """The program judge without them."""
    edits: dict[str, list[tuple[str, str]]] = {}
    for defence in defences:
        for name, changes in DEFENCES[defence].items():
            edits.setdefault(name, []).extend(changes)
    sources = []
    for name, changed in edits.items():
        path = folder / Path(name).name
        shutil.copy(TOP / name, path)
        for old, new in changed:
            edit(path, old, new)
        sources.append(path)
    build, program = TOP / "grading/build", folder / "judge"
    ours = [build / f"{name}.o" for name in ("judge", "options")]
    inputs = [*ours, *sources, build / "common.a"]
    made = run(
        ["cc", *FLAGS, f"-I{TOP}/common", f"-I{TOP}", "-o", program, *inputs, "-lm", "-ldl"], folder
    )
    assert made.status == 0, made.text
    return program
