# SPDX-License-Identifier: MIT
"""What make page records: each access of a small problem, and of each line as many as make profile
counts; of kernels that are wrong, unfinished or not to be built as well."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.copies import changed, workshop
from tests.page.conftest import Recorded
from tests.schemas import complaints
from tests.support import TOP, Result, make, needs
from workbook.profile.table import UNITS

LABS = sorted(path.name for path in TOP.glob("lab[0-9]*"))
NAIVE, AVX, OPENCL, CUDA = "lab01_cpu_naive", "lab02_avx", "lab04_ocl_naive", "lab08_cuda_naive"
Recording = dict[str, Any]


def page(folder: Path, *words: str, env: dict[str, str] | None = None) -> tuple[Result, Recording]:
    """Of a lab's folder; the record is sound, whatever became of the kernel."""
    ended = make(folder, "page", "CUDA=cpu", *words, env=env)
    assert all(len(line) <= 80 for line in ended.out.splitlines() if "page.html" not in line)
    record = json.loads((folder / "build/steps.json").read_text(encoding="utf-8"))
    assert complaints(record, "gemm-steps") == []
    own: Recording = record["recordings"][0]
    return ended, own


# ---- steps -------------------------------------------------------------------------------------
Step = tuple[int, tuple[int, ...], dict[int, int], tuple[int, ...]]


def steps(one: Recording) -> Iterator[Step]:
    """Site; block, phase, warp and order; the first element of each lane; units, ideal, bytes."""
    for site, block, phase, warp, order, pattern, base, *costs in one["requests"]:
        lanes = {
            first + i: base + offset + i * stride
            for first, many, offset, stride in one["patterns"][pattern]
            for i in range(many)
        }
        yield site, (block, phase, warp, order), lanes, tuple(costs)


def array_of(one: Recording, site: int) -> dict[str, Any]:
    return dict(one["arrays"][one["sites"][site]["array"]])


def blocks(one: Recording) -> int:
    [launch] = one["launches"]
    x, y, z = launch["grid"]
    return int(x * y * z)


Sums = Counter[tuple[int, str, bool, str]]


def sums(one: Recording) -> Sums:
    """Of each line, array and kind of access what its steps come to."""
    found: Sums = Counter()
    for number, _, lanes, (units, ideal, asked) in steps(one):
        site, array = one["sites"][number], array_of(one, number)
        numbers = {"requests": 1, "lanes": len(lanes), UNITS[array["space"]]: units}
        for what, n in {**numbers, "ideal": ideal, "bytes": asked}.items():
            found[site["line"], array["name"], site["writes"], what] += n
    return found


def of_lines(lines: list[dict[str, Any]]) -> Sums:
    about = ("line", "array", "space", "writes")
    return Counter(
        {
            (line["line"] or 0, line["array"], line["writes"], what): line[what]
            for line in lines
            for what in line
            if what not in about
        }
    )


@pytest.mark.parametrize("lab", LABS)
def test_the_steps_are_what_is_counted(recorded: Recorded, lab: str) -> None:
    """Each access is one of an element of its array, and the sums are those of the formulas."""
    record = recorded(lab)
    assert complaints(record, "gemm-steps") == []
    for one in record["recordings"]:
        assert one["cut"] is None and one["wrong"] is None
        assert sums(one) == of_lines(one["lines"])
        assert one["accesses"]["recorded"] == sum(line["lanes"] for line in one["lines"])
        assert (
            [row["value"] for row in one["formulas"]]
            == [row["counted"] for row in one["formulas"]]
            != []
        )
        places = [place for _, place, _, _ in steps(one)]
        assert len(places) == len(set(places))
        assert len({block for block, *_ in places}) == blocks(one)
        for number, _, lanes, _ in steps(one):
            site, array = one["sites"][number], array_of(one, number)
            for element in lanes.values():
                last = element + site["width"] - 1
                assert 0 <= element and last < array["rows"] * array["ld"], (site, array)
                assert last % array["ld"] < array["columns"], "padding is not accessed"


@pytest.mark.parametrize("lab", [OPENCL, CUDA])
def test_a_thread_reads_what_the_source_says(recorded: Recorded, lab: str) -> None:
    """Of each one, for each k, A(row, k), B(k, col), and at the end C(row, col)."""
    own = recorded(lab)["recordings"][0]
    [launch], problem = own["launches"], own["problem"]
    N, K = problem["N"], problem["K"]
    (across, _, _), (x_threads, y_threads, _) = launch["grid"], launch["block"]
    assert blocks(own) > 2
    for site, (block, phase, warp, order), lanes, _ in steps(own):
        k, which = divmod(order, 2)
        for lane, element in lanes.items():
            y, x = divmod(32 * warp + lane, x_threads)
            row, col = y_threads * (block // across) + y, x_threads * (block % across) + x
            expected = row * N + col if k == K else k * N + col if which else row * K + k
            assert (phase, element) == (0, expected)
        assert array_of(own, site)["name"] == ("C" if k == K else "AB"[which])


def test_tiles_in_local_memory_are_padded_or_not(recorded: Recorded) -> None:
    padded, plain = recorded("lab07_ocl_localmem")["recordings"]
    assert (plain["beside"], plain["tunables"]["PAD"]) == ("PAD=0", 0)
    tiles = [{a["name"]: a for a in one["arrays"]}["a_tile"] for one in (padded, plain)]
    assert [tile["pad"] for tile in tiles] == [padded["tunables"]["PAD"], 0] != [0, 0]
    stores = [one["totals"]["shared_store"] for one in (padded, plain)]
    assert stores[0]["wavefronts"] == stores[0]["ideal"] == stores[1]["ideal"]
    assert stores[1]["wavefronts"] > 2 * stores[0]["wavefronts"]


def test_what_is_compared_has_the_same_problem(recorded: Recorded) -> None:
    named = {}
    for lab in LABS:
        own, *others = recorded(lab)["recordings"]
        assert own["beside"] is None
        assert all(other["problem"] == own["problem"] for other in others)
        named[lab[3:5]] = [other["beside"] for other in others]
    assert named == {
        **{"01": [], "02": ["lab 01"], "03": ["lab 02"], "04": ["published"], "05": ["lab 04"]},
        **{"06": ["lab 05"], "07": ["PAD=0"], "08": ["published"], "09": ["lab 08"]},
    }


def test_new_lines_are_those_of_this_lab(recorded: Recorded) -> None:
    own = recorded("lab05_ocl_coarsen")["recordings"][0]
    assert own["since"] == "lab 04"
    new = [own["source"][n - 1] for n in own["changed"]]
    assert any("real sum[COLS_PER_ITEM]" in line for line in new)
    assert not any("get_global_id(1)" in line or line.startswith("//") for line in new)
    assert recorded(CUDA)["recordings"][0]["since"] is None  # lab 07 is in OpenCL


def test_speeds_are_those_of_figures_with_their_source(recorded: Recorded) -> None:
    for one in recorded(CUDA)["recordings"]:
        of = {"lab": CUDA, "variant": one["variant"]}
        assert one["unmeasured"] is None and one["measured"]
        for point in one["measured"]:
            rows = json.loads((TOP / point["source"]).read_text(encoding="utf-8"))["figures"]
            same = {**of, "size": str(point["N"]), "gflops": point["gflops"]}
            assert [row for row in rows if row | same == row and row["device"] == point["device"]]
            assert point["N"] == max(int(row["size"]) for row in rows if row | of == row)
    own, plain = recorded("lab07_ocl_localmem")["recordings"]
    assert own["measured"] and own["unmeasured"] is None
    assert plain["measured"] == [] and plain["unmeasured"].startswith("Not measured with PAD=0")


# ---- beside make profile -----------------------------------------------------------------------
def profiled(tree: Path, lab: str, *words: str) -> dict[str, Any]:
    assert make(tree, "profile", f"LAB={lab[3:5]}", "CUDA=cpu", *words).status == 0
    record = json.loads((tree / lab / "build/profile.json").read_text(encoding="utf-8"))
    program: dict[str, Any] = record["programs"][0]
    return program


@pytest.mark.parametrize("lab", [OPENCL, "lab09_cuda_shared"])
def test_counts_are_those_of_make_profile(recorded: Recorded, tree: Path, lab: str) -> None:
    own = recorded(lab)["recordings"][0]
    size = " ".join(str(own["problem"][name]) for name in "MNK")
    program = profiled(tree, lab, f"SIZE={size}", *own["settings"])
    assert (own["lines"], own["totals"]) == (program["lines"], program["totals"])


def test_a_kernel_in_c_reads_what_callgrind_counts(recorded: Recorded, tree: Path) -> None:
    needs("valgrind")
    own = recorded(NAIVE)["recordings"][0]
    lines = profiled(tree, NAIVE, "SIZE=16")["lines"]
    inner = next(n for n, line in enumerate(own["source"], 1) if "sum += A[" in line)
    [reads] = [line["reads"] for line in lines if line["line"] == inner]
    assert reads == sum(line["requests"] for line in own["lines"] if line["line"] == inner)


def test_lanes_of_a_vector_that_are_off_access_nothing(tree: Path) -> None:
    """Of 13 columns the second vector has 5; callgrind knows nothing of these loads."""
    needs("g++")
    own = page(workshop(tree, AVX), "SIZE=4 13 5")[1]
    of_b = Counter(len(lanes) for n, _, lanes, _ in steps(own) if array_of(own, n)["name"] == "B")
    assert of_b == {8: 4 * 5, 5: 4 * 5}
    elements = [
        e for n, _, lanes, _ in steps(own) if own["sites"][n]["writes"] for e in lanes.values()
    ]
    assert set(elements) == set(range(4 * 13))


# ---- other kernels -----------------------------------------------------------------------------
LINE = {
    NAIVE: "sum += A[i * K + k] * B[k * N + j];",
    OPENCL: "sum += A[row * K + k] * B[k * N + col];",
    CUDA: "sum += A[row * K + k] * B[k * N + col];",
}
UNBUILT = "nothing_like_it|does not build|did not come to its end"
EMPTY = "asks for no memory: is it empty still?"
# In place of that line, or of all; what is said of it: why it failed, or nothing of a wrong result.
BROKEN = {
    "does not build, C": (NAIVE, "sum += nothing_like_it;", UNBUILT),
    "does not build, OpenCL": (OPENCL, "sum += nothing_like_it;", UNBUILT),
    "does not build, CUDA": (CUDA, "sum += nothing_like_it;", UNBUILT),
    "wrong, C": (NAIVE, LINE[NAIVE].replace("+= A", "+= 1 + A"), ""),
    "wrong, OpenCL": (OPENCL, LINE[OPENCL].replace("+= A", "+= 1 + A"), ""),
    "wrong, CUDA": (CUDA, LINE[CUDA].replace("+= A", "+= 1 + A"), ""),
    "crashes, C": (NAIVE, "sum += A[1 << 29];", "did not come to its end"),
    "crashes, CUDA": (CUDA, "sum += A[1 << 29];", "did not come to its end"),
    "unfinished, C": (NAIVE, "", EMPTY),
    "unfinished, OpenCL": (OPENCL, "", EMPTY),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_kernel_that_is_not_right_is_on_the_page_with_the_reason(tree: Path, kind: str) -> None:
    needs("clang")
    lab, line, why = BROKEN[kind]
    folder = workshop(tree, lab)
    kernel = next(folder.glob("kernel.c*"))
    text = kernel.read_text(encoding="utf-8")
    assert LINE[lab] in text
    start = (folder / "start" / kernel.name).read_text(encoding="utf-8")
    with changed(kernel, text.replace(LINE[lab], line) if line else start):
        ended, own = page(folder)
    assert "Traceback" not in ended.text
    if why:
        assert ended.status == 2 and own["requests"] == []
        assert re.search(why, own["failure"]) and "not recorded" in ended.out
        assert own["failure"].split("'")[0][:40] in (tree / "build/page.html").read_text("utf-8")
    else:
        assert ended.status == 0 and own["wrong"] and own["requests"]
        assert "result wrong" in ended.out
        # What looks for the cause afterwards is not recorded.
        assert own["accesses"]["recorded"] == own["accesses"]["of"]


def test_of_many_accesses_the_first_are_kept_and_all_are_counted(tree: Path) -> None:
    needs("g++")
    ended, own = page(workshop(tree, CUDA), "BLOCK=32", "VARIANT=published")
    every = 4 * 32**3 + 32**2
    assert own["accesses"]["of"] == every == sum(line["lanes"] for line in own["lines"])
    kept = sum(len(lanes) for _, _, lanes, _ in steps(own))
    assert 50000 - 32 < own["accesses"]["recorded"] == kept <= 50000
    assert f"Only the first {kept:,} of {every:,} accesses" in own["cut"]
    assert "Only the first" in " ".join(ended.out.split())


def test_without_its_tools_a_lab_is_a_skip_with_the_reason(tree: Path, tmp_path: Path) -> None:
    for tool in "make sh cc gcc sed cut tr cksum awk env cat mkdir python3".split():
        if where := shutil.which(tool):
            (tmp_path / tool).symlink_to(where)
    ended, own = page(workshop(tree, NAIVE), env={"PATH": str(tmp_path)})
    assert ended.status == 0
    assert own["skip"] == "g++ is not installed: apt-get install g++"


@pytest.mark.parametrize(
    "word", ["SIZE=33", "SIZE=16 16 64", "SIZE=abc", "VARIANT=none", "WARP=64"]
)
def test_bad_input_is_one_line(tree: Path, word: str) -> None:
    ended = make(workshop(tree, NAIVE), "page", word)
    lines = [line for line in ended.err.splitlines() if not line.startswith("make")]
    assert ended.status == 2 and len(lines) == 1 and word.split("=")[0] in lines[0]


GATHERED = """{
    __m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    float some[8];
    memset(some, 0, sizeof some);
    memcpy(C, B, sizeof *C);
    _mm256_storeu_ps(some, _mm256_i32gather_ps(A, at, 4)); // _mm256_stream_ps
    C[0] = some[0] + (float)(M + N + K);
}
"""


def test_what_nobody_tells_of_a_kernel_in_c_is_said(tree: Path) -> None:
    """A gather; a copy is told, and an array on the stack is no memory that counts."""
    needs("g++")
    folder = workshop(tree, AVX)
    text = (folder / "kernel.c").read_text(encoding="utf-8")
    signature = "void gemm(int M, int N, int K, const real *A, const real *B, real *C)\n"
    assert signature in text
    head = text.partition("// Lanes 0")[0].replace(
        "#include <imm", "#include <string.h>\n#include <imm"
    )
    with changed(folder / "kernel.c", head + signature + GATHERED):
        own = page(folder)[1]
    assert own["cut"] == "What _mm256_i32gather_ps accesses is not recorded."
    found = [(line["array"], line["writes"], line["lanes"]) for line in own["lines"]]
    assert found == [("B", False, 1), ("C", True, 1), ("C", True, 1)]
