# SPDX-License-Identifier: MIT
"""What can go wrong between an OpenCL lab and its device is said in words; and --binary."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.copies import TOP, changed, workshop
from tests.support import Result, gemm, make, run
from workbook.check.grade import Grade
from workbook.lab.labs import describe
from workbook.lab.program import run_program
from workbook.teacher.grade.compiling.builder import Limits

LAB = "lab04_ocl_naive"


@pytest.fixture(scope="module")
def folder(tree: Path) -> Path:
    folder = workshop(tree, LAB)
    assert make(folder, "gemm").status == 0
    return folder


def small(folder: Path, *arguments: str, **environment: str) -> Result:
    return run(
        ["./gemm", "64", "--reps", "1", *arguments], folder, env={"LC_ALL": "C", **environment}
    )


def test_no_device_is_a_skip_with_a_reason(folder: Path) -> None:
    ended, record = gemm(folder, "64", env={"OCL_ICD_VENDORS": "/nonexistent"})
    assert ended.status == 77
    assert ended.err.startswith("gemm: skipped: no OpenCL device")
    assert (record["verdict"], record["device"]) == ("skip", "")
    assert record["reason"]


def test_no_device_names_the_driver_that_does_not_load(folder: Path, tmp_path: Path) -> None:
    """The loader reports neither."""
    empty = gemm(folder, "64", env={"OCL_ICD_VENDORS": str(tmp_path)})[0]
    named = f"{tmp_path}, which OCL_ICD_VENDORS names, has no driver: unset OCL_ICD_VENDORS"
    assert (empty.status, empty.err) == (77, f"gemm: skipped: no OpenCL device here: {named}\n")
    icd = tmp_path / "x.icd"
    icd.write_text("libnone.so.7\n")
    for asked in tmp_path, icd:  # ocl-icd takes both
        broken = gemm(folder, "64", env={"OCL_ICD_VENDORS": str(asked)})[0]
        assert broken.status == 77
        assert f"the driver of {icd} cannot be loaded (libnone.so.7: " in broken.err


def test_a_group_too_large_for_the_device_is_refused(folder: Path) -> None:
    ended = small(folder, "--device", "pthread", POCL_MAX_WORK_GROUP_SIZE="64")
    assert ended.status == 2
    assert "not supported by the device: work-group limit 64" in ended.err


@pytest.fixture
def misspelt(folder: Path) -> Iterator[int]:
    """The line after one that does not compile."""
    file = folder / "kernel.cl"
    text = file.read_text()
    with changed(file, text.replace("real sum = 0;", "real sun = 0;")):
        yield next(n for n, line in enumerate(text.splitlines(), 1) if "sum +=" in line)


def test_a_compile_error_names_file_and_line(folder: Path, misspelt: int) -> None:
    ended, record = gemm(folder, "64")
    assert ended.status == 2
    assert ended.err.startswith(
        f"gemm: {folder.name}/kernel.cl does not compile (CL_BUILD_PROGRAM_FAILURE)\n"
    )
    assert f"kernel.cl:{misspelt}:" in ended.err
    line = (folder / "kernel.cl").read_text().splitlines()[misspelt - 1]
    shown = ended.err.partition(f"{misspelt} | {line}\n")[2].splitlines()[0]
    assert line[shown.index("^") - len("      | ")] == "s"  # of sum
    assert not re.search(r"HASH_OF_PARAMS|errors? generated|/tmp/|^/", ended.err)
    assert record["verdict"] == "error"
    assert "does not compile" in record["reason"]


def test_params_h_may_have_a_guard(folder: Path) -> None:
    """By its usual name, which is no tunable: and what it holds is there."""
    params = folder / "params.h"
    text = params.read_text()
    with changed(params, f"#ifndef PARAMS_H\n#define PARAMS_H\n{text}#endif\n"):
        said = make(folder, "describe")
        ended, record = gemm(folder, "64")
    assert [one["name"] for one in json.loads(said.out)["tunables"]] == ["GROUP_X", "GROUP_Y"]
    assert (ended.status, record["verdict"]) == (0, "pass"), ended.text


def test_a_driver_that_compiles_without_end_is_ended(clone: Path) -> None:
    """Once: whoever runs it knows, and no other tool waits for it."""
    build_c, folder = clone / "session/ocl_build.c", clone / LAB
    text = build_c.read_text()
    seconds = f"COMPILER_SECONDS = {Limits().launch}"
    assert seconds in text  # as make grade has them
    build_c.write_text(text.replace(seconds, "COMPILER_SECONDS = 1"))
    shutil.copy(TOP / "tests/cheats/ocl_unrolled.cl", folder / "kernel.cl")
    assert make(folder, "gemm").status == 0
    result = run_program(folder, "gemm", ["--check"])
    assert (result.verdict, result.stopped, result.status) == ("FAIL", True, 2)
    assert "kernel.cl does not compile: the OpenCL driver needs more than 1 s" in result.reason
    assert Grade(describe(str(folder), []), programs=[result]).has_stopped("gemm")


def test_a_mark_of_utf_8_in_front_is_no_code(folder: Path) -> None:
    """As some editors write it, which a compiler for C skips."""
    file = folder / "kernel.cl"
    with changed(file, f"\ufeff{file.read_text()}"):
        ended = small(folder)
    assert ended.status == 0, ended.text


def test_a_kernel_file_that_is_gone_is_told(folder: Path) -> None:
    file = folder / "kernel.cl"
    gone = file.rename(folder / "gone.cl")
    ended = small(folder)
    gone.rename(file)
    assert ended.status == 2
    assert ended.err.startswith(f"gemm: cannot read {file}: removed?")
    assert ended.err.count("\n") == 1


def test_params_that_have_changed_are_compiled_anew(folder: Path) -> None:
    assert small(folder).status == 0
    params = folder / "params.h"
    with changed(params, params.read_text() + "#error changed\n"):
        ended = small(folder)
    assert ended.status == 2
    assert "changed" in ended.err


# ---- --binary


def test_binary_writes_the_compiled_program(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_bytes(b"old" * 1_000_000)
    ended = small(folder, "--binary", str(file))
    assert ended.status == 0
    assert "PASS" in ended.out
    written = file.read_bytes()
    assert len(written) > 100
    assert b"gemm" in written  # the kernel's name
    assert not written.endswith(b"old")


def test_binary_differs_with_the_kernel(folder: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    small(folder, "--binary", str(one))
    file = folder / "kernel.cl"
    with changed(file, file.read_text().replace("= sum;", "= 0;")):
        assert small(folder, "--binary", str(other)).status == 1
    assert one.read_bytes() != other.read_bytes()


@pytest.mark.parametrize("where", ["/nonexistent/program", ".", "/dev/full"])
def test_binary_that_cannot_be_written_is_one_line(folder: Path, where: str) -> None:
    ended = small(folder, "--binary", where)
    assert ended.status == 2
    assert ended.err.startswith(f"gemm: cannot write {where}")
    assert ended.err.count("\n") == 1


def test_binary_is_for_opencl_alone(tree: Path) -> None:
    folder = workshop(tree, "lab01_cpu_naive")
    assert make(folder, "gemm").status == 0
    ended, record = gemm(folder, "64", "--binary", "program")
    assert ended.status == 2
    assert ended.err == "gemm: --binary is for the OpenCL labs: use make asm in this one\n"
    assert not (folder / "program").exists()
