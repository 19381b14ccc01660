# SPDX-License-Identifier: MIT
"""Filling a student's document: all values, and not one other byte changes, whatever the document
is like."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import TOP
from workbook.report.document.fill import fill_file, format_problem

pytestmark = pytest.mark.report

A, B, EMPTY, END = "<!-- fill a -->", "<!-- fill b -->", "<!-- fill empty -->", "<!-- end -->"
TABLE = "| a |\n|---|\n"
CODE = "```\n# no heading\n```\n"
VALUES = {
    **{"a": TABLE, "b": "B\n", "empty": "", "bare": "no newline", "code": CODE},
    **{
        "marker": "<!-- end -->\n",
        "comment": "x --> y\n",
        "open": "```\nopen\n",
        "tick": "a `tick\n",
    },
}
BLOCK = f"{A}\n{END}\n"
FILLED = f"{A}\n{TABLE}{END}\n"


def fill(document: Path, values: dict[str, str]) -> list[str]:
    """What is said of its markers."""
    problems = fill_file(document, ("fill",), lambda marker: values.get(marker.name))
    return [format_problem(document, problem) for problem in problems]


def document(folder: Path, text: str | bytes) -> Path:
    path = folder / "doc.md"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def hidden(code: str) -> tuple[str, str]:
    """A document that begins with code, in which markers are text."""
    return code + BLOCK, code + FILLED


def inside(mark: str, code: str) -> str:
    """Lines in a list or a quote."""
    rest = re.sub("[^>]", " ", mark)
    first, *others = code.splitlines()
    return "\n".join([mark + first, *(rest + line for line in others)]) + "\n"


FENCED = f"```\n{A}\n{END}\n```"
SOUND = {
    "no-markers": ("text\n", "text\n"),
    "empty-document": ("", ""),
    "block": (f"1\n{A}\nold\n\n{END}\n2\n", f"1\n{FILLED}2\n"),
    "cell": (f"| {B} ____ {END} |  \n", f"| {B} B {END} |  \n"),
    "two-cells": (f"|{B}{END}|{EMPTY} _ {END}|\n", f"|{B} B {END}|{EMPTY} {END}|\n"),
    "cell-of-a-table": (
        f"| a | b |\n|---|---|\n| `{B}` | {B} _ {END} |\n",
        f"| a | b |\n|---|---|\n| `{B}` | {B} B {END} |\n",
    ),
    "backticks-in-two-cells": (
        f"|`|`|\n|-|-|\n|`|{B}_{END}|\n",
        f"|`|`|\n|-|-|\n|`|{B} B {END}|\n",
    ),
    "empty-value": (f"{EMPTY}\nx\n{END}\n", f"{EMPTY}\n{END}\n"),
    "value-without-newline": (
        f"<!-- fill bare -->\n{END}\n",
        f"<!-- fill bare -->\nno newline\n{END}\n",
    ),
    "value-with-code": (
        f"<!-- fill code -->\n{END}\n{B} {END}\n",
        f"<!-- fill code -->\n{CODE}{END}\n{B} B {END}\n",
    ),
    "value-with-code-again": (
        f"<!-- fill code -->\n{CODE}{END}\n{B} {END}\n",
        f"<!-- fill code -->\n{CODE}{END}\n{B} B {END}\n",
    ),
    "crlf": (f"1\r\n{A}\r\nold\r\n{END}\r\n2\r\n", f"1\r\n{A}\r\n| a |\r\n|---|\r\n{END}\r\n2\r\n"),
    "crlf-cell": (f"| {B} _ {END} |\r\n2", f"| {B} B {END} |\r\n2"),
    "mixed-line-ends": (f"1\r\n{A}\n{END}\r\n\r2\n", f"1\r\n{A}\n{TABLE}{END}\r\n\r2\n"),
    "no-final-newline": (f"{A}\n{END}", f"{A}\n{TABLE}{END}"),
    "last-line-without-newline": (f"{BLOCK}x", f"{FILLED}x"),
    "utf-8": (
        f"结果：{B} {END}。 \n\n{A}\n旧\n{END}\nитог\n",
        f"结果：{B} B {END}。 \n\n{FILLED}итог\n",
    ),
    "bom": (f"\ufeff{BLOCK}", f"\ufeff{FILLED}"),
    "bom-in-line": (f"\ufeff {B} {END}\n", f"\ufeff {B} B {END}\n"),
    "any-bytes": (
        b"\xff\x80\x01\x1b\f\v\\\n\xe2\x80\xa8\xc2\x85\n" + BLOCK.encode(),
        b"\xff\x80\x01\x1b\f\v\\\n\xe2\x80\xa8\xc2\x85\n" + FILLED.encode(),
    ),
    "gb18030": (
        "结果：“你”\n".encode("gb18030") + BLOCK.encode(),
        "结果：“你”\n".encode("gb18030") + FILLED.encode(),
    ),
    "trailing-blanks": (
        f"x  \n{A} \t\nold\n  {END}  \n\n\n",
        f"x  \n{A} \t\n{TABLE}  {END}  \n\n\n",
    ),
    "code-in-longer-fences": hidden(f"````\n```\n{A}\n{END}\n~~~~\n`````\n"),
    "fence-behind-four-blanks": (f"    ```\n{BLOCK}", f"    ```\n{FILLED}"),
    "inline-code": (
        f"`{B} {END}` ``{B} ` {END}`` {B} {END}\n",
        f"`{B} {END}` ``{B} ` {END}`` {B} B {END}\n",
    ),
    "after-code-in-a-quote": (
        f"> ```\n> {B} {END}\n> ```\n> {B} {END}\n",
        f"> ```\n> {B} {END}\n> ```\n> {B} B {END}\n",
    ),
    "cell-in-a-list": (f"- {B} {END}\n> x {EMPTY} y{END}\n", f"- {B} B {END}\n> x {EMPTY} {END}\n"),
    "lone-backtick": (f"it`s {B} {END}\n", f"it`s {B} B {END}\n"),
    "escaped-backticks": (f"\\`{B} {END}\\`\n", f"\\`{B} B {END}\\`\n"),
    "escaped-marker": (f"\\{B} {B} {END}\n", f"\\{B} {B} B {END}\n"),
    "other-comments": (
        "<!-- filler --> <!-- the end --> <!-- end of b --> <em>\n",
        "<!-- filler --> <!-- the end --> <!-- end of b --> <em>\n",
    ),
    **{
        f"code-between-{fence.strip()}": hidden(
            f"{fence}\n{A}\n{END}\n~~\n{fence.replace('md', '')}\n"
        )
        for fence in ("```", "~~~", "   ````", "```md")
    },
    **{f"code-behind-{mark}": hidden(inside(mark, FENCED)) for mark in ("- ", "1. ", "> ")},
    **{
        f"code-ends-with-{mark}": hidden(inside(mark, f"~~~\n{A}\n{END}") + "\nx\n\n")
        for mark in ("- ", "1. ", "> ")
    },
}


@pytest.mark.parametrize(("before", "after"), SOUND.values(), ids=SOUND.keys())
def test_what_stands_between_markers_is_filled(
    tmp_path: Path, before: str | bytes, after: str | bytes
) -> None:
    path = document(tmp_path, before)
    assert fill(path, VALUES) == []
    assert path.read_bytes() == (after if isinstance(after, bytes) else after.encode())


# What is said, line first, and a document whose first markers are damaged.
DAMAGED = {
    "unknown": ("1: .*nosuch", f"<!-- fill nosuch -->\nmine\n{END}"),
    "path-as-name": ("1: .*short/a", f"<!-- fill ../short/a -->\nmine\n{END}"),
    "no-name": ("1: ", f"<!-- fill -->\nmine\n{END}"),
    "unclosed": ("2: fill a has no end before line 4", f"0\n{A}\nmine"),
    "unclosed-in-a-line": ("1: fill a has no end", f"| {A} x |"),
    "end-alone": ("2: end without a beginning", f"0\n{END}\nmine"),
    "nested": ("2: fill empty lies inside fill a", f"{A}\n{EMPTY}\nmine\n{END}\n{END}"),
    "around-nested": ("1: fill a has fill empty inside", f"{A}\n{EMPTY}\nmine\n{END}\n{END}"),
    "twice": ("4: fill a is there 2 times", f"{A}\n1\n{END}\n{A}\n2\n{END}"),
    "twice-the-first": ("1: fill a is there 2 times", f"{A}\n1\n{END}\n{A}\n2\n{END}"),
    "heading-inside": ("1: .*heading inside, in line 3", f"{A}\n\n## Mine\n\n{END}"),
    "underlined-heading-inside": ("1: .*heading inside, in line 3", f"{A}\n\nMine\n====\n\n{END}"),
    "end-in-code": ("1: fill a has no end", f"{A}\nmine\n```\n{END}\n```"),
    "end-in-inline-code": ("1: fill a has no end", f"mine {A} `{END}`"),
    "end-in-text": ("1: .*lines", f"{A}\nmine\nmine {END}"),
    "begin-in-text": ("1: .*lines", f"mine {A}\nmine\n{END}"),
    "indented": ("1: .*four blanks", f"    {A}\nmine"),
    "indented-in-a-quote": ("1: .*four blanks", f">     {A}\nmine"),
    "capitals": ("1: a damaged marker", "<!-- FILL a -->\nmine\n<!-- END -->"),
    "one-dash": ("1: a damaged marker", "<!— fill a —>\nmine\n<!— end —>"),
    "one-dash-below-text": ("2: a damaged marker", "text\n<!– fill a –>\nmine\n<!– end –>"),
    "lost-end-of-marker": ("1: a damaged marker", "<!-- fill a\nmine\n<!-- end"),
    "marker-in-a-link": ("1: a marker where", f'[x](y "{A}")\n'),
    "marker-in-value": ("1: the value of marker", f"<!-- fill marker -->\nold\n{END}"),
    "comment-in-value": ("1: the value of comment", f"<!-- fill comment -->\nold\n{END}"),
    "open-code-in-value": ("1: the value of open", f"<!-- fill open -->\nold\n{END}"),
    "backtick-in-cell": ("1: the value of tick", f"<!-- fill tick --> old {END}"),
    "table-in-cell": ("1: the value of a", f"| {A} ____ {END} |"),
}


@pytest.mark.parametrize(("said", "text"), DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_marker_is_named_and_left_alone_and_others_are_filled(
    tmp_path: Path, said: str, text: str
) -> None:
    path = document(tmp_path, f"{text}\n{B} ____ {END}\n")
    lines = fill(path, VALUES)
    assert path.read_text("utf-8") == f"{text}\n{B} B {END}\n"
    assert any(
        re.match(f"{re.escape(str(path))}:{said}.*: left as it is; [a-z]", line) for line in lines
    )


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("3: fill a has no end", f"{B} _ {END}\n\n{A}\nmine"),
        ("2: a code block without an end", f"{B} _ {END}\n```\n{BLOCK}"),
    ],
    ids=["unclosed", "open-code-block"],
)
def test_damage_at_the_end_does_not_hide_what_is_before(
    tmp_path: Path, said: str, text: str
) -> None:
    path = document(tmp_path, text)
    lines = fill(path, VALUES)
    assert path.read_text("utf-8") == text.replace("_", "B")
    assert re.match(f"{re.escape(str(path))}:{said}", lines[0])


# ---- the template --------------------------------------------------------------------------------
TABLES = """provenance device defaults steps twice ladder-cpu ladder-opencl ladder-cuda
    cpu-sizes cpu-blocks opencl-sizes opencl-types opencl-tiles opencl-parts opencl-sweeps
    cuda-sizes cuda-blocks cuda-parts beside"""
PLOTS = """time-cpu time-opencl time-cuda types-opencl ladder-cpu ladder-opencl ladder-cuda
    parts-opencl parts-cuda roofline-cpu roofline-opencl roofline-cuda sweep-lab03 sweep-lab04
    sweep-lab05 sweep-lab06 sweep-lab07 sweep-lab08 sweep-lab09"""
QUANTITIES = ("size", "work", "bytes", "intensity", "gflops", "speedup")
TEMPLATE = (TOP / "report_template/report.md").read_text("utf-8")


def all_values(number: str = "3.5") -> dict[str, str]:
    """A value for every name."""
    table = f"|---|---:|\n| lab, 100%% \\n & | {number} (2 %%) |\n"
    return {
        **{name: f"| {name} | ms |\n{table}" for name in TABLES.split()},
        **{
            f"plot-{name}": f"![What to see at {number}.](plots/{name}.svg)\n"
            for name in PLOTS.split()
        },
        **{
            f"predict-lab0{lab}-{q}": f"{lab} {q} {number}\n"
            for lab in range(1, 10)
            for q in QUANTITIES
        },
    }


def has(text: str, name: str, value: str) -> bool:
    """Whether a value stands between its markers, in a line or below each other."""
    mark = f"<!-- fill {name} -->"
    return f"{mark} {value[:-1]} {END}" in text or f"\n{mark}\n{value}{END}\n" in text


def outside(text: str) -> str:
    """What is not between markers, found by other means than fill's."""
    text = re.sub(r"(?ms)^(<!-- fill [a-z0-9-]+ -->\n).*?(?=^<!-- end -->$)", r"\1", text)
    return re.sub(r"(?<=-->)[^<>\n]*(?=<!-- end -->)", "", text)


def test_the_names_in_the_template_are_these_each_once() -> None:
    assert sorted(re.findall("<!-- fill (.*?) -->", TEMPLATE)) == sorted(all_values())


def test_the_template_gets_every_value_and_nothing_else_changes(tmp_path: Path) -> None:
    path = document(tmp_path, TEMPLATE)
    values = all_values()
    assert fill(path, values) == []
    text = path.read_text("utf-8")
    assert [name for name, value in values.items() if not has(text, name, value)] == []
    assert outside(text) == outside(TEMPLATE)


def test_nothing_is_written_where_nothing_changes(tmp_path: Path) -> None:
    path = document(tmp_path, TEMPLATE)
    fill(path, all_values())
    before = path.stat()
    assert fill(path, all_values()) == []
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_report_that_a_student_edited_keeps_the_words_and_gets_new_values(tmp_path: Path) -> None:
    """Who writes answers, adds and removes parts, and moves a table to the end."""
    path = document(tmp_path, TEMPLATE)
    fill(path, all_values())
    text = path.read_text("utf-8")
    moved = re.search(r"(?ms)^<!-- fill cpu-sizes -->.*?^<!-- end -->\n", text)
    assert moved
    text = text.replace(moved[0], "")
    text = re.sub(r"(?ms)^<!-- fill plot-time-cpu -->.*?^<!-- end -->\n", "", text)
    answer = "\\n %s $0 \\& | 100 % `code` *矩阵* трассировка	  "
    text = text.replace("\n(your answer)\n", f"\n{answer}\n").replace("| ____ |", "| 3 GFLOP |")
    mine = f"# Mine\n\n```sh\n# <!-- fill device -->\nmake # {END}\n```\n\n## Rooflines\n"
    text = text.replace("## Rooflines\n", mine) + moved[0] + "the last line, without an end"
    path.write_text(text, encoding="utf-8")
    values = all_values("77")
    assert fill(path, values) == []
    after = path.read_text("utf-8")
    assert outside(after) == outside(text)
    del values["plot-time-cpu"]
    assert [name for name, value in values.items() if not has(after, name, value)] == []


def test_without_values_all_names_are_told_and_nothing_changes(tmp_path: Path) -> None:
    path = document(tmp_path, TEMPLATE)
    assert len(fill(path, {})) == len(all_values())
    assert path.read_text("utf-8") == TEMPLATE
