# SPDX-License-Identifier: MIT
"""report.md as a page, FOLDER/report.html: Markdown as GitHub reads it, plots as figures, tables in
a frame, a table of contents; all styles and images inside. The text is a student's: of HTML in it
only what is for reading stays (raw_html), so nothing is fetched or run."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from workbook import TOP, UserError
from workbook.report.data.files import put, read
from workbook.report.document.raw_html import Say, embedded, is_harmless, known_elements

PAGE = "report.html"
LOOK = TOP / "report_template"
HEADINGS = ("h1", "h2", "h3")
SYMBOLS = {r"\cdot": "·", r"\times": "×", r"\le": "≤", r"\ge": "≥", r"\approx": "≈", r"\pi": "π"}
LONG = 15  # rows of a table that may be cut in two on paper


def write(report: Path) -> None:
    """Replaces the page whole, or not at all. Prints on stderr what it leaves out."""
    try:
        text = read(report / "report.md").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        old = f"; the {PAGE} there is an old one" if (report / PAGE).is_file() else ""
        raise UserError(
            f"no {PAGE}: report.md is not UTF-8: save it as UTF-8, then make report{old}"
        ) from error
    said: list[str] = []
    put(report / PAGE, page(text, report, said.append))
    for line in dict.fromkeys(said):
        print(f"report: in report.md, {line}", file=sys.stderr)


def page(text: str, folder: Path, say: Say) -> str:
    """The whole page. Images are looked for in the folder; what is left out is said."""
    markdown = reader(folder, say)
    tokens = markdown.parse(text)
    arrange(tokens)
    begin = title_ends(tokens)

    def shown(part: Sequence[Token]) -> str:
        return str(markdown.renderer.render(part, markdown.options, {}))

    return Template((LOOK / "report.html").read_text("utf-8")).substitute(
        name=html.escape(words(tokens[1])) if begin else "Report",
        styles=(LOOK / "report.css").read_text("utf-8"),
        header=shown(tokens[:begin]),
        contents=contents(tokens[begin:]),
        main=shown(tokens[begin:]),
    )


def reader(folder: Path, say: Say) -> MarkdownIt:
    def raw(_: RendererHTML, tokens: Sequence[Token], n: int, *__: object) -> str:
        return known_elements(tokens[n].content, folder, say)

    def image(_: RendererHTML, tokens: Sequence[Token], n: int, *__: object) -> str:
        return embedded(str(tokens[n].attrGet("src")), words(tokens[n]), "", folder, say)

    markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    markdown.validateLink = is_harmless  # type: ignore[method-assign]
    markdown.use(footnote_plugin).use(anchors_plugin, max_level=6)
    plain = dict.fromkeys(("allow_labels", "allow_space", "allow_digits"), False)
    markdown.use(dollarmath_plugin, renderer=formula, **plain)
    for kind in ("html_inline", "html_block"):
        markdown.add_render_rule(kind, raw)
    markdown.add_render_rule("image", image)
    markdown.add_render_rule("table_open", frame)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>\n")
    markdown.add_render_rule("caption", caption)
    return markdown


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


def frame(_: RendererHTML, tokens: Sequence[Token], n: int, *__: object) -> str:
    """A frame scrolls if its table is wider than the screen. On paper, a short table stays on one
    page."""
    kinds = [token.type for token in tokens[n:]]
    rows = kinds[: kinds.index("table_close")].count("tr_open") - 1
    height = "long" if rows > LONG else "short"
    return f'<div class="table {height}" tabindex="0"><table>'


def caption(_: RendererHTML, tokens: Sequence[Token], n: int, *__: object) -> str:
    """It is the alternative text as well, which is read aloud once."""
    return f'<figcaption aria-hidden="true">{html.escape(tokens[n].content)}</figcaption>'


def arrange(tokens: Sequence[Token]) -> None:
    """A paragraph of one image with a caption is a figure; one that begins in bold is a question,
    whose answer begins on the same page of paper."""
    for before, inline, after in zip(tokens, tokens[1:], tokens[2:]):
        if before.type == "paragraph_open" and inline.children:
            children = [child for child in inline.children if child.type != "text" or child.content]
            if children and children[0].type == "strong_open":
                before.attrSet("class", "question")
            if len(children) == 1 and children[0].type == "image" and words(children[0]):
                before.tag = after.tag = "figure"
                inline.children.append(Token("caption", "", 0, content=words(children[0])))


def title_ends(tokens: Sequence[Token]) -> int:
    """Where the text begins: the title, and what stands below it, come before the contents."""
    if not tokens or tokens[0].tag != "h1":
        return 0
    later = (n for n, token in enumerate(tokens) if n and is_heading(token))
    return next(later, len(tokens))


def is_heading(token: Token) -> bool:
    return token.type == "heading_open" and token.tag in HEADINGS and token.level == 0


def contents(tokens: Sequence[Token]) -> str:
    """Lists of the headings, in lists."""
    parts: list[str] = []
    levels: list[str] = []  # of the lists that are open
    for heading, inline in zip(tokens, tokens[1:]):
        if not is_heading(heading):
            continue
        while levels and levels[-1] > heading.tag:
            levels.pop()
            parts.append("</li></ul>")
        if levels and levels[-1] == heading.tag:
            parts.append("</li>")
        else:
            levels.append(heading.tag)
            parts.append("<ul>")
        parts.append(f'<li><a href="#{heading.attrGet("id")}">{html.escape(words(inline))}</a>')
    return "".join(parts) + "</li></ul>" * len(levels)


def words(inline: Token) -> str:
    """Its text, without the marks of Markdown."""
    return "".join(child.content for child in inline.children or [] if child.type != "html_inline")
