# SPDX-License-Identifier: MIT
"""The lock: one at a time, whoever was killed before."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import TOP
from workbook import UserError
from workbook.core.lock import lives, lock

ROUNDS = 8
HOLDERS = 6

# Works under the lock for a moment, and notes if another one does as well.
HOLDER = """
import os, sys, time
from pathlib import Path
from workbook import UserError
from workbook.core.lock import lock
folder = Path(sys.argv[1])
try:
    with lock(folder / "lock"):
        print("held")
        (folder / "inside").mkdir()
        time.sleep(0.1)
        (folder / "inside").rmdir()
        assert os.readlink(folder / "lock").startswith(f"{os.getpid()}.")
except UserError as mistake:
    print(mistake)
"""


def dead() -> str:
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return str(process.pid)


def holders(folder: Path) -> list[tuple[int, str]]:
    command = [sys.executable, "-c", HOLDER, str(folder)]
    begun = [
        subprocess.Popen(
            command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for _ in range(HOLDERS)
    ]
    return [
        (process.wait(), out) for process, (out, _) in [(one, one.communicate()) for one in begun]
    ]


def test_one_at_a_time_takes_over_from_a_dead_one(tmp_path: Path) -> None:
    for _ in range(ROUNDS):
        (tmp_path / "lock").symlink_to(dead())
        ends = holders(tmp_path)
        assert [status for status, _ in ends] == [0] * HOLDERS, ends  # else two were inside
        assert any(out == "held\n" for _, out in ends), ends
        assert all(out == "held\n" or "another one is at work" in out for _, out in ends), ends
        assert os.listdir(tmp_path) == []


def test_one_that_takes_over_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbook.core.lock.TRIES", 2)
    path, owner = tmp_path / "lock", dead()
    path.symlink_to(owner)
    Path(f"{path}.old").mkdir()
    refuses(path, r"lock\.old is left of one that was ended by force: remove it")
    assert os.readlink(path) == owner


def refuses(path: Path, words: str) -> None:
    with pytest.raises(UserError, match=words), lock(path):
        pytest.fail("it was given")


def test_a_living_one_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.symlink_to(str(os.getpid()))
    refuses(path, f"wait for it, process {os.getpid()}")
    assert os.readlink(path) == str(os.getpid())
    path.unlink()
    with lock(path):
        refuses(path, f"wait for it, process {os.getpid()}$")


def test_a_process_that_has_the_number_of_a_dead_one_does_not_keep_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.symlink_to(f"{os.getpid()}.1@{socket.gethostname()}")
    with lock(path):
        assert not os.readlink(path).startswith(f"{os.getpid()}.1@")


def test_one_of_another_machine_may_live(tmp_path: Path) -> None:
    """A number is no process of ours there."""
    path = tmp_path / "lock"
    path.symlink_to(f"{dead()}.1@elsewhere")
    refuses(
        path, f"of elsewhere is at work in {tmp_path}: wait for it; if it is not .*, remove {path}"
    )
    assert os.readlink(path).endswith("@elsewhere")


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_cannot_be_made_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("workbook.core.lock.TRIES", 2)
    path = tmp_path / "lock"
    if kind == "folder":
        path.mkdir()
    else:
        path.write_text("")
    refuses(path, "cannot make")


def test_a_process_that_has_ended_does_not_live_though_nobody_fetched_its_status() -> None:
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    try:
        assert not lives(str(ended.pid))
    finally:
        ended.wait()
    assert lives(str(os.getpid()))
    assert not lives(str(ended.pid))
