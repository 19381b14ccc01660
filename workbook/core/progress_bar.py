# SPDX-License-Identifier: MIT
"""Long work says on stderr what it is at and how long it may still take: in a terminal one line
with a bar, which goes away; elsewhere a line now and then, and none of what is over soon."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

SOON = 2.0  # seconds: what is over then was not worth a line
SELDOM = 10.0  # seconds from line to line, or a tenth of all, where that is more
PLAIN = 80  # columns of a line where there is no terminal
BAR = 20  # columns, or a quarter of them all


def is_terminal(stream: TextIO) -> bool:
    """One in which what was written can be written over."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colours(stream: TextIO) -> bool:
    return is_terminal(stream) and not os.environ.get("NO_COLOR")


def in_words(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class ProgressBar:
    """It goes away where its `with` ends. Any thread may say what it is at; who prints meanwhile
    does so by print(), which makes room."""

    def __init__(self, command: str, about: float) -> None:
        self.command, self.about = command, about  # seconds that it may take in all
        self.start = time.monotonic()
        self.now: list[str] = []
        self._guard = threading.RLock()
        self._due = SOON
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    @contextmanager
    def at(self, what: str) -> Iterator[None]:
        with self._guard:
            self.now.append(what)
        self.show()
        try:
            yield
        finally:
            with self._guard:
                self.now.remove(what)

    def show_only(self, what: str) -> None:
        """Where one thing is done at a time."""
        with self._guard:
            self.now = [what]
        self.show()

    def done(self, part: float, start: float = 0.0) -> None:
        """A part of the work, 0.25 say, which began at so many seconds: the rest takes as long, in
        proportion."""
        if part > 0:
            self.about = start + (self.seconds() - start) / part

    def seconds(self) -> float:
        return time.monotonic() - self.start

    def show(self) -> None:
        """It is shown anew every second, too."""
        with self._guard:
            if self._over.is_set():
                return
            if self._ticker.ident is None:
                self._ticker.start()
            if is_terminal(sys.stderr):
                self._overwrite(self._line(min(BAR, columns() // 4)))
            elif self.seconds() >= self._due:
                self._due = self.seconds() + max(SELDOM, self.about / 10)
                line = f"{self.command}: {self._left()}: {', '.join(self.now)}"
                self._write(f"{fit(line, PLAIN)}\n")

    def print(self, text: str) -> None:
        """To stdout, where the line may stand in the same terminal."""
        with self._guard:
            self._overwrite("")
            print(text, flush=True)
            if self._ticker.is_alive():
                self.show()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        with self._guard:
            self._overwrite("")

    def _tick(self) -> None:
        while not self._over.wait(1):
            self.show()

    def _left(self) -> str:
        left = self.about - self.seconds()
        if left >= 1:
            return f"about {in_words(left)} left"
        longer = ", longer than expected" if left <= -1 and self.about > 0 else ""
        return f"{in_words(self.seconds())} so far{longer}"

    def _line(self, width: int) -> str:
        if self.seconds() >= self.about:  # a full bar would say that it is over
            return f"{self.command}: {self._left()}: {', '.join(self.now)}"
        part = self.seconds() / self.about
        bar = "#" * int(width * part)
        return f"{self.command} [{bar:<{width}}] {self._left()}: {', '.join(self.now)}"

    def _overwrite(self, line: str) -> None:
        if is_terminal(sys.stderr):
            width = columns() - 1  # in the last column some terminals begin a new line
            self._write(f"\r{fit(line, width):<{width}}\r")

    def _write(self, text: str) -> None:
        try:
            print(text, end="", file=sys.stderr, flush=True)
        except (OSError, ValueError):  # nobody reads it; the work goes on
            self._over.set()


def fit(line: str, width: int) -> str:
    """As many words of it as there is room for: half of a size would be another one."""
    if len(line) <= width:
        return line
    return line[: width + 1].rpartition(" ")[0][:width] or line[:width]


def columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
