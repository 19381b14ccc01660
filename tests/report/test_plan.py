# SPDX-License-Identifier: MIT
"""Which cells a report has, in which order, who takes turns with whom, and what makes a measurement
stale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import TOP, edit
from workbook import UserError
from workbook.lab.labs import Lab, Program, describe
from workbook.measure import ceilings
from workbook.report import tidy_up
from workbook.report.data import measurements
from workbook.report.measure.machine import caches, stamp
from workbook.report.measure.missing import measure_ceilings
from workbook.report.measure.plan import Wanted, defaults, plan, turn_of
from workbook.report.measure.rounds import Bench, Reason, repetitions, time_cells
from workbook.report.measure.store import Table, load

pytestmark = pytest.mark.report

FACTS = {
    "cpu": "A CPU (CPU, 2 cores, 1000 MiB of memory)",
    "opencl": "A GPU (GPU, 2 compute units, 1980 MHz, 1000 MiB of memory, driver 1)",
    "compiler": "cc 1",
}


def a_lab(**what: object) -> Lab:
    """Steps zebra and aardvark lead to it, other does not."""
    steps = {"": None, "aardvark": 2, "other": None, "zebra": 1}
    names = {variant: f"gemm{'_' * bool(variant)}{variant}" for variant in steps}
    programs = tuple(
        Program(names[variant], variant, step, (), f"kernel_{variant}.c", None, ())
        for variant, step in steps.items()
    )
    about = ("cpu", False, None, "float", "1024", programs, frozenset[str](), (), ())
    lab = Lab(Path("lab02_avx"), "lab02_avx", *about)
    return replace(lab, **what)  # type: ignore[arg-type]


def described(name: str) -> Lab:
    return describe(str(TOP / name), ["CUDA=cpu"])


# ---- the plan ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "on_gpu", "quick", "cells"),
    [
        ("lab03_avx_block", False, False, 5 * 5 + (4 * 7 + 2) * 2),
        ("lab04_ocl_naive", False, True, 3 * 4 + 7 + 4),
        ("lab07_ocl_localmem", True, False, 4 * 6 + 8 + 4 * 9),
        ("lab08_cuda_naive", True, False, 2 * 5 + 5 * 4),
    ],
)
def test_a_lab_has_so_many_cells(name: str, on_gpu: bool, quick: bool, cells: int) -> None:
    planned = list(plan(described(name), on_gpu, quick))
    assert len(planned) == len(set(planned)) == cells


def test_steps_come_first_then_the_labs_own_kernel_then_other_variants() -> None:
    names = dict.fromkeys(cell.program.variant for cell in plan(a_lab(), False, False))
    assert list(names) == ["zebra", "aardvark", "", "other"]


def test_the_defaults_are_those_of_the_tunables_that_are_swept() -> None:
    assert dict(defaults(described("lab03_avx_block"))) == {
        "lab03_avx_block, block": "BLOCK_KN=128",
        "lab03_avx_block": "BLOCK_KN=256",
        "lab03_avx_block, published": "BLOCK_KN=64",
        "lab03_avx_block, transpose": "BLOCK_KN=256",
    }


def test_who_is_compared_takes_turns() -> None:
    one, two = a_lab(), a_lab(name="lab03")
    cuda = [replace(lab, backend="cuda") for lab in (one, two)]

    def cell(lab: Lab, settings: str = "", N: int = 64, kind: str = "float") -> Wanted:
        return Wanted(lab, lab.programs[0], kind, N, settings)

    assert turn_of(cell(one)) == turn_of(cell(two))
    assert turn_of(cell(one, "A=1")) == turn_of(cell(one, "A=2")) != turn_of(cell(two, "A=1"))
    assert turn_of(cell(cuda[0], "A=1")) == turn_of(cell(cuda[1], "A=1"))
    assert (
        len({turn_of(cell(one)), turn_of(cell(one, N=32)), turn_of(cell(one, kind="double"))}) == 3
    )


# ---- rounds --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("ms", "inside"), [(0.0, 7), (0.1, 7), (100.0, 4), (400.0, 1), (60000.0, 1)]
)
def test_a_round_has_repetitions_for_a_third_of_a_second(ms: float, inside: int) -> None:
    assert repetitions(Bench(Path(), [], quick=False), ms) == inside


def test_programs_run_one_after_the_other_round_by_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second is slow: only its first round verifies beforehand. The third is wrong in round
    two."""
    lab = a_lab()
    cells = [Wanted(lab, program, "float", 64, "") for program in lab.programs[:3]]
    table = Table(tmp_path / "lab.csv", measurements.frame([]))
    ran: list[tuple[str, list[str]]] = []
    kept: dict[str, object] = {}
    monkeypatch.setattr("workbook.report.measure.rounds.ready", lambda *_: tmp_path)
    monkeypatch.setattr("workbook.report.measure.rounds.run_program", fake_program(ran))
    bench = Bench(tmp_path, [], quick=False)
    time_cells(
        bench,
        cells,
        {lab.name: table},
        lambda c, what: kept.update({c.program.name: what}),
        lambda *_: None,
    )
    names = ["gemm", "gemm_aardvark", "gemm_other"]
    assert [name for name, _ in ran] == [*names, *names, *names[:2]]
    assert [words[3:] for name, words in ran if name == "gemm_aardvark"] == [
        [],
        ["--no-warmup"],
        ["--no-warmup"],
    ]
    assert [words for name, words in ran if name == "gemm"] == [["64", "--reps", "7"]] * 3
    assert kept["gemm_other"] == Reason("failed", "wrong")
    rows = kept["gemm"]
    assert isinstance(rows, list)
    assert [(row["round"], row["rep"]) for row in rows] == [
        (1, 1),
        (1, 2),
        (2, 3),
        (2, 4),
        (3, 5),
        (3, 6),
    ]
    table.put(cells[0], [{**row, "stamp": "7"} for row in rows])
    assert measurements.read(table.path)[1] == []


def fake_program(ran: list[tuple[str, list[str]]]) -> Callable[..., object]:
    from workbook.lab.program import FAIL, PASS, Result

    def run_program(folder: Path, name: str, words: list[str], within: float) -> Result:
        ran.append((name, words))
        if name == "gemm_other" and len(ran) > 3:
            return Result(name, FAIL, "wrong")
        ms = 500.0 if name == "gemm_aardvark" else 1.5
        times = {"kernel_ms": ms, "h2d_ms": None, "d2h_ms": None, "cpu_ms": 1.0}
        shape = {"method": "Freivalds + 4 rows"}
        record = {
            "device": "A CPU",
            "shapes": [shape],
            "repetitions": [times, times],
            "ceilings": None,
        }
        return Result(
            name, PASS, record={**record, "alloc_ms": None, "build_ms": None, "context_ms": None}
        )

    return run_program


# ---- what is kept --------------------------------------------------------------------------------
def test_rows_are_kept_in_the_order_of_the_plan_and_without_other_stamps(tmp_path: Path) -> None:
    lab = a_lab()
    row = {
        "lab": lab.name,
        "backend": "cpu",
        "device": "A CPU",
        "type": "float",
        "verified": "full",
        "rep": 1,
    }
    rows = [
        {**row, "variant": variant, "M": N, "N": N, "K": N, "kernel_ms": 1, "stamp": stamp}
        for variant, N, stamp in [
            ("", 128, 7),
            ("other", 128, 7),
            ("", 64, 7),
            ("zebra", 128, 7),
            ("aardvark", 128, 6),
        ]
    ]
    table = Table(tmp_path / "data/lab02_avx.csv", measurements.frame(rows))
    cells = list(plan(lab, False, False))
    table.keep_current({program.variant: "7" for program in lab.programs}, cells)
    assert list(zip(table.rows["variant"], table.rows["N"])) == [
        ("zebra", 128),
        ("", 128),
        ("other", 128),
        ("", 64),
    ]
    assert (tmp_path / "data/old/lab02_avx.csv").read_text().count("aardvark") == 1


def test_damaged_tables_are_kept_byte_by_byte_beside_those_of_earlier_times(tmp_path: Path) -> None:
    path = tmp_path / "data/lab02_avx.csv"
    path.parent.mkdir()
    damaged = [b"lab02_avx,\xff\r\n", b"lab02_avx,\xfe\xff\n", b"lab02_avx\n"]
    for content in damaged:
        path.write_bytes(content)
        load(path)
        assert measurements.read(path)[1] == []
    names = [f"lab02_avx.damaged{number}.csv" for number in ("", ".2", ".3")]
    assert [(path.parent / "old" / name).read_bytes() for name in names] == damaged


def test_what_a_killed_one_left_is_removed_and_nothing_of_a_students(tmp_path: Path) -> None:
    students = ["notes.new", "data/notes.new", "data/lab01.csv.new", "new.md", "data/old/x.new"]
    ours = [
        ".new.report.md",
        "data/.new.lab01_cpu_naive.csv",
        "data/old/.new.lab02_avx.csv",
        ".fill.1",
    ]
    for name in students + ours:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "plots/.new.1").mkdir(parents=True)
    tidy_up(tmp_path)
    left = [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(left) == sorted(students)
    assert list((tmp_path / "plots").iterdir()) == []


# ---- ceilings ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "error", [UserError("another one is at work"), PermissionError(13, "Not yours")]
)
def test_ceilings_that_cannot_be_measured_are_told_and_do_not_end_the_report(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
) -> None:
    """Of a device whose facts have parentheses in them, one ceiling is known."""
    asked = []

    def refuse(*what: str) -> None:
        asked.append(what)
        raise error

    known = ceilings.Ceiling("cpu", "A CPU (R) 2", "float", 100, 10, {})
    monkeypatch.setattr(ceilings, "read_table", lambda: {known.key: known})
    monkeypatch.setattr(ceilings, "measure", refuse)
    facts = {"cpu": "A CPU (R) 2 (CPU, 2 cores, driver 1 (x))"}
    measure_ceilings(tmp_path, [a_lab()], facts, fresh=False)
    assert asked == [("cpu", "double")]
    said = f"report: what cpu can do at most in double is not known: {error}\n"
    assert capsys.readouterr().err.endswith(said)
    assert (tmp_path / "data/ceilings.tsv").read_text() == ceilings.as_line(known)


# ---- stamps --------------------------------------------------------------------------------------
def test_a_variants_kernel_makes_its_own_measurements_stale(lab: Callable[[str], Path]) -> None:
    folder = lab("lab03_avx_block")

    def stamps() -> dict[str, str]:
        found = describe(str(folder), [])
        return {program.variant: stamp(found, program, FACTS, "") for program in found.programs}

    before = stamps()
    edit(folder / "kernel_published.c", "// SPDX", "// changed\n// SPDX")
    assert [variant for variant, mark in stamps().items() if mark != before[variant]] == [
        "published"
    ]
    edit(folder / "params.h", "// SPDX", "// changed\n// SPDX")
    assert all(mark != before[variant] for variant, mark in stamps().items())


@pytest.mark.parametrize(
    ("name", "now", "stale"),
    [
        ("opencl", "A GPU (GPU, 2 compute units, 1500 MHz, 900 MiB of memory, driver 1)", False),
        ("opencl", "A GPU (GPU, 2 compute units, 1980 MHz, 1000 MiB of memory, driver 2)", True),
        ("cpu", "Another CPU", False),
    ],
    ids=["clock-and-memory", "driver", "another-backend"],
)
def test_the_device_and_the_compiler_make_measurements_stale(
    name: str, now: str, stale: bool
) -> None:
    lab = described("lab04_ocl_naive")
    before, after = (
        stamp(lab, lab.programs[0], facts, "") for facts in (FACTS, {**FACTS, name: now})
    )
    assert (before != after) == stale


def test_a_cache_is_what_one_group_of_cores_has(tmp_path: Path) -> None:
    """As lscpu says it: getconf adds up all that there are of the last one."""
    kinds = ["1 Data 48K", "1 Instruction 32K", "2 Unified 1280K", "3 Unified 32768K"]
    for index, words in enumerate(kinds):
        folder = tmp_path / f"index{index}"
        folder.mkdir()
        for name, value in zip(("level", "type", "size"), words.split()):
            (folder / name).write_text(f"{value}\n")
    assert caches(tmp_path) == "L1 48 KiB, L2 1.25 MiB, L3 32 MiB"
    assert caches(tmp_path / "none") == ""
