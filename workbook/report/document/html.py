# SPDX-License-Identifier: MIT
"""report.md as a page: Markdown as GitHub reads it, plots as figures, tables in a frame, a table of
contents; all styles and images inside. The text is a student's: HTML in it that could do or fetch
something goes."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

import tinyhtml5
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from workbook import TOP
from workbook.report.document.sanitize_html import Say, clean, known_elements

LOOK = TOP / "report_template"
HEADINGS = ("h1", "h2", "h3")
SYMBOLS = {r"\cdot": "·", r"\times": "×", r"\le": "≤", r"\ge": "≥", r"\approx": "≈", r"\pi": "π"}
ADDRESS = re.compile(r"""(https?://[^\s<>]*[^\s<>.,:;!?"'()\[\]*_])""")
LONG = 15  # rows of a table that may be cut in two on paper


def page(text: str, folder: Path, say: Say) -> str:
    """The whole page. Images are looked for in the folder; what is left out is said."""
    body = parsed(text, say)
    clean(body, folder, say)
    arrange(body)
    header, main = split(body)
    title = header.find("h1")
    return Template((LOOK / "report.html").read_text("utf-8")).substitute(
        name="Report" if title is None else html.escape("".join(title.itertext()).strip()),
        styles=(LOOK / "report.css").read_text("utf-8"),
        header=inside(header),
        contents=inside(contents(main)),
        main=inside(main),
    )


def parsed(text: str, say: Say) -> Element:
    def raw(_: RendererHTML, tokens: Sequence[Token], number: int, *__: object) -> str:
        return known_elements(tokens[number].content, say)

    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    markdown.validateLink = lambda url: True  # type: ignore[method-assign] # clean() looks at all links
    markdown.use(footnote_plugin).use(anchors_plugin, max_level=6)
    markdown.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        renderer=formula,
    )
    markdown.core.ruler.push("addresses", addresses)
    markdown.add_render_rule("html_inline", raw)
    markdown.add_render_rule("html_block", raw)
    document = tinyhtml5.parse(
        f"<!DOCTYPE html><body>{markdown.render(text)}", namespace_html_elements=False
    )
    body: Element = document.find("body")
    return body


def formula(tex: str, _: dict[str, Any]) -> str:
    """A simple one as letters, or its TeX."""
    letters = html.escape(
        re.sub(r"\\[a-z]+", lambda found: SYMBOLS.get(found[0], found[0]), tex.strip())
    )
    if "\\" in letters:
        return html.escape(tex)
    for sign, tag in (("^", "sup"), ("_", "sub")):
        letters = re.sub(rf"\{sign}(?:{{([^{{}}]*)}}|(\w))", rf"<{tag}>\1\2</{tag}>", letters)
    return letters


def addresses(state: StateCore) -> None:
    """Those in a text become links."""
    for token in state.tokens:
        inside, children = 0, []
        for child in token.children or []:
            inside += child.nesting if child.type in ("link_open", "link_close") else 0
            children += linked(child) if child.type == "text" and not inside else [child]
        token.children = children if token.children else token.children


def linked(text: Token) -> list[Token]:
    tokens = []
    for number, part in enumerate(ADDRESS.split(text.content)):
        words = Token("text", "", 0, content=part)
        link = [
            Token("link_open", "a", 1, attrs={"href": part}),
            words,
            Token("link_close", "a", -1),
        ]
        tokens += link if number % 2 else [words]
    return tokens


def arrange(parent: Element) -> None:
    """What a plain element becomes: a figure, a question, a table in its frame."""
    for number, child in enumerate(list(parent)):
        arrange(child)
        if child.tag == "p" and is_figure(child):
            figure(child)
        elif (
            child.tag == "p"
            and len(child)
            and child[0].tag == "strong"
            and not (child.text or "").strip()
        ):
            child.set("class", "question")  # on paper, its answer begins on the same page
        elif child.tag == "table":
            frame = framed(child)
            frame.tail, child.tail = child.tail, None
            parent[number] = frame


def is_figure(paragraph: Element) -> bool:
    """Whether it is one image with a caption."""
    words = (paragraph.text or "") + "".join(child.tail or "" for child in paragraph)
    return (
        len(paragraph) == 1
        and paragraph[0].tag == "img"
        and bool(paragraph[0].get("alt"))
        and not words.strip()
    )


def figure(paragraph: Element) -> None:
    """The caption is the alternative text, too, and is read aloud once."""
    paragraph.tag = "figure"
    caption = Element("figcaption", {"aria-hidden": "true"})
    caption.text = paragraph[0].get("alt")
    paragraph.append(caption)


def framed(table: Element) -> Element:
    """In a frame, which scrolls if the table is wider than the screen. On paper, a short table
    stays on one page."""
    height = "long" if len(list(table.iter("tr"))) - 1 > LONG else "short"
    frame = Element("div", {"class": f"table {height}", "tabindex": "0"})
    frame.append(table)
    return frame


def split(body: Element) -> tuple[Element, Element]:
    """The title, and what stands below it, come before the table of contents."""
    header, main = Element("header"), Element("main")
    blocks = list(body)
    if blocks and blocks[0].tag == "h1":
        end = next(
            (n for n, block in enumerate(blocks) if n and block.tag in HEADINGS), len(blocks)
        )
        header.extend(blocks[:end])
        blocks = blocks[end:]
    else:
        main.text = body.text
    main.extend(blocks)
    return header, main


def contents(main: Element) -> Element:
    """Lists of the headings, in lists."""
    nav = Element("nav")
    lists: list[tuple[int, Element]] = []  # that are open, with the level of their headings
    for heading in main.iter():
        if heading.tag in HEADINGS and heading.get("id"):
            level = int(heading.tag[1])
            while lists and lists[-1][0] > level:
                lists.pop()
            if not lists or lists[-1][0] < level:
                lists.append((level, SubElement(lists[-1][1][-1] if lists else nav, "ul")))
            link = SubElement(SubElement(lists[-1][1], "li"), "a", href=f"#{heading.get('id')}")
            link.text = "".join(heading.itertext())
    return nav


def inside(element: Element) -> str:
    return html.escape(element.text or "") + "".join(
        tostring(child, "unicode", "html") for child in element
    )
