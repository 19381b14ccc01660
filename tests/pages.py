# SPDX-License-Identifier: MIT
"""A browser for the report's page, and a listener in place of the network."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support import Result, needs, run

OF_THE_BROWSER = re.compile(r"[/. ](google|googleapis|gvt1)\.com")  # for its own sake
QUIET = (
    "chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run "
    "--disable-background-networking --disable-component-update --enable-logging=stderr "
    "--virtual-time-budget=3000 --proxy-bypass-list=<-loopback> --dump-dom"
).split()


@dataclass(frozen=True)
class Listener:
    port: int
    heard: list[str]

    def asked(self) -> list[str]:
        return [line for line in self.heard if not OF_THE_BROWSER.search(line)]


@contextmanager
def listener() -> Iterator[Listener]:
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            heard.append(self.requestline)
            self.send_error(404)

        do_GET = do_POST = do_HEAD = do_CONNECT = answer

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Listener(server.server_port, heard)
    finally:
        server.shutdown()
        server.server_close()


def browse(page: Path, profile: Path, port: int, *flags: str) -> Result:
    """The elements of a page, as a browser has them; the console is on its stderr. Whatever it asks
    for, it asks the listener."""
    needs("chromium")
    where = (f"--proxy-server=http://127.0.0.1:{port}", f"--user-data-dir={profile}")
    words = [*QUIET, *where, *flags, page.as_uri()]
    return run(words, profile.parent, seconds=60, env={"HOME": str(profile.parent)})
