# SPDX-License-Identifier: MIT
"""Every broken kernel of tests/mutants is caught, and for its own reason: tests/mutant.py judges
it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.mutant import (
    CAUGHT,
    SKIPPED,
    Mutant,
    Verdict,
    all_mutants,
    broken,
    judge,
    judge_race,
    parse,
    race,
)

Racer = Callable[[Mutant], str]


def case(mutant: Mutant) -> object:
    marks = [pytest.mark.slow] if mutant.by == "race" else []
    return pytest.param(mutant, id=f"{mutant.name}-{mutant.lab[:5]}", marks=marks)


ALL = all_mutants()
BY_RACE = [mutant for mutant in ALL if mutant.by == "race"]


def settle(verdict: Verdict) -> None:
    if verdict.result == SKIPPED:
        pytest.skip(verdict.why)
    assert verdict.result == CAUGHT, verdict.why


@pytest.mark.parametrize("mutant", [case(mutant) for mutant in ALL if mutant.by != "race"])
def test_is_caught(mutant: Mutant, tree: Path) -> None:
    settle(judge(mutant, tree))


@pytest.fixture(scope="session")
def printed(
    request: pytest.FixtureRequest, tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> Racer:
    """What make race says of a mutant. It looks at all those at once that are tested and made from
    the same file, and does so once for all workers."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    tested = [
        mutant
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.originalname == "test_is_caught_by_race"
        if isinstance(mutant := item.callspec.params["mutant"], Mutant)
    ]

    def say(mutant: Mutant) -> str:
        together = [m for m in tested if (m.file, m.workshop) == (mutant.file, mutant.workshop)]
        path = shared / f"{together[0].name}.txt"
        with open(path.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                path.write_text(race(together, tree), encoding="utf-8")
        return path.read_text(encoding="utf-8")

    return say


@pytest.mark.parametrize("mutant", [case(mutant) for mutant in BY_RACE])
def test_is_caught_by_race(mutant: Mutant, printed: Racer) -> None:
    settle(judge_race(mutant, printed(mutant)))


# ---- and who judges them notices what it is there for


EXAMPLE = """\
mutant    no-op
breaks    nothing is computed
file      lab01_cpu_naive/kernel.c
-            C[i * N + j] = sum;
+            if (M < 0) C[i * N + j] = sum;
cause     these elements were never written"""


def test_a_broken_kernel_that_is_right_is_missed(tree: Path) -> None:
    right = parse("cpu", EXAMPLE.replace("M < 0", "M > 0"))
    assert judge(right, tree).why.startswith("status 0 instead of 1")


def test_another_cause_is_no_catch(tree: Path) -> None:
    assert judge(parse("cpu", EXAMPLE), tree).result == CAUGHT
    other = judge(parse("cpu", EXAMPLE.replace("these elements", "zeros")), tree)
    assert other.why.startswith("names the cause 'these elements were never written' instead of")


def test_words_that_are_not_said_are_no_catch(tree: Path) -> None:
    silent = parse("cpu", f"{EXAMPLE}\nsays      narrower")
    assert judge(silent, tree).why.startswith("does not say 'narrower'")


def test_a_finding_in_another_line_is_no_catch() -> None:
    mutant = next(mutant for mutant in BY_RACE if mutant.name == "race-tile-before")
    found = (
        "\n    race_1/kernel_race-tile-before.cl:{}: data race: two work-items use\n    one address"
    )
    assert judge_race(mutant, found.format(28)).result == CAUGHT
    assert "kernel_one_per_item.cl:27: data race" in judge_race(mutant, found.format(27)).why


def test_a_missing_tool_is_a_skip() -> None:
    lacking = "race_1  SKIP\n    not run: clang is not installed, which compiles OpenCL"
    assert judge_race(BY_RACE[0], lacking) == Verdict(SKIPPED, "clang is not installed")


def test_a_kernel_that_has_changed_is_told() -> None:
    with pytest.raises(ValueError, match="adapt cpu-no-op"):
        broken(parse("cpu", EXAMPLE), "void gemm() {}")


def test_a_misspelt_key_is_told() -> None:
    with pytest.raises(ValueError, match="what is .*sayz"):
        parse("cpu", f"{EXAMPLE}\nsayz      narrower")
