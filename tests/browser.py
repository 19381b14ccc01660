# SPDX-License-Identifier: MIT
"""A Chromium with real keys, told what to do through two pipes: the DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support import environment, needs

LIMIT = 60.0  # seconds for an answer
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"),
]
KEYS = {
    " ": ("Space", 32),
    "Tab": ("Tab", 9),
    "Enter": ("Enter", 13),
    "Home": ("Home", 36),
    "End": ("End", 35),
}
KEYS |= {"ArrowLeft": ("ArrowLeft", 37), "ArrowRight": ("ArrowRight", 39)}
TEXT = {"Enter": "\r", " ": " "}


class Browser:
    def __init__(self, profile: Path) -> None:
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()

        def third_and_fourth() -> None:  # where a browser expects them
            kept = os.dup(from_browser)
            os.dup2(to_browser, 3)
            os.dup2(kept, 4)

        self.process = subprocess.Popen(
            ["chromium", *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            env=environment(HOME=str(profile)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=third_and_fourth,
            pass_fds=(3, 4),
        )
        os.close(to_browser)
        os.close(from_browser)
        self.number = 0
        self.heard = b""
        self.events: list[dict[str, Any]] = []

    def ask(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next_message()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def next_message(self) -> dict[str, Any]:
        end = time.monotonic() + LIMIT
        while b"\0" not in self.heard:
            ready, _, _ = select.select([self.read], [], [], max(0.0, end - time.monotonic()))
            assert ready, "chromium does not answer"
            more = os.read(self.read, 1 << 20)
            assert more, "chromium has ended"
            self.heard += more
        first, _, self.heard = self.heard.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        return message

    def close(self) -> None:
        os.close(self.write)  # it ends with the pipe
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read)


class Page:
    """A tab that shows a file."""

    def __init__(
        self,
        browser: Browser,
        address: str,
        size: tuple[int, int],
        media: dict[str, str],
    ) -> None:
        self.browser = browser
        self.target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.ask("Target.attachToTarget", targetId=self.target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")
        width, height = size
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )
        features = [{"name": name, "value": value} for name, value in media.items()]
        self.ask("Emulation.setEmulatedMedia", features=features)
        browser.events.clear()
        self.ask("Page.navigate", url=address)
        self.await_event("Page.loadEventFired")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.browser.ask(method, self.session, **parameters)

    def await_event(self, method: str) -> None:
        while not any(event["method"] == method for event in self.browser.events):
            self.browser.events.append(self.browser.next_message())

    def value(self, expression: str) -> Any:
        """What an expression is, as JSON has it."""
        said = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in said, (expression, said["exceptionDetails"])
        return said["result"].get("value")

    def text(self, what: str) -> str:
        """Of all elements that a selector finds."""
        found = self.value(
            f"[...document.querySelectorAll({json.dumps(what)})].map(e => e.innerText).join('\\n')"
        )
        return str(found)

    def go(self, fragment: str) -> None:
        self.value(
            f"location.hash = {json.dumps(fragment)}, new Promise(done => setTimeout(done, 50))"
        )

    def press(self, key: str, times: int = 1) -> None:
        code, number = KEYS[key]
        about = {"key": key, "code": code, "windowsVirtualKeyCode": number}
        for _ in range(times):
            more = {"text": TEXT[key]} if key in TEXT else {}
            self.ask("Input.dispatchKeyEvent", type="keyDown", **about, **more)
            self.ask("Input.dispatchKeyEvent", type="keyUp", **about)

    def write(self, text: str) -> None:
        self.ask("Input.insertText", text=text)

    def picture(self, file: Path, whole: bool = True) -> None:
        said = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(said["data"]))

    def requests(self) -> list[str]:
        """Addresses that the page asked for since it was opened."""
        asked = [
            event for event in self.browser.events if event["method"] == "Network.requestWillBeSent"
        ]
        return [event["params"]["request"]["url"] for event in asked]

    def mistakes(self) -> list[str]:
        """What went wrong in its programs."""
        of = ("Runtime.exceptionThrown", "Log.entryAdded")
        return [
            json.dumps(event["params"]) for event in self.browser.events if event["method"] in of
        ]

    def close(self) -> None:
        self.browser.ask("Target.closeTarget", targetId=self.target)


@contextmanager
def chromium() -> Iterator[Browser]:
    needs("chromium")
    profile = Path(tempfile.mkdtemp(prefix="chromium-"))
    browser = Browser(profile)
    try:
        yield browser
    finally:
        browser.close()
        shutil.rmtree(profile, ignore_errors=True)


@contextmanager
def opened(
    browser: Browser,
    address: str,
    size: tuple[int, int] = (1280, 900),
    **media: str,
) -> Iterator[Page]:
    """`media`: prefers_color_scheme="dark", say."""
    page = Page(browser, address, size, {k.replace("_", "-"): v for k, v in media.items()})
    try:
        yield page
    finally:
        page.close()
