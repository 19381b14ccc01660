# SPDX-License-Identifier: MIT
"""What holds for all measurements: nothing is lost or misread, and quantiles are those of C."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.properties import cells
from tests.support import TOP
from workbook.report.data import measurements

pytestmark = pytest.mark.report


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("properties") / "lab04_ocl_naive.csv"


def keys(rows: pd.DataFrame) -> set[tuple[str, ...]]:
    return {tuple(map(str, row)) for row in rows.itertuples(index=False)}


@given(rows=cells())
def test_what_is_written_is_read(file: Path, rows: pd.DataFrame) -> None:
    measurements.write(file, rows)
    again, wrong = measurements.read(file)
    assert wrong == []
    pd.testing.assert_frame_equal(again, rows)


@given(rows=cells())
def test_pandas_alone_reads_the_same(file: Path, rows: pd.DataFrame) -> None:
    measurements.write(file, rows)
    alone = pd.read_csv(
        file, dtype=str, keep_default_na=False, encoding="utf-8", lineterminator="\n"
    )
    theirs = measurements.frame(alone.to_dict("records"))
    pd.testing.assert_frame_equal(measurements.read(file)[0], theirs)


@given(rows=cells(), at=st.floats(0, 1))
def test_a_file_that_was_cut_off_has_fewer_rows_and_no_others(
    file: Path, rows: pd.DataFrame, at: float
) -> None:
    whole = measurements.text(rows).encode()
    file.write_bytes(whole[: int(at * len(whole))])
    assert keys(measurements.read(file)[0]) <= keys(rows)


@given(
    rows=cells(),
    at=st.floats(0, 1),
    what=st.sampled_from([b",", b'"', b"\n", b'","', b"\r\n", b',"']),
)
def test_a_row_with_one_more_separator_is_refused_or_reads_the_same(
    file: Path, rows: pd.DataFrame, at: float, what: bytes
) -> None:
    whole = measurements.text(rows).encode()
    place = int(at * len(whole))
    file.write_bytes(whole[:place] + what + whole[place:])
    assert keys(measurements.read(file)[0]) <= keys(rows)


@given(rows=cells(), which=st.integers(0, 1000), what=st.sampled_from([b",", b'"', b"\n"]))
def test_a_row_with_one_separator_less_is_refused_or_reads_the_same(
    file: Path, rows: pd.DataFrame, which: int, what: bytes
) -> None:
    parts = measurements.text(rows).encode().split(what)
    assume(len(parts) > 1)
    which %= len(parts) - 1
    joined = [*parts[:which], parts[which] + parts[which + 1], *parts[which + 2 :]]
    file.write_bytes(what.join(joined))
    assert keys(measurements.read(file)[0]) <= keys(rows)


@given(rows=cells(), at=st.floats(0, 1), length=st.integers(0, 40), junk=st.binary(max_size=40))
def test_whatever_a_file_has_it_is_read_or_named(
    file: Path, rows: pd.DataFrame, at: float, length: int, junk: bytes
) -> None:
    whole = measurements.text(rows).encode()
    place = int(at * len(whole))
    file.write_bytes(whole[:place] + junk + whole[place + length :])
    sound, wrong = measurements.read(file)
    assert list(sound.columns) == list(measurements.COLUMNS)
    assert all("\n" not in line for line in wrong)
    measurements.medians(measurements.timed(sound))


@given(rows=cells(), seed=st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter(rows: pd.DataFrame, seed: int) -> None:
    def summed(rows: pd.DataFrame) -> pd.DataFrame:
        return (
            measurements.medians(measurements.timed(rows))
            .sort_values(measurements.CELL)
            .reset_index(drop=True)
        )

    mixed = rows.sample(frac=1, random_state=seed)
    pd.testing.assert_frame_equal(summed(mixed), summed(rows))


# ---- quantiles

NUMBERS = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=50)
PARTS = st.floats(0, 1)

DRIVER = """
#include "time.c"

int main(void)
{
    int count;
    double q, values[64];
    while (scanf("%d %lf", &count, &q) == 2) {
        for (int i = 0; i < count; i++)
            if (scanf("%lf", &values[i]) != 1)
                return 1;
        qsort(values, (size_t)count, sizeof values[0], ascending);
        printf("%.17g\\n", quantile(values, count, q));
        fflush(stdout);
    }
    return 0;
}
"""

Quantile = Callable[[list[float], float], float]


@pytest.fixture(scope="module")
def quantile_in_c(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Quantile]:
    """That of the programs."""
    folder = tmp_path_factory.mktemp("quantile")
    (folder / "driver.c").write_text(DRIVER, encoding="utf-8")
    flags = [
        "-std=c11",
        "-Dreal=double",
        f"-I{TOP / 'common'}",
        f"-I{folder}",
        "-D_XOPEN_SOURCE=700",
    ]
    command = ["cc", *flags, "driver.c", "-o", "driver"]
    subprocess.run(command, cwd=folder, check=True)
    with subprocess.Popen(
        ["./driver"], cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin and process.stdout
        to, of = process.stdin, process.stdout

        def quantile(values: list[float], q: float) -> float:
            print(len(values), repr(q), *map(repr, values), file=to, flush=True)
            return float(of.readline())

        yield quantile
        to.close()


@given(values=NUMBERS, q=PARTS)
def test_a_quantile_is_that_of_the_programs(
    quantile_in_c: Quantile, values: list[float], q: float
) -> None:
    assert measurements.quantile(values, q) == pytest.approx(
        quantile_in_c(values, q), rel=1e-12, abs=1e-6
    )


@given(values=NUMBERS, q=PARTS)
def test_a_quantile_is_that_of_numpy_and_pandas(values: list[float], q: float) -> None:
    ours = measurements.quantile(values, q)
    assert ours == pytest.approx(float(np.quantile(values, q)), rel=1e-12, abs=1e-6)
    assert ours == pytest.approx(pd.Series(values).quantile(q), rel=1e-12, abs=1e-6)


@given(values=NUMBERS, q=PARTS)
def test_a_quantile_lies_among_the_values(values: list[float], q: float) -> None:
    assert min(values) <= measurements.quantile(values, q) <= max(values)
    assert (measurements.quantile(values, 0), measurements.quantile(values, 1)) == (
        min(values),
        max(values),
    )
