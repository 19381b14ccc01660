# SPDX-License-Identifier: MIT
"""Of HTML in a student's text, what is for reading: elements without attributes, links to the web,
and images, which come into the page. What is left out is said."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

Say = Callable[[str], None]

PLAIN = frozenset(
    "abbr b blockquote br caption cite code col colgroup dd del details dfn div dl dt em "
    "figcaption figure h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q s samp small span "
    "strong sub summary sup table tbody td tfoot th thead tr u ul var".split()
)
# What stands in these is no text.
HIDDEN = frozenset(
    "audio iframe math noscript object script select style svg template textarea title "
    "video".split()
)
STARTS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif"}


def is_harmless(url: str) -> bool:
    """Whether a link leads to the web or into the folder, and runs nothing. A browser overlooks
    white space and control characters."""
    scheme = re.match(r"([a-z][\w+.-]*):", re.sub(r"[\0-\x20]", "", url).lower())
    return scheme is None or scheme[1] in ("http", "https", "mailto")


def known_elements(raw: str, folder: Path, say: Say) -> str:
    """A piece of HTML without what could do or fetch something, and without comments."""
    parser = _Reader(folder, say)
    parser.feed(raw)
    parser.close()
    return "".join(parser.kept)


class _Reader(HTMLParser):
    def __init__(self, folder: Path, say: Say) -> None:
        super().__init__()
        self.folder, self.say = folder, say
        self.kept: list[str] = []
        self.hidden: list[str] = []  # elements that are open and are left out with what is in them

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in HIDDEN:
            self.hidden.append(tag)
        if self.hidden or tag not in PLAIN | {"a", "img"}:
            self.say(
                f"<{tag}> is left out of the page: it is for reading, and fetches and runs nothing"
            )
        elif tag == "img":
            width = given.get("width", "")
            image = embedded(
                given.get("src", ""), given.get("alt", ""), width, self.folder, self.say
            )
            self.kept.append(image)
        elif tag == "a" and is_harmless(given.get("href", "")):
            self.kept.append(f'<a href="{escape(given.get("href", ""))}">')
        else:
            self.kept.append(f"<{tag}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.hidden:
            del self.hidden[self.hidden.index(tag) :]
        elif tag in PLAIN | {"a"} and not self.hidden:
            self.kept.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.kept.append(escape(data))


def embedded(name: str, caption: str, width: str, folder: Path, say: Say) -> str:
    """An image as it comes into the page, or a text that says it is missing."""
    data, wrong = data_of(name, folder)
    if wrong:
        say(f"the image {name} {wrong}")
        return f"<em>(no image here: {escape(name)}) {escape(caption)}</em>"
    size = f' width="{width}"' if re.fullmatch(r"\d{1,4}", width) else ""
    return f'<img src="{data}" alt="{escape(caption)}"{size}>'


def data_of(name: str, folder: Path) -> tuple[str, str]:
    """As a data: URI, or what is wrong."""
    if re.match(r"[A-Za-z][\w+.-]*:|//", name):
        return "", (
            "is elsewhere, and is not fetched: save it in the folder of the report and name it so"
        )
    try:
        content = (folder / unquote(name)).read_bytes()
    except (OSError, ValueError):
        return "", "is not there, or may not be read: is its name right, as seen from report.md?"
    kind = kind_of(content)
    if not kind:
        return "", "is no image that a browser shows: save it as PNG, JPEG or SVG"
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}", ""


def kind_of(content: bytes) -> str:
    """By its first bytes, as a name may end in anything."""
    for start, kind in STARTS.items():
        if content.startswith(start):
            return kind
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return "webp"
    return "svg+xml" if re.search(rb"<svg[\s>]", content) else ""
