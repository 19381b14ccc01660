# SPDX-License-Identifier: MIT
"""The laws of the C that a program is made of: common/ is small and needs nothing else, verify()
does not know the diagnosis, and no file leads back to itself by includes or by calls."""

from __future__ import annotations

import re
import shutil
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support import TOP, make, needs, run
from workbook.lab.labs import IN_PROGRAM

FOLDERS = (*IN_PROGRAM, "advanced/common")
PLACES = (".", "common", "advanced/common")  # in which compilers look
FLAGS = ("-std=gnu11", "-Dreal=float", *(f"-I{TOP / place}" for place in PLACES))
LINES = 1000
STANDARD = set(
    "dirent errno fcntl fenv float limits math signal stdarg stdbool stddef stdint stdio stdlib "
    "string sys/time time unistd".split()
)
OF_VENDORS = {"gpu.h": {"cuda_runtime.h"}, "ocl.h": {"CL/cl.h", "OpenCL/opencl.h"}}
REPLACED = re.compile(r"^FALLBACK [\w *]+?\b(\w+)\(", re.MULTILINE)
Graph = dict[str, set[str]]


def files(ending: str, folders: tuple[str, ...] = FOLDERS) -> list[Path]:
    return sorted(path for folder in folders for path in (TOP / folder).glob(f"*{ending}"))


def name(path: Path) -> str:
    return path.relative_to(TOP).as_posix()


def includes(path: Path, text: str) -> set[str]:
    """The files of ours that it names, from its own folder on or from those where compilers
    look."""
    named = re.findall(r'^ *# *include "(.*)"', text, re.MULTILINE)
    places = [path.parent, *(TOP / place for place in PLACES)]
    return {next(name(at / one) for at in places if (at / one).is_file()) for one in named}


def symbols(folder: Path) -> tuple[dict[str, str], Graph]:
    """Of the objects in a folder: the one that defines a name, and the names that each only
    uses."""
    defined: dict[str, str] = {}
    used: Graph = {path.stem: set() for path in folder.glob("*.o")}
    for line in run(["nm", "-A", "-P", "-g", *sorted(folder.glob("*.o"))], folder).out.splitlines():
        path, word, kind = line.split()[:3]
        if kind in "Uw":
            used[Path(path).stem].add(word)
        elif kind != "W":  # which is replaced
            defined[word] = Path(path).stem
    return defined, used


def calls(folder: Path) -> Graph:
    """From each object to those that define what it calls or reads by name."""
    defined, used = symbols(folder)
    return {
        one: {defined[word] for word in words if word in defined} for one, words in used.items()
    }


def circle(graph: Graph) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as found:
        return list(found.args[1])
    return []


def sources() -> list[Path]:
    """All but config.c, which takes -D from make and calls nothing; without MPI, those of the nine
    labs."""
    folders = FOLDERS if shutil.which("mpicc") else IN_PROGRAM
    return [path for path in files(".c", folders) if path.stem != "config"]


def compile_to(folder: Path, paths: list[Path]) -> None:
    compiler = "mpicc" if shutil.which("mpicc") else "cc"
    made = run([compiler, *FLAGS, "-D_XOPEN_SOURCE=700", "-c", *paths], folder)
    assert made.status == 0, made.text


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("objects")
    compile_to(folder, sources())
    return folder


# ---- common/ -------------------------------------------------------------------------------------
def test_common_is_small() -> None:
    every = [path for path in (TOP / "common").rglob("*") if path.is_file()]
    assert {path.parent.name for path in every} == {"common"}
    assert len(every) <= 9
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in every) <= LINES


@pytest.mark.parametrize("path", files(".[ch]", ("common",)), ids=name)
def test_common_includes_only_itself_and_the_standard_library(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert {one.partition("/")[0] for one in includes(path, text)} <= {"common"}
    system = set(re.findall(r"^ *# *include <(.*)>", text, re.MULTILINE))
    assert system <= {f"{one}.h" for one in STANDARD} | OF_VENDORS.get(path.name, set())


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with common/ and make/, and labs."""
    folder = tmp_path_factory.mktemp("alone")
    for one in ("common", "make", "lab01_cpu_naive", "lab03_avx_block", "lab07_ocl_localmem"):
        shutil.copytree(TOP / one, folder / one, ignore=shutil.ignore_patterns("build", "gemm*"))
    return folder


@pytest.mark.parametrize(
    ("lab", "old", "new"),
    [
        ("lab01_cpu_naive", "sum = 0", "sum = 1"),
        ("lab03_avx_block", "k < K", "k < K - 1"),
        ("lab07_ocl_localmem", "barrier(CLK_LOCAL_MEM_FENCE);", ""),
    ],
)
def test_a_lab_builds_and_verifies_with_common_and_make_alone(
    alone: Path, lab: str, old: str, new: str
) -> None:
    folder = alone / lab
    assert make(folder, "gemm").status == 0
    said = run(["./gemm", "--check"], folder)
    assert (said.status, said.out, said.err) == (0, "PASS  12 shapes\n", "")
    timed = run(["./gemm", "100", "90", "80"], folder)
    assert re.search(
        r", 100 x 90 x 80, verified: every element\n\S+ ms median, .*GFLOP/s\nPASS  1 shape\n$",
        timed.out,
    )
    kernel = next(path for path in folder.glob("kernel.*"))
    text = kernel.read_text(encoding="utf-8")
    assert old in text
    kernel.write_text(text.replace(old, new), encoding="utf-8")
    assert make(folder, "gemm").status == 0
    said = run(["./gemm", "--check"], folder)
    assert said.status == 1
    assert re.match(
        r"FAIL  \d+ x \d+ x \d+, .*\n  [1-9]\d* of \d+ elements are wrong, first C", said.out
    )


def test_the_session_replaces_what_it_may(objects: Path) -> None:
    """No function of common/ is replaceable without a need."""
    text = "".join(path.read_text(encoding="utf-8") for path in files(".c", ("common",)))
    replaceable = set(REPLACED.findall(text))
    assert {"lab_begin", "end_run", "ocl_build"} <= replaceable
    assert replaceable <= set(symbols(objects)[0])


# ---- layers --------------------------------------------------------------------------------------
def test_includes_make_no_circle() -> None:
    graph = {
        name(path): includes(path, path.read_text(encoding="utf-8")) for path in files(".[ch]")
    }
    assert len(graph) > 40
    assert circle(graph) == []
    graph["common/lab.h"] = includes(TOP / "common/lab.h", '#include "session/session.h"\n')
    assert {"common/lab.h", "session/session.h"} <= set(circle(graph))


def test_calls_make_no_circle(objects: Path) -> None:
    names = [path.stem for path in files(".c")]
    assert len(set(names)) == len(names), "objects have the names of their files, in one folder"
    graph = calls(objects)
    assert set(graph) == {path.stem for path in sources()}
    assert "fill" in graph["runs"]
    assert circle(graph) == []


@pytest.mark.parametrize(
    ("low", "call"),
    [
        ("fill", "bool circle(void) { return next_run(NULL); }\n"),
        ("repetitions", "void append_csv(void);\nvoid circle(void) { append_csv(); }\n"),
        ("ranks", "void circle(void) { gather(0, 0); }\n"),
    ],
)
def test_a_circle_is_found(objects: Path, tmp_path: Path, low: str, call: str) -> None:
    if low == "ranks":
        needs("mpicc")
    for path in objects.glob("*.o"):
        shutil.copy(path, tmp_path)
    (source,) = (path for path in files(".c") if path.stem == low)
    text = source.read_text(encoding="utf-8")
    (tmp_path / f"{low}.c").write_text(text + call, encoding="utf-8")
    compile_to(tmp_path, [tmp_path / f"{low}.c"])
    assert low in circle(calls(tmp_path))
