# SPDX-License-Identifier: MIT
"""make compare, on small reports whose medians are known."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import Result, edit, make, run

pytestmark = pytest.mark.report

HEADER = (
    "lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops,"
    "verified,context_ms,cpu_ms,peak_gflops,peak_gbs,settings,stamp,why"
)
CPU = "Xeon, 8 cores, 2 GHz"
FIRST = "lab01_cpu_naive"


def table(report: Path, lab: str) -> Path:
    return report / f"data/{lab}.csv"


def cell(
    report: Path,
    lab: str,
    n: int,
    *times: float,
    variant: str = "",
    backend: str = "cpu",
    device: str = CPU,
    settings: str = "",
) -> None:
    """Adds a cell's rows to the lab's table."""
    file = table(report, lab)
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [] if file.exists() else [HEADER]
    for rep, ms in enumerate(times, 1):
        key = f'{lab},{variant},{backend},"{device}",float,{n},{n},{n}'
        lines.append(f'{key},{rep},{ms},,,,,1,full,,,,,"{settings}",s,""')
    with file.open("a", encoding="utf-8") as out:
        out.writelines(f"{line}\n" for line in lines)


def reports(folder: Path) -> tuple[Path, Path]:
    a, b = folder / "a", folder / "b"
    cell(a, FIRST, 128, 14, 10, 12, 11, 13)
    cell(b, FIRST, 128, 5.5, 6, 5, 6.5, 7)
    cell(a, FIRST, 64, *range(1, 11))
    cell(b, FIRST, 64, *range(2, 12))
    cell(a, FIRST, 16, *range(1, 22))
    cell(b, FIRST, 16, *range(4, 85, 4))
    cell(a, FIRST, 32, 1, 1)
    cell(b, FIRST, 32, 9, 9, 9)
    cell(a, "lab03_avx_block", 256, 2, 2, 2, variant="chapter", settings="BLOCK=64")
    cell(b, "lab03_avx_block", 256, 8, 8, 8, variant="chapter", settings="BLOCK=64")
    cell(a, "lab03_avx_block", 256, 2, 2, 2, variant="chapter", settings="BLOCK=32")
    cell(a, "lab03_avx_block", 256, 2, 2, 2)
    cell(b, "lab03_avx_block", 256, 2, 2, 2, variant="transpose")
    tile = "ROWS_PER_ITEM=4 COLS_PER_ITEM=8"
    for report, device, ms in (a, "GPU, large", 1), (b, "GPU, small", 4096):
        cell(report, "lab06_ocl_regtile", 1024, ms, ms, ms, backend="opencl", device=device, settings=tile)
    cell(a, "lab08_cuda_naive", 1024, 3, 3, 3, backend="cuda", device="GPU, large")
    none = (
        'lab08_cuda_naive,,cuda,"",float,1024,1024,1024,,,,,,,,skipped,,,,,"",s,"no CUDA device, none at all"'
    )
    table(b, "lab08_cuda_naive").write_text(f"{HEADER}\n{none}\n", encoding="utf-8")
    (a / "data/provenance.txt").write_text(
        "cpu: Xeon of A\nopencl: GPU of A\nCUDA driver: 570.1\ncommit: aaaa\nsystem: x\n", encoding="utf-8"
    )
    (b / "data/provenance.txt").write_text(
        "cpu: Xeon of B, which has so long a name that it takes two lines\ncommit: bbbb\n", encoding="utf-8"
    )
    return a, b


Compare = Callable[..., Result]


@pytest.fixture
def compare(tree: Path) -> Compare:
    return lambda a, b: make(tree, "compare", f"A={a}", f"B={b}")


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    return reports(tmp_path)


@pytest.fixture(scope="module")
def compared(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Result:
    a, b = reports(tmp_path_factory.mktemp("compared"))
    return make(tree, "compare", f"A={a}", f"B={b}")


def lines(result: Result) -> list[str]:
    """However the columns are spaced."""
    assert result.status == 0, result.err
    return [" ".join(line.split()) for line in result.out.splitlines()]


def row(result: Result, n: int) -> str:
    """The first of this size."""
    return next(line for line in lines(result) if line.startswith(f"{n} "))


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("128 12.00 17 6.000 17 2.00 1.58..2.53 B is faster", id="faster"),
        pytest.param(
            "64 5.500 82 6.500 69 0.85 0.37..1.82 no difference beyond the noise", id="no difference"
        ),
        pytest.param("16 11.00 91 44.00 91 0.25 0.094..0.67 A is faster", id="many repetitions"),
        pytest.param("32 1.000 - 9.000 0 0.11 - too few repetitions to tell", id="too few repetitions"),
        pytest.param("256 2.000 0 8.000 0 0.25 0.25..0.25 A is faster", id="slower"),
        pytest.param("1024 1.000 0 4096 0 0.00024 0.00024..0.00024 A is faster", id="far apart"),
        pytest.param("float, chapter, BLOCK=64", id="variant and settings"),
        pytest.param("cells that only B has: lab03_avx_block 1", id="only in B"),
        # of 2, 11/13, 1/4, 1/4
        pytest.param(
            "cpu: geometric mean of B/A 0.57 over 4 cells; too few repetitions in 1", id="geometric mean"
        ),
        pytest.param("B is faster in 1, A is faster in 2", id="wins"),
        pytest.param("A and B: Xeon, 8 cores, 2 GHz", id="one device"),
        pytest.param("A: GPU, large", id="device of A"),
        pytest.param("B: GPU, small", id="device of B"),
        pytest.param("commit aaaa bbbb", id="provenance"),
        pytest.param("CUDA driver 570.1 -", id="provenance of one"),
        pytest.param("name that it takes two lines", id="long provenance"),
    ],
)
def test_says(compared: Result, line: str) -> None:
    assert line in lines(compared)


def test_says_why_a_cell_is_in_one_report_alone(compared: Result) -> None:
    said = "cells that only A has: lab03_avx_block 2, lab08_cuda_naive 1 (B: no CUDA device, none at all)"
    assert said in " ".join(lines(compared))


@pytest.mark.parametrize("text", ["BLOCK=32", "cuda:"], ids=["cells of one report", "backends of one report"])
def test_leaves_out(compared: Result, text: str) -> None:
    assert text not in compared.out


def test_sizes_come_in_order(compared: Result) -> None:
    sizes = [line.split()[0] for line in lines(compared) if re.match(r"(16|32|64|128) ", line)]
    assert sizes == ["16", "32", "64", "128"]


def test_labs_come_in_order(compared: Result) -> None:
    labs = [line for line in compared.out.splitlines() if re.match(r"lab[^ ]*$", line)]
    assert labs == [FIRST, "lab03_avx_block", "lab06_ocl_regtile"]


@pytest.mark.parametrize(
    "ms, line",
    [
        (1.004, "64 1.004 0 1.000 0 1.00 1.00..1.00 no difference beyond the noise"),
        (1.02, "64 1.020 0 1.000 0 1.02 1.02..1.02 B is faster"),
    ],
    ids=["as it is printed", "however close"],
)
def test_nearly_1(tmp_path: Path, compare: Compare, ms: float, line: str) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    cell(a, "lab02_avx", 64, ms, ms, ms)
    cell(b, "lab02_avx", 64, 1, 1, 1)
    assert line in lines(compare(a, b))


def test_a_report_is_as_fast_as_itself(two: tuple[Path, Path], compare: Compare) -> None:
    a, _ = two
    result = compare(a, a)
    assert " is faster\n" not in result.out
    assert re.fullmatch(
        r"128 12.00 17 12.00 17 1.00 0.[0-9]+..1.[0-9]+ no difference beyond the noise", row(result, 128)
    )
    assert any(line.startswith("cpu: geometric mean of B/A 1.00 over ") for line in lines(result))


def test_fits_80_columns(two: tuple[Path, Path], tree: Path, tmp_path: Path) -> None:
    a, b = two
    long = "0" * 120
    a = a.rename(tmp_path / f"x={long}")  # of a long name, like a setting's
    for report in a, b:
        times = 123456, 999999, 1234567, 999999
        device = f"{long} a b {long}"
        cell(
            report,
            "lab09_cuda_shared",
            46340,
            *times,
            variant=long,
            backend="cuda",
            device=device,
            settings=f"BLOCK={long}",
        )
    result = make(tree, "compare", f"A={a}", f"B={b}")
    assert row(result, 46340)
    assert [line for line in result.out.splitlines() if len(line) > 80] == []


def test_what_was_timed_twice_is_noise(tmp_path: Path, compare: Compare) -> None:
    """As the default and in a sweep: apart by 1.2 in A and 1.25 in B. 9 in 10 are within 1.245."""
    a, b = tmp_path / "a", tmp_path / "b"
    for report, default, swept in (a, 5, 6), (b, 4.1, 3.28):
        cell(report, "lab02_avx", 64, default, default, default, variant="wide")
        cell(report, "lab02_avx", 64, swept, swept, swept, variant="wide", settings="BLOCK=8")
        (report / "data/defaults.txt").write_text("lab02_avx, wide: BLOCK=8\n", encoding="utf-8")
    said = lines(compare(a, b))
    assert "64 5.000 0 4.100 0 1.22 0.98..1.52 no difference beyond the noise" in said
    assert "64 6.000 0 3.280 0 1.83 1.47..2.28 B is faster" in said
    assert "2 settings were timed twice: 9 in 10 are within 1.24 times, all within 1.25" in said


def test_no_size_in_common(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    edit(table(b, "lab06_ocl_regtile"), "float,1024,1024,1024", "float,512,512,512")
    said = "opencl: no size and setting in common: is one of them QUICK=1, or on another"
    assert said in lines(compare(a, b))


def test_a_report_without_provenance(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    (b / "data/provenance.txt").unlink()
    assert "B has no data/provenance.txt: its machine is unknown" in lines(compare(a, b))


def test_carriage_returns(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    rows = table(a, FIRST).read_bytes()
    table(b, FIRST).write_bytes(rows.replace(b"\n", b"\r\n"))
    assert re.fullmatch("128 12.00 17 12.00 .* no difference beyond the noise", row(compare(a, b), 128))


def test_an_empty_table_is_one_without_times(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    table(b, "lab03_avx_block").write_bytes(b"")
    said = "cells that only A has: lab03_avx_block 3, lab08_cuda_naive 1 (B: "
    assert said in " ".join(lines(compare(a, b)))


def test_no_cell_in_common(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    table(b, FIRST).unlink()
    table(b, "lab03_avx_block").unlink()
    table(a, "lab06_ocl_regtile").unlink()
    assert "No cell was measured in both." in lines(compare(a, b))


def refused(result: Result) -> str:
    """One line on stderr, which says what to do, and nothing else."""
    said = [line for line in result.err.splitlines() if not line.startswith("make: ***")]
    assert (result.status, result.out, len(said)) == (2, "", 1), result.text
    assert re.match("compare: .*: .*make ", said[0]), said[0]
    return said[0]


def test_refuses_no_folders(tree: Path) -> None:
    assert "it takes two report folders" in refused(make(tree, "compare"))


def test_refuses_one_folder(two: tuple[Path, Path], compare: Compare) -> None:
    assert "it takes two report folders" in refused(compare(two[0], ""))


def test_refuses_a_folder_that_is_not_there(two: tuple[Path, Path], compare: Compare) -> None:
    assert "no folder /nonexistent" in refused(compare(two[0], "/nonexistent"))


def test_refuses_a_folder_without_tables(two: tuple[Path, Path], compare: Compare, tmp_path: Path) -> None:
    (tmp_path / "empty/data").mkdir(parents=True)
    assert "has no data/" in refused(compare(tmp_path / "empty", two[0]))


@pytest.mark.parametrize("text", ["", HEADER + "\n"], ids=["empty", "a header alone"])
def test_refuses_a_report_without_times(
    two: tuple[Path, Path], compare: Compare, tmp_path: Path, text: str
) -> None:
    (tmp_path / "empty/data").mkdir(parents=True)
    table(tmp_path / "empty", FIRST).write_text(text, encoding="utf-8")
    assert "has no times" in refused(compare(two[0], tmp_path / "empty"))


def test_refuses_a_folder_as_a_table(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    table(b, "lab02_avx").mkdir()
    assert "lab02_avx.csv is no file" in refused(compare(a, b))


# A script for sed, and what is said of the first table of A after it.
DAMAGES = {
    "header": ("1s/why/reason/", "line 1 is not the header"),
    "short line": ("3s/,[^,]*,[^,]*,[^,]*$//", "line 3 has 20 fields"),
    "time": ("3s/,10,/,10x,/", 'line 3 has no time in kernel_ms but "10x"'),
    "negative time": ("3s/,10,/,-1,/", 'line 3 has no time in kernel_ms but "-1"'),
    "no time": ("3s/,10,/,,/", 'line 3 has no time in kernel_ms but ""'),
    "endless time": ("3s/,10,/,1e999,/", 'line 3 has no time in kernel_ms but "1e999"'),
    "size": ("3s/,128,128,/,128,12x,/", 'line 3 has no size in N but "12x"'),
    "quote": ('12s/""$/"/', "line 12 has a quote"),
    "backend": ("3s/,cpu,/,emulated,/", 'backend "emulated"'),
    "twice": ("3p", "line 4 is there twice"),
    "not verified": ("3s/,full,/,no,/", "line 3 has a time that was not verified"),
    "second device": ("4s/8 cores/9 cores/", "has a second device for one cell, Xeon, 9 cores"),
}


@pytest.mark.parametrize("script, words", DAMAGES.values(), ids=DAMAGES)
def test_refuses_a_damaged_table(two: tuple[Path, Path], compare: Compare, script: str, words: str) -> None:
    a, b = two
    assert run(["sed", "-i", script, table(a, FIRST)], a).status == 0
    said = refused(compare(a, b))
    assert f"data/{FIRST}.csv line" in said and words in said


def test_a_lab_that_one_report_lacks(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    shutil.copy(table(a, FIRST), table(b, FIRST))
    table(b, "lab06_ocl_regtile").unlink()
    assert "lab06_ocl_regtile 1" in " ".join(lines(compare(a, b)))
