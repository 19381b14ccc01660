# SPDX-License-Identifier: MIT
"""make compare, on small reports whose medians are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import Result, edit, make, run
from workbook.__main__ import main

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
    in_round: int = 0,
) -> None:
    """Adds a cell's rows to the lab's table: in one series, or with so many repetitions in a
    round."""
    file = table(report, lab)
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [] if file.exists() else [HEADER + ",round" * bool(in_round)]
    for rep, ms in enumerate(times, 1):
        key = f'{lab},{variant},{backend},"{device}",float,{n},{n},{n}'
        turn = f",{(rep - 1) // in_round + 1}" if in_round else ""
        lines.append(f'{key},{rep},{ms},,,,,1,full,,,,,"{settings}",s,""{turn}')
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
    cell(a, "lab03_avx_block", 256, 2, 2, 2, variant="published", settings="BLOCK_KN=64")
    cell(b, "lab03_avx_block", 256, 8, 8, 8, variant="published", settings="BLOCK_KN=64")
    cell(a, "lab03_avx_block", 256, 2, 2, 2, variant="published", settings="BLOCK_KN=32")
    cell(a, "lab03_avx_block", 256, 2, 2, 2)
    cell(b, "lab03_avx_block", 256, 2, 2, 2, variant="transpose")
    tile = "ROWS_PER_ITEM=4 COLS_PER_ITEM=8"
    for report, device, ms in (a, "GPU, large", 1), (b, "GPU, small", 4096):
        cell(
            report,
            "lab06_ocl_regtile",
            1024,
            ms,
            ms,
            ms,
            backend="opencl",
            device=device,
            settings=tile,
        )
    cell(a, "lab08_cuda_naive", 1024, 3, 3, 3, backend="cuda", device="GPU, large")
    none = (
        'lab08_cuda_naive,,cuda,"",float,1024,1024,1024,,,,,,,,skipped,,,,,"",s,"no CUDA '
        'device, none at all"'
    )
    table(b, "lab08_cuda_naive").write_text(f"{HEADER}\n{none}\n", encoding="utf-8")
    (a / "data/provenance.txt").write_text(
        "cpu: Xeon of A\nopencl: GPU of A\nCUDA driver: 570.1\ncommit: aaaa\nsystem: x\n",
        encoding="utf-8",
    )
    (b / "data/provenance.txt").write_text(
        "cpu: Xeon of B, which has so long a name that it takes two lines\ncommit: bbbb\n",
        encoding="utf-8",
    )
    return a, b


Compare = Callable[..., Result]


@pytest.fixture
def compare(capsys: pytest.CaptureFixture[str]) -> Compare:
    """Without a process, which would load pandas each time."""

    def compare(*folders: Path | str) -> Result:
        status = main(["compare", *map(str, folders)])
        return Result(status, *capsys.readouterr())

    return compare


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
        pytest.param(
            "32 1.000 - 9.000 0 0.11 - too few repetitions to tell", id="too few repetitions"
        ),
        pytest.param("256 2.000 0 8.000 0 0.25 0.25..0.25 A is faster", id="slower"),
        pytest.param("1024 1.000 0 4096 0 0.00024 0.00024..0.00024 A is faster", id="far apart"),
        pytest.param("float, published, BLOCK_KN=64", id="variant and settings"),
        pytest.param("cells that only B has: lab03_avx_block 1", id="only in B"),
        # of 2, 11/13, 1/4, 1/4
        pytest.param(
            "cpu: geometric mean of B/A 0.57 over 4 cells; too few to tell in 1",
            id="geometric mean",
        ),
        pytest.param("B is faster in 1, A is faster in 2, no difference seen in 1", id="wins"),
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


@pytest.mark.parametrize(
    "n, beginning, verdict",
    [
        (128, "12.00 17 6.000 17 2.00", "B is faster"),
        (64, "5.500 82 6.500 69 0.85", "no difference seen"),
        (16, "11.00 91 44.00 91 0.25", "A is faster"),
    ],
    ids=["faster", "no difference", "many repetitions"],
)
def test_the_interval_decides(compared: Result, n: int, beginning: str, verdict: str) -> None:
    found = re.fullmatch(
        rf"{n} {re.escape(beginning)} ([0-9.]+)\.\.([0-9.]+) {verdict}", row(compared, n)
    )
    assert found, row(compared, n)
    low, high = map(float, found.groups())
    assert low < float(beginning.split()[-1]) < high
    assert {"B": low > 1, "A": high < 1, "n": low <= 1 <= high}[verdict[0]]


def test_says_why_a_cell_is_in_one_report_alone(compared: Result) -> None:
    said = (
        "cells that only A has: lab03_avx_block 2, lab08_cuda_naive 1 (B: no CUDA device, none "
        "at all)"
    )
    assert said in " ".join(lines(compared))


@pytest.mark.parametrize(
    "text", ["BLOCK=32", "cuda:"], ids=["cells of one report", "backends of one report"]
)
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
        (1.004, "64 1.004 0 1.000 0 1.00 1.00..1.00 no difference seen"),
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
        r"128 12.00 17 12.00 17 1.00 0.[0-9]+..1.[0-9]+ no difference seen", row(result, 128)
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
    """As the default and in a sweep: apart by 1.2 in A and 1.281 in B. 9 in 10 are within 1.273."""
    a, b = tmp_path / "a", tmp_path / "b"
    for report, default, swept in (a, 5, 6), (b, 4.1, 3.2):
        cell(report, "lab02_avx", 64, default, default, default, variant="wide")
        cell(report, "lab02_avx", 64, swept, swept, swept, variant="wide", settings="BLOCK=8")
        (report / "data/defaults.txt").write_text("lab02_avx, wide: BLOCK=8\n", encoding="utf-8")
    said = lines(compare(a, b))
    assert "64 5.000 0 4.100 0 1.22 0.96..1.55 no difference seen" in said
    assert "64 6.000 0 3.200 0 1.88 1.47..2.39 B is faster" in said
    assert "2 settings were timed twice: 9 in 10 are within 1.27 times, all within 1.28" in said


def test_no_size_in_common(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    edit(table(b, "lab06_ocl_regtile"), "float,1024,1024,1024", "float,512,512,512")
    said = "opencl: no size and setting in common: is one of them QUICK=1, or on another"
    assert said in lines(compare(a, b))


def test_a_report_without_provenance(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    (b / "data/provenance.txt").unlink()
    assert "B is not finished, and its machine unknown: run its make report again" in lines(
        compare(a, b)
    )


def test_carriage_returns(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    rows = table(a, FIRST).read_bytes()
    table(b, FIRST).write_bytes(rows.replace(b"\n", b"\r\n"))
    assert re.fullmatch("128 12.00 17 12.00 .* no difference seen", row(compare(a, b), 128))


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
    assert re.match("compare: .*: (.*make |run ./setup )", said[0]), said[0]
    return said[0]


def test_refuses_no_folders_in_make(tree: Path) -> None:
    assert "it takes two report folders" in refused(make(tree, "compare"))


def test_refuses_one_folder(two: tuple[Path, Path], compare: Compare) -> None:
    assert "it takes two report folders" in refused(compare(two[0], ""))


def test_refuses_a_folder_that_is_not_there(two: tuple[Path, Path], compare: Compare) -> None:
    assert "no folder /nonexistent" in refused(compare(two[0], "/nonexistent"))


def test_refuses_a_folder_without_tables(
    two: tuple[Path, Path], compare: Compare, tmp_path: Path
) -> None:
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
    "backend": ("3s/,cpu,/,emulated,/", 'line 3 is of no backend but "emulated"'),
    "twice": ("3p", "line 4 is there twice"),
    "not verified": ("3s/,full,/,no,/", "line 3 has a time that was not verified"),
    "second device": ("4s/8 cores/9 cores/", "has a second device for one cell, Xeon, 9 cores"),
}


@pytest.mark.parametrize("script, words", DAMAGES.values(), ids=DAMAGES)
def test_refuses_a_damaged_table(
    two: tuple[Path, Path], compare: Compare, script: str, words: str
) -> None:
    a, b = two
    assert run(["sed", "-i", script, table(a, FIRST)], a).status == 0
    said = refused(compare(a, b))
    assert f"data/{FIRST}.csv line" in said and words in said


def test_refuses_a_table_that_lost_a_repetition(two: tuple[Path, Path], compare: Compare) -> None:
    a, b = two
    assert run(["sed", "-i", "3d", table(a, FIRST)], a).status == 0
    assert "has lost a repetition of float, N=128" in refused(compare(a, b))


# ---- rounds


def in_rounds(folder: Path, *times_of_a: float, in_round: int) -> tuple[Path, Path]:
    a, b = folder / "a", folder / "b"
    cell(a, FIRST, 64, *times_of_a, in_round=in_round)
    cell(b, FIRST, 64, *[ms / 1.1 for ms in times_of_a], in_round=in_round)
    return a, b


def interval(result: Result, n: int) -> tuple[float, float]:
    low, _, high = row(result, n).split()[6].partition("..")
    return float(low), float(high)


def test_two_rounds_tell_nothing_however_many_repetitions(tmp_path: Path, compare: Compare) -> None:
    result = compare(*in_rounds(tmp_path, *[2] * 20, in_round=10))
    assert row(result, 64) == "64 2.000 0 1.818 0 1.10 - too few rounds to tell"


def test_rounds_that_differ_widen_the_interval(tmp_path: Path, compare: Compare) -> None:
    """Five rounds of four repetitions: these are no 20 independent times."""
    times = [base + step / 100 for base in (1, 1.3, 1.1, 1.2, 1.4) for step in range(4)]
    low, high = interval(compare(*in_rounds(tmp_path / "rounds", *times, in_round=4)), 64)
    low_1, high_1 = interval(compare(*in_rounds(tmp_path / "series", *times, in_round=0)), 64)
    assert high / low > 1.2 * high_1 / low_1


def test_the_order_within_a_round_does_not_matter(tmp_path: Path, compare: Compare) -> None:
    up = compare(*in_rounds(tmp_path / "up", 1, 2, 3, 4, 5, 6, in_round=2))
    down = compare(*in_rounds(tmp_path / "down", 2, 1, 4, 3, 6, 5, in_round=2))
    assert row(up, 64) == row(down, 64)


def test_rounds_of_unequal_length(tmp_path: Path, compare: Compare) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    cell(a, FIRST, 64, 2, 2, 2, 2, 2, 2, 2, in_round=3)  # the third has one
    cell(b, FIRST, 64, 1, 1, 1)
    assert row(compare(a, b), 64) == "64 2.000 0 1.000 0 2.00 2.00..2.00 B is faster"


def test_the_same_data_give_the_same_words(
    two: tuple[Path, Path], tree: Path, compare: Compare
) -> None:
    a, b = two
    again = make(tree, "compare", f"A={a}", f"B={b}", env={"PYTHONHASHSEED": "7"})
    assert again.out == compare(a, b).out


# ---- what it can tell, and what not


def caveats(result: Result) -> str:
    return " ".join(result.out.partition("What this can tell, and what not:")[2].split())


@pytest.mark.parametrize(
    "words",
    [
        "A and B are two occasions",
        "Of 20 cells that are equally fast up to 1 comes apart by chance; 5 were compared.",
        "the one interval that contains 1 reaches ",
        "2 cells have fewer than 5 rounds or repetitions in A or B",
        "A and B: repetitions of a cell came in one series",
        "opencl: the devices differ.",
        "The commits differ, and so may the kernels.",
    ],
)
def test_says_what_it_cannot_tell(compared: Result, words: str) -> None:
    assert words in caveats(compared)


@pytest.mark.parametrize(
    "words", ["cpu", "Not the same in A and B"], ids=["one device", "unknown compilers"]
)
def test_says_no_more_than_is_so(compared: Result, words: str) -> None:
    assert words not in caveats(compared)


def test_says_whose_repetitions_came_in_one_series(tmp_path: Path, compare: Compare) -> None:
    a, b = in_rounds(tmp_path, 1, 2, 3, in_round=1)
    assert "in one series" not in caveats(compare(a, b))
    cell(a, "lab02_avx", 64, 1, 2, 3, in_round=1)
    cell(b, "lab02_avx", 64, 1, 2, 3)
    assert "- B: repetitions of a cell came in one series" in caveats(compare(a, b))


def test_says_which_tools_differ(two: tuple[Path, Path], compare: Compare) -> None:
    for report, compiler in zip(two, ("cc 12", "cc 13")):
        with (report / "data/provenance.txt").open("a", encoding="utf-8") as out:
            out.write(f"compiler: {compiler}\ncompiler flags: -O2\n")
    result = compare(*two)
    assert "Not the same in A and B, and part of each ratio: compiler." in caveats(result)
    assert "compiler cc 12 cc 13" in lines(result)
    assert "-O2" not in result.out


def test_says_that_a_report_is_compared_with_itself(
    two: tuple[Path, Path], compare: Compare
) -> None:
    said = caveats(compare(two[0], two[0]))
    assert said == "- A and B are the same measurements: there is nothing to tell."


# ---- odd machines


def test_control_characters_do_not_reach_the_terminal(
    two: tuple[Path, Path], compare: Compare
) -> None:
    a, b = two
    edit(a / "data/provenance.txt", "aaaa", "\33[31maaaa\7")
    for report in two:
        edit(table(report, FIRST), "Xeon", "X\33eon")
    result = compare(a, b)
    assert result.status == 0 and "\33" not in result.out and "\7" not in result.out


def test_a_terminal_that_lacks_letters(two: tuple[Path, Path], tree: Path) -> None:
    a, b = two
    edit(a / "data/provenance.txt", "Xeon", "X\N{LATIN SMALL LETTER E WITH ACUTE}on")
    result = make(tree, "compare", f"A={a}", f"B={b}", env={"PYTHONIOENCODING": "ascii"})
    assert any(line.startswith("cpu X?on of A") for line in lines(result))


def test_without_pandas_it_says_what_to_do(
    two: tuple[Path, Path], tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "pandas.py").write_text(
        "raise ModuleNotFoundError(name='pandas')\n", encoding="utf-8"
    )
    a, b = two
    result = make(tree, "compare", f"A={a}", f"B={b}", env={"PYTHONPATH": str(tmp_path)})
    assert refused(result) == "compare: needs pandas: run ./setup report"


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["compare", "--help"])
    assert ended.value.code == 0
    assert "make report" in capsys.readouterr().out
