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
from tests.schemas import complaints
from tests.support import TOP, Result, make, needs, needs_avx512
from workbook.profile.table import UNITS

LABS = sorted(path.name for path in TOP.glob("lab[0-9]*"))
TOOLS = {"kernel.c": ("g++", "nm"), "kernel.cl": ("clang",), "kernel.cu": ("g++",)}
NAIVE, AVX, OPENCL, CUDA = "lab01_cpu_naive", "lab02_avx", "lab04_ocl_naive", "lab08_cuda_naive"
Recording = dict[str, Any]


def page(
    folder: Path, *words: str, env: dict[str, str] | None = None
) -> tuple[Result, dict[str, Any]]:
    """The record is sound, whatever became of the kernel."""
    ended = make(folder, "page", "CUDA=cpu", *words, env=env)
    assert all(len(line) <= 80 for line in ended.out.splitlines() if "page.html" not in line)
    where = folder
    for word in words:
        if word.startswith("LAB="):
            [where] = [*folder.glob(f"lab{word[4:]}_*"), *folder.glob(f"advanced/lab{word[4:]}_*")]
    record = json.loads((where / "build/steps.json").read_text(encoding="utf-8"))
    assert complaints(record, "gemm-steps") == []
    return ended, record


@pytest.fixture(scope="module")
def recorded(tree: Path) -> Any:
    """Of a lab, with the default settings; each once."""
    found: dict[str, dict[str, Any]] = {}

    def record(lab: str) -> dict[str, Any]:
        for tool in TOOLS[next((TOP / lab).glob("kernel.c*")).name]:
            needs(tool)
        if lab not in found:
            ended, found[lab] = page(tree, f"LAB={lab[3:5]}")
            assert ended.status == 0, ended.err
        return found[lab]

    return record


# ---- steps -------------------------------------------------------------------------------------
Step = tuple[int, tuple[int, int, int, int], dict[int, int], tuple[int, int, int]]


def steps(one: Recording) -> Iterator[Step]:
    """Site; block, phase, warp and order; the first element of each lane; units, ideal, bytes."""
    for words in one["runs"]:
        site, block, phase, warp, order, later, pattern, base, on, count, *costs = words
        for n in range(count):
            lanes = {
                first + i: base + n * on + offset + i * stride
                for first, many, offset, stride in one["patterns"][pattern]
                for i in range(many)
            }
            yield (
                site,
                (block, phase, warp, order + n * later),
                lanes,
                (costs[0], costs[1], costs[2]),
            )


def array_of(one: Recording, site: int) -> dict[str, Any]:
    return dict(one["arrays"][one["sites"][site]["array"]])


def sums(one: Recording) -> Counter[tuple[int, str, bool, str]]:
    """Of each line, array and kind of access what its steps come to."""
    found: Counter[tuple[int, str, bool, str]] = Counter()
    for number, _, lanes, (units, ideal, asked) in steps(one):
        site, array = one["sites"][number], array_of(one, number)
        numbers = {"requests": 1, "lanes": len(lanes), UNITS[array["space"]]: units}
        for what, n in {**numbers, "ideal": ideal, "bytes": asked}.items():
            found[site["line"], array["name"], site["writes"], what] += n
    return found


def of_lines(lines: list[dict[str, Any]]) -> Counter[tuple[int, str, bool, str]]:
    counted = ("requests", "lanes", "sectors", "wavefronts", "lines", "ideal", "bytes")
    return Counter(
        {
            (line["line"] or 0, line["array"], line["writes"], what): line[what]
            for line in lines
            for what in counted
            if what in line
        }
    )


def both(recorded: Any, lab: str) -> list[Recording]:
    found: list[Recording] = recorded(lab)["recordings"]
    return found


@pytest.mark.parametrize("lab", LABS)
def test_the_steps_are_what_is_counted(recorded: Any, lab: str) -> None:
    for one in both(recorded, lab):
        assert one["cut"] is None and one["wrong"] is None
        assert sums(one) == of_lines(one["lines"])
        assert one["accesses"]["recorded"] == sum(line["lanes"] for line in one["lines"])


@pytest.mark.parametrize("lab", LABS)
def test_elements_are_those_of_their_arrays(recorded: Any, lab: str) -> None:
    for one in both(recorded, lab):
        for number, _, lanes, _ in steps(one):
            site, array = one["sites"][number], array_of(one, number)
            for element in lanes.values():
                last = element + site["width"] - 1
                assert 0 <= element and last < array["rows"] * array["ld"], (site, array)
                assert last % array["ld"] < array["columns"], "padding is not accessed"
            assert array["ld"] == array["columns"] + array["pad"]


@pytest.mark.parametrize("lab", LABS)
def test_a_warp_takes_one_step_after_the_other(recorded: Any, lab: str) -> None:
    for one in both(recorded, lab):
        places = [place for _, place, _, _ in steps(one)]
        assert len(places) == len(set(places))
        assert len({block for block, *_ in places}) == blocks(one)


def blocks(one: Recording) -> int:
    [launch] = one["launches"]
    x, y, z = launch["grid"]
    return int(x * y * z)


@pytest.mark.parametrize("lab", LABS)
def test_closed_formulas_are_what_is_counted(recorded: Any, lab: str) -> None:
    for one in both(recorded, lab):
        assert len(one["formulas"]) >= 2
        for formula in one["formulas"]:
            assert formula["value"] == formula["counted"], formula


@pytest.mark.parametrize(
    ("lab", "tool"),
    [(number, "g++") for number in ("10", "11", "12", "15", "16", "17", "18", "20")]
    + [(number, "clang") for number in ("13", "14")],
)
def test_closed_formulas_hold_in_advanced_labs(tree: Path, lab: str, tool: str) -> None:
    """Tiles are larger than the problem there: all that is not inside is asked for, too, or not."""
    needs(tool)
    said, record = page(tree, f"LAB={lab}")
    needs_avx512(said)
    own = record["recordings"][0]
    assert len(own["formulas"]) >= 3
    for formula in own["formulas"]:
        assert formula["value"] == formula["counted"], formula
    assert own["no_formula"] is None


def test_a_lab_without_a_formula_says_why(tree: Path) -> None:
    needs("g++")
    [own, *_] = page(tree, "LAB=23")[1]["recordings"]
    assert all(one["level"] == "compulsory" for one in own["formulas"])
    assert own["no_formula"] and own["no_formula"] in (tree / "build/page.html").read_text("utf-8")


@pytest.mark.parametrize("lab", [OPENCL, CUDA])
def test_a_thread_reads_what_the_source_says(recorded: Any, lab: str) -> None:
    """Of each one, for each k, A(row, k), B(k, col), and at the end C(row, col)."""
    own = both(recorded, lab)[0]
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


def test_tiles_in_local_memory_are_padded_or_not(recorded: Any) -> None:
    padded, plain = both(recorded, "lab07_ocl_localmem")
    assert (plain["beside"], plain["tunables"]["PAD"]) == ("PAD=0", 0)
    tiles = [{a["name"]: a for a in one["arrays"]}["a_tile"] for one in (padded, plain)]
    assert [tile["pad"] for tile in tiles] == [padded["tunables"]["PAD"], 0] != [0, 0]
    stores = [one["totals"]["shared_store"] for one in (padded, plain)]
    assert stores[0]["wavefronts"] == stores[0]["ideal"] == stores[1]["ideal"]
    assert stores[1]["wavefronts"] > 2 * stores[0]["wavefronts"]


def test_what_is_compared_has_the_same_problem(recorded: Any) -> None:
    named = {}
    for lab in LABS:
        own, *others = both(recorded, lab)
        assert own["beside"] is None
        assert all(other["problem"] == own["problem"] for other in others)
        named[lab[3:5]] = [other["beside"] for other in others]
    assert named == {
        **{"01": [], "02": ["lab 01"], "03": ["lab 02"], "04": ["published"], "05": ["lab 04"]},
        **{"06": ["lab 05"], "07": ["PAD=0"], "08": ["published"], "09": ["lab 08"]},
    }


def test_new_lines_are_those_of_this_lab(recorded: Any) -> None:
    own = both(recorded, "lab05_ocl_coarsen")[0]
    assert own["since"] == "lab 04"
    new = [own["source"][n - 1] for n in own["changed"]]
    assert any("real sum[COLS_PER_ITEM]" in line for line in new)
    assert not any("get_global_id(1)" in line or line.startswith("//") for line in new)
    assert both(recorded, CUDA)[0]["since"] is None  # lab 07 is in OpenCL


def test_the_roofline_has_measurements_with_their_source(recorded: Any, tree: Path) -> None:
    for one in both(recorded, CUDA):
        found, of = one["roofline"], {"lab": CUDA, "variant": one["variant"]}
        assert one["unmeasured"] is None
        for point in found["points"]:
            rows = json.loads((TOP / point["source"]).read_text(encoding="utf-8"))["figures"]
            same = {**of, "size": str(point["N"]), "gflops": point["gflops"]}
            assert [row for row in rows if row | same == row and row["device"] == point["device"]]
            assert point["N"] == max(int(row["size"]) for row in rows if row | of == row)
        assert [roof["device"] for roof in found["ceilings"]] == ["NVIDIA H200"]


def test_what_was_not_measured_says_so(recorded: Any) -> None:
    own, plain = both(recorded, "lab07_ocl_localmem")
    assert own["roofline"]["points"] and own["unmeasured"] is None
    assert plain["roofline"] is None and plain["unmeasured"].startswith("Not measured with PAD=0")


# ---- beside make profile -----------------------------------------------------------------------
@pytest.mark.parametrize("lab", [OPENCL, CUDA, "lab09_cuda_shared"])
def test_counts_are_those_of_make_profile(recorded: Any, tree: Path, lab: str) -> None:
    own = both(recorded, lab)[0]
    size = " ".join(str(own["problem"][name]) for name in "MNK")
    words = [f"LAB={lab[3:5]}", "CUDA=cpu", f"SIZE={size}", *own["settings"]]
    assert make(tree, "profile", *words).status == 0
    record = json.loads((tree / lab / "build/profile.json").read_text(encoding="utf-8"))
    [program] = record["programs"]
    assert (own["lines"], own["totals"]) == (program["lines"], program["totals"])


def test_a_kernel_in_c_reads_what_callgrind_counts(recorded: Any, tree: Path) -> None:
    needs("valgrind")
    own = both(recorded, NAIVE)[0]
    assert make(tree, "profile", "LAB=01", "SIZE=16").status == 0
    record = json.loads((tree / NAIVE / "build/profile.json").read_text(encoding="utf-8"))
    inner = next(n for n, line in enumerate(own["source"], 1) if "sum += A[" in line)
    [reads] = [line["reads"] for line in record["programs"][0]["lines"] if line["line"] == inner]
    assert reads == sum(line["requests"] for line in own["lines"] if line["line"] == inner)


def test_lanes_of_a_vector_that_are_off_access_nothing(tree: Path) -> None:
    """Of 13 columns the second vector has 5; callgrind knows nothing of these loads."""
    needs("g++")
    record = page(tree, f"LAB={AVX[3:5]}", "SIZE=4 13 5")[1]
    own = record["recordings"][0]
    of_b = Counter(len(lanes) for n, _, lanes, _ in steps(own) if array_of(own, n)["name"] == "B")
    assert of_b == {8: 4 * 5, 5: 4 * 5}
    of_a = {len(lanes) for n, _, lanes, _ in steps(own) if array_of(own, n)["name"] == "A"}
    assert of_a == {1}
    stored = {
        e for n, _, lanes, _ in steps(own) if own["sites"][n]["writes"] for e in lanes.values()
    }
    assert stored == set(range(4 * 13))


# ---- other kernels -----------------------------------------------------------------------------
LINE = {
    NAIVE: "sum += A[i * K + k] * B[k * N + j];",
    OPENCL: "sum += A[row * K + k] * B[k * N + col];",
    CUDA: "sum += A[row * K + k] * B[k * N + col];",
}


@pytest.mark.parametrize("lab", LINE)
def test_a_kernel_that_does_not_build_is_on_the_page_with_the_reason(tree: Path, lab: str) -> None:
    needs("clang")
    ended, record = edited(workshop(tree, lab), LINE[lab], "sum += nothing_like_it;")
    own = record["recordings"][0]
    assert ended.status == 2 and own["runs"] == []
    assert re.search("nothing_like_it|does not build|did not come to its end", own["failure"])
    assert "not recorded" in ended.out and "Traceback" not in ended.text
    assert own["failure"].split("'")[0][:40] in (tree / "build/page.html").read_text("utf-8")


@pytest.mark.parametrize("lab", LINE)
def test_a_wrong_kernel_is_recorded_and_called_wrong(tree: Path, lab: str) -> None:
    needs("clang")
    ended, record = edited(workshop(tree, lab), LINE[lab], LINE[lab].replace("+= A", "+= 1 + A"))
    own = record["recordings"][0]
    assert ended.status == 0 and own["wrong"] and own["runs"]
    assert "result wrong" in ended.out
    # What looks for the cause afterwards is not recorded.
    assert own["accesses"] == {"recorded": 8448, "of": 8448} or lab == OPENCL


@pytest.mark.parametrize("lab", [NAIVE, CUDA])
def test_a_kernel_that_crashes_says_so(tree: Path, lab: str) -> None:
    needs("g++")
    ended, record = edited(workshop(tree, lab), LINE[lab], "sum += A[1 << 29];")
    assert ended.status == 2
    assert "did not come to its end" in record["recordings"][0]["failure"]


@pytest.mark.parametrize("lab", LINE)
def test_an_unfinished_kernel_says_so(tree: Path, lab: str) -> None:
    needs("clang")
    folder = workshop(tree, lab)
    kernel = next(folder.glob("kernel.c*"))
    with changed(kernel, (folder / "start" / kernel.name).read_text(encoding="utf-8")):
        ended, record = page(folder)
    assert ended.status == 2
    assert "asks for no memory: is it empty still?" in record["recordings"][0]["failure"]


def edited(folder: Path, old: str, new: str) -> tuple[Result, dict[str, Any]]:
    kernel = next(folder.glob("kernel.c*"))
    text = kernel.read_text(encoding="utf-8")
    assert old in text
    with changed(kernel, text.replace(old, new)):
        return page(folder)


def test_of_many_accesses_the_first_are_kept_and_all_are_counted(tree: Path) -> None:
    needs("g++")
    ended, record = page(workshop(tree, CUDA), "BLOCK=32", "VARIANT=published")
    own = record["recordings"][0]
    assert own["problem"] == {"M": 32, "N": 32, "K": 32}
    every = 4 * 32**3 + 32**2
    assert own["accesses"]["of"] == every == sum(line["lanes"] for line in own["lines"])
    kept = sum(len(lanes) for _, _, lanes, _ in steps(own))
    assert 50000 - 32 < own["accesses"]["recorded"] == kept <= 50000
    assert f"Only the first {kept:,} of {every:,} accesses" in own["cut"]
    assert own["cut"] in (tree / "build/page.html").read_text(encoding="utf-8")
    assert "Only the first" in " ".join(ended.out.split())


def test_without_its_tools_a_lab_is_a_skip_with_the_reason(tree: Path, tmp_path: Path) -> None:
    for tool in "make sh cc gcc sed cut tr cksum awk env cat mkdir python3".split():
        if where := shutil.which(tool):
            (tmp_path / tool).symlink_to(where)
    ended, record = page(workshop(tree, NAIVE), env={"PATH": str(tmp_path)})
    assert ended.status == 0
    assert record["recordings"][0]["skip"] == "g++ is not installed: apt-get install g++"


@pytest.mark.parametrize("word", ["SIZE=33", "SIZE=16 16 64", "SIZE=abc", "VARIANT=none"])
def test_bad_input_is_one_line(tree: Path, word: str) -> None:
    ended = make(workshop(tree, NAIVE), "page", word)
    assert ended.status == 2 and word.split("=")[0] in ended.err and "Traceback" not in ended.err


def test_rules_of_the_page_are_those_of_the_counters() -> None:
    from workbook.page.assemble import RULES

    text = (TOP / "engine/count/rules.h").read_text(encoding="utf-8")
    lanes = "".join(re.findall(r"#define OF_WARP (.*)", text))
    rules = text.partition("};")[0].replace("= OF_WARP", f"= {lanes}")
    said = {name.lower(): int(n) for name, n in re.findall(r"([A-Z]+) = (\d+)", rules)}
    assert RULES == said


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
        record = page(folder)[1]
    own = record["recordings"][0]
    assert own["cut"] == "What _mm256_i32gather_ps accesses is not recorded."
    found = [(line["array"], line["writes"], line["lanes"]) for line in own["lines"]]
    assert found == [("B", False, 1), ("C", True, 1), ("C", True, 1)]
