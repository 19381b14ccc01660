# SPDX-License-Identifier: MIT
"""A command in a terminal of a given size, and what is seen there in the end."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support import LIMIT, environment


@dataclass(frozen=True)
class Session:
    status: int
    out: str  # all that was written, with its control codes

    @property
    def screen(self) -> list[str]:
        return seen(self.out)


def in_terminal(
    command: Sequence[str],
    folder: Path,
    columns: int = 80,
    rows: int = 50,
    env: Mapping[str, str] | None = None,
    when: Callable[[str], int] = lambda text: 0,
) -> Session:
    """Runs it with stdout and stderr in a terminal. when(text so far) may give a signal for its
    group."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        list(command),
        cwd=folder,
        env=environment(**{"TERM": "xterm", "NO_COLOR": "", **(env or {})}),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    watch = threading.Timer(LIMIT, os.killpg, (process.pid, signal.SIGKILL))
    watch.start()
    text, sent = "", False
    while part := read(ours):
        text += part
        if not sent and (number := when(text)):
            sent = True
            os.killpg(process.pid, number)
    os.close(ours)
    status = process.wait()
    watch.cancel()
    assert "Traceback (most recent call last)" not in text, text
    return Session(status, text.replace("\r\n", "\n"))


def read(terminal: int) -> str:
    try:
        return os.read(terminal, 1 << 16).decode("utf-8", "replace")
    except OSError:  # all that wrote have ended
        return ""


def seen(text: str) -> list[str]:
    """The lines of a screen that is high enough: carriage returns, cursor up, clear the rest of a
    line."""
    lines, row, column = [""], 0, 0
    for code in re.findall(r"\033\[[0-9;]*[A-Za-z]|.|\n", text):
        if code == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif code == "\r":
            column = 0
        elif code.endswith("A") and len(code) > 1:
            row = max(0, row - int(code[2:-1] or 1))
        elif code.endswith("K") and len(code) > 1:
            lines[row] = lines[row][:column]
        elif len(code) == 1:
            lines[row] = f"{lines[row][:column]:<{column}}{code}{lines[row][column + 1 :]}"
            column += 1
    return [line.rstrip() for line in lines if line.strip()]
