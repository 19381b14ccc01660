# SPDX-License-Identifier: MIT
"""What holds for all comparisons: neither side nor unit matters, and the noise is inside."""

from __future__ import annotations

import contextlib
import io
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties import NAMES, cells
from workbook.__main__ import main
from workbook.report.compare.ratios import Series, compare
from workbook.report.data import measurements

pytestmark = pytest.mark.report


def series(units: list[list[float]]) -> Series:
    return Series("cpu", "CPU", tuple(map(tuple, units)), True)


UNITS = st.lists(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=4), min_size=3, max_size=8)
APART = st.floats(1, 2)


@given(a=UNITS, b=UNITS, apart=APART)
def test_a_ratio_is_the_inverse_of_the_other_way_round(
    a: list[list[float]], b: list[list[float]], apart: float
) -> None:
    one, other = compare(series(a), series(b), apart), compare(series(b), series(a), apart)
    assert one.interval and other.interval
    assert one.value == pytest.approx(1 / other.value)
    assert one.interval == pytest.approx(tuple(1 / end for end in reversed(other.interval)))


@given(a=UNITS, b=UNITS, apart=APART, faster=st.floats(1e-3, 1e3))
def test_a_ratio_is_the_same_in_other_units_of_time(
    a: list[list[float]], b: list[list[float]], apart: float, faster: float
) -> None:
    def scaled(units: list[list[float]], by: float) -> Series:
        return series([[ms * by for ms in unit] for unit in units])

    one = compare(series(a), series(b), apart)
    both = compare(scaled(a, faster), scaled(b, faster), apart)
    only_a = compare(scaled(a, faster), series(b), apart)
    assert one.interval and both.interval and only_a.interval
    assert (both.value, *both.interval) == pytest.approx((one.value, *one.interval))
    assert (only_a.value, *only_a.interval) == pytest.approx(
        tuple(faster * x for x in (one.value, *one.interval))
    )


@given(a=UNITS, b=UNITS, apart=APART)
def test_an_interval_has_the_ratio_inside_and_the_noise(
    a: list[list[float]], b: list[list[float]], apart: float
) -> None:
    ratio = compare(series(a), series(b), apart)
    assert ratio.interval
    low, high = ratio.interval
    assert low <= ratio.value <= high
    assert math.sqrt(high / low) >= apart * (1 - 1e-9)


@given(a=UNITS)
def test_a_series_is_as_fast_as_itself(a: list[list[float]]) -> None:
    ratio = compare(series(a), series(a), 1)
    assert ratio.interval
    assert ratio.interval[0] <= 1 <= ratio.interval[1]


@pytest.mark.parametrize("rounds", [3, 5])
def test_two_equal_series_seldom_come_apart(rounds: int) -> None:
    """In fewer than 1 of 20 comparisons, with noise between rounds and some within them."""
    noise = np.random.default_rng(7)

    def equal() -> Series:
        logs = noise.normal(0, 0.03, (rounds, 1)) + noise.normal(0, 0.01, (rounds, 4))
        return series(np.exp(logs).tolist())

    ratios = [compare(equal(), equal(), 1) for _ in range(200)]
    apart = [r for r in ratios if r.interval and not r.interval[0] <= 1 <= r.interval[1]]
    assert len(apart) < len(ratios) / 20


@settings(max_examples=15)
@given(rows=st.tuples(cells(), cells()), words=st.tuples(NAMES, NAMES))
def test_fits_80_columns_whatever_the_reports_say(
    tmp_path_factory: pytest.TempPathFactory,
    rows: tuple[pd.DataFrame, pd.DataFrame],
    words: tuple[str, str],
) -> None:
    reports = [tmp_path_factory.mktemp(side) for side in "ab"]
    for report, measured, said in zip(reports, rows, words):
        (report / "data").mkdir()
        measurements.write(report / "data/lab04_ocl_naive.csv", measured)
        facts = f"cpu: {said}\nopencl: {said}\ncompiler: {said}\n"
        (report / "data/provenance.txt").write_text(facts, encoding="utf-8")
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
    ):
        status = main(["compare", *map(str, reports)])
    assert (status, err.getvalue()) == (0, "") or (
        status == 2 and " has no times: " in err.getvalue()
    )
    lines = out.getvalue().split("\n")
    assert [line for line in lines if len(line) > 80 or not line.isprintable()] == []
