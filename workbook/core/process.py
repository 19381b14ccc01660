# SPDX-License-Identifier: MIT
"""Runs a program within limits of time, output and memory. It leads a process group of its own,
which ends as a whole: with the program, when its time is over, or when we are interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, NamedTuple

OUTPUT = 100 << 20  # bytes that a program may write into one file, and so to its output
READ = 1 << 20  # bytes of its output that are looked at: the last
LOOK = 0.2  # seconds until its stderr is looked at again
GRACE = 2.0  # seconds to end in, after a first polite signal

STACK = 8 << 20  # bytes of it that a kernel has, whatever the shell says that started us

# A lower limit that is there already stays.
WITHIN = f"""ulimit -S -f $1 2>/dev/null
[ -z "$2" ] || {{ ulimit -d $2; ulimit -s {STACK // 1024}; }} 2>/dev/null
shift 2; exec "$@\""""


class Outcome(NamedTuple):  # dataclasses take as long to import as Python to start
    """How a program ended. The status is negative for a signal."""

    status: int
    out: str
    err: str
    timed_out: bool
    limit: float  # seconds that it had

    @property
    def crashed(self) -> bool:
        return self.status < 0 and not self.timed_out and not self.wrote_too_much

    @property
    def wrote_too_much(self) -> bool:
        return self.status == -signal.SIGXFSZ


_running: set[subprocess.Popen[bytes]] = set()  # by any thread
_ending = False
_guard = threading.Lock()
_starting = False  # a program, by the main thread, which signals interrupt; written under the guard
_interrupted = False


def run(
    command: Sequence[str],
    folder: Path,
    seconds: float,
    environment: dict[str, str] | None = None,
    memory: int | None = None,
    shown: bool = False,
    output: int = OUTPUT,
    given: IO[bytes] | None = None,
    read: int = READ,
    enough: Callable[[str], bool] | None = None,
) -> Outcome:
    """Runs a command in a folder; memory, and output into one file, in bytes. Who has a limit of
    memory has one of the stack, too. What it is given is its input. Its output is shown as it
    comes, or kept, of each stream the last bytes that are to be read. It is ended once there is
    enough in its stderr."""
    global _starting
    limits = [str(output // 512), "" if memory is None else str(memory // 1024)]
    with _in_memory("out") as out, _in_memory("err") as err:
        timed_out = False
        process: subprocess.Popen[bytes] | None = None
        try:
            with _guard:
                if _ending:
                    raise KeyboardInterrupt
                try:
                    _starting = threading.current_thread() is threading.main_thread()
                    process = subprocess.Popen(
                        ["/bin/sh", "-c", WITHIN, "sh", *limits, *command],
                        cwd=folder,
                        env=environment,
                        stdin=given or subprocess.DEVNULL,
                        stdout=None if shown else out,
                        stderr=None if shown else err,
                        start_new_session=True,
                    )
                    _running.add(process)
                finally:
                    _starting = False
            if _interrupted:
                raise KeyboardInterrupt
            if enough is None:
                process.wait(timeout=seconds)
            else:
                _await(process, seconds, lambda: enough(_so_far(err)))
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            if process is not None:
                _end(process)
                with _guard:
                    _running.discard(process)
        assert process is not None
        if _ending:  # it was ended by us: what became of it says nothing
            raise KeyboardInterrupt
        return Outcome(
            _status(process.returncode), _tail(out, read), _tail(err, READ), timed_out, seconds
        )


def _in_memory(name: str) -> IO[bytes]:
    """A file of no disk, where the system has that: a full disk can still be told."""
    if not hasattr(os, "memfd_create"):  # macOS
        return tempfile.TemporaryFile()
    return os.fdopen(os.memfd_create(name), "w+b")


def _await(process: subprocess.Popen[bytes], seconds: float, enough: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while process.poll() is None and not enough():
        if time.monotonic() > end:
            raise subprocess.TimeoutExpired(process.args, seconds)
        time.sleep(LOOK)


def end_by_signals() -> None:
    """Ctrl-C and its like end what runs; those that we were started to ignore, as by nohup, do
    not."""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)


def _interrupt(_number: int, _frame: object) -> None:
    """A program that is about to start must be known first, or nobody would end it."""
    global _interrupted
    if _interrupted:  # once is enough, and the ending is not to be interrupted, by whichever signal
        return
    _interrupted = True
    if not _starting:
        raise KeyboardInterrupt


def end_all() -> None:
    """Ends whatever runs in other threads, and lets nothing start any more."""
    global _ending
    with _guard:
        _ending = True
        left = list(_running)
    for process in left:
        _signal(process, signal.SIGTERM)
    end = time.monotonic() + GRACE
    while time.monotonic() < end and any(process.poll() is None for process in left):
        time.sleep(0.02)
    for process in left:
        _signal(process, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        if process.poll() is None:
            _signal(process, signal.SIGTERM)
            process.wait(timeout=GRACE)
    except subprocess.TimeoutExpired:
        pass
    finally:  # also when we are interrupted here
        _signal(process, signal.SIGKILL)  # it, or what it left behind
        process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):  # nobody is left; macOS says so by the latter
        pass


def _status(code: int) -> int:
    """What a shell, or mpirun, says of a signal that ended its program is taken for that."""
    return 128 - code if 128 < code < 160 else code


def _so_far(file: IO[bytes]) -> str:
    """The first bytes, while it is written: its position is the program's, too."""
    return os.pread(file.fileno(), READ, 0).decode("utf-8", "replace")


def _tail(file: IO[bytes], most: int) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - most))
    return file.read().decode("utf-8", "replace")
