# SPDX-License-Identifier: MIT
"""What is the machine's fault is nobody's mark: one line, exit status 2, no record; and the same
command goes on where it was."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cheating import Kernel, described, kernels
from tests.cheating import grade as examine
from tests.classes import FAST, FIRST, answer, cheat, grade, hand_in, rows
from tests.copies import copy_to
from tests.support import TOP, Result, run
from workbook import UserError
from workbook.core.process import Outcome
from workbook.handin.bench import saying
from workbook.lab.course import Task
from workbook.teacher.grade.compiling import builder, machine
from workbook.teacher.grade.compiling.builder import Work, build_tools
from workbook.teacher.grade.compiling.sandbox import Box, clear, hold, require_sandbox, run_inside
from workbook.teacher.grade.judge import judging
from workbook.teacher.grade.judge.workers import Worker

ROOT = os.geteuid() == 0
GOES_ON = "what is graded stays, the same command goes on"
REFERENCE = Kernel(answer(FIRST), {"lab": FIRST})
TASK = Task(8, 2, None, 0, 1, "")


@pytest.fixture
def small() -> Iterator[Path]:
    """A disk of its own, of 300 MiB."""
    with tempfile.TemporaryDirectory(prefix="gemm-test.") as made:
        if (
            run(["mount", "-t", "tmpfs", "-o", "size=300m,mode=1777", "tmpfs", made], TOP).status
            != 0
        ):
            pytest.skip("mount is not installed, or not allowed to us")
        try:
            yield Path(made)
        finally:
            run(["umount", "--lazy", made], TOP)


def fill(disk: Path, left: int = 0, name: str = "filler") -> Path:
    """All of it, but for some bytes."""
    filler = disk / name
    filler.unlink(missing_ok=True)
    with open(filler, "wb") as file:
        while True:
            has = os.statvfs(disk)
            try:
                if (room := has.f_bavail * has.f_frsize - left) > 0:
                    os.posix_fallocate(file.fileno(), 0, room)
                break
            except OSError as error:  # others have taken some of it since
                assert error.errno == errno.ENOSPC
    return filler


def says_one_line(said: Result, *words: str) -> None:
    lines = [line for line in said.err.splitlines() if not line.startswith("grade: about")]
    assert (said.status, len(lines)) == (2, 1), said.text
    for word in words:
        assert word in lines[0], said.text


# ---- where nobody else may go --------------------------------------------------------------------
@pytest.mark.slow
def test_a_workbook_where_others_may_not_enter(tmp_path: Path) -> None:
    """As root's own home is; and nothing of it is for others to read."""
    book = copy_to(tmp_path / "home/book")
    (tmp_path / "home").chmod(0o700)
    for path in (book, *book.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o700)
    labs = FIRST, "lab04_ocl_naive", "lab08_cuda_naive"
    for lab in labs:
        hand_in(tmp_path / "subs/anna", lab, answer(lab))
    said = grade(tmp_path / "subs", tmp_path / "out", *labs, *FAST, seconds=600, book=book)
    assert said.status == 0, said.text
    assert [row["verdict"] for row in rows(tmp_path / "out")] == ["PASS"] * 3


def test_a_folder_for_programs_where_nobody_can_go(tmp_path: Path) -> None:
    if not ROOT:
        pytest.skip("root is not installed: who else builds, builds as himself")
    hand_in(tmp_path / "subs/anna", FIRST, answer(FIRST))
    (tmp_path / "barred/inner").mkdir(parents=True)
    (tmp_path / "barred").chmod(0o700)
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(folder.stat().st_mode | 0o011)
    said = grade(
        tmp_path / "subs",
        tmp_path / "out",
        FIRST,
        *FAST,
        env={"TMPDIR": str(tmp_path / "barred/inner")},
    )
    says_one_line(
        said, f"{tmp_path}/barred lets nobody through: chmod o+x {tmp_path}/barred, or TMPDIR=/tmp"
    )
    assert not (tmp_path / "out/grades.csv").exists()


@pytest.mark.parametrize("where", ["nowhere", "file"])
def test_a_folder_for_programs_that_is_none(where: str, tmp_path: Path) -> None:
    """Python would take /tmp, and who has set TMPDIR would not know."""
    hand_in(tmp_path / "subs/anna", FIRST, answer(FIRST))
    (tmp_path / "file").touch()
    said = grade(
        tmp_path / "subs", tmp_path / "out", FIRST, *FAST, env={"TMPDIR": str(tmp_path / where)}
    )
    says_one_line(said, f"TMPDIR={tmp_path / where}: is no folder that can be written to")
    assert not (tmp_path / "out").exists()


def test_what_a_run_leaves_that_is_killed_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / "gemm-grade.left"
    left.mkdir()
    bring = "from workbook.teacher.grade.compiling.sandbox import hold"
    script = f"import os, pathlib; {bring}; hold(pathlib.Path('{left}'))"
    killed = subprocess.run([sys.executable, "-c", f"{script}; os.kill(os.getpid(), 9)"], cwd=TOP)
    assert killed.returncode == -9
    (left / "0.lab01").mkdir()
    others = [tmp_path / f"gemm-grade.{name}" for name in ("unlocked", "link")]
    others[0].mkdir()
    others[1].symlink_to(left)
    clear(tmp_path)
    assert not left.exists()
    assert all(path.is_symlink() or path.is_dir() for path in others)
    folder = tmp_path / "gemm-grade.ours"
    folder.mkdir()
    hold(folder)
    clear(tmp_path)
    assert folder.is_dir(), "its owner lives"


# ---- no room -------------------------------------------------------------------------------------
def test_room_is_asked_for_before_it_begins(small: Path, tmp_path: Path) -> None:
    hand_in(tmp_path / "subs/anna", FIRST, answer(FIRST))
    fill(small, 50 << 20)
    said = grade(
        tmp_path / "subs", tmp_path / "out", FIRST, "--jobs=1", *FAST, env={"TMPDIR": str(small)}
    )
    says_one_line(said, f"TMPDIR={small}: ", "MiB are free, and it may take 68.0: make room")
    assert run(["mount", "-o", "remount,nr_inodes=40", small], TOP).status == 0
    fill(small, 100 << 20)
    said = grade(
        tmp_path / "subs", tmp_path / "out", FIRST, "--jobs=1", *FAST, env={"TMPDIR": str(small)}
    )
    says_one_line(said, f"TMPDIR={small}: there is room for ", "files, and it may take 64")
    fill(small, 16 << 10)
    said = grade(tmp_path / "subs", small / "out", FIRST, "--jobs=1", *FAST)
    says_one_line(said, f"OUT={small}/out", "make room there")


def test_a_folder_where_nothing_can_be_run(small: Path, tmp_path: Path) -> None:
    hand_in(tmp_path / "subs/anna", FIRST, answer(FIRST))
    assert run(["mount", "-o", "remount,noexec", small], TOP).status == 0
    said = grade(
        tmp_path / "subs", tmp_path / "out", FIRST, "--jobs=1", *FAST, env={"TMPDIR": str(small)}
    )
    says_one_line(said, f"TMPDIR={small}: it is mounted noexec")


def test_a_disk_that_is_full_on_the_way_is_no_mark(small: Path, tmp_path: Path) -> None:
    for number in range(3):
        hand_in(tmp_path / f"subs/s{number}", FIRST, answer(FIRST))
    out, env = tmp_path / "out", {"TMPDIR": str(small)}
    command = [sys.executable, "-m", "workbook", "grade", str(tmp_path / "subs"), str(out), FIRST]
    started = subprocess.Popen(
        [*command, "--jobs=1", *FAST],
        cwd=TOP,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 120
    while not list(out.glob(f"*/{FIRST}.json")):
        assert started.poll() is None and time.monotonic() < end
        time.sleep(0.02)
    fillers: list[Path] = []
    while started.poll() is None:  # what is cleared away behind the first one is taken as well
        fillers.append(fill(small, name=f"filler{len(fillers)}"))
        time.sleep(0.02)
    said = Result(started.returncode, *started.communicate())
    says_one_line(said, "No space left on device", GOES_ON)
    assert not (out / "grades.csv").exists()
    done = list(out.glob(f"*/{FIRST}.json"))
    assert 0 < len(done) < 3
    assert all('"PASS"' in path.read_text() for path in done)
    for filler in fillers:
        filler.unlink()
    assert grade(tmp_path / "subs", out, FIRST, *FAST, env=env).status == 0
    assert [row["verdict"] for row in rows(out)] == ["PASS"] * 3


def test_a_result_that_cannot_be_kept_is_not_what_the_compiler_said(small: Path) -> None:
    build_tools()
    fill(small, 64 << 10)
    with pytest.raises(UserError, match="No space left on device"):
        examine(REFERENCE, small)


def test_what_is_printed_is_not_lost_to_a_full_disk(small: Path) -> None:
    build_tools()
    work = Work(described(FIRST), TASK, small / "work")
    builder.open_bench(work, {})
    fill(small, 64 << 10)
    says = saying(["head", "-c1000000", "/dev/zero"], "sizes")
    with pytest.raises(UserError, match="No space left on device"):
        work.build(says)


def test_a_log_that_cannot_be_kept_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is where a tool says what it found."""
    build_tools()
    ask = judging.call

    def judge(program: str, worker: Worker, *words: Any) -> tuple[dict[str, Any], str]:
        (worker.work.folder / "verdict.shapes").mkdir()
        (worker.work.folder / "verdict.shapes/log").symlink_to("/dev/full")
        return ask(program, worker, *words)

    monkeypatch.setattr(judging, "call", judge)
    prints = next(kernel for kernel in kernels("cheats") if kernel.name == "log_flood")
    with pytest.raises(UserError, match="cannot write the log: No space left"):
        examine(prints, folder, prints.past)


def test_an_out_that_is_full(small: Path, tmp_path: Path) -> None:
    """It has room for the log, and none for a record."""
    hand_in(tmp_path / "subs/anna", FIRST, answer(FIRST))
    assert grade(tmp_path / "subs", small / "out", FIRST, *FAST).status == 0
    before = (small / "out/grades.csv").read_bytes()
    hand_in(tmp_path / "subs/anna", FIRST, cheat("zeros"))
    fill(small)
    unasked = (
        "import sys, workbook.teacher.grade as g, workbook.__main__ as m; g.require_room = "
        "lambda *_: None; "
    )
    command = [sys.executable, "-c", f"{unasked}sys.exit(m.main(sys.argv[1:]))", "grade"]
    said = run([*command, str(tmp_path / "subs"), str(small / "out"), FIRST, *FAST], TOP)
    says_one_line(said, f"{small}/out/", "No space left on device", GOES_ON)
    assert (small / "out/grades.csv").read_bytes() == before


# ---- a sandbox that fails, a machine without memory ----------------------------------------------
@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="gemm-test.") as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.fixture
def unsteady(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bwrap that fails where a file `fails` is beside it: just once, if there is a file
    `once`."""
    build_tools()
    require_sandbox()
    programs = folder / "bin"
    programs.mkdir()
    programs.chmod(0o777)
    (programs / "bwrap").write_text(
        f"""#!/bin/sh
if [ -e {programs}/fails ]; then
    [ -e {programs}/once ] && rm {programs}/fails
    echo 'bwrap: Creating new namespace failed: No space left on device' >&2
    exit 1
fi
exec {shutil.which("bwrap")} "$@"
"""
    )
    (programs / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    return programs


@pytest.mark.parametrize("where", ["compiler", "judge"])
@pytest.mark.parametrize(("once", "ends"), [(True, "PASS"), (False, "cannot make a sandbox here")])
def test_a_sandbox_that_cannot_be_made_is_no_mark(
    unsteady: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, where: str, once: bool, ends: str
) -> None:
    step, ask = run_inside, judging.call
    fail = [unsteady / "fails"]
    if once:
        (unsteady / "once").touch()

    def compile(command: list[str], box: Box, seconds: float) -> Outcome:
        if where == "compiler" and "/out/object.o" in command and fail:
            fail.pop().touch()
        return step(command, box, seconds)

    def judge(program: str, worker: Worker, *words: Any) -> tuple[dict[str, Any], str]:
        if where == "judge" and fail:
            fail.pop().touch()
        return ask(program, worker, *words)

    monkeypatch.setattr("workbook.teacher.grade.compiling.builder.run_inside", compile)
    monkeypatch.setattr(judging, "call", judge)
    assert ends in verdict(folder)


@pytest.mark.parametrize("where", ["compiler", "judge"])
@pytest.mark.parametrize(("times", "ends"), [(1, "PASS"), (2, "for want of memory, twice")])
def test_who_is_ended_for_want_of_memory_has_no_mark(
    folder: Path, monkeypatch: pytest.MonkeyPatch, where: str, times: int, ends: str
) -> None:
    """The system counts such ends: after one it is tried again, after two the machine is at
    fault."""
    build_tools()
    step, ask = run_inside, judging.call
    kills = 0

    def end() -> bool:
        nonlocal kills
        kills += 1
        return kills <= times

    def compile(command: list[str], box: Box, seconds: float) -> Outcome:
        if where == "compiler" and "/out/object.o" in command and end():
            return Outcome(builder.UNWANTED, "", "cc: fatal error: Killed signal", False, 60)
        return step(command, box, seconds)

    def judge(program: str, worker: Worker, *words: Any) -> tuple[dict[str, Any], str]:
        said, printed = ask(program, worker, *words)
        ended = where == "judge" and end()
        return ({**said, "ended": "crash"} if ended else said), printed

    monkeypatch.setattr("workbook.teacher.grade.compiling.builder.run_inside", compile)
    monkeypatch.setattr(judging, "call", judge)
    for module in builder, judging:
        monkeypatch.setattr(module, "memory_kills", lambda: kills)
    assert ends in verdict(folder)


def verdict(folder: Path) -> str:
    try:
        return str(examine(REFERENCE, folder)[0]["verdict"])
    except UserError as why:
        return str(why)


def test_a_judge_that_is_killed_is_no_mark(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_tools()
    killed = Outcome(-9, "", "", False, 150)
    monkeypatch.setattr("workbook.teacher.grade.judge.judging.run", lambda *_, **__: killed)
    assert verdict(folder) == f"the judge fails at {FIRST}: is ended by signal 9"


def test_the_system_counts_whom_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vmstat").write_text("nr_free_pages 7\noom_kill 12\n")
    monkeypatch.setattr(machine, "COUNTED", tmp_path / "vmstat")
    assert machine.memory_kills() == 12
    monkeypatch.setattr(machine, "COUNTED", tmp_path / "nowhere")
    assert machine.memory_kills() == 0
