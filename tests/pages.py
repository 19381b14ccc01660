# SPDX-License-Identifier: MIT
"""What the tests of the report's page share: a page as it is written, a browser, and a listener in
place of the network."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("tinyhtml5", reason="tinyhtml5 is not installed")

from tests.reports import full_report
from tests.support import Result, needs, run
from workbook import UserError

OF_THE_BROWSER = re.compile(r"[/. ](google|googleapis|gvt1)\.com")  # for its own sake


@dataclass(frozen=True)
class Written:
    """How it ended, and the lines that were said."""

    status: int
    said: list[str]


def write(folder: Path, capsys: pytest.CaptureFixture[str]) -> Written:
    from workbook.report.document import render

    capsys.readouterr()
    try:
        render.write(folder)
        return Written(0, said(capsys))
    except UserError as mistake:
        return Written(2, [*said(capsys), str(mistake)])


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    out, err = capsys.readouterr()
    assert out == ""
    return err.splitlines()


def example(folder: Path) -> Path:
    """A report in which nothing is missing, with its plots and page."""
    from workbook.report.document.write import write

    assert write(full_report(folder), quick=False) == 0
    return folder


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
    quiet = ("--no-first-run", "--disable-background-networking", "--disable-component-update")
    proxy = (f"--proxy-server=http://127.0.0.1:{port}", "--proxy-bypass-list=<-loopback>")
    return run(
        [
            *(
                "chromium",
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                *quiet,
                *proxy,
            ),
            *(
                f"--user-data-dir={profile}",
                "--enable-logging=stderr",
                "--virtual-time-budget=3000",
            ),
            *("--dump-dom", *flags, page.as_uri()),
        ],
        profile.parent,
        seconds=60,
        env={"HOME": str(profile.parent)},
    )
