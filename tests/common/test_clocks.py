# SPDX-License-Identifier: MIT
"""The times of a GPU: nothing of the host is in them, and launches back to back have a figure of
their own. PoCL is taken for a GPU here, and a library that is compiled here for CLBlast."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.copies import copy_to
from tests.schemas import complaints
from tests.support import TOP, edit, gemm, make, needs, run
from workbook.lab.labs import Lab, Program
from workbook.lab.program import PASS, Result
from workbook.libraries.shares import Entry, as_record
from workbook.libraries.table import tables

SLEEP = 1.0  # ms, before the library's launch

# CLBlast's interface around the kernel of lab 04. It sleeps before it launches.
FAKE = r"""
#include <CL/cl.h>
#include <stddef.h>
#include <unistd.h>
int CLBlastSGemmTempBufferSize(int layout, int ta, int tb, size_t M, size_t N, size_t K,
                               size_t a, size_t lda, size_t b, size_t ldb, size_t c, size_t ldc,
                               cl_command_queue *queue, size_t *bytes)
{
    *bytes = 4 * M;
    return 0;
}
int CLBlastSgemmWithTempBuffer(int layout, int ta, int tb, size_t M, size_t N, size_t K,
                               float alpha, cl_mem A, size_t a, size_t lda, cl_mem B, size_t b,
                               size_t ldb, float beta, cl_mem C, size_t c, size_t ldc,
                               cl_command_queue *queue, cl_event *last, cl_mem copies)
{
    static const char *source =
        "kernel void gemm(int M, int N, int K, global float *A, global float *B, global float *C) {"
        "  float sum = 0; int i = get_global_id(1), j = get_global_id(0);"
        "  for (int k = 0; k < K; k++) sum += A[i * K + k] * B[k * N + j];"
        "  C[i * N + j] = sum; }";
    static cl_kernel kernel;
    int sizes[] = {(int)M, (int)N, (int)K};
    cl_mem matrices[] = {A, B, C};
    size_t items[] = {N, M};
    if (kernel == NULL) {
        cl_context context;
        clGetCommandQueueInfo(*queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
        cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
        clBuildProgram(program, 0, NULL, "", NULL, NULL);
        kernel = clCreateKernel(program, "gemm", NULL);
    }
    for (cl_uint n = 0; n < 3; n++) {
        clSetKernelArg(kernel, n, sizeof(int), &sizes[n]);
        clSetKernelArg(kernel, n + 3, sizeof(cl_mem), &matrices[n]);
    }
    usleep(SLEEP_US);
    return clEnqueueNDRangeKernel(*queue, kernel, 2, NULL, items, NULL, 0, NULL, last);
}
"""


@pytest.fixture(scope="module")
def gpu(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the workbook to which each OpenCL device is a GPU."""
    tree = copy_to(tmp_path_factory.mktemp("gpu"))
    edit(tree / "session/ocl_device.c", "(type & CL_DEVICE_TYPE_GPU) != 0", "true")
    return tree


def timed(folder: Path, *words: str, env: dict[str, str] | None = None) -> dict[str, Any]:
    ended, record = gemm(folder, *words, env=env)
    assert ended.status == 0, ended.text
    assert complaints(record, "gemm-run") == []
    return record


# ---- the host has no part in a time ------------------------------------------------------------
@pytest.fixture(scope="module")
def clblast(gpu: Path) -> Iterator[dict[str, str]]:
    """The environment in which the fake is CLBlast."""
    (gpu / "fake.c").write_text("#define CL_TARGET_OPENCL_VERSION 120\n" + FAKE, encoding="utf-8")
    built = run(
        f"cc -shared -fPIC -O1 -DSLEEP_US={1000 * SLEEP:.0f} -o libfake.so fake.c -lOpenCL", gpu
    )
    assert built.status == 0, built.text
    yield {"CLBLAST_LIBRARY": str(gpu / "libfake.so")}


def shortest(record: dict[str, Any]) -> float:
    return min(float(run["kernel_ms"]) for run in record["repetitions"])


def test_what_a_library_sleeps_before_its_launch_is_not_in_its_time(
    gpu: Path, clblast: dict[str, str]
) -> None:
    folder = gpu / "baseline/clblast"
    assert make(folder, "gemm", env=clblast).status == 0
    assert shortest(timed(folder, "16", "--reps", "20", env=clblast)) < SLEEP
    header = folder / "clblast.h"
    text = header.read_text()
    edit(header, "        hold(queue);\n", "        ;\n")  # without it, it is
    assert make(folder, "gemm", env=clblast).status == 0
    # PoCL's thread may itself come to the first event late, on a busy machine: once is enough.
    without = timed(folder, "16", "--reps", "20", env=clblast)["repetitions"]
    assert max(float(run["kernel_ms"]) for run in without) >= SLEEP
    header.write_text(text)


def test_a_library_that_the_device_waits_for_has_no_steady_figure(
    gpu: Path, clblast: dict[str, str]
) -> None:
    folder = gpu / "baseline/clblast"
    assert make(folder, "gemm", env=clblast).status == 0
    assert timed(folder, "16", "--reps", "3", env=clblast)["steady"] is None


@pytest.mark.gpu
@pytest.mark.parametrize("name", ["cublas", "cublas_tf32"])
def test_nor_in_that_of_cublas(clone: Path, name: str) -> None:
    needs("nvidia-smi")
    needs("nvcc")
    folder = clone / "baseline" / name
    if why := json.loads(make(folder, "describe").out)["skip"]:
        pytest.skip(f"baseline/{name} is not installed: {why}")
    edit(
        clone / "baseline/cublas.h",
        '#include "gpu.h"',
        '#include "gpu.h"\n#include <unistd.h>',
    )
    edit(
        clone / "baseline/cublas.h",
        "    check_cublas(gemm_ex(",
        "    usleep(1000);\n    check_cublas(gemm_ex(",
    )
    assert make(folder, "gemm").status == 0
    assert shortest(timed(folder, "256", "--reps", "20")) < SLEEP


MAINS = sorted(path.relative_to(TOP) for path in TOP.glob("**/main*.cu"))


@pytest.mark.parametrize("main", MAINS, ids=str)
def test_each_launch_of_cuda_is_queued_behind_the_gate(main: Path) -> None:
    text = (TOP / main).read_text(encoding="utf-8")
    order = (
        "close_gate",
        r"Record.(gpus\[n\].)?before",
        " (gemm|multiply)[<(]",
        r"Record.(gpus\[n\].)?after",
        "open_gate",
        "= elapsed_ms",
    )
    assert re.search(".*".join(order), text[text.index("the poison") :], re.DOTALL)


# ---- back to back ------------------------------------------------------------------------------
@pytest.fixture
def naive(gpu: Path) -> Path:
    folder = gpu / "lab04_ocl_naive"
    assert make(folder, "gemm").status == 0
    return folder


def test_a_gpu_has_a_steady_figure_in_print_record_and_csv(naive: Path, tmp_path: Path) -> None:
    said, record = gemm(naive, "160", "--reps", "3", "--csv", str(tmp_path / "a.csv"))
    assert said.status == 0, said.text
    steady = record["steady"]
    assert steady["launches"] % 2 == 0
    assert steady["gflops"] == pytest.approx(2e-6 * 160**3 / steady["kernel_ms"])
    assert len(record["repetitions"]) == 3  # it is none of these
    assert re.search(r"^  steady  .* GFLOP/s, .* ms each, back to back$", said.out, re.M)
    rows = list(csv.DictReader((tmp_path / "a.csv").read_text().splitlines()))
    assert [float(row["steady_ms"]) for row in rows] == pytest.approx(
        [steady["kernel_ms"]] * 3, abs=1e-6
    )


def test_a_cpu_has_none(tree: Path) -> None:
    assert make(tree / "lab04_ocl_naive", "gemm").status == 0
    record = timed(tree / "lab04_ocl_naive", "160", "--reps", "3")
    assert (record["steady"], record["clock"]) == (None, None)


def test_what_is_not_timed_has_none(naive: Path) -> None:
    assert timed(naive, "64", "--once")["steady"] is None
    assert timed(naive, "--check")["steady"] is None


def test_a_kernel_that_is_wrong_back_to_back_alone_is_seen(naive: Path) -> None:
    """The second launch finds what the first has left in C."""
    kernel = naive / "kernel.cl"
    text = kernel.read_text()
    edit(kernel, "] = sum;", "] = sum + (fabs((float)C[row * N + col]) < 1e9f ? 1 : 0);")
    said, record = gemm(naive, "160", "--reps", "3")
    kernel.write_text(text)
    assert (said.status, record["verdict"], record["steady"]) == (1, "fail", None)
    assert record["shapes"][0]["verdict"] == "fail"
    assert complaints(record, "gemm-run") == []


# ---- what limits the clock ---------------------------------------------------------------------
def test_the_clock_and_what_limits_it(tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(
        '#include "session/clocks.h"\n#include <stdio.h>\n'
        "int main(int argc, char **argv)\n{\n"
        "    struct clocks all = {0}, now = {0};\n"
        "    for (int n = 0; n < 4; n++)\n        clocks_join(&all, now = clocks_now(argv[1]));\n"
        '    printf("%u %u", all.low, all.high);\n'
        '    for (int n = 0; clocks_limit(all, n); n++)\n        printf(" %s", clocks_limit(all, '
        "n));\n"
        '    if (now.whole)\n        printf(" of %u, %u %u", all.most, all.cool, all.hot);\n'
        "    return argc > 2;\n}\n"
    )
    library = f"cc -shared -fPIC -o libnvidia-ml.so.1 '{TOP}/tests/nvml.c'"
    program = f"cc '-I{TOP}' -o clocks main.c '{TOP}/session/clocks.c' -ldl"
    assert run(f"{library} && {program}", tmp_path).status == 0
    env = {"LD_LIBRARY_PATH": str(tmp_path)}
    said = "1500 1530 power temperature of 1980, 41 44"
    assert run(["./clocks", "0000:3b:00.0"], tmp_path, env=env).out == said
    assert run(["./clocks"], tmp_path, env=env).out == said
    assert run(["./clocks", ""], tmp_path, env=env).out == "0 0"
    assert run(f"{library} -DCLOCK_ALONE", tmp_path).status == 0
    assert run(["./clocks", "0000:3b:00.0"], tmp_path, env=env).out == "1500 1530"
    if not os.path.exists("/usr/bin/nvidia-smi"):
        assert run(["./clocks", "0000:3b:00.0"], tmp_path).out == "0 0"


# ---- in make baseline --------------------------------------------------------------------------
def entry(name: str, rounds: list[float], steady: list[float]) -> Entry:
    where = TOP / name if name.startswith("lab") else TOP / "baseline" / name
    program = Program("gemm", "", None, (), "kernel.cu", None, ())
    lab = Lab(where, name, "cuda", False, None, "float", "1024", (program,), frozenset(), (), ())
    shape = (64, 64, 64)
    made = Entry(lab, program, {shape: rounds}, {shape: steady} if steady else {})
    record = {
        "backend": "cuda",
        "device": "a GPU",
        "instructions": None,
        "rounding": None,
        "gflops": rounds[-1],
        "library": None,
    }
    made.last = Result("gemm", PASS, "", record)
    return made


def test_single_and_steady_are_never_mixed() -> None:
    lab = entry("lab1", [50, 60, 70], [30, 30, 30])
    hot, cool = entry("hot", [100] * 3, [40] * 3), entry("cool", [90] * 3, [60] * 3)
    (size,) = as_record(lab, [lab, hot, cool])["sizes"]
    assert (size["of"], size["share"], size["gflops"]) == ("hot", 0.6, 60)
    assert (size["steady"]["of"], size["steady"]["share"], size["steady"]["gflops"]) == (
        "cool",
        0.5,
        30,
    )
    said = tables([as_record(one, [lab, hot, cool]) for one in (lab, hot, cool)], (64, 64, 64))
    assert re.findall(r"^cuda, N=64(.*): a GPU", said, re.M) == ["", ", back to back"]


def test_a_round_without_a_steady_figure_leaves_none() -> None:
    lab = entry("lab1", [50, 60], [30])
    assert as_record(lab, [lab])["sizes"][0]["steady"] is None
