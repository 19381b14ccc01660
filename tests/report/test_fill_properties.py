# SPDX-License-Identifier: MIT
"""What holds for all documents: outside of what is filled no byte changes, and twice is the same as
once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbook.report.document.fill import fill, fill_file
from workbook.report.document.markers import Marker

pytestmark = pytest.mark.report

WORDS = ("fill",)
VALUE = "=value="  # nothing that a document below has
TABLE = f"| {VALUE} |\n|---|\n"
OPENING, END = r"<!--[ \t]*fill[ \t][^>]*-->", r"<!--[ \t]*end[ \t]*-->"

# What CommonMark makes something of, and what nearly is a marker.
BLOCKS = [
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "text",
    "    ",
    "\t",
    "> ",
    "- ",
    "1. ",
    "# ",
    "===\n",
    "\ufeff",
]
CODE = [
    "```\n",
    "~~~~\n",
    "``` c\n",
    "`",
    "``",
    "<pre>\n",
    "</pre>\n",
    "<script>\n",
    "<div>",
    "<?",
    "?>",
    "<!--",
    "-->",
]
TABLES = ["| a | b |\n|---|---|\n", "| ", " |\n", "\\", "*", "[a](b)", "![", "&lt;", "\\<"]
MARKERS = [
    "<!-- fill a -->",
    "<!-- fill b -->",
    "<!-- fill nosuch -->",
    "<!--fill a-->",
    "<!-- end -->",
    "<!--end-->",
]
NEARLY = [
    "<!-- fil a -->",
    "<!- fill a ->",
    "<!-- fill a --",
    "<!-- end",
    "<!-- FILL a -->",
    "<!-- fill -->",
]
PAIRS = ["<!-- fill a -->\nold\n<!-- end -->\n", "| <!-- fill b --> _ <!-- end --> |\n"]
PIECES = st.sampled_from(BLOCKS + CODE + TABLES + NEARLY + 4 * MARKERS + 8 * PAIRS) | st.text(
    max_size=3
)
DOCUMENTS = st.lists(PIECES, max_size=20).map("".join).filter(lambda text: VALUE not in text)


def value(marker: Marker) -> str | None:
    return {"a": TABLE, "b": VALUE}.get(marker.name)


@given(text=DOCUMENTS)
def test_no_byte_changes_outside_of_what_is_filled(text: str) -> None:
    filled, _ = fill(text, WORDS, value)
    between = rf"(?<=-->)(?:[ \t]*\r?\n)?(?:\| )? ?{VALUE}(?: \|\r?\n\|---\|)?"
    parts = re.split(between, filled)
    assert all(re.search(OPENING + r"[ \t]*\Z", part) for part in parts[:-1])
    assert all(re.match(r"\s*" + END, part) for part in parts[1:])
    kept = [parts[0], *(part.lstrip() for part in parts[1:])]
    assert re.fullmatch("(?s:.*?)".join(map(re.escape, kept)), text)


@given(text=DOCUMENTS)
def test_filling_twice_is_filling_once(text: str) -> None:
    filled, _ = fill(text, WORDS, value)
    assert fill(filled, WORDS, value)[0] == filled


@given(text=DOCUMENTS)
def test_what_nobody_knows_stays(text: str) -> None:
    assert fill(text, WORDS, lambda marker: None)[0] == text


@given(
    content=st.lists(
        st.sampled_from([text.encode() for text in PAIRS]) | st.binary(max_size=8)
    ).map(b"".join)
)
def test_bytes_that_are_no_text_stay(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = Path(tmp_path_factory.mktemp("bytes")) / "doc.md"
    path.write_bytes(content.replace(b"\0", b""))
    fill_file(path, WORDS, lambda marker: None)
    assert path.read_bytes() == content.replace(b"\0", b"")
