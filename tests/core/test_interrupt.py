# SPDX-License-Identifier: MIT
"""Ctrl-C ends all that a tool has begun, and leaves neither a lock nor half a file."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import Copy
from tests.support import make
from tests.terminal import in_terminal
from workbook import __main__ as workbook

INTERRUPTED = 130
LOCKED = "running"  # a file that programs lock while they run, and that stays


def at_work(folder: Path) -> list[str]:
    """The processes whose working directory is there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(process / "cwd")).is_relative_to(folder):
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:  # it has ended, or is another's
            pass
    return found


@pytest.mark.parametrize(
    ("command", "settings", "shown"),
    [
        ("demo", {"SIZE": "64"}, "talks_lab01_cpu_naive gemm 64"),
        ("bench", {"SIZES": "64"}, "talks_lab01_cpu_naive gemm 64"),
        (
            "sweep",
            {"MAKEFLAGS": " -- SWEEP=CFLAGS=-O1 SIZE=64"},
            "talks_lab01_cpu_naive CFLAGS=-O1",
        ),
        ("run", {}, "here"),
    ],
)
def test_an_interrupt_leaves_nothing(
    broken: Copy, tree: Path, command: str, settings: dict[str, str], shown: str
) -> None:
    folder = broken("talks")
    before = [name for name in sorted(os.listdir(tree / "build")) if name != LOCKED]
    words = [sys.executable, "-m", "workbook", command, str(folder)]
    if command == "run":
        assert make(folder, "gemm").status == 0
        words += ["gemm", "64"]
    result = in_terminal(
        words, tree, env=settings, when=lambda text: signal.SIGINT if shown in text else 0
    )
    assert shown in result.out
    assert result.status == INTERRUPTED
    assert at_work(tree) == []
    assert [name for name in sorted(os.listdir(tree / "build")) if name != LOCKED] == before


def test_an_interrupt_while_ceilings_are_measured(bare: Path) -> None:
    words = [sys.executable, "-m", "workbook", "ceilings"]
    shown = "cpu, float"
    result = in_terminal(words, bare, when=lambda text: signal.SIGINT if shown in text else 0)
    assert result.status == INTERRUPTED
    assert at_work(bare) == []
    assert not (bare / "build").exists() or os.listdir(bare / "build") == []


def test_an_interrupt_inside_a_lock_of_python_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Condition that is waited for has let go of its lock when the signal comes."""

    def main(_: list[str]) -> int:
        lock = threading.Lock()
        with lock:
            lock.release()
            raise KeyboardInterrupt

    monkeypatch.setattr(workbook, "end_by_signals", lambda: None)
    monkeypatch.setattr(workbook, "import_module", lambda _: SimpleNamespace(main=main))
    assert workbook.main(["race"]) == INTERRUPTED
