# SPDX-License-Identifier: MIT
"""The page in Firefox, by its own protocol (Marionette): it says there what it says in Chromium."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import chromium, opened
from tests.steps import labs
from tests.support import environment, needs
from workbook.page import assemble

pytestmark = pytest.mark.slow

LIMIT = 60.0  # seconds
VIEWS = ["03", "04-beside", "05", "07-beside", "07-pair", "04-08", "if"]


class Firefox:
    def __init__(self, port: int) -> None:
        end = time.monotonic() + LIMIT
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), LIMIT)
                break
            except ConnectionRefusedError:
                assert time.monotonic() < end, "firefox does not begin"
                time.sleep(0.2)
        self.heard = b""
        self.message()  # who it is
        self.ask("WebDriver:NewSession")

    def message(self) -> Any:
        """LENGTH:JSON"""
        while b":" not in self.heard:
            self.more()
        length, _, self.heard = self.heard.partition(b":")
        while len(self.heard) < int(length):
            self.more()
        text, self.heard = self.heard[: int(length)], self.heard[int(length) :]
        return json.loads(text)

    def more(self) -> None:
        found = self.socket.recv(1 << 16)
        assert found, "firefox has ended"
        self.heard += found

    def ask(self, command: str, **parameters: Any) -> Any:
        text = json.dumps([0, 1, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, _, mistake, result = self.message()
        assert mistake is None, mistake
        return result

    def value(self, expression: str) -> Any:
        return self.ask("WebDriver:ExecuteScript", script=f"return {expression}", args=[])["value"]


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[Firefox]:
    needs("firefox-esr")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    running = subprocess.Popen(
        ["firefox-esr", "--headless", "--marionette", "--profile", profile],
        env=environment(HOME=str(tmp_path)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Firefox(port)
    finally:
        running.terminate()
        running.wait(LIMIT)
        shutil.rmtree(profile, ignore_errors=True)


def test_firefox_says_what_chromium_says(firefox: Firefox, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(assemble.page(labs()), encoding="utf-8")
    drawings = "document.querySelectorAll('svg').forEach(e => e.remove())"  # spaced as each likes
    said = f"({drawings}, document.body.innerText.replace(/\\s+/g, ' '))"
    with chromium() as browser:
        for view in VIEWS:
            address = f"{file.as_uri()}#view={view}&show=1&step=16"
            with opened(browser, address) as page:
                firefox.ask("WebDriver:Navigate", url="about:blank")
                firefox.ask("WebDriver:Navigate", url=address)
                assert firefox.value(said) == page.value(said), view
            assert len(firefox.value(said)) > 200
