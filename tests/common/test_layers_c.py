# SPDX-License-Identifier: MIT
"""The C of common/ has layers: who follows its includes and its calls never comes back to where he
was. And its top level is read in one sitting."""

from __future__ import annotations

import re
import shutil
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support import TOP, needs, run

FOLDERS = ("common", "advanced/common")
FLAGS = ("-std=gnu11", "-Dreal=float", *(f"-I{TOP / folder}" for folder in FOLDERS))
LINES = 950
Graph = dict[str, set[str]]


def files(ending: str, folders: tuple[str, ...] = FOLDERS) -> list[Path]:
    return sorted(path for folder in folders for path in (TOP / folder).rglob(f"*{ending}"))


def name(path: Path) -> str:
    return path.relative_to(TOP).as_posix()


def includes(path: Path, text: str) -> set[str]:
    """The files of ours that it names, from its own folder on or from those where compilers
    look."""
    named = re.findall(r'^ *# *include "(.*)"', text, re.MULTILINE)
    places = [path.parent, *(TOP / folder for folder in FOLDERS)]
    return {next(name(at / one) for at in places if (at / one).is_file()) for one in named}


def symbols(folder: Path) -> tuple[dict[str, str], Graph]:
    """Of the objects in a folder: who defines a name, and the names that each only uses."""
    defined: dict[str, str] = {}
    used: Graph = {path.stem: set() for path in folder.glob("*.o")}
    for line in run(["nm", "-A", "-P", "-g", *sorted(folder.glob("*.o"))], folder).out.splitlines():
        path, word, kind = line.split()[:3]
        if kind in "Uw":
            used[Path(path).stem].add(word)
        else:
            defined[word] = Path(path).stem
    assert set(defined.values()) == set(used)
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
    """All but config.c, which takes -D from make and calls nothing; without MPI, those of
    common/."""
    folders = FOLDERS if shutil.which("mpicc") else FOLDERS[:1]
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


def test_includes_make_no_circle() -> None:
    graph = {
        name(path): includes(path, path.read_text(encoding="utf-8")) for path in files(".[ch]")
    }
    assert len(graph) > 40
    assert circle(graph) == []
    graph["common/base.h"] = includes(TOP / "common/base.h", '#include "lab.h"\n')
    assert {"common/base.h", "common/lab.h"} <= set(circle(graph))


def test_who_verifies_does_not_know_the_diagnosis() -> None:
    """Whether C is right is one question, and why it is wrong is asked once, after the verdict."""
    reached, new = set[str](), {"common/verify.c"}
    while new:
        reached |= new
        texts = [(TOP / one, (TOP / one).read_text(encoding="utf-8")) for one in new]
        new = {named for path, text in texts for named in includes(path, text)} - reached
    assert {"common/findings.h", "common/fill.h"} <= reached
    assert not [one for one in reached if "diagnosis" in one]


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
        ("fill", "int next_run(void *lab);\nint circle(void) { return next_run(0); }\n"),
        ("time", "void append_csv(void);\nvoid circle(void) { append_csv(); }\n"),
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


def test_the_top_level_is_read_in_one_sitting() -> None:
    top = (TOP / "common").glob("*.[ch]")
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in top) <= LINES
