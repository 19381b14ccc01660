# SPDX-License-Identifier: MIT
"""The records that labs and programs write: as docs/records.md and its schemas say, in every
verdict."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from os.path import normpath
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.conftest import Copy
from tests.schemas import complaints, schema
from tests.support import TOP, edit, make, needs, run
from workbook.core import records

SCHEMAS = [
    path.name[: -len(".schema.json")] for path in sorted((TOP / "docs").glob("*.schema.json"))
]
LABS = sorted(path.name for path in TOP.glob("lab[0-9]*"))
Record = dict[str, Any]


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_are_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))


def keys(part: Any) -> Iterator[str]:
    """All that a schema names, at any depth."""
    if isinstance(part, dict):
        yield from part.get("properties", {})
    for inner in (
        part.values() if isinstance(part, dict) else part if isinstance(part, list) else []
    ):
        yield from keys(inner)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_key_is_documented(name: str) -> None:
    text = (TOP / "docs/records.md").read_text(encoding="utf-8")
    version = schema(name)["properties"]["schema"]["const"]
    section = text.partition(f"\n## {version}\n")[2].partition("\n## ")[0]
    if name == "gemm-race":  # what it has in common with a check is told there
        section += text.partition("\n## gemm-check/2\n")[2].partition("\n## ")[0]
    if name == "gemm-check":  # a finding is that of gemm-run
        section += "`M` `N` `K`"
    assert [key for key in set(keys(schema(name))) if f"`{key}`" not in section] == []


# ---- gemm-lab ---------------------------------------------------------------------------------
def describe(lab: Path, *settings: str) -> Record:
    said = make(lab, "describe", *settings)
    assert said.status == 0, said.text
    return dict(json.loads(said.out))


@pytest.mark.parametrize(
    "settings", [[], ["TYPE=int", "CFLAGS=-O1 -g"], ["CUDA=nvcc", "-w", "-j2"]], ids=" ".join
)
@pytest.mark.parametrize("name", LABS)
def test_what_a_lab_says_of_itself_is_sound(tree: Path, name: str, settings: list[str]) -> None:
    assert complaints(describe(tree / name, *settings), "gemm-lab") == []


def test_all_labs_together_say_the_same(tree: Path) -> None:
    said = make(tree, "describe")
    each = json.loads(f"[{re.sub(r'^}$', '},', said.out, flags=re.MULTILINE)}0]")
    assert each[:-1] == [describe(tree / name) for name in LABS]


def test_a_lab_without_a_kernel_says_so(lab: Copy) -> None:
    folder = lab("lab01_cpu_naive")
    (folder / "kernel.c").unlink()
    said = describe(folder)
    assert complaints(said, "gemm-lab") == []
    assert (said["backend"], said["programs"][0]["kernel"]) == (None, None)


def test_a_lab_that_cannot_be_built_says_why(tree: Path) -> None:
    said = describe(tree / "lab02_avx", "TYPE=int")
    assert said["types"] == ["float"]
    assert said["skip"] == "the AVX labs are written for float, not int"


def test_steps_come_in_their_order(tree: Path) -> None:
    said = describe(tree / "lab03_avx_block")
    assert said["steps"] == ["regtile", "block"]
    assert {program["variant"]: program["step"] for program in said["programs"]} == {
        "": None, "regtile": 1, "block": 2, "published": None, "transpose": None,
    }  # fmt: skip


def test_settings_reach_the_programs(tree: Path) -> None:
    kernel, tile = (
        program
        for program in describe(tree / "lab07_ocl_localmem", "TILE=8", "PAD=0")["programs"]
        if program["variant"] in ("", "one_per_item")
    )
    assert kernel["settings"] == ["PAD=0", "TILE=8"]
    assert tile["settings"][:2] == ["GROUP_X=TILE", "GROUP_Y=TILE"]
    assert (kernel["tile"], tile["tile"]) == ([128, 128, 8], [8, 8, 8])


def test_refused_settings_make_no_tile(tree: Path) -> None:
    said = describe(tree / "lab09_cuda_shared", "BLOCK=33")
    assert complaints(said, "gemm-lab") == []
    assert said["programs"][0]["tile"] is None


def accepts(lab: Path, name: str, value: int) -> bool:
    """Whether params.h takes this value."""
    command = ["cc", "-E", "-include", "params.h", f"-D{name}={value}", "-x", "c", "/dev/null"]
    return run(command, lab).status == 0


@pytest.mark.parametrize("name", LABS)
def test_the_range_of_a_tunable_is_what_params_h_takes(tree: Path, name: str) -> None:
    for tunable in describe(tree / name)["tunables"]:
        step = tunable["multiple_of"] or 1
        assert accepts(tree / name, tunable["name"], int(tunable["default"]))
        assert tunable["least"] is not None, f"{tunable['name']} has no least value in params.h"
        for limit, beyond in (tunable["least"], -step), (tunable["most"], step):
            if limit is not None:
                assert accepts(tree / name, tunable["name"], limit)
                assert not accepts(tree / name, tunable["name"], limit + beyond)
        if step > 1:
            assert not accepts(tree / name, tunable["name"], tunable["least"] + 1)


def test_other_conditions_in_params_h_are_no_range(lab: Copy) -> None:
    folder = lab("lab03_avx_block")
    edit(folder / "params.h", "#if ROWS < 1", "#if ROWS > 9 && BLOCK < 5\n#endif\n#if ROWS < 1")
    edit(folder / "params.h", "ROWS > 16", "ROWS > BLOCK")
    rows = describe(folder)["tunables"][1]
    assert (rows["least"], rows["most"]) == (1, None)


def test_params_h_may_be_written_in_another_way(lab: Copy) -> None:
    folder = lab("lab03_avx_block")
    was = describe(folder)
    edit(folder / "params.h", "#define ROWS 6 //", "# define  ROWS 6 /* as a test has it */ //")
    edit(folder / "params.h", "#if ROWS < 1 || ROWS > 16", "  #  if ROWS < 1 || ROWS > 16 // why")
    edit(
        folder / "params.h",
        "#define TILE_M",
        '_Static_assert(ROWS % 2 == 0, "even");\n#define TILE_M',
    )
    said = make(folder, "describe")
    assert (json.loads(said.out), said.err) == (was, "")


@pytest.mark.parametrize("name", LABS)
def test_the_files_are_those_that_are_compiled(tree: Path, name: str) -> None:
    said = describe(tree / name)
    files = {*said["files"], *(program["kernel"] for program in said["programs"])}
    assert [file for file in files if not (tree / name / file).is_file()] == []
    said_by_make = run("make -n -B V=1 all", tree / name).out
    compiled = re.findall(
        r" -c -o \S+ ((?!(?:common|session|guest|diagnosis|engine)/)\S+)", said_by_make
    )
    compiled += [
        f"../{path}"
        for path in re.findall(
            r" -c -o \S+ ((?:common|session|guest|diagnosis|engine)/\S+)", said_by_make
        )
    ]
    assert len(compiled) > 10
    assert {normpath(path) for path in compiled} <= files
    sources = " ".join(path for path in compiled if path.endswith(".c"))
    define = '-DKERNEL_FILE=\\"\\" -DDEFINES=\\"\\" -Dreal=float'
    said_by_cc = run(f"cc -MM -MG -I../common -I.. {define} {sources}", tree / name)
    assert said_by_cc.status == 0, said_by_cc.err
    included = {normpath(word) for word in said_by_cc.out.split() if word.endswith(".h")}
    assert included - files == set()


# ---- gemm-run ---------------------------------------------------------------------------------
# Wrong in the way that HOW says.
WRONG = r"""
#include <stdlib.h>
#include <string.h>
long syscall(long, ...);
int clock_gettime(int, long *);
static int is(const char *how)
{
    const char *said = getenv("HOW");
    return said && strcmp(said, how) == 0;
}
int clock_gettime(int id, long *t)
{
    static long ns;
    if (!is("hasty"))
        return (int)syscall(228, id, t);
    t[0] = 0;
    t[1] = ns += 10;
    return 0;
}
static void go_wrong(int M, int N, real *C)
{
    if (is("exits") && M == 7) exit(0);
    if (is("crashes") && M == 127) abort();
    if (is("outside")) C[M * N] = 1;
}
"""


@pytest.fixture(scope="module")
def fickle(tree: Path) -> Iterator[Path]:
    """Lab 01 with a kernel that is right unless HOW is set."""
    folder = tree / "fickle"
    shutil.copytree(
        TOP / "lab01_cpu_naive", folder, ignore=shutil.ignore_patterns("build", "gemm*")
    )
    edit(folder / "kernel.c", "// C (M", WRONG + "// C (M")
    with (folder / "Makefile").open("a") as file:
        file.write("keep_own =\n")  # this kernel's clock is everybody's
    edit(folder / "kernel.c", "{\n    for (int i", "{\n    go_wrong(M, N, C);\n    for (int i")
    edit(folder / "kernel.c", "j < N; j++", 'j < N - (is("edges") ? N % 32 : 0); j++')
    assert make(folder, "gemm", "CFLAGS=-O2 -std=gnu11").status == 0
    yield folder
    shutil.rmtree(folder)


def record_of(folder: Path, *words: str, program: str = "gemm", **environment: str) -> Record:
    """What a program wrote; it is sound."""
    path = folder / "record.json"
    path.unlink(missing_ok=True)
    run([f"./{program}", *words, "--json", "record.json"], folder, env=environment)
    record = dict(json.loads(path.read_text()))
    path.unlink()
    assert complaints(record, "gemm-run") == []
    return record


def test_a_right_result(fickle: Path) -> None:
    record = record_of(fickle, "64", "96", "80", "--reps", "3")
    assert (record["verdict"], record["mode"], record["backend"]) == ("pass", "time", "cpu")
    assert len(record["repetitions"]) == 3
    assert [record["shapes"][0][edge] for edge in "MNK"] == [64, 96, 80]


def test_a_right_result_that_is_not_timed(fickle: Path) -> None:
    record = record_of(fickle, "64", "--once")
    assert (record["verdict"], record["mode"]) == ("pass", "once")
    assert record["shapes"][0]["verdict"] == "pass"


def test_a_right_battery(fickle: Path) -> None:
    record = record_of(fickle, "--check")
    assert (record["verdict"], record["mode"]) == ("pass", "check")
    assert record["battery"] == len(record["shapes"]) == 33


@pytest.mark.parametrize(("words", "shapes"), [(["--check"], 33), (["33"], 1)])
def test_a_wrong_result(fickle: Path, words: list[str], shapes: int) -> None:
    record = record_of(fickle, *words, HOW="edges")
    assert (record["verdict"], len(record["shapes"])) == ("fail", shapes)
    assert record["finding"]["first"]["got"] is None  # nobody wrote it
    assert "never" in record["finding"]["cause"]


def test_a_right_result_with_writes_outside(fickle: Path) -> None:
    record = record_of(fickle, "--check", HOW="outside")
    assert record["verdict"] == "fail"
    assert record["finding"]["outside"]["C"] > 0
    assert record["finding"]["first"] is None


def test_a_kernel_that_ends_the_program(fickle: Path) -> None:
    record = record_of(fickle, "--check", HOW="exits")
    assert record["verdict"] == "fail"
    assert "ended the program" in record["reason"]
    assert record["at"]["M"] == 7


def test_a_crash_leaves_how_far_it_came(fickle: Path) -> None:
    record = record_of(fickle, "--check", HOW="crashes")
    assert (record["verdict"], record["ended"], record["at"]["M"]) == ("fail", "crash", 127)
    assert [shape["verdict"] for shape in record["shapes"]].count("crash") == 1


def test_an_impossible_speed(fickle: Path) -> None:
    record = record_of(fickle, "640", "--reps", "1", HOW="hasty")
    assert record["verdict"] == "impossible"
    assert "impossible" in record["reason"]


def test_an_error_has_a_reason(fickle: Path) -> None:
    record = record_of(fickle, "64", "--device", 'no "such\\one')
    assert record["verdict"] == "error"
    assert 'no "such\\one' in record["reason"]


def test_a_share_of_the_ceilings(clone: Path) -> None:
    folder = clone / "lab01_cpu_naive"
    assert make(folder, "gemm").status == 0
    device = record_of(folder, "64", "--reps", "1")["device"]
    (clone / "build").mkdir(exist_ok=True)
    row = ["cpu", device, "float", "4000", "10", "sse2=1000", "avx2=2000", "avx512=4000"]
    (clone / "build/ceilings.tsv").write_text("\t".join(row) + "\n")
    record = record_of(folder, "256", "--reps", "1")
    assert record["ceilings"] == {
        "gflops": 1000,
        "gbs": 10,
        "instructions": "sse2",
        "best_gflops": 4000,
    }


@pytest.mark.parametrize("words", [["64", "--reps", "2"], ["--check"]], ids=["time", "check"])
@pytest.mark.parametrize(
    ("name", "backend"),
    [("lab04_ocl_naive", "opencl"), ("lab08_cuda_naive", "emulated"), ("lab02_avx", "cpu")],
)
def test_other_backends(tree: Path, name: str, backend: str, words: list[str]) -> None:
    assert make(tree / name, "gemm", "CUDA=cpu").status == 0
    record = record_of(tree / name, *words)
    if record["verdict"] == "skip":
        pytest.skip(record["reason"])
    assert (record["verdict"], record["backend"]) == ("pass", backend)


def test_a_variant_says_which_and_with_what(tree: Path) -> None:
    settings = ["GROUP_X=8", "GROUP_Y=8", "VARIANT=published"]
    folder = tree / "lab04_ocl_naive"
    assert make(folder, "gemm_published", *settings).status == 0
    record = record_of(folder, "64", "--reps", "1", program="gemm_published")
    assert record["variant"] == "published"
    assert record["settings"] == "GROUP_X=8 GROUP_Y=8"


def test_a_skip_has_a_reason(tree: Path) -> None:
    folder = tree / "lab04_ocl_naive"
    assert make(folder, "gemm").status == 0
    record = record_of(folder, "64", OCL_ICD_VENDORS="/nonexistent")
    assert record["verdict"] == "skip"
    assert record["reason"]


@pytest.mark.gpu
def test_a_gpu(tree: Path) -> None:
    needs("nvidia-smi")
    needs("nvcc")
    assert make(tree / "lab08_cuda_naive", "gemm", "CUDA=nvcc").status == 0
    assert record_of(tree / "lab08_cuda_naive", "64")["backend"] == "cuda"


# ---- gemm-race --------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_race_run(fickle: Path, tree: Path) -> None:
    """Right, and wrong in a way that a tool finds."""
    command = [sys.executable, "-m", "workbook", "race", str(fickle)]
    for how, verdict in ("", "PASS"), ("crashes", "FAIL"):
        run(command, tree, env={"HOW": how, "MAKEFLAGS": "-- CFLAGS=-O1\\ -std=gnu11"})
        record = json.loads((tree / "build/race.json").read_text())
        assert complaints(record, "gemm-race") == []
        assert record["labs"][0]["verdict"] == verdict


# ---- gemm-mine --------------------------------------------------------------------------------
def test_how_far_a_student_is(clone: Path) -> None:
    lab = clone / "lab01_cpu_naive"
    for words in ["start"], ["hint"], ["hint"]:
        make(lab, *words)
        state = json.loads((lab / "mine/state.json").read_text())
        assert complaints(state, "gemm-mine") == []
    assert state["hints"] == ["kernel 1", "kernel 2"]


def test_an_unfinished_kernel(clone: Path) -> None:
    """Right or wrong: it says where, and what of its result is wrong."""
    lab = clone / "lab02_avx"
    make(lab, "start")
    assert make(lab, "gemm").status == 0
    record = record_of(lab, "--check")
    assert (record["verdict"], record["reason"]) == ("unfinished", "kernel.c:6 still says TODO")
    assert (record["finding"], len(record["shapes"])) == (None, 33)
    edit(lab / "kernel.c", "k < K", "k < K - 1")
    assert make(lab, "gemm").status == 0
    assert record_of(lab, "64")["finding"]["kind"] == "k"


# ---- what the schemas refuse ------------------------------------------------------------------
def sound() -> Record:
    shape = {"M": 1, "N": 2, "K": 3, "class": "", "verdict": "pass", "method": "every element"}
    times = {"kernel_ms": 1.5, "h2d_ms": None, "d2h_ms": None, "cpu_ms": 1}
    return {
        "schema": "gemm-run/1", "lab": "lab01", "variant": "", "backend": "cpu", "device": "a CPU",
        "type": "float", "settings": "", "instructions": "avx2", "rounding": None, "library": None,
        "mode": "time", "verdict": "pass", "reason": None, "seed": 1,
        "battery": 0, "grown": 0, "outside": None, "trapped": False, "ended": None,
        "shapes": [shape],
        "at": None, "finding": None,
        "repetitions": [times],
        "error": {"elements": 2, "mean": 1e-7, "largest": 2e-7},
        "ranks": None, "alloc_ms": None, "context_ms": None, "build_ms": None, "gflops": 2.5,
        "spread": 0.1, "ceilings": None, "clock": None, "steady": None,
    }  # fmt: skip


def test_a_sound_record_is_taken() -> None:
    assert complaints(sound(), "gemm-run") == []


@pytest.mark.parametrize("key", sorted(sound()))
def test_a_key_that_is_missing_is_noticed(key: str) -> None:
    record = sound()
    del record[key]
    assert complaints(record, "gemm-run")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("more", 1),
        ("schema", "gemm-run/2"),
        ("type", "half"),
        ("verdict", "PASS"),
        ("verdict", "fail"),
        ("verdict", "skip"),
        ("verdict", "incomplete"),
        ("mode", "check"),
        ("backend", "emulated"),
        ("reason", "but"),
        ("gflops", "2.5"),
        ("gflops", 0),
        ("spread", -1),
        ("device", ""),
        ("settings", "GROUP_X"),
        ("repetitions", []),
        ("repetitions.0.kernel_ms", None),
        ("repetitions.0.more", 1),
        ("shapes", []),
        ("shapes.0.verdict", "fail"),
        ("shapes.0.M", 0),
        ("at", {"M": 1, "N": 1, "K": 1, "class": ""}),
        ("ceilings", {"gflops": 1}),
        ("finding", {}),
    ],
)
def test_damage_is_noticed(path: str, value: Any) -> None:
    record = copy.deepcopy(sound())
    part: Any = record
    *folders, last = path.split(".")
    for name in folders:
        part = part[int(name) if isinstance(part, list) else name]
    part[last] = value
    assert complaints(record, "gemm-run")


# ---- in the place of a record -----------------------------------------------------------------
@pytest.mark.parametrize("kind", ["fifo", "link", "device", "folder", "large"])
def test_what_is_no_record_is_not_read(tmp_path: Path, kind: str) -> None:
    """A kernel may put anything there: a pipe would hold up the check, and a device fill the
    memory."""
    path = tmp_path / "record.json"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "large":
        path.touch()
        os.truncate(path, 1 << 40)
    with pytest.raises(records.NoRecord):
        records.read(Path("/dev/zero") if kind == "device" else path, records.RUN)
