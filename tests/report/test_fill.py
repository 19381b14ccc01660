# SPDX-License-Identifier: MIT
"""Filling a student's document: all values, and not one other byte changes, whatever the document
is like; the file is replaced whole or not at all."""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import TOP
from workbook import UserError
from workbook.report.document.fill import Marker, fill, fill_file

pytestmark = pytest.mark.report

A, B, END = "<!-- fill a -->", "<!-- fill b -->", "<!-- end -->"
TABLE = "| a |\n|---|\n"
VALUES = {"a": TABLE, "b": "B\n", "empty": "", "code": "```\n# no heading\n```\n"}
BLOCK = f"{A}\n{END}\n"
FILLED = f"{A}\n{TABLE}{END}\n"


def named(values: dict[str, str]) -> Callable[[Marker], str | None]:
    return lambda marker: values.get(marker.name)


def hidden(code: str) -> tuple[str, str]:
    """A document that begins with code, in which markers are text."""
    return code + BLOCK, code + FILLED


BYTES = "\udcff\x01\x1b\f\v\\\n\u2028\u0085\n"
CODE = f"`{B} {END}` ``{B} ` {END}``"
SOUND = {
    "empty-document": ("", ""),
    "block": (f"1\n{A}\nold\n\n{END}\n2\n", f"1\n{FILLED}2\n"),
    "cells": (f"|{B} _ {END}| x |  \n", f"|{B} B {END}| x |  \n"),
    "empty-value": (f"<!-- fill empty -->\nx\n{END}\n", f"<!-- fill empty -->\n{END}\n"),
    "value-with-code": (
        f"<!-- fill code -->\nold\n{END}\n{B} {END}\n",
        f"<!-- fill code -->\n{VALUES['code']}{END}\n{B} B {END}\n",
    ),
    "crlf": (f"1\r\n{A}\r\nold\r\n{END}\r\n2\r\n", f"1\r\n{A}\r\n| a |\r\n|---|\r\n{END}\r\n2\r\n"),
    "no-final-newline": (f"{A}\n{END}", f"{A}\n{TABLE}{END}"),
    "utf-8": (f"结果：{B} {END}。 \n\n{A}\n旧\n{END}\n", f"结果：{B} B {END}。 \n\n{FILLED}"),
    "bom": (f"\ufeff{BLOCK}", f"\ufeff{FILLED}"),
    "any-bytes": (f"{BYTES}{BLOCK}", f"{BYTES}{FILLED}"),
    "fences": hidden(f"````md\n```\n{A}\n{END}\n~~~~\n`````\n"),
    "fence-in-a-list": hidden(f"- ~~~\n  {A}\n  {END}\n\nx\n\n"),
    "fence-behind-four-blanks": (f"    ```\n{BLOCK}", f"    ```\n{FILLED}"),
    "inline-code": (f"{CODE} {B} {END}\n", f"{CODE} {B} B {END}\n"),
    "lone-backtick": (f"it`s {B} {END}\n", f"it`s {B} B {END}\n"),
    "escaped-marker": (f"\\{B} {B} {END}\n", f"\\{B} {B} B {END}\n"),
    "other-comments": ("<!-- filler --> <!-- the end --> <em>\n",) * 2,
}


@pytest.mark.parametrize(("before", "after"), SOUND.values(), ids=SOUND.keys())
def test_what_stands_between_markers_is_filled(before: str, after: str) -> None:
    assert fill(before, named(VALUES)) == (after, [])


# What is said, line first, and a document whose first markers are damaged.
DAMAGED = {
    "unknown": ("1: .*nosuch", f"<!-- fill nosuch -->\nmine\n{END}"),
    "path-as-name": ("1: .*short/a", f"<!-- fill ../short/a -->\nmine\n{END}"),
    "no-name": ("1: ", f"<!-- fill -->\nmine\n{END}"),
    "unclosed": ("2: fill a has no end before line 4", f"0\n{A}\nmine"),
    "end-alone": ("2: end without a beginning", f"0\n{END}\nmine"),
    "twice": ("4: fill a is there 2 times", f"{A}\n1\n{END}\n{A}\n2\n{END}"),
    "heading-inside": ("1: .*heading inside, in line 3", f"{A}\n\nMine\n====\n\n{END}"),
    "end-in-code": ("1: fill a has no end", f"{A}\nmine\n```\n{END}\n```"),
    "end-in-inline-code": ("1: fill a has no end", f"mine {A} `{END}`"),
    "end-in-text": ("1: .*lines", f"{A}\nmine\nmine {END}"),
    "indented": ("1: .*four blanks", f"    {A}\nmine"),
    "capitals": ("1: a damaged marker", "<!-- FILL a -->\nmine\n<!-- END -->"),
    "one-dash": ("2: a damaged marker", "text\n<!– fill a –>\nmine\n<!– end –>"),
    "lost-end-of-marker": ("1: a damaged marker", "<!-- fill a\nmine\n<!-- end"),
    "table-in-cell": ("1: the value of a", f"| {A} ____ {END} |"),
}


@pytest.mark.parametrize(("said", "text"), DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_marker_is_named_and_left_alone_and_others_are_filled(
    tmp_path: Path, said: str, text: str
) -> None:
    path = tmp_path / "doc.md"
    path.write_text(f"{text}\n{B} ____ {END}\n", "utf-8")
    lines = fill_file(path, named(VALUES))
    assert path.read_text("utf-8") == f"{text}\n{B} B {END}\n"
    assert any(re.match(f"{path}:{said}.*: left as it is; [a-z]", line) for line in lines)


def test_an_open_code_block_does_not_hide_what_is_before() -> None:
    text, (problem,) = fill(f"{B} _ {END}\n```\n{BLOCK}", named(VALUES))
    assert text == f"{B} B {END}\n```\n{BLOCK}"
    assert (problem.line, problem.what) == (1, "a code block without an end hides markers")


# ---- whatever the document ----------------------------------------------------------------------
VALUE = "=value="  # nothing that a document below has
OPENING = r"<!--[ \t]*fill[ \t][^>]*-->"
PIECES = st.sampled_from(
    [
        *("\n", "\r\n", "\r", "\n\n", "text", "    ", "\t", "> ", "- ", "1. ", "# ", "===\n"),
        *("```\n", "~~~~\n", "``` c\n", "`", "``", "<pre>\n", "</pre>\n", "<div>", "<!--", "-->"),
        *("| a | b |\n|---|---|\n", "| ", " |\n", "\\", "*", "[a](b)", "![", "\\<", "\ufeff\udcff"),
        *("<!- fill a ->", "<!-- fill a --", "<!-- end", "<!-- FILL a -->", "<!-- fill -->"),
        *(4 * ["<!-- fill a -->", "<!-- fill b -->", "<!-- fill nosuch -->", "<!--end-->"]),
        *(8 * [f"{A}\nold\n{END}\n", f"| {B} _ {END} |\n"]),
    ]
)  # fmt: skip
DOCUMENTS = st.lists(PIECES | st.text(max_size=3), max_size=20).map("".join)


@given(text=DOCUMENTS)
def test_no_byte_changes_outside_of_what_is_filled_and_twice_is_once(text: str) -> None:
    values = {"a": f"| {VALUE} |\n|---|\n", "b": VALUE}
    filled, _ = fill(text, named(values))
    between = rf"(?<=-->)(?:[ \t]*\r?\n)?(?:\| )? ?{VALUE}(?: \|\r?\n\|---\|)?"
    parts = re.split(between, filled)
    assert all(re.search(OPENING + r"[ \t]*\Z", part) for part in parts[:-1])
    assert all(re.match(r"\s*<!--[ \t]*end[ \t]*-->", part) for part in parts[1:])
    kept = [parts[0], *(part.lstrip() for part in parts[1:])]
    assert re.fullmatch("(?s:.*?)".join(map(re.escape, kept)), text)
    assert fill(filled, named(values))[0] == filled
    assert fill(text, lambda _: None)[0] == text


# ---- the file -----------------------------------------------------------------------------------
BEFORE, AFTER = f"mine\n{BLOCK}", f"mine\n{A}\nvalue\n{END}\n"
# Fills the file in a process of its own. Told to wait, it stops before the new file is renamed.
SCRIPT = """
import os, sys
from pathlib import Path
from workbook import UserError
from workbook.report.document.fill import fill_file
if sys.argv[3:] == ["nobody"] and os.geteuid() == 0:  # root may write everything
    os.setgid(65534)
    os.setuid(65534)
if sys.argv[3:] == ["wait"]:
    os.replace = lambda *names: (print("here", flush=True), sys.stdin.read())
try:
    fill_file(Path(sys.argv[1]), lambda name: sys.argv[2])
except UserError as mistake:
    sys.exit(str(mistake))
"""


@pytest.fixture
def doc(tmp_path: Path) -> Path:
    """A document that anybody may write, in a folder that anybody may reach."""
    path = tmp_path / "doc.md"
    path.write_text(BEFORE)
    path.chmod(0o666)
    tmp_path.chmod(0o777)
    for above in tmp_path.parents:
        if not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
    return path


def refused(doc: Path, value: str, *how: str, before: Callable[[], object] | None = None) -> str:
    """What is said, in one line, of a file that stays what it was, with nothing beside it."""
    command = [sys.executable, "-B", "-c", SCRIPT, str(doc), value, *how]
    done = subprocess.run(command, cwd=TOP, stderr=subprocess.PIPE, text=True, preexec_fn=before)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    doc.chmod(0o644)
    assert doc.read_text() == BEFORE
    assert [path.name for path in doc.parent.iterdir()] == [doc.name]
    return done.stderr


def test_a_full_disk_is_told(doc: Path) -> None:
    """No file may become longer than 8 KiB."""
    small = (8192, 8192)
    said = refused(
        doc, "x\n" * 8192, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, small)
    )
    assert "full" in said


@pytest.mark.parametrize(
    ("mode", "folder", "said"),
    [(0o444, 0o777, "chmod u+w"), (0o666, 0o555, "stays as it is"), (0, 0o777, "cannot be read")],
    ids=["read-only", "read-only-folder", "unreadable"],
)
def test_what_may_not_be_written_or_read_is_told(
    doc: Path, mode: int, folder: int, said: str
) -> None:
    doc.chmod(mode)
    doc.parent.chmod(folder)
    assert said in refused(doc, "value\n", "nobody")


def test_utf_16_is_refused_and_stays(doc: Path) -> None:
    doc.write_bytes(BEFORE.encode("utf-16"))
    with pytest.raises(UserError, match="save it as UTF-8"):
        fill_file(doc, named(VALUES))
    assert doc.read_bytes() == BEFORE.encode("utf-16")


def test_a_link_stays_and_its_target_is_filled_once_with_its_permissions(tmp_path: Path) -> None:
    real = tmp_path / "a folder/my report.md"
    real.parent.mkdir()
    real.write_text(BEFORE)
    real.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to("a folder/my report.md")
    with real.open() as reader:
        fill_file(link, lambda _: "value\n")
        assert reader.read() == BEFORE  # whoever reads meanwhile has the old file whole
    assert link.is_symlink() and real.read_text() == AFTER
    assert real.stat().st_mode & 0o777 == 0o640
    filled = real.stat()
    fill_file(link, lambda _: "value\n")
    assert (real.stat().st_ino, real.stat().st_mtime_ns) == (filled.st_ino, filled.st_mtime_ns)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_an_interruption_before_the_last_moment_leaves_the_old_file(doc: Path, number: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-B", "-c", SCRIPT, str(doc), "value\n", "wait"],
        cwd=TOP,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # also in the background
    )
    assert process.stdout and process.stdout.readline() == b"here\n"
    process.send_signal(number)
    process.communicate()
    assert doc.read_text() == BEFORE
    assert len(os.listdir(doc.parent)) == (2 if number == signal.SIGKILL else 1)


# ---- the template -------------------------------------------------------------------------------
TEMPLATE = (TOP / "report_template/report.md").read_text("utf-8")
NAMES = re.findall("<!-- fill (.*?) -->", TEMPLATE)


def outside(text: str) -> str:
    """What is not between markers, found by other means than fill's."""
    text = re.sub(r"(?ms)^(<!-- fill [a-z0-9-]+ -->\n).*?(?=^<!-- end -->$)", r"\1", text)
    return re.sub(r"(?<=-->)[^<>\n]*(?=<!-- end -->)", "", text)


def test_a_report_that_a_student_edited_keeps_the_words_and_gets_new_values() -> None:
    """A student who writes answers, adds and removes parts, and moves a table to the end."""
    moved = re.search(r"(?ms)^<!-- fill cpu-sizes -->.*?^<!-- end -->\n", TEMPLATE)
    assert moved
    text = re.sub(r"(?ms)^<!-- fill plot-time-cpu -->.*?^<!-- end -->\n", "", TEMPLATE)
    answer = "\\n %s $0 \\& | 100 % `code` *矩阵* трассировка	  "
    mine = f"# Mine\n\n```sh\n# <!-- fill device -->\nmake # {END}\n```\n\n## Rooflines\n"
    text = text.replace(moved[0], "").replace("\n(your answer)\n", f"\n{answer}\n")
    text = text.replace("## Rooflines\n", mine) + moved[0] + "the last line, without an end"
    after, problems = fill(text, named({name: f"{name} %% \\n" for name in NAMES}))
    assert problems == []
    assert outside(after) == outside(text)
    assert [name for name in NAMES if f"{name} %% \\n" not in after] == ["plot-time-cpu"]
