# SPDX-License-Identifier: MIT
"""What people read of a search."""

from __future__ import annotations

import shlex
from textwrap import shorten

from workbook.core.text import WIDTH, wrap
from workbook.tune.results import Winner
from workbook.tune.space import Space
from workbook.tune.study import REFUSED, RIGHT, WRONG, Study, Tried

ROW = "  {:>8}{:>8}  "
LONG = 150  # characters of a reason: a compiler may say more


def in_words(space: Space, words: list[str]) -> str:
    return " ".join(space.others(space.point(words))) or "the defaults"


def wrong(space: Space, tried: Tried) -> str:
    setting = in_words(space, space.words(tried.point))
    return "\n".join([*wrap(f"{setting}:", "  ", "    "), *wrap(tried.why)])


def so_far(space: Space, study: Study) -> str:
    """Of a search that goes on another time."""
    said = f"{len(study.built)} settings tried"
    if study.best:
        best = study.best[0]
        said += (
            f"; best so far: {in_words(space, space.words(best.point))}, {best.gflops:.4g} GFLOP/s"
        )
    return "\n".join(wrap(f"{said}: the next make tune goes on from there", "", "  "))


def rows(space: Space, winner: Winner) -> list[str]:
    lines = [f"{ROW.format('GFLOP/s', 'times')}settings"]
    for one in winner["measured"]:
        times = f"{one['gflops'] / winner['defaults']:.2f}x" if winner["defaults"] else "-"
        first = ROW.format(f"{one['gflops']:.4g}", times)
        lines += wrap(in_words(space, one["settings"]), first, " " * len(first))
    return lines


def counts(study: Study) -> list[str]:
    """How many settings there were of each kind, and why the device refused the first that it
    did."""
    unbuilt = len(study.tried) - len(study.built)
    said = f"{len(study.built)} settings tried: {len(study.having(RIGHT))} right"
    refused, failed = study.having(REFUSED), study.having(WRONG)
    said += f", {len(failed)} wrong" * bool(failed)
    if refused:
        said += (
            f", {len(refused)} refused here ({shorten(refused[0].why, LONG, placeholder=' ...')})"
        )
    said += f"; {unbuilt} that params.h refuses" * bool(unbuilt)
    return wrap(said, "  ", "    ")


def command(space: Space, winner: Winner, given: list[str]) -> list[str]:
    """That runs it; over more than a line as a shell takes it."""
    others = space.others(space.point(winner["settings"]))
    if not others:
        return ["best: the defaults"]
    words = ["best:", "make", "run", *map(shlex.quote, [*others, *given])]
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) + 2 > WIDTH:
            lines[-1] += " \\"
            lines.append(f"      {word}")
        else:
            lines[-1] += f" {word}"
    return lines
