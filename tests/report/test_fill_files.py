# SPDX-License-Identifier: MIT
"""A student's file is replaced whole or not at all, whatever the disk, the permissions or the
signal."""

from __future__ import annotations

import re
import resource
import shutil
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
from workbook.report.document.fill import fill, fill_file

pytestmark = pytest.mark.report

BLOCK = "<!-- fill a -->\n<!-- end -->\n"
BEFORE = f"mine\n{BLOCK}"
AFTER = "mine\n<!-- fill a -->\nvalue\n<!-- end -->\n"
VALUE = "value\n"
# Fills the file in a process of its own. Told to wait, it stops with the new file written, and not
# renamed.
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
    fill_file(Path(sys.argv[1]), ("fill",), lambda marker: sys.argv[2])
except UserError as mistake:
    sys.exit(str(mistake))
"""


@pytest.fixture
def doc(tmp_path: Path) -> Path:
    path = tmp_path / "doc.md"
    path.write_text(BEFORE)
    return path


def fill_it(doc: Path, value: str, *how: str, before: Callable[[], object] | None = None) -> str:
    """What a process that fills it says of a mistake."""
    command = [sys.executable, "-B", "-c", SCRIPT, str(doc), value, *how]
    done = subprocess.run(command, cwd=TOP, stderr=subprocess.PIPE, text=True, preexec_fn=before)
    assert done.returncode == (1 if done.stderr else 0)
    assert "Traceback" not in done.stderr
    return done.stderr


def is_left(doc: Path, said: str, words: str) -> None:
    """One line has the words, the file is what it was, and nothing is beside it."""
    assert re.fullmatch(f"{re.escape(str(doc))}: .*{words}.*\n", said)
    assert doc.read_text() == BEFORE
    assert [path.name for path in doc.parent.iterdir()] == [doc.name]


@pytest.mark.parametrize("name", ["nosuch.md", "."])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        fill_file(tmp_path / name, ("fill",), lambda _: VALUE)


def test_utf_16_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "doc.md"
    path.write_bytes(BEFORE.encode("utf-16"))
    with pytest.raises(UserError, match="save it as UTF-8"):
        fill_file(path, ("fill",), lambda _: VALUE)
    assert path.read_bytes() == BEFORE.encode("utf-16")


def test_a_link_stays_and_what_it_points_to_is_filled_with_its_permissions(tmp_path: Path) -> None:
    real = tmp_path / "a folder/my report.md"
    real.parent.mkdir()
    real.write_text(BEFORE)
    real.chmod(0o640)
    near, far = tmp_path / "near.md", tmp_path / "far.md"
    near.symlink_to("a folder/my report.md")
    far.symlink_to(near)
    with real.open() as reader:
        fill_file(far, ("fill",), lambda _: VALUE)
        assert reader.read() == BEFORE  # who reads meanwhile has the old file whole
    assert near.is_symlink() and far.is_symlink()
    assert real.read_text() == AFTER
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_full_disk_is_told(doc: Path) -> None:
    """No file may become longer than 8 KiB."""
    said = fill_it(
        doc, "x\n" * 8192, before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
    )
    is_left(doc, said, "full")


def test_a_folder_without_room_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    script = f"""mount -t tmpfs -o size=64k none '{folder}' || exit 77
        printf '{BEFORE}' >'{folder}/doc.md'
        "$@" 2>'{tmp_path}/said'
        cp -R '{folder}' '{tmp_path}/left'"""
    command = [sys.executable, "-B", "-c", SCRIPT, str(folder / "doc.md"), "x\n" * 50000]
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    done = subprocess.run(["unshare", "-r", "-m", "sh", "-c", script, "sh", *command], cwd=TOP)
    if done.returncode == 77 or not (tmp_path / "said").exists():
        pytest.skip("a small disk is not to be had here")
    said = (tmp_path / "said").read_text().replace(str(folder), str(tmp_path / "left"))
    is_left(tmp_path / "left/doc.md", said, "free some space")


@pytest.fixture
def shared(doc: Path) -> Path:
    """A document that anybody may write, in a folder that is anybody's, and may be reached."""
    doc.chmod(0o666)
    folder = doc.parent
    folder.chmod(0o777)
    while folder != folder.parent and not folder.stat().st_mode & 0o001:
        folder.chmod(folder.stat().st_mode | 0o011)
        folder = folder.parent
    for above in folder.parents:
        if not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
    return doc


def test_who_may_write_may_fill(shared: Path) -> None:
    assert fill_it(shared, VALUE, "nobody") == ""
    assert shared.read_text() == AFTER


def test_a_read_only_file_is_told(shared: Path) -> None:
    shared.chmod(0o444)
    is_left(shared, fill_it(shared, VALUE, "nobody"), r"chmod u\+w")


def test_a_read_only_folder_is_told(shared: Path) -> None:
    shared.parent.chmod(0o555)
    said = fill_it(shared, VALUE, "nobody")
    shared.parent.chmod(0o777)
    is_left(shared, said, "stays as it is")


def test_a_file_that_may_not_be_read_is_told(shared: Path) -> None:
    shared.chmod(0o000)
    said = fill_it(shared, VALUE, "nobody")
    shared.chmod(0o644)
    is_left(shared, said, "cannot be read")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_an_interruption_before_the_last_moment_leaves_the_old_file(doc: Path, number: int) -> None:
    command = [sys.executable, "-B", "-c", SCRIPT, str(doc), VALUE, "wait"]
    process = subprocess.Popen(
        command,
        cwd=TOP,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # also where tests run in the background
    )
    assert process.stdout and process.stdout.readline() == b"here\n"
    process.send_signal(number)
    process.communicate()
    assert doc.read_text() == BEFORE
    left = [path for path in doc.parent.iterdir() if path != doc]
    assert len(left) == (1 if number == signal.SIGKILL else 0)  # a killed one cannot tidy up


PIECES = st.sampled_from(
    [
        *(
            "<!-- fill a -->",
            "<!-- fill b -->",
            "<!-- end -->",
            "<!-- fill",
            "-->",
            "`",
            "```",
            "~~~",
            "\n",
            "\r\n",
        ),
        *(
            "\r",
            "    ",
            "> ",
            "- ",
            "# ",
            "| ",
            "\\",
            "\n\n",
            "<div>",
            "<pre>",
            "[x](",
            ")",
            "矩阵",
            "\udcff",
            "\x0b",
        ),
    ]
)


@given(st.lists(PIECES | st.text(max_size=3)).map("".join))
def test_whatever_the_document_nothing_changes_outside_of_what_is_filled(text: str) -> None:
    values = {"a": "A\n", "b": "| b |\n|---|\n"}
    assert fill(text, ("fill",), lambda _: None)[0] == text
    filled, _ = fill(text, ("fill",), lambda marker: values.get(marker.name))
    assert fill(filled, ("fill",), lambda marker: values.get(marker.name))[0] == filled
    # A document whose values are taken out again has the bytes of one that had none.
    between = re.compile(r"(<!-- fill ([ab]) -->).*?(<!-- end -->)", re.S)
    assert re.split(between, filled)[0] == re.split(between, text)[0]
    assert re.split(between, filled)[-1] == re.split(between, text)[-1]
