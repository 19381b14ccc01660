# SPDX-License-Identifier: MIT
"""make grade for a class: every submission has its rows, whatever it did, and nobody else's change
by it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests import class60
from tests.cheating import kernels, read
from tests.classes import FAST, FIRST, SECOND, answer, cheat, grade, hand_in, marks, record, rows
from tests.cluster import cluster, missing
from tests.schemas import complaints
from tests.support import TOP, make
from workbook.teacher import grade as teacher
from workbook.teacher.grade.compiling.sandbox import Box, run_inside

HOSTILE = '=HYPERLINK("x")<script>alert(1)</script>\x1b[2J'
LABS = (FIRST, SECOND)


@pytest.fixture(scope="module")
def subs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two good ones around one that does what it can."""
    top = tmp_path_factory.mktemp("subs")
    for name in "anna", "zoe":
        for lab in LABS:
            hand_in(top / name, lab, answer(lab))
    hostile = top / HOSTILE.replace("/", "|")
    hand_in(hostile, FIRST, cheat("terminal_escapes"))
    (hostile / SECOND).mkdir()
    (hostile / SECOND / "kernel.c").write_bytes(b"\0")
    return top


@pytest.fixture(scope="module")
def out(subs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("results") / "out"
    said = grade(subs, out, *LABS, *FAST)
    assert said.status == 0, said.text
    assert "\x1b" not in said.text
    return out


def of_hostile(out: Path) -> Path:
    return next(path for path in out.iterdir() if path.name.startswith("HYPERLINK"))


def test_every_submission_has_a_row_for_each_lab(out: Path) -> None:
    assert [row["lab"] for row in rows(out)] == [FIRST, SECOND] * 3
    columns = ["submission", "lab", "verdict", "points", "possible", "speedup", "reason"]
    columns += ["measured", "decision", "decided_on", "error", "digest", "terms"]
    assert list(rows(out)[0]) == columns


def test_good_ones_have_all_points_and_a_hostile_one_none(out: Path) -> None:
    for name in "anna", "zoe":
        assert record(out, name, FIRST)["verdict"] == "PASS"
        assert record(out, name, SECOND)["verdict"] in (
            "PASS",
            "INCONCLUSIVE",
        )  # which, is the machine's
        assert [part["points"] for part in record(out, name, SECOND)["parts"][:2]] == [5, 2]
    said = [row for row in rows(out) if "HYPERLINK" in row["submission"]]
    assert [(row["verdict"], row["points"]) for row in said] == [("FAIL", "0"), ("REFUSED", "0")]


def test_the_marks_of_others_do_not_change(out: Path, subs: Path, tmp_path: Path) -> None:
    for name in "anna", "zoe":
        shutil.copytree(subs / name, tmp_path / "subs" / name)
    assert grade(tmp_path / "subs", tmp_path / "out", FIRST, *FAST).status == 0
    alone = marks(tmp_path / "out")
    assert alone == {key: value for key, value in marks(out).items() if key in alone}


def test_what_is_written_commands_nothing(out: Path) -> None:
    """No formula in the gradebook, no element of theirs in the page, no escape anywhere."""
    name = next(row["submission"] for row in rows(out) if "HYPERLINK" in row["submission"])
    assert name.startswith("'=")
    for path in out.rglob("*"):
        if path.is_file() and path.suffix != ".json" and path.name != "log":
            assert "\x1b" not in path.read_text(encoding="utf-8"), path
    assert "\\<script\\>" in (of_hostile(out) / "feedback.md").read_text()
    assert "<script" not in (out / "class.html").read_text()
    assert "anna" not in (out / "class.html").read_text()


def test_the_page_is_whole_and_needs_no_network(out: Path) -> None:
    text = (out / "class.html").read_text()
    tags: list[str] = []

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.append(tag)
            assert not [value for name, value in attrs if name in ("src", "href")]

    Tags().feed(text)
    assert {"table", "h2", "style"} <= set(tags)
    assert not re.search(r"https?://|url\(", text)


def test_gradescope_and_junit(out: Path) -> None:
    results = json.loads((out / "anna/results.json").read_text())
    assert results["score"] == sum(test["score"] for test in results["tests"])
    assert {"name", "score", "max_score", "output"} == set(results["tests"][0])
    suite = ElementTree.parse(of_hostile(out) / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "2")
    assert [case.get("name") for case in suite.iter("testcase")] == list(LABS)


def test_the_log_says_how_to_repeat_it(out: Path) -> None:
    log = json.loads((out / "log").read_text())
    assert complaints(log, "gemm-grading") == []
    of_lab = log["labs"][SECOND]  # whether the machine was calm enough for a range is its own
    assert of_lab["range"] is None or (of_lab["range"] > 1 and not of_lab["why"])
    assert oct((out / "log").stat().st_mode)[-2:] == "00", "its seed is nobody else's"


def test_what_a_student_is_told(tmp_path: Path) -> None:
    hand_in(tmp_path / "subs/kim", FIRST, cheat("past_C"))
    assert grade(tmp_path / "subs", tmp_path / "out", FIRST, *FAST).status == 0
    text = (tmp_path / "out/kim/feedback.md").read_text()
    assert "likely cause: the kernel writes outside C" in text
    assert "0 of 10 points" in text
    assert re.search(r"^\| edges \| 0 of \d\d \|$", text, re.MULTILINE)


# ---- again, interrupted, repeated ----------------------------------------------------------------
def test_who_interrupts_it_before_it_has_begun_is_told_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    hand_in(tmp_path / "subs/anna", FIRST, answer(FIRST))
    monkeypatch.setattr(teacher, "build_tools", interrupted)
    with pytest.raises(KeyboardInterrupt):
        teacher.main([str(tmp_path / "subs"), str(tmp_path / "out"), FIRST])
    says = "grade: interrupted; what is graded stays, the same command goes on\n"
    assert capsys.readouterr().err == says


def test_a_second_run_grades_what_has_changed(subs: Path, tmp_path: Path) -> None:
    for name in "anna", "zoe":
        hand_in(tmp_path / "subs" / name, FIRST, answer(FIRST))
    out = tmp_path / "out"

    def times() -> dict[str, int]:
        return {name: (out / name / f"{FIRST}.json").stat().st_mtime_ns for name in ("anna", "zoe")}

    assert grade(tmp_path / "subs", out, FIRST, *FAST).status == 0
    first = times()
    assert grade(tmp_path / "subs", out, FIRST, *FAST).status == 0
    assert times() == first
    hand_in(tmp_path / "subs/zoe", FIRST, cheat("zeros"))
    assert grade(tmp_path / "subs", out, FIRST, *FAST).status == 0
    assert times()["anna"] == first["anna"]
    assert [row["verdict"] for row in rows(out)] == ["PASS", "FAIL"]
    inconclusive = {**record(out, "anna", FIRST), "verdict": "INCONCLUSIVE"}
    (out / f"anna/{FIRST}.json").write_text(json.dumps(inconclusive))
    assert grade(tmp_path / "subs", out, FIRST, *FAST).status == 0
    assert rows(out)[0]["verdict"] == "PASS"


def test_an_interrupt_loses_nothing(tmp_path: Path) -> None:
    for number in range(4):
        hand_in(tmp_path / f"subs/s{number}", FIRST, answer(FIRST))
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "workbook",
        "grade",
        str(tmp_path / "subs"),
        str(out),
        FIRST,
        "--jobs=2",
        *FAST,
    ]
    run = subprocess.Popen(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 120
    while not list(out.glob(f"*/{FIRST}.json")):
        assert run.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    run.communicate(timeout=60)
    assert run.returncode == 130
    done = {path: path.stat().st_mtime_ns for path in out.glob(f"*/{FIRST}.json")}
    assert 0 < len(done) < 4
    assert grade(tmp_path / "subs", out, FIRST, *FAST).status == 0
    assert [row["verdict"] for row in rows(out)] == ["PASS"] * 4, (
        "what an interrupt ended is no result"
    )
    assert {path: path.stat().st_mtime_ns for path in done} == done


def judges(path: Path) -> list[str]:
    """Processes that have this path in their command lines."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes()
        except OSError:  # it has just ended
            continue
        if words.startswith(b"/") and os.fsencode(path) in words and b"judge" in words:
            found.append(line.parent.name)
    return found


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder in which nobody may look about, too."""
    with tempfile.TemporaryDirectory(prefix="gemm-test.") as made:
        Path(made).chmod(0o755)
        yield Path(made)


def test_nothing_goes_on_when_it_is_killed(reachable: Path) -> None:
    """Not even by the signal that nobody can catch."""
    top = reachable
    hand_in(top / "subs/anna", FIRST, cheat("endless_loop"))
    command = [
        sys.executable,
        "-m",
        "workbook",
        "grade",
        str(top / "subs"),
        str(top / "out"),
        FIRST,
        *FAST,
    ]
    run = subprocess.Popen(
        command,
        cwd=TOP,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(top)},
    )
    end = time.monotonic() + 120
    while not judges(top):
        assert run.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    run.kill()
    run.wait()
    end = time.monotonic() + 5
    while judges(top) and time.monotonic() < end:
        time.sleep(0.05)
    assert judges(top) == []


def test_the_same_seed_finds_the_same(tmp_path: Path) -> None:
    hand_in(tmp_path / "subs/kim", FIRST, cheat("half_precision"))
    for out, words in ("one", ()), ("two", ("--seed",)), ("three", ()):
        seed = [f"--seed={json.loads((tmp_path / 'one/log').read_text())['seed']}"] if words else []
        assert grade(tmp_path / "subs", tmp_path / out, FIRST, *FAST, *seed).status == 0
    one, two, three = (
        record(tmp_path / out, "kim", FIRST)["finding"] for out in ("one", "two", "three")
    )
    assert one == two
    assert one != three


# ---- what cannot be meant ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["SUBMISSIONS=", "OUT=x"], "SUBMISSIONS is not set"),
        (["SUBMISSIONS=/nowhere", "OUT={out}"], "SUBMISSIONS=/nowhere: no folder"),
        (["SUBMISSIONS={subs}", "OUT="], "OUT is not set"),
        (["SUBMISSIONS={subs}", "OUT={subs}/anna/lab01_cpu_naive/kernel.c"], "is no folder"),
        (["SUBMISSIONS={subs}", "OUT={subs}"], "choose a folder of its own"),
        (["SUBMISSIONS={subs}", "OUT={subs}/anna/out"], "choose a folder of its own"),
        (["SUBMISSIONS={subs}", "OUT=/usr"], "has something else in it"),
        (
            ["SUBMISSIONS={subs}", "OUT={link}/subs/anna/out"],
            "anna/out: choose a folder of its own",
        ),
        (["SUBMISSIONS={link}/subs", "OUT={subs}/out"], "choose a folder of its own, beside"),
        (["SUBMISSIONS={subs}", "OUT={link}/loop"], "/loop: a link that leads back to itself"),
        (["SUBMISSIONS={subs}", "OUT={out}", "LABS=99"], "LABS=99: no such lab"),
        (["SUBMISSIONS={subs}", "OUT={out}", "JOBS=0"], "JOBS=0"),
        (["SUBMISSIONS={subs}", "OUT={out}", "SIZE=1"], "SIZE=1"),
        (["SUBMISSIONS={subs}", "OUT={out}", "SIZE=abc"], "SIZE=abc"),
        (["SUBMISSIONS={subs}", "OUT={out}", "SEED=7"], "SEED"),
        (["SUBMISSIONS={subs}", "OUT={out}", "LAUNCHER=pbs"], "LAUNCHER=pbs"),
        (["SUBMISSIONS={subs}", "OUT={out}", "LAB=01"], "make grade has LABS="),
    ],
)
def test_a_mistake_in_the_command(subs: Path, tmp_path: Path, words: list[str], says: str) -> None:
    link = tmp_path / "link"
    link.mkdir()
    (link / "subs").symlink_to(subs)
    (link / "loop").symlink_to("loop")
    filled = [word.format(subs=subs, out=tmp_path / "out", link=link) for word in words]
    said = make(TOP, "grade", *filled)
    assert said.status == 2
    assert says in said.err
    assert not (tmp_path / "out").exists()


def test_out_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "subs/anna").mkdir(parents=True)
    (tmp_path / "out").symlink_to("results")
    for _ in range(2):
        said = grade(tmp_path / "subs", tmp_path / "out", FIRST, *FAST)
        assert said.status == 0, said.text
    assert rows(tmp_path / "results")[0]["verdict"] == "MISSING"


def test_a_run_that_is_killed_while_it_takes_in_goes_on(tmp_path: Path) -> None:
    """By the signal that nobody can catch, at any moment from the lock on."""
    (tmp_path / "subs").mkdir()
    for number in range(40):
        (tmp_path / f"subs/s{number}.zip").write_text("no archive")
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "workbook",
        "grade",
        str(tmp_path / "subs"),
        str(out),
        FIRST,
        *FAST,
    ]
    run = subprocess.Popen(command, cwd=TOP, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while not (out / ".lock").is_symlink():
        assert run.poll() is None and time.monotonic() < end
        time.sleep(0.01)
    run.kill()
    run.wait()
    (out / "log").unlink(missing_ok=True)  # as if it had been killed a moment earlier
    (out / ".new.log").touch()
    said = grade(tmp_path / "subs", out, FIRST, *FAST)
    assert (said.status, len(rows(out))) == (0, 40), said.text


def test_another_run_is_at_work_there(subs: Path, out: Path) -> None:
    (out / ".lock").symlink_to(str(os.getpid()))
    try:
        assert grade(subs, out, *LABS, *FAST).status == 2
    finally:
        (out / ".lock").unlink()


@pytest.fixture
def programs(tmp_path: Path) -> Iterator[Path]:
    """A PATH of its own: all but bwrap."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for directory in "/usr/bin", "/bin":
        for program in Path(directory).iterdir():
            if program.name != "bwrap" and not (folder / program.name).exists():
                (folder / program.name).symlink_to(program)
    yield folder


def test_nothing_runs_without_bubblewrap(subs: Path, programs: Path, tmp_path: Path) -> None:
    said = grade(subs, tmp_path / "out", *LABS, *FAST, env={"PATH": str(programs)})
    assert said.status == 2
    assert "needs bwrap, and runs nothing without it: ./setup grade" in said.err
    assert not (tmp_path / "out/grades.csv").exists()


def test_nothing_runs_where_bubblewrap_cannot(subs: Path, programs: Path, tmp_path: Path) -> None:
    (programs / "bwrap").write_text(
        "#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n"
    )
    (programs / "bwrap").chmod(0o755)
    said = grade(subs, tmp_path / "out", *LABS, *FAST, env={"PATH": str(programs)})
    assert said.status == 2
    assert "cannot make a sandbox here, and nothing runs without it" in said.err
    assert not (tmp_path / "out/grades.csv").exists()


def test_root_is_not_root_inside() -> None:
    outcome = run_inside(["/usr/bin/id", "-u"], Box("compiler", system=True), 20)
    assert outcome.out.strip() == ("65534" if os.geteuid() == 0 else str(os.geteuid()))


# ---- a cluster -----------------------------------------------------------------------------------
@pytest.mark.slow
def test_slurm(
    subs: Path, out: Path, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    """An array of jobs on a real cluster, of this machine alone."""
    if why := missing():
        pytest.skip(why)
    folder = tmp_path_factory.mktemp("slurm")
    former, out = out, tmp_path / "out"
    shutil.copytree(former, out, symlinks=True)
    shutil.rmtree(out / "zoe")
    for path in out.glob(f"*/{FIRST}.json"):
        path.unlink()
    with cluster(folder) as env:
        (out / "zoe").touch()  # where a folder should be: its job fails, the others do not
        said = grade(subs, out, FIRST, *FAST, "--launcher=slurm", env=env)
        assert (said.status, len(list(out.glob(f"*/{FIRST}.json")))) == (2, 2), said.text
        assert "without a record: 2, as jobs failed" in said.err
        (out / "zoe").unlink()
        said = grade(subs, out, FIRST, *FAST, "--launcher=slurm", env=env)
    assert said.status == 0, said.text
    assert [row["verdict"] for row in rows(out) if row["lab"] == FIRST].count("PASS") == 2
    assert len(rows(out)) == 6
    assert sorted(path.name for path in (out / "slurm").iterdir()) == [
        "part.0.txt",
        "part.1.txt",
        "part.2.txt",
        "ranges.txt",
    ]


def test_slurm_is_not_here(subs: Path, tmp_path: Path, programs: Path) -> None:
    for program in "sbatch", "squeue", "scancel":
        (programs / program).unlink(missing_ok=True)
    (programs / "bwrap").symlink_to(shutil.which("bwrap") or "")
    said = grade(
        subs, tmp_path / "out", FIRST, *FAST, "--launcher=slurm", env={"PATH": str(programs)}
    )
    assert said.status == 2
    assert "LAUNCHER=slurm needs sbatch" in said.err


# ---- launches of many work-items -----------------------------------------------------------------
GROUP_FOR_AN_ELEMENT = """#include "params.h"
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    __local real parts[GROUP_X];
    const int i = get_group_id(1), j = get_group_id(0), item = get_local_id(0);
    real sum = 0;
    for (int k = item; k < K; k += GROUP_X)
        sum += A[i * K + k] * B[k * N + j];
    parts[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 1; item == 0 && n < GROUP_X; n++)
        sum += parts[n];
    if (item == 0)
        C[i * N + j] = sum;
}
"""
PARAMS = (
    "#define GROUP_X 32\n#define GROUP_Y 1\n#define TILE_M 1\n#define TILE_N 1\n#define TILE_K 32\n"
)


def test_what_pocl_compiles_for_large_launches_is_compiled_before_the_worker_is_sealed(
    tmp_path: Path,
) -> None:
    lab = "lab07_ocl_localmem"
    folder = tmp_path / "subs/anna" / lab
    folder.mkdir(parents=True)
    (folder / "kernel.cl").write_text(GROUP_FOR_AN_ELEMENT)
    (folder / "params.h").write_text(PARAMS)
    said = grade(tmp_path / "subs", tmp_path / "out", lab, "--jobs=1", *FAST)
    assert said.status == 0, said.text
    assert marks(tmp_path / "out") == {("anna", lab): ("NOT YET", "7")}  # no tile


# ---- the class of 60 -----------------------------------------------------------------------------
def test_each_kernel_is_handed_in_once_and_what_some_shapes_decide_in_its_own_lab() -> None:
    every = [one for one in (*kernels("cheats"), *kernels("honest")) if class60.usable(one)]
    odd = {one.path: one for one in every}
    dealt = [(path, lab) for hand in class60.deal() for lab, (path, _) in hand.items()]
    given = [(path, lab) for path, lab in dealt if path in odd]
    assert sorted(path for path, _ in given) == sorted(odd)
    for path, lab in given:
        assert lab == odd[path].lab or class60.expected(odd[path]) != "PARTIAL", path


@pytest.mark.parametrize(("verdict", "right"), [("FAIL", True), ("REFUSED", True), ("PASS", False)])
def test_whichever_limit_of_a_compiler_comes_first_is_right(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, verdict: str, right: bool
) -> None:
    expected = class60.expected(read(TOP / "tests/cheats/compiler_time.c"))
    row = {"lab": FIRST, "verdict": verdict, "reason": ""}
    monkeypatch.setattr(class60, "LABS", [FIRST])
    monkeypatch.setattr(class60, "rows", lambda _: [row])
    assert (class60.differences({"anna": {FIRST: expected}}, tmp_path) == []) == right
