# SPDX-License-Identifier: MIT
"""How a program is run: nothing of it outlives its end, whatever interrupts us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import TOP, await_file, environment
from workbook.core import process

# Runs a program that ignores polite signals, and notes when it is asked to end.
RUNS = """
import signal, sys
from pathlib import Path
from workbook.core import process
process.end_by_signals()
process.GRACE = float(sys.argv[3])
try:
    process.run(["sh", "-c", '''
        trap ': >asked; echo asked >asked' TERM
        echo $$ >pid
        while :; do read x <>fifo; done
    '''], Path(sys.argv[1]), float(sys.argv[2]))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (signal.SIGTERM, signal.SIGHUP),
        (signal.SIGINT, signal.SIGQUIT),
        (signal.SIGINT, signal.SIGINT),
        (signal.SIGHUP, signal.SIGTERM),
    ],
)
def test_a_second_signal_does_not_save_what_runs(
    tmp_path: Path, first: signal.Signals, second: signal.Signals
) -> None:
    os.mkfifo(tmp_path / "fifo")
    process = subprocess.Popen(
        [sys.executable, "-c", RUNS, str(tmp_path), "600", "2"],
        cwd=TOP,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    )
    pid = int(await_file(tmp_path / "pid"))
    process.send_signal(first)
    await_file(tmp_path / "asked")
    process.send_signal(second)
    assert process.communicate(timeout=60)[1] == ""
    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.killpg(pid, 0)


def test_a_signal_while_one_is_ended_at_its_limit(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    process = subprocess.Popen(
        [sys.executable, "-c", RUNS, str(tmp_path), "1", "60"],
        cwd=TOP,
        env=environment(),
    )
    pid = int(await_file(tmp_path / "pid"))
    await_file(tmp_path / "asked")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130  # before its time to end is over
    with pytest.raises(ProcessLookupError):
        os.killpg(pid, 0)


def test_it_is_ended_once_there_is_enough(tmp_path: Path) -> None:
    script = "echo one >&2; sleep 0.5; echo two >&2; sleep 60"
    outcome = process.run(["sh", "-c", script], tmp_path, 50, enough=lambda said: "two" in said)
    assert (outcome.err, outcome.timed_out) == ("one\ntwo\n", False)
