# SPDX-License-Identifier: MIT
"""One line in a terminal: what runs now, and how long it may take in all. Elsewhere there is none."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

WIDTH = 79


class Progress:
    """Any thread may say what it is at; show() is for the main thread, about once a second."""

    def __init__(self, command: str, about: float) -> None:
        self.command, self.about = command, about
        self.start = time.monotonic()
        self.now: list[str] = []
        self.guard = threading.Lock()

    @contextmanager
    def at(self, what: str) -> Iterator[None]:
        with self.guard:
            self.now.append(what)
        try:
            yield
        finally:
            with self.guard:
                self.now.remove(what)

    def seconds(self) -> float:
        return time.monotonic() - self.start

    def show(self) -> None:
        with self.guard:
            now = ", ".join(self.now)
        self._overwrite(f"{self.command}: {self.seconds():.0f} s of about {self.about:.0f}: {now}")

    def show_only(self, what: str) -> None:
        """Where one thing is done at a time."""
        with self.guard:
            self.now = [what]
        self.show()

    def clear(self) -> None:
        self._overwrite("")

    def _overwrite(self, line: str) -> None:
        if sys.stderr.isatty():
            print(f"\r{line[:WIDTH]:<{WIDTH}}\r", end="", file=sys.stderr, flush=True)
