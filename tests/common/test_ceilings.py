# SPDX-License-Identifier: MIT
"""make ceilings: what a machine can do at most is measured once, or again; the best counts."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.support import gemm, make, run
from workbook import UserError
from workbook.core.lock import lock
from workbook.core.process import Outcome
from workbook.measure import ceilings
from workbook.measure.ceilings import (
    Ceiling,
    Missing,
    ensure,
    is_known,
    is_wanted,
    keep,
    measure,
    parse,
    read_table,
)

LINE = "cpu\ta CPU\tfloat\t100\t10\tsse2=20\tavx2=100\n"


def ended(status: int, err: str = "") -> Outcome:
    return Outcome(status, "", err, timed_out=False, limit=1)


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the ceilings are kept; nothing is measured, but what a script prints is taken for
    it."""
    (tmp_path / "build").mkdir()
    path = tmp_path / "build/ceilings.tsv"
    monkeypatch.setattr(ceilings, "TOP", tmp_path)
    monkeypatch.setattr(ceilings, "TABLE", path)
    says(path, monkeypatch, LINE)
    return path


def says(table: Path, monkeypatch: pytest.MonkeyPatch, line: str, status: int = 0) -> None:
    """The program that measures prints this, and ends so."""

    def build(backend: str, type_: str) -> Path:
        script = table.parent.parent / f"peak_{backend}"
        script.write_text(
            f"#!/bin/sh\ncat <<'END'\n{line}END\necho \"gemm: $*\" >&2\nexit {status}\n"
        )
        script.chmod(0o755)
        return script

    monkeypatch.setattr(ceilings, "build", build)


def test_it_is_measured_once(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ensure("cpu", "float")
    assert table.read_text() == "cpu\ta CPU\tfloat\t100.00\t10.00\tsse2=20.00\tavx2=100.00\n"
    says(table, monkeypatch, LINE.replace("100", "200"))
    ensure("cpu", "float")
    assert "200" not in table.read_text()


def test_what_has_an_instruction_set_by_its_old_name_is_measured_again(table: Path) -> None:
    table.write_text(LINE.replace("sse2", "baseline"))
    ensure("cpu", "float")
    assert "sse2=20.00" in table.read_text()


def test_measured_again_the_best_counts(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure("cpu", "float")
    says(table, monkeypatch, "cpu\ta CPU\tfloat\t90\t12\tsse2=30\tavx2=90\tavx512=80\n")
    best = measure("cpu", "float")
    assert best == Ceiling(
        "cpu", "a CPU", "float", 100, 12, {"sse2": 30, "avx2": 100, "avx512": 80}
    )
    assert read_table() == {best.key: best}


def test_each_type_and_backend_is_known_for_itself(table: Path) -> None:
    measure("cpu", "float")
    assert is_known("cpu", "float")
    assert not is_known("cpu", "double")
    assert not is_known("opencl", "float")


def test_a_cpu_without_instruction_sets_is_not_known(table: Path) -> None:
    table.write_text("cpu\ta CPU\tfloat\t100\t10\n")
    assert not is_known("cpu", "float")


def test_others_stay_and_damaged_lines_go(table: Path) -> None:
    other = "opencl\ta GPU\tfloat\t5000.00\t500.00\n"
    table.write_text(f"{other}nonsense\ncpu\ta CPU\tfloat\tmany\t1\n")
    measure("cpu", "float")
    assert [line.split("\t")[0] for line in table.read_text().splitlines()] == ["opencl", "cpu"]
    assert other in table.read_text()


def test_no_device_is_nothing_to_measure(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    says(table, monkeypatch, "", status=77)
    with pytest.raises(Missing, match="^opencl: skipped: --device 9$"):
        measure("opencl", "float", ["--device", "9"])
    assert not table.exists()


@pytest.mark.parametrize("status", [1, 77])
def test_what_was_tried_in_vain_is_tried_again_by_make_ceilings_alone(
    table: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    says(table, monkeypatch, "", status)
    ensure("cpu", "float")
    assert not is_wanted("cpu", "float") and is_wanted("cpu", "double")
    says(table, monkeypatch, LINE)
    ensure("cpu", "float")
    assert not table.exists()
    measure("cpu", "float")
    table.unlink()
    assert is_wanted("cpu", "float")


@pytest.mark.parametrize(("line", "status"), [("", 2), ("nonsense\n", 0), (LINE, 1)])
def test_what_goes_wrong_is_told_and_nothing_kept(
    table: Path, monkeypatch: pytest.MonkeyPatch, line: str, status: int
) -> None:
    says(table, monkeypatch, line, status)
    with pytest.raises(UserError, match="^cpu: (gemm|skipped): --device 9$"):
        measure("cpu", "float", ["--device", "9"])
    assert not table.exists()
    ensure("cpu", "float")  # where it is not asked for, nothing is told
    assert [path.name for path in table.parent.iterdir()] == ["ceilings.cpu.float.tried"]


def test_one_at_a_time(table: Path) -> None:
    with lock(table.with_name("ceilings.lock")):
        with pytest.raises(UserError, match="another one is at work"):
            measure("cpu", "float")
        ensure("cpu", "float")
    assert not table.exists()
    assert is_wanted("cpu", "float")  # the other one may measure something else


def test_a_full_disk_leaves_the_old_table(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measure("cpu", "float")
    before = table.read_text()
    table.with_name(".new.ceilings.tsv").symlink_to("/dev/full")
    ceiling = parse(LINE.replace("100", "200"))
    assert ceiling is not None
    with pytest.raises(OSError, match="No space"):
        keep(ceiling)
    assert table.read_text() == before


@pytest.mark.parametrize(("type_", "types"), [("float", 2), ("double", 2), ("int", 3)])
def test_make_ceilings_measures_each_backend_and_type_again(
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    type_: str,
    types: int,
) -> None:
    monkeypatch.setenv("TYPE", type_)
    assert ceilings.main([]) == ceilings.main(["--device", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    said = [
        "ceilings: cpu, a CPU, one core, float: 100 GFLOP/s, 10 GB/s, sse2=20.00,",
        "  avx2=100.00",
    ]
    assert lines == 2 * 3 * types * said


def test_a_device_that_no_backend_has(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    says(table, monkeypatch, "", status=2)
    with pytest.raises(UserError, match="^--device 9: nothing could be measured there$"):
        ceilings.main(["--device", "9"])


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (ended(127), "cpu: skipped: cc is not installed"),
        (
            ended(1, "ceilings/x.c:3:10: fatal error: CL/cl.h: No such file or directory"),
            "cpu: skipped: ",
        ),
        (ended(1, "x.c:3:10: fatal error: 'OpenCL/opencl.h' file not found"), "cpu: skipped: x.c"),
        (ended(1, "/usr/bin/ld: cannot find -lOpenCL: No such file"), "cpu: skipped: /usr/bin/ld"),
        (ended(1, "ld: framework not found OpenCL"), "cpu: skipped: ld"),
    ],
)
def test_what_is_missing_is_no_failure(said: Outcome, reason: str) -> None:
    mistake = ceilings.why("cpu", "cc", said)
    assert isinstance(mistake, Missing)
    assert str(mistake).startswith(reason)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            ended(1, "x.c: In function 'f':\nx.c:1:2: error: expected ';'"),
            "x.c:1:2: error: expected ';'",
        ),
        (ended(1, "ld: undefined reference to `f'"), "ld: undefined reference to `f'"),
        (ended(1), "cc says nothing"),
    ],
)
def test_what_does_not_compile_is_one(said: Outcome, reason: str) -> None:
    mistake = ceilings.why("cpu", "cc", said)
    assert not isinstance(mistake, Missing)
    assert str(mistake) == f"cpu: does not build: {reason}"


# ---- the programs themselves --------------------------------------------------------------------
@pytest.mark.slow
def test_the_first_run_of_a_lab_measures_and_the_second_does_not(bare: Path) -> None:
    """And it says what share of it was reached."""
    lab = bare / "lab02_avx"
    first = make(lab, "run", "SIZE=256")
    assert first.status == 0, first.text
    written = (bare / "build/ceilings.tsv").read_text()
    (ceiling,) = [parse(line) for line in written.splitlines()]
    assert ceiling is not None and ceiling.backend == "cpu" and ceiling.type == "float"
    assert ceiling.gflops == max(ceiling.sets.values()) > 0 and ceiling.gbs > 0
    assert "not measured on this device" not in first.text
    before = (bare / "build/ceilings.tsv").stat().st_mtime_ns
    assert make(lab, "run", "SIZE=16").status == 0
    assert (bare / "build/ceilings.tsv").stat().st_mtime_ns == before
    left = {path.name for path in (bare / "build").iterdir()} - {"common", "running"}
    assert left == {"ceilings.tsv"}


@pytest.mark.slow
def test_an_opencl_device_is_measured(clone: Path) -> None:
    code = "from workbook.measure import ceilings; print(ceilings.measure('opencl', 'float'))"
    result = run([sys.executable, "-c", code], clone)
    (ceiling,) = [parse(line) for line in (clone / "build/ceilings.tsv").read_text().splitlines()]
    assert result.out == f"{ceiling}\n"
    assert ceiling is not None and ceiling.backend == "opencl"
    assert ceiling.gflops > 0 and ceiling.gbs > 0


def test_without_a_compiler_there_is_nothing_to_measure(bare: Path) -> None:
    result = make(bare, "ceilings", "CC=no-such-compiler")
    assert (result.status, result.err) == (0, "")
    said = [
        f"ceilings: {backend}: skipped: no-such-compiler is not installed"
        for backend in ("cpu", "opencl")
    ]
    lines = result.out.splitlines()
    assert lines[:2] == said
    assert lines[2].startswith("ceilings: cuda: skipped: ")
    assert list((bare / "build").iterdir()) == []


def test_a_program_that_does_not_compile_is_a_failure(clone: Path) -> None:
    for file in "cpu.c", "chains.c", "opencl.c":
        (clone / "ceilings" / file).write_text("no such thing;\n")
    result = make(clone, "ceilings")
    assert result.status == 2  # make's
    assert re.match(r"ceilings: cpu: does not build: (cpu|chains)\.c:1:1: error: ", result.out)
    assert result.out.count("ceilings: cpu: ") == 1  # not for each type
    assert "status 1" in result.err or "Error 1" in result.err


def test_a_speed_above_the_ceiling_says_that_this_is_too_low(clone: Path) -> None:
    lab = clone / "lab01_cpu_naive"
    assert make(lab, "gemm").status == 0
    device = gemm(lab, "64")[1]["device"]
    (clone / "build").mkdir(exist_ok=True)
    for own, too_low in ("0.001", True), ("1000000", False):
        line = f"cpu\t{device}\tfloat\t1000000\t10\tsse2={own}\n"
        (clone / "build/ceilings.tsv").write_text(line)
        assert ("ceilings       too low: this is faster than" in gemm(lab, "64")[0].out) == too_low
