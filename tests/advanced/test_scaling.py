# SPDX-License-Identifier: MIT
"""make scaling: the arithmetic is that of the kernel, a known model is found again, what is noise
is said."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.schemas import complaints
from tests.support import TOP, Result, make
from workbook import UserError
from workbook.advanced import scaling
from workbook.advanced.scaling.model import (
    Model,
    breaks,
    cost,
    fit,
    grid,
    non_negative,
    panels,
    strong,
    weak,
)
from workbook.lab.program import PASS
from workbook.lab.program import Result as Ran

KNOWN = Model(1 / 50e9, 5e-6, 1 / 2e9)
LAB = str(TOP / "advanced/lab21_mpi")
Machine = Callable[..., None]


@pytest.mark.parametrize(
    ("ranks", "shape"),
    [(1, (1, 1)), (2, (2, 1)), (6, (3, 2)), (7, (7, 1)), (12, (4, 3)), (10000, (100, 100))],
)
def test_the_grid_is_that_of_mpi(ranks: int, shape: tuple[int, int]) -> None:
    assert grid(ranks) == shape


def of_the_kernel(size: int, ranks: int, depth: int) -> int:
    """As kernel.c counts them."""
    k = count = 0
    while k < size:
        blocks = [-(-size // parts) for parts in grid(ranks)]
        past = min(size, *((k // block + 1) * block for block in blocks))
        k += min(depth, past - k)
        count += 1
    return count


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 7, 12, 20])
@pytest.mark.parametrize("size", [1, 5, 16, 61, 1000])
def test_as_many_panels_as_the_kernel_has(size: int, ranks: int) -> None:
    assert panels(size, ranks, 16) == of_the_kernel(size, ranks, 16)


def test_a_known_model_is_found_again() -> None:
    costs = [cost(size, ranks) for ranks in (1, 2, 4, 6) for size in (64, 256, 1000, 2048)]
    found = fit(costs, [KNOWN.seconds(one) for one in costs])
    assert found.operation == pytest.approx(KNOWN.operation)
    assert found.message == pytest.approx(KNOWN.message)
    assert found.byte == pytest.approx(KNOWN.byte)


def test_no_factor_is_negative() -> None:
    """A line through 1, 0.5 and 0.2 goes down: its best slope is 0."""
    line = np.array([[1.0, 1], [1, 2], [1, 3]])
    assert non_negative(line, np.array([1, 0.5, 0.2])) == pytest.approx([1.7 / 3, 0])
    assert non_negative(line, np.array([3.0, 5, 7])) == pytest.approx([1, 2])
    assert non_negative(line, np.array([-1.0, -2, -3])) == pytest.approx([0, 0])


def test_what_breaks_first() -> None:
    at = breaks(strong(KNOWN, 2048))
    assert at is not None and at.efficiency < 0.5
    assert at.ranks < 10000
    late = breaks(strong(Model(KNOWN.operation, 1, 0), 2048))
    assert late is not None and (late.largest, late.ranks) == ("latency", 2 * 2)
    narrow = breaks(strong(Model(KNOWN.operation, 0, 1 / 1e8), 2048))
    assert narrow is not None and narrow.largest == "bandwidth"
    assert breaks(weak(Model(KNOWN.operation, 0, 0), 2048)) is None


# ---- the command ------------------------------------------------------------------------------
@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """machine(NOISE, RANKS): one of KNOWN speed, on which runs differ by so much."""

    def begin(noise: float, ranks: str = "1 2 4", of: Model = KNOWN) -> None:
        dice = random.Random(1)

        def time(folder: Path, program: str, words: Sequence[str]) -> Ran:
            ms = of.seconds(cost(int(words[0]), int(folder.parent.parent.name))) * 1e3
            ms *= 1 + noise * dice.random()
            return Ran(
                program,
                PASS,
                record={"device": "a CPU", "gflops": 1.0, "repetitions": [{"kernel_ms": ms}]},
            )

        monkeypatch.setattr(scaling, "time_program", time)
        monkeypatch.setattr("workbook.lab.labs.build", lambda *_: None)
        monkeypatch.setattr(scaling, "JSON", tmp_path / "scaling.json")
        monkeypatch.setattr(scaling, "SVG", tmp_path / "scaling.svg")
        monkeypatch.setenv("RANKS", ranks)
        monkeypatch.delenv("MAKEFLAGS", raising=False)

    return begin


def test_a_quiet_machine(
    machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine(0.05)
    assert scaling.main([LAB]) == 0
    record = json.loads((tmp_path / "scaling.json").read_text())
    assert complaints(record, "gemm-scaling") == []
    assert record["model"]["gflops"] == pytest.approx(50, rel=0.1)
    assert 0 < record["worst_error"] < 0.1
    assert {run["use"] for run in record["runs"]} == {"fit", "check"}
    checks = [(run["ranks"], run["N"]) for run in record["runs"] if run["use"] == "check"]
    assert checks == [(1, 2048), (2, 2048), (4, 2048)]
    said = capsys.readouterr().out
    assert "one problem,  N = 2048: below half at " in said
    assert "runs not made of it  " in said
    assert max(len(line) for line in said.splitlines() if str(tmp_path) not in line) <= 80
    drawn = (tmp_path / "scaling.svg").read_text()
    assert "measured" in drawn and "10,000" in drawn and "$" not in drawn
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scaling.json", "scaling.svg"]


def test_a_noisy_machine(machine: Machine) -> None:
    machine(20)
    with pytest.raises(
        UserError, match=r"^only \d+ of 21 runs can be believed, too few for a model: "
    ):
        scaling.main([LAB])


def test_a_little_noise_is_named(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine(0.35)
    assert scaling.main([LAB]) == 0
    assert "too noisy to believe" in capsys.readouterr().out


def said_by_make(*words: str) -> Result:
    return make(TOP, "scaling", *words)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["LAB=05"], "lab05_ocl_coarsen has no ranks: make scaling LAB=21"),
        (["RANKS=0"], "RANKS=0: give numbers of ranks, as RANKS='1 2 4'"),
        (["RANKS=2"], "takes two numbers of ranks and three sizes, or more"),
    ],
)
def test_bad_input_is_one_line(words: list[str], says: str) -> None:
    ended = said_by_make(*words)
    assert ended.status == 2 and ended.out == ""
    assert ended.err.startswith(f"scaling: {says}"), ended.err
