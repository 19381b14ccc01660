# SPDX-License-Identifier: MIT
"""Of a student's HTML, what is only text: no element and no attribute that could do or fetch
something, and all images in the page itself. What is left out is said."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree.ElementTree import Element

Say = Callable[[str], None]

ELEMENTS = frozenset(
    "a abbr b blockquote br caption cite code col colgroup dd del details dfn div dl dt em "
    "figcaption figure "
    "h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strong sub summary "
    "sup table "
    "tbody td tfoot th thead tr u ul var".split()
)
# What stands in these is no text.
HIDDEN = frozenset(
    "script style iframe object svg math template noscript title select textarea video "
    "audio".split()
)
NUMBER = r"\d{1,4}"
NAMES = r"[\w -]*"
ATTRIBUTES = {  # those that may stay, with what may be in them
    ("a", "href"): r".*",
    ("img", "src"): r"data:image/.*",
    ("img", "alt"): r".*",
    ("img", "width"): NUMBER,
    ("img", "height"): NUMBER,
    ("ol", "start"): NUMBER,
    ("td", "colspan"): NUMBER,
    ("td", "rowspan"): NUMBER,
    ("th", "colspan"): NUMBER,
    ("th", "rowspan"): NUMBER,
    ("td", "style"): r"text-align:\s*(left|right|center);?",
    ("th", "style"): r"text-align:\s*(left|right|center);?",
}
EVERYWHERE = {"id": NAMES, "class": NAMES}
SCHEMES = {"http", "https", "mailto"}
STARTS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif"}


class _Raw(HTMLParser):
    """Takes a piece of HTML apart, and keeps what may be kept."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self.kept: list[str] = []
        self.hidden: list[str] = []
        self.say = say

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ELEMENTS:
            self.say(
                f"<{tag}> is left out of the page: it is for reading, and fetches and runs nothing"
            )
        if tag in HIDDEN:
            self.hidden.append(tag)
        elif tag in ELEMENTS and not self.hidden:
            given = "".join(
                f' {name}="{escape(value or "")}"' for name, value in attrs if name.isidentifier()
            )
            self.kept.append(f"<{tag}{given}>")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.hidden:
            del self.hidden[self.hidden.index(tag) :]
        elif tag in ELEMENTS and not self.hidden:
            self.kept.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.kept.append(escape(data))


def known_elements(raw: str, say: Say) -> str:
    """Raw HTML without elements that are not for reading, and without comments."""
    parser = _Raw(say)
    parser.feed(raw)
    parser.close()
    return "".join(parser.kept)


def clean(element: Element, folder: Path, say: Say) -> None:
    """The same for the attributes, links and images of all elements. The folder has the images."""
    for child in element.iter():
        if child.tag == "img":
            embed(child, folder, say)
        # A browser overlooks white space and control characters here.
        scheme = re.match(r"([A-Za-z][\w+.-]*):", re.sub(r"[\0-\x20]", "", child.get("href", "")))
        if scheme and scheme[1].lower() not in SCHEMES:
            say(
                f"the link to {scheme[1]}: is left out of the page: it is for reading, and runs "
                "nothing"
            )
            child.tag = "span"
        for name, value in list(child.items()):
            allowed = ATTRIBUTES.get((child.tag, name), EVERYWHERE.get(name))
            if allowed is None or not re.fullmatch(allowed, value, re.DOTALL):
                del child.attrib[name]


def embed(image: Element, folder: Path, say: Say) -> None:
    """The image comes into the page, or a text that says it is missing."""
    name = image.get("src", "")
    data, wrong = data_of(name, folder)
    if wrong:
        say(f"the image {name} {wrong}")
        image.tag, caption = "em", image.get("alt", "")
        image.text = f"(no image here: {name})" + (f" {caption}" if caption else "")
    image.set("src", data)


def data_of(name: str, folder: Path) -> tuple[str, str]:
    """As a data: URI, or what is wrong."""
    if name.startswith("data:image/"):
        return name, ""
    if re.match(r"[A-Za-z][\w+.-]*:|//", name):
        return (
            "",
            "is elsewhere, and is not fetched: save it in the folder of the report and name it so",
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
