# SPDX-License-Identifier: MIT
"""What make grade takes of a submission, and what it does not: nothing that is handed in makes it
follow a link, read for ever or write a file."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cheating import described
from tests.schemas import complaints
from workbook import UserError
from workbook.handin.file import LARGEST
from workbook.lab.course import Task
from workbook.teacher.grade.class_setup import Terms
from workbook.teacher.grade.compiling.builder import build_tools
from workbook.teacher.grade.intake import archives, read_submission
from workbook.teacher.grade.intake.accepted import Handed, Submission
from workbook.teacher.grade.intake.names import folders, icu, looks, seen, submissions
from workbook.teacher.grade.log import Settings
from workbook.teacher.grade.publish.gradebook import cell

KERNEL, SECOND = "lab01_cpu_naive/kernel.c", "lab02_avx/kernel.c"
TEXT = b"int x;\n"
OPENERS = tarfile.TarFile.OPEN_METH  # by how a tar is packed
Make = Callable[[Path], None]


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    """The filters of the sandbox."""
    build_tools()


def taken(path: Path) -> Submission:
    return read_submission.take("anna", "anna", path)[0]


def files(submission: Submission) -> dict[str, bytes]:
    return {
        f"{lab}/{name}": text
        for lab, one in submission.labs.items()
        for name, text in one.files.items()
    }


def folder(top: Path, entries: dict[str, bytes]) -> Path:
    for name, text in entries.items():
        (top / "anna" / name).parent.mkdir(parents=True, exist_ok=True)
        (top / "anna" / name).write_bytes(text)
    return top / "anna"


def packed(path: Path, form: str) -> tarfile.TarFile:
    opened: tarfile.TarFile = getattr(tarfile.TarFile, OPENERS[form])(path, "w")
    return opened


def tar(top: Path, entries: dict[str, bytes], form: str = "gz") -> Path:
    top.mkdir(exist_ok=True)
    with packed(top / "anna.tar.gz", form) as archive:
        for name, text in entries.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return top / "anna.tar.gz"


def zipped(top: Path, entries: dict[str, bytes]) -> Path:
    top.mkdir(exist_ok=True)
    with zipfile.ZipFile(top / "anna.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return top / "anna.zip"


KINDS = pytest.mark.parametrize("made", [folder, tar, zipped])


@pytest.mark.parametrize("form", ["gz", "xz", "bz2", "tar"])
@pytest.mark.parametrize(
    "name", ["anna.tar.gz", "anna.TAR.XZ", "anna.tar.bz2", "anna.tar", "anna.zip"]
)
def test_however_it_is_packed_and_called(tmp_path: Path, form: str, name: str) -> None:
    with packed(tmp_path / name, form) as archive:
        archive.add(folder(tmp_path, {KERNEL: TEXT}), "solution")
    assert files(taken(tmp_path / name)) == {KERNEL: TEXT}
    shutil.rmtree(tmp_path / "anna")
    assert [found for found, _, _ in submissions(tmp_path)] == ["anna"]


def test_a_zip_by_another_name(tmp_path: Path) -> None:
    path = zipped(tmp_path, {KERNEL: TEXT}).rename(tmp_path / "anna.tar.gz")
    assert files(taken(path)) == {KERNEL: TEXT}


@KINDS
@pytest.mark.parametrize("around", ["", "solution/", "./", "solution/./", "solution//"])
def test_kernels_and_their_tunables_are_taken(
    tmp_path: Path, made: Callable[..., Path], around: str
) -> None:
    entries = {
        f"{around}{KERNEL}": TEXT,
        f"{around}lab04_ocl_naive/params.h": b"1",
        f"{around}README.md": b"2",
    }
    submission = taken(made(tmp_path, entries))
    assert files(submission) == {KERNEL: TEXT, "lab04_ocl_naive/params.h": b"1"}
    assert submission.refused == ""


@KINDS
def test_what_is_no_part_of_a_lab_is_left_alone(tmp_path: Path, made: Callable[..., Path]) -> None:
    """Makefiles, flags, other kernels, folders too deep."""
    names = [
        "Makefile",
        "lab01_cpu_naive/Makefile",
        "make/lab.mk",
        "lab01_cpu_naive/kernel_fast.c",
    ]
    names += (
        "lab01_cpu_naive/main.c",
        "kernel.c",
        "a/b/c/d/lab01_cpu_naive/kernel.c",
        "lab02_avx/build/lab01_cpu_naive/kernel.c",
        ".lab01_cpu_naive/kernel.c",
    )
    submission = taken(made(tmp_path, dict.fromkeys(names, TEXT)))
    assert (files(submission), submission.refused) == ({}, "")


@KINDS
def test_the_one_at_the_top_counts_whole(tmp_path: Path, made: Callable[..., Path]) -> None:
    """Whichever comes first."""
    for old in "old", "zold":
        entries = {
            f"{old}/{KERNEL}": b"old",
            f"{old}/lab01_cpu_naive/params.h": b"old",
            KERNEL: TEXT,
        }
        assert files(taken(made(tmp_path / old, entries))) == {KERNEL: TEXT}


@KINDS
def test_where_two_are_equally_near_none_counts(tmp_path: Path, made: Callable[..., Path]) -> None:
    path = made(tmp_path, {f"new/{KERNEL}": TEXT, f"old/{KERNEL}": TEXT + TEXT})
    twice = f"{KERNEL} is there twice: new/{KERNEL} and old/{KERNEL}: hand in one of them"
    assert refused(taken(path)) == twice
    more = {f"new/{KERNEL}": TEXT, f"old/{KERNEL}": TEXT, "old/lab01_cpu_naive/params.h": TEXT}
    assert refused(taken(made(tmp_path / "more", more))) == twice


def test_of_two_with_long_names_both_ends_are_told(tmp_path: Path) -> None:
    names = [f"{'long ' * 30}{end}" for end in ("1", "2")]
    path = folder(tmp_path, {f"{name}/{KERNEL}": name.encode() for name in names})
    said = refused(taken(path))
    one, two = (rf"long long .*\.\.\..* long {end}/{KERNEL}" for end in ("1", "2"))
    assert re.fullmatch(f"{KERNEL} is there twice: {one} and {two}: hand in one of them", said)
    assert len(said) < 250


@KINDS
@pytest.mark.parametrize("around", ["__MACOSX/", ".Trash/"])
def test_what_a_system_leaves_about_is_no_copy(
    tmp_path: Path, made: Callable[..., Path], around: str
) -> None:
    """Beside the lab; but it counts where there is no other."""
    there = {f"{around}{KERNEL}": b"old", f"{around}lab01_cpu_naive/._kernel.c": b"Mac OS X"}
    path = made(tmp_path / "both", {**there, f"me/{KERNEL}": TEXT, f"{around}old.zip": b""})
    submission = taken(path)
    assert (files(submission), refused(submission)) == ({KERNEL: TEXT}, "")
    assert submission.instead(SECOND) == ""
    assert files(taken(made(tmp_path / "alone", there))) == {KERNEL: b"old"}


@KINDS
def test_but_for_two_that_are_the_same(tmp_path: Path, made: Callable[..., Path]) -> None:
    path = made(tmp_path, {f"new/{KERNEL}": TEXT, f"old/{KERNEL}": TEXT})
    assert files(taken(path)) == {KERNEL: TEXT}


class Pairs(dict[str, bytes]):
    """As an archive has them: a name may be there twice."""

    def __init__(self, *pairs: tuple[str, bytes]) -> None:
        self.pairs = pairs

    def items(self) -> Any:
        return self.pairs


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("made", [tar, zipped])
@pytest.mark.parametrize("first", [TEXT, b"old", b"x" * (LARGEST + 1)])
def test_of_one_that_is_packed_twice_the_last_counts(
    tmp_path: Path, made: Callable[..., Path], first: bytes
) -> None:
    """tar -r appends what has changed; who unpacks it has the last one."""
    path = made(tmp_path, Pairs((KERNEL, first), (f"./{KERNEL}", TEXT)))
    assert files(taken(path)) == {KERNEL: TEXT}
    path = made(tmp_path, Pairs((KERNEL, TEXT), (KERNEL, first)))
    assert files(taken(path)) == ({KERNEL: first} if len(first) <= LARGEST else {})


@pytest.mark.parametrize("made", [tar, zipped])
@pytest.mark.parametrize("name", [f"../{KERNEL}", f"/{KERNEL}", f"x/../{KERNEL}"])
def test_no_name_leads_outside(tmp_path: Path, made: Callable[..., Path], name: str) -> None:
    assert files(taken(made(tmp_path, {name: TEXT}))) == {}


def refused(submission: Submission) -> str:
    return submission.labs["lab01_cpu_naive"].refused


def test_a_link_in_a_folder(tmp_path: Path) -> None:
    path = folder(tmp_path, {"lab01_cpu_naive/params.h": TEXT})
    (path / KERNEL).symlink_to("/etc/passwd")
    assert (
        refused(taken(path))
        == f"{KERNEL} is a link: hand in the file itself, in a folder or a plain .zip"
    )


def test_a_lab_behind_a_link(tmp_path: Path) -> None:
    path = folder(tmp_path, {"README": TEXT})
    folder(tmp_path / "other", {KERNEL: TEXT})
    (path / "lab01_cpu_naive").symlink_to(tmp_path / "other/anna/lab01_cpu_naive")
    assert "is behind a link" in refused(taken(path))


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    path = folder(tmp_path, {"lab01_cpu_naive/params.h": TEXT})
    os.mkfifo(path / KERNEL)
    assert (
        refused(taken(path))
        == f"{KERNEL} is a FIFO: hand in the file itself, in a folder or a plain .zip"
    )


def test_a_submission_that_is_a_link(tmp_path: Path) -> None:
    folder(tmp_path, {KERNEL: TEXT})
    (tmp_path / "bert").symlink_to(tmp_path / "anna")
    assert taken(tmp_path / "bert").refused == "is a link: hand in the files themselves"


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
)
def test_no_file_in_a_tar(tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "anna.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo(KERNEL)
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    said = refused(taken(tmp_path / "anna.tar.gz"))
    assert (
        "is a link" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else "no regular file"
    ) in said


def test_a_hard_link_in_a_tar_is_the_file_that_came_before(tmp_path: Path) -> None:
    """As tar makes them, whatever the other name is; a link out of it, or to what is none, is
    none."""
    first, params = "lab01_cpu_naive/a copy.txt", "lab01_cpu_naive/params.h"
    path = folder(tmp_path, {first: TEXT, params: b"", "lab02_avx/kernel.c": TEXT})
    os.link(path / first, path / KERNEL)
    archive = tmp_path / "anna.tar.gz"
    subprocess.run(["tar", "-czf", archive, "-C", path, f"./{first}", f"./{KERNEL}"], check=True)
    assert files(taken(archive)) == {KERNEL: TEXT}
    with tarfile.open(archive) as made:
        assert [member.islnk() for member in made] == [False, True]


@pytest.mark.parametrize("linked", ["b.txt", "../a.txt", "a.txt/", "large.txt", "symbolic.txt"])
def test_a_hard_link_to_no_file_that_came_before(tmp_path: Path, linked: str) -> None:
    with tarfile.open(tmp_path / "anna.tar.gz", "w:gz") as archive:
        for name, size, to in (
            ("a.txt", 1, ""),
            ("large.txt", LARGEST + 1, ""),
            ("symbolic.txt", 1, ""),
            ("symbolic.txt", 0, "a.txt"),  # instead of the file
            (KERNEL, 0, linked),
            ("b.txt", 1, ""),
        ):
            member = tarfile.TarInfo(name)
            member.size, member.linkname = size, to
            member.type = tarfile.REGTYPE if not to else tarfile.SYMTYPE
            member.type = tarfile.LNKTYPE if name == KERNEL else member.type
            archive.addfile(member, io.BytesIO(b" " * size))
    assert f"{KERNEL} is a link: hand in the file itself" in refused(
        taken(tmp_path / "anna.tar.gz")
    )


def test_a_link_in_a_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "anna.zip", "w") as archive:
        member = zipfile.ZipInfo(KERNEL)
        member.external_attr = 0o120777 << 16
        archive.writestr(member, "/etc/passwd")
    assert "is a link" in refused(taken(tmp_path / "anna.zip"))


@KINDS
def test_a_large_kernel(tmp_path: Path, made: Callable[..., Path]) -> None:
    assert (
        refused(taken(made(tmp_path, {KERNEL: b" " * (LARGEST + 1)})))
        == f"{KERNEL} has more than 256 KiB"
    )


@pytest.mark.parametrize("form", ["gz", "xz", "bz2"])
def test_a_bomb(tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that nobody asked for, of which all would have to be unpacked to go on."""
    monkeypatch.setattr(read_submission, "UNPACKED", 1 << 20)
    path = tar(tmp_path, {"zeros": b"\0" * (8 << 20), KERNEL: TEXT}, form)
    assert path.stat().st_size < 20000
    assert taken(path).refused == f"unpacks to more than 1 MiB: {archives.ALONE}"


def test_a_handout_with_what_the_report_needs(tmp_path: Path) -> None:
    """./setup report has put 700 MB of .venv into it; 256 were allowed once."""
    large = {".venv/lib/scipy.so": b"\0" * (257 << 20)}
    assert files(taken(tar(tmp_path, {**large, KERNEL: TEXT}, "gz"))) == {KERNEL: TEXT}


@KINDS
def test_too_many_files(
    tmp_path: Path, made: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_submission, "ENTRIES", 10)
    path = made(tmp_path, {f"x{n}": b"" for n in range(20)})
    assert taken(path).refused == f"has more than 10 files: {archives.ALONE}"


@KINDS
def test_what_lies_in_a_hidden_folder_is_not_counted(
    tmp_path: Path, made: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """make report brings a .venv of 50,000 files, which nobody asked for."""
    monkeypatch.setattr(read_submission, "ENTRIES", 10)
    hidden = {f"book/.venv/lib/x{n}": b"" for n in range(20)}
    path = made(tmp_path, {**hidden, f"book/{KERNEL}": TEXT})
    assert files(taken(path)) == {KERNEL: TEXT}


def test_letters_of_all_languages_stay_in_a_reason(tmp_path: Path) -> None:
    submission = taken(folder(tmp_path, {"Übungen/äöü/lab1/kernel.c": TEXT}))
    assert submission.instead(KERNEL).startswith("Übungen/äöü/lab1/kernel.c does not count")


@pytest.mark.parametrize("name", ["anna.tar.gz", "anna.zip"])
@pytest.mark.parametrize(
    "content", [b"", b"no archive", gzip.compress(b"no tar" * 999, mtime=0), b"PK\3\4" + b"x" * 99]
)
def test_a_damaged_archive(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    submission = taken(tmp_path / name)
    assert files(submission) == {}
    assert (
        submission.refused.startswith("cannot be read: ")
        or name == "anna.tar.gz"
        and content == b""
    )
    assert str(tmp_path) not in submission.refused


@pytest.mark.parametrize("name", ["anna.tar.gz", "anna.zip"])
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty"),
        (b"no archive" * 99, "is no zip or tar archive, or a damaged one"),
        *(
            (page, "is a web page (a login page that was saved in place of the file?)")
            for page in (
                b"<html>login</html>",
                b"\xef\xbb\xbf\n<!DOCTYPE HTML PUBLIC '-'>" + b" " * 999,
                b"<?xml version='1.0'?>\n<!-- saved -->\n<html lang='en'>",
            )
        ),
    ],
)
def test_what_is_no_archive_is_told(tmp_path: Path, name: str, content: bytes, what: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert taken(tmp_path / name).refused == f"cannot be read: it {what}: hand it in again"


def test_a_zip_that_extracts_itself(tmp_path: Path) -> None:
    """Bytes before its first entry, as unzip and Python have them."""
    path = zipped(tmp_path, {KERNEL: TEXT})
    path.write_bytes(b"#!/bin/sh\n" + b" " * 999 + path.read_bytes())
    assert files(taken(path)) == {KERNEL: TEXT}


def test_a_tar_with_a_zip_at_its_end_is_a_tar(tmp_path: Path) -> None:
    inner = zipped(tmp_path, {KERNEL: b"old"}).read_bytes()
    assert files(taken(tar(tmp_path, {KERNEL: TEXT, "old.zip": inner}, "tar"))) == {KERNEL: TEXT}


def test_half_an_archive(tmp_path: Path) -> None:
    path = tar(tmp_path, {"random": os.urandom(9999), KERNEL: TEXT})
    path.write_bytes(path.read_bytes()[:5000])
    assert taken(path).refused.startswith("cannot be read: ")


@pytest.mark.parametrize("content", [b"tar", b"PK"])
@pytest.mark.parametrize("error", [IndexError, RecursionError, MemoryError, UnicodeDecodeError])
def test_whatever_a_library_makes_of_it(
    content: bytes, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise error("ascii", b"", 0, 1, "odd") if error is UnicodeDecodeError else error("odd")

    monkeypatch.setattr(archives, "of_zip" if content == b"PK" else "of_tar", fails)
    assert archives.said(io.BytesIO(content), 1, 1, 1)["refused"].startswith("cannot be read: ")


def test_a_folder_that_is_almost_a_lab(tmp_path: Path) -> None:
    submission = taken(folder(tmp_path, {"Lab1/kernel.c": TEXT}))
    assert submission.almost == {
        "01": "Lab1/kernel.c does not count: its folder is not called as the lab is"
    }


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("lab01_cpu_naive/kernel.cpp", "a kernel is called"),
        ("lab01_cpu_naive/my_kernel.c", "a kernel is called"),
        (f"a/b/c/d/{KERNEL}", "it lies too deep"),
        (f"lab02_avx/build/{KERNEL}", "it lies too deep"),
        ("kernel.c", "a kernel lies in the folder of its lab"),
        ("solution/kernel.c", "a kernel lies in the folder of its lab"),
        ("anna.tar.gz", "an archive in what was handed in"),
        ("01/lab1/kernel.c", "its folder is not called"),
        ("lab01_cpu_naive_v2/kernel.c", "its folder is not called"),
        ("lab01_cpu_naive/src/kernel.c", "a kernel lies in the folder of its lab"),
        ("lab01_cpu_naive/kernel_c", "a kernel is called"),
        ("lab01_cpu_naive.c", "a kernel lies in the folder of its lab"),
        ("kernel_lab01.c", "a kernel lies in the folder of its lab"),
        ("solution/solution.c", "a kernel lies in the folder of its lab"),
        (f"../{KERNEL}", "its path leads out of what was handed in"),
    ],
)
def test_what_does_not_count_is_told(tmp_path: Path, entry: str, why: str) -> None:
    submission = taken(zipped(tmp_path, {entry: TEXT}))
    assert why in submission.instead(KERNEL) and entry in submission.instead(KERNEL)


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        (
            ["lab01_cpu_naive/kernel.cl", "lab01_cpu_naive/params.h"],
            "lab01_cpu_naive/kernel.cl does not count: the kernel of this lab is kernel.c: hand "
            "that in",
        ),
        (
            ["lab01_cpu_naive/params.h"],
            "lab01_cpu_naive/params.h does not count: no kernel.c is beside it: hand that in, too",
        ),
        (
            ["lab01_cpu_naive/params.h", "lab01_cpu_naive/my_kernel.c"],
            "lab01_cpu_naive/my_kernel.c does not count: a kernel is called kernel.c, kernel.cl or "
            "kernel.cu, in small letters, as the lab has it",
        ),
        (
            ["lab01_cpu_naive/params.h", "lab01_cpu/kernel.c"],
            "lab01_cpu/kernel.c does not count: its folder is not called as the lab is",
        ),
    ],
    ids=["another backend", "params.h alone", "another name", "another folder"],
)
def test_a_lab_without_its_kernel_is_told(tmp_path: Path, entries: list[str], why: str) -> None:
    assert taken(folder(tmp_path, dict.fromkeys(entries, TEXT))).instead(KERNEL) == why


@KINDS
def test_a_lab_too_deep_is_told(tmp_path: Path, made: Callable[..., Path]) -> None:
    deep = f"a/b/c/d/{KERNEL}"
    submission = taken(made(tmp_path, {deep: TEXT}))
    assert submission.instead(KERNEL).startswith(f"{deep} does not count: it lies too deep")


@KINDS
def test_folders_within_each_other_may_be_around_all(
    tmp_path: Path, made: Callable[..., Path]
) -> None:
    """As who unpacks workbook.zip into workbook/ hands it in; the one nearest to the top counts."""
    entries = {f"a/workbook/workbook/{KERNEL}": b"old", f"workbook/workbook/{KERNEL}": TEXT}
    assert files(taken(made(tmp_path, entries))) == {KERNEL: TEXT}


def test_other_code_beside_a_lab_is_no_kernel(tmp_path: Path) -> None:
    """A whole workbook that was handed in has much of it."""
    submission = taken(folder(tmp_path, dict.fromkeys(["lab02_avx/kernel.c", "tests/a.c"], TEXT)))
    assert submission.instead(KERNEL) == ""


def test_names_as_some_systems_pack_them(tmp_path: Path) -> None:
    assert files(taken(zipped(tmp_path, {KERNEL.replace("/", "\\"): TEXT}))) == {KERNEL: TEXT}


def test_an_archive_in_a_folder_of_its_own(tmp_path: Path) -> None:
    """As Moodle exports them; where there is a lab beside it, that counts."""
    (tmp_path / "anna").mkdir()
    zipped(tmp_path / "anna", {KERNEL: TEXT})
    assert files(taken(tmp_path / "anna")) == {KERNEL: TEXT}
    folder(tmp_path, {"lab04_ocl_naive/kernel.cl": TEXT})
    assert files(taken(tmp_path / "anna")) == {"lab04_ocl_naive/kernel.cl": TEXT}


# ---- the folder of all submissions ---------------------------------------------------------------
def test_names(tmp_path: Path) -> None:
    for name in "anna", "carl":
        folder(tmp_path / name, {KERNEL: TEXT})
    tar(tmp_path, {KERNEL: TEXT})
    (tmp_path / "Bert.TGZ").write_bytes(b"")
    (tmp_path / "notes.txt").write_bytes(b"")
    (tmp_path / ".git").mkdir()
    names = [name for name, _, _ in submissions(tmp_path)]
    assert names == ["Bert", "anna", "anna.tar.gz", "carl", "notes.txt"]
    assert (
        taken(tmp_path / "notes.txt").refused
        == "is no folder, .tar.gz or .zip: make it one of these"
    )


@pytest.mark.parametrize("suffix", ["7z", "rar", "TAR.ZST"])
def test_an_archive_of_another_kind_is_told_to_be_packed_anew(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"anna.{suffix}").write_bytes(b"")
    said = "is packed in a way that is not opened: make it a .tar.gz or .zip"
    assert taken(tmp_path / f"anna.{suffix}").refused == said
    folder(tmp_path / "bert", {f"mine.{suffix}": TEXT})
    assert (
        taken(tmp_path / "bert").instead(KERNEL) == f"anna/mine.{suffix} does not count: it {said}"
    )


def named(top: Path, *names: str) -> list[tuple[str, str]]:
    """Name and folder of each of some folders."""
    for name in names:
        (top / name).mkdir()
    return [(name, folder) for name, folder, _ in submissions(top)]


@pytest.mark.parametrize("name", [".zip", "\u3164", " "])
def test_a_name_is_to_be_seen(tmp_path: Path, name: str) -> None:
    assert [seen(name).strip() for name, _ in named(tmp_path, name)] != [""]


@pytest.mark.parametrize(
    "twins", [("bob", "bob.zip", "bob.zip.zip"), ("Anna Meier", "Anna=(($ !Meier")]
)
def test_no_two_have_one_name_or_one_folder(tmp_path: Path, twins: tuple[str, ...]) -> None:
    found = named(tmp_path, *twins)
    assert len({name for name, _ in found}) == len({folder for _, folder in found}) == len(twins), (
        found
    )


def test_nobody_is_called_as_another_is_with_a_folder_behind(tmp_path: Path) -> None:
    twins = ("ali ce", "ali\u3000ce")
    theirs = named(tmp_path, *twins)[0]
    assert theirs == ("ali ce [" + theirs[1] + "]", theirs[1])
    found = named(tmp_path, theirs[0])
    assert len({name for name, _ in found}) == 3, found


def test_who_writes_in_other_letters_is_called_as_handed_in(tmp_path: Path) -> None:
    names = [
        "\u0410\u043d\u043d\u0430",
        "\u674e\u96f7",
        "M\xfcller",
        "Mo\u0308ller",
        "Jos\xe9 \xd8",
    ]
    assert sorted(name for name, _ in named(tmp_path, *names)) == sorted(names)


def test_what_knows_letters_that_look_alike_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    with pytest.raises(UserError, match=r"needs ICU, .*: ./setup grade \(icu-devtools\)"):
        icu.__wrapped__()


def test_a_folder_may_be_packed_by_moodle_and_a_mac(tmp_path: Path) -> None:
    (tmp_path / "anna").mkdir()
    zipped(tmp_path / "anna", {KERNEL: TEXT})
    for beside in "._anna.zip", "report.pdf.gz", "onlinetext.html":
        (tmp_path / "anna" / beside).write_bytes(b"odd")
    assert files(taken(tmp_path / "anna")) == {KERNEL: TEXT}


def test_two_archives_in_a_folder(tmp_path: Path) -> None:
    for made in tar, zipped:
        made(tmp_path / "anna", {KERNEL: TEXT})
    submission = taken(tmp_path / "anna")
    assert files(submission) == {}
    why = "anna.tar.gz and anna.zip: 2 archives are in it: hand in one"
    assert submission.instead(KERNEL) == submission.instead("lab09_cuda_shared/kernel.cu") == why


def one_submission(path: Path) -> None:
    (path / "lab01_cpu_naive").mkdir(parents=True)
    (path / KERNEL).write_bytes(TEXT)


@pytest.mark.parametrize(
    "make",
    [
        lambda path: None,
        lambda path: path.mkdir(),
        lambda path: path.write_text("x"),
        one_submission,
    ],
)
def test_nothing_to_grade(tmp_path: Path, make: Make) -> None:
    make(tmp_path / "subs")
    with pytest.raises(UserError, match="SUBMISSIONS="):
        submissions(tmp_path / "subs")


def test_folders_of_results_are_harmless_and_each_has_its_own() -> None:
    names = [
        "anna",
        "Anna",
        "..",
        "a/b",
        "=1+1",
        "<b>",
        "\x1b[2J",
        "Zoë",
        "-rf",
        "x" * 300,
        "anna~2",
    ]
    made = folders(names)
    assert len({name.lower() for name in made}) == len(names)
    assert all(
        name.strip("._-") and set(name) <= set(intake_letters()) and len(name) <= 100
        for name in made
    )


def test_no_folder_of_results_is_one_of_our_files() -> None:
    made = folders(["grades.csv", "log", "LOG", "class.html", "slurm"])
    assert not {name.lower() for name in made} & {"grades.csv", "log", "class.html", "slurm"}


@pytest.mark.parametrize("name", ["lab02_avx.zip", "lab02_avx", ".bob", ".eve.zip"])
def test_whatever_lies_there_has_its_rows(tmp_path: Path, name: str) -> None:
    (tmp_path / "anna").mkdir()
    (tmp_path / name).mkdir()
    for nothing in ".DS_Store", "._anna.zip", "Thumbs.db", "desktop.ini":
        (tmp_path / nothing).touch()
    (tmp_path / "__MACOSX").mkdir()
    assert len(submissions(tmp_path)) == 2


TWINS = {
    "NFKC": "\uff41lice",
    "zero width": "ali\u200bce",
    "soft hyphen": "ali\xadce",
    "variation selector": "alice\ufe0f",
    "grapheme joiner": "al\u034fice",
    "Hangul filler": "alice\u3164",
    "Cyrillic": "\u0430lice",
    "no-break space": "alice\xa0",
    "capital and Cyrillic": "\u0410lice",
}


@pytest.mark.parametrize(
    "twin",
    ["alice ", " alice", "alice\n", "'alice", "Alice", "ali\x02ce", *TWINS.values()],
    ids=ascii,
)
def test_no_two_look_alike_in_the_gradebook(tmp_path: Path, twin: str) -> None:
    others = ["ali?ce"] if "\x02" in twin else ["alice"]
    for name in (*others, twin):
        (tmp_path / name).mkdir()
    found = submissions(tmp_path)
    assert not looks(found[0][0]) & looks(found[1][0])
    assert all(name.endswith(f"[{folder}]") for name, folder, _ in found if "[" in name)
    assert any("[" in name for name, _, _ in found)


def test_a_folder_stays_whoever_else_hands_in() -> None:
    alone = folders(["Müller"])
    assert folders(["Möller", "Müller"])[1:] == alone
    assert folders(["anna", "Bernd"]) == ["anna", "Bernd"]


def test_utf_16_is_no_source(tmp_path: Path) -> None:
    text = "void gemm(void) {}".encode("utf-16")
    assert "save it as UTF-8" in refused(taken(folder(tmp_path, {KERNEL: text})))


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    """As a file system allows; it has a seed, and results."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/an\xffna"))
    path.mkdir()
    (name, _, _), *_ = submissions(tmp_path)
    assert folders([name]) == ["an_na~0804292b667b4303f44fe17f06c52019"]
    terms = Terms(
        described("lab01_cpu_naive"), Task(8, 2, None, 0, 1, ""), "0" * 64, 64, 3, frozenset()
    )
    assert len(terms.seed_of(name)) == 64


ZIPPED = pytest.mark.parametrize(
    "method",
    [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA],
    ids=["stored", "deflate", "bzip2", "lzma"],
)


@ZIPPED
@pytest.mark.parametrize("text", [TEXT, os.urandom(LARGEST // 8).hex().encode()])
def test_however_a_zip_is_packed(tmp_path: Path, method: int, text: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "anna.zip", "w", method) as archive:
        archive.writestr(KERNEL, text)
    assert files(taken(tmp_path / "anna.zip")) == {KERNEL: text}


@ZIPPED
def test_a_kernel_that_is_a_bomb(
    tmp_path: Path, method: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of which no more is unpacked than is read, or than there is room for."""
    monkeypatch.setattr(read_submission, "BOX", replace(read_submission.BOX, memory=400 << 20))
    with zipfile.ZipFile(tmp_path / "anna.zip", "w", method) as archive:
        archive.writestr(KERNEL, b" " * (400 << 20))
        archive.writestr("lab02_avx/kernel.c", TEXT)
    submission = taken(tmp_path / "anna.zip")
    if method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert submission.refused.startswith("cannot be read: it takes too much memory")
        assert submission.labs == {}
    else:
        assert refused(submission) == f"{KERNEL} has more than 256 KiB"
        assert submission.labs["lab02_avx"].files == {"kernel.c": TEXT}


def test_a_zip_with_a_password(tmp_path: Path) -> None:
    """Its file alone is refused, in words that are the student's."""
    zipped(tmp_path, {KERNEL: TEXT})
    path = tmp_path / "anna.zip"
    packed = bytearray(path.read_bytes())
    packed[packed.index(b"PK\3\4") + 6] |= 1
    packed[packed.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(packed)
    submission = taken(path)
    assert submission.refused == ""
    assert "kernel.c is encrypted: hand in the file itself" in str(submission)
    path.write_bytes(b"PK no zip")
    assert "password" not in taken(path).refused


def test_a_zip_that_python_does_not_unpack(tmp_path: Path) -> None:
    path = zipped(tmp_path, {KERNEL: TEXT})
    content = bytearray(path.read_bytes())
    for at in 8, content.rindex(b"PK\1\2") + 10:
        content[at] = 9  # Deflate64
    path.write_bytes(content)
    assert "is packed by none of Deflate, BZip2 and LZMA: hand in" in refused(taken(path))


def intake_letters() -> str:
    return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-~"


# ---- all of them: the sandbox, what we may not read, what is remembered --------------------------
def settings(tmp_path: Path, **more: Any) -> Settings:
    return Settings(tmp_path / "subs", tmp_path / "out", 64, 2, "0" * 64, **more)


def take_all(tmp_path: Path, **more: Any) -> list[Submission]:
    given = settings(tmp_path, **more)
    return read_submission.take_all(submissions(given.submissions), given)


def class_of(tmp_path: Path) -> None:
    """One of each kind."""
    (tmp_path / "subs").mkdir()
    folder(tmp_path / "subs", {KERNEL: TEXT, "Lab2/kernel.c": TEXT})
    tar(tmp_path, {KERNEL: bytes(range(1, 256))}).rename(tmp_path / "subs/bert.tgz")
    zipped(tmp_path, {"lab04_ocl_naive/kernel.cl": TEXT * 9999}).rename(tmp_path / "subs/carl.zip")
    zipped(tmp_path / "subs/dora", {KERNEL: TEXT})
    (tmp_path / "subs/emil.zip").write_text("no archive")


def test_all_are_taken_in_their_order(tmp_path: Path) -> None:
    class_of(tmp_path)
    all_of_them = take_all(tmp_path)
    assert [one.name for one in all_of_them] == ["anna", "bert", "carl", "dora", "emil"]
    assert [len(files(one)) for one in all_of_them] == [1, 1, 1, 1, 0]


def inside(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Submission:
    """What comes of a reader of archives that was made to do this."""
    monkeypatch.setattr(read_submission, "PROGRAM", program)
    return taken(zipped(tmp_path, {KERNEL: TEXT}))


def told(what: str) -> str:
    """A program that says this as the reason to refuse an archive."""
    record = '{"schema": "gemm-archive/1", "entries": [], "refused": str(%s)}'
    return f"import json, os, sys; print(json.dumps({record % what}))"


@pytest.mark.parametrize(
    ("what", "is_"),
    [
        ("os.getuid() or 'root'", str(os.getuid() or 65534)),
        (
            "[x for x in os.listdir('/') if x not in ('usr', 'lib', 'lib64', 'dev', 'tmp', 'out')]",
            "[]",
        ),
        ("os.access('/proc/self/fd/0', os.F_OK)", "False"),
        (
            "sorted(os.environ.values())",
            "['/tmp', '/tmp', '/tmp', '/usr/bin:/bin', '3', 'C.UTF-8']",
        ),
    ],
)
def test_archives_are_opened_in_a_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, is_: str
) -> None:
    assert inside(told(what), tmp_path, monkeypatch).refused == is_


def test_no_process_is_started_by_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(
        UserError, match="archives cannot be read in a sandbox here: .*Operation not permitted"
    ):
        inside("import os; os.fork()", tmp_path, monkeypatch)


@pytest.mark.parametrize("program", ["while True: pass", "import ctypes; ctypes.string_at(0)"])
def test_an_archive_that_takes_hours_or_breaks_what_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    """It is refused, and looked at again by the next run: another version of the library may read
    it."""
    monkeypatch.setattr(read_submission, "RECENT", -(1 << 62))
    monkeypatch.setattr(read_submission, "BOX", replace(read_submission.BOX, cpu=1))
    class_of(tmp_path)
    monkeypatch.setattr(read_submission, "PROGRAM", program)
    said = [one.refused for one in take_all(tmp_path)]
    assert said[0] == "" and said[1].startswith(
        "cannot be read: it takes too long, or too much memory"
    )
    assert not (tmp_path / "out/intake/bert.json").exists()


def test_what_is_ours_to_do_is_nobodys_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive that could not be looked at is not refused."""
    class_of(tmp_path)
    monkeypatch.setattr("workbook.core.process._ending", False)  # which lasts until a command ends
    monkeypatch.setattr(read_submission, "PROGRAM", "import nothing")
    with pytest.raises(UserError, match="archives cannot be read in a sandbox here: .*'nothing'"):
        take_all(tmp_path)
    assert not list((tmp_path / "out").glob("intake/[b-e]*"))


def test_a_folder_that_we_may_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class_of(tmp_path)
    closed = tmp_path / "subs/anna/lab01_cpu_naive"
    scandir = os.scandir

    def refusing(path: Path) -> Any:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr("os.scandir", refusing)
    with pytest.raises(UserError) as mistake:
        take_all(tmp_path)
    assert str(mistake.value) == (
        f"{closed}: Permission denied: nothing is graded before all can be read: "
        f"chmod -R u+rX {tmp_path / 'subs'}"
    )


@pytest.fixture
def reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is opened of a class, some time after it was handed in."""
    monkeypatch.setattr(read_submission, "RECENT", -(1 << 62))
    class_of(tmp_path)
    names: list[str] = []
    take = read_submission.take

    def noted(name: str, folder: str, path: Path) -> Any:
        names.append(name)
        return take(name, folder, path)

    monkeypatch.setattr(read_submission, "take", noted)
    return names


def test_what_has_not_changed_is_not_opened_again(tmp_path: Path, reads: list[str]) -> None:
    first = take_all(tmp_path)
    assert sorted(reads) == ["anna", "bert", "carl", "dora", "emil"]
    reads.clear()
    for kept in (tmp_path / "out/intake").iterdir():
        assert complaints(json.loads(kept.read_text()), "gemm-intake") == []
    again = take_all(tmp_path)
    assert reads == []
    assert [vars(one) for one in again] == [{**vars(one), "packed": []} for one in first]


def other_text(subs: Path) -> str:
    path = subs / "anna" / KERNEL
    times = path.stat()
    path.write_bytes(b"int y;\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # as who unpacks it again
    return "anna"


def one_more(subs: Path) -> str:
    (subs / "anna/lab01_cpu_naive/params.h").write_bytes(TEXT)
    return "anna"


def another_archive(subs: Path) -> str:
    (subs / "carl.zip").replace(subs / "bert.zip")
    (subs / "bert.tgz").unlink()
    return "bert"


def the_inner_one(subs: Path) -> str:
    zipped(subs, {KERNEL: b"int y;\n"}).replace(subs / "dora/anna.zip")
    return "dora"


@pytest.mark.parametrize("change", [other_text, one_more, another_archive, the_inner_one])
def test_what_has_changed_is_opened_again(
    tmp_path: Path, reads: list[str], change: Callable[[Path], str]
) -> None:
    first = {one.name: one for one in take_all(tmp_path)}
    reads.clear()
    name = change(tmp_path / "subs")
    now = {one.name: one for one in take_all(tmp_path)}
    assert reads == [name]
    assert files(now[name]) != files(first[name])


@pytest.mark.parametrize("kept", ["", "{}", '{"schema": "gemm-intake/2"}'])
def test_what_is_kept_may_be_damaged(tmp_path: Path, reads: list[str], kept: str) -> None:
    take_all(tmp_path)
    reads.clear()
    (tmp_path / "out/intake/anna.json").write_text(kept)
    take_all(tmp_path)
    assert reads == ["anna"]


def test_a_later_workbook_reads_again(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    take_all(tmp_path)
    reads.clear()
    monkeypatch.setitem(read_submission.KEPT, "rules", "0" * 64)
    take_all(tmp_path)
    assert len(reads) == 5


def test_what_has_just_been_written_is_not_remembered(tmp_path: Path) -> None:
    """Its times would be the same after another change."""
    class_of(tmp_path)
    take_all(tmp_path)
    assert not (tmp_path / "out/intake").exists()


def test_jobs_of_an_array_leave_the_memory_alone(tmp_path: Path, reads: list[str]) -> None:
    take_all(tmp_path, part=(0, 2))
    assert not (tmp_path / "out/intake").exists()
    assert reads != []


def test_why_a_lab_is_missing_is_not_remembered_for_ever(tmp_path: Path) -> None:
    for labs in {}, {"lab01_cpu_naive": Handed({"params.h": TEXT})}:
        before, after = (
            Submission("anna", "anna", labs, almost=almost)
            for almost in ({}, {"01": "Lab1/kernel.c"})
        )
        assert before.digest(KERNEL, "") != after.digest(KERNEL, "")
        assert before.digest(SECOND, "") == after.digest(SECOND, "")


def test_several_are_taken_at_a_time_and_it_says_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("workbook.core.progress_bar.SOON", 0)
    (tmp_path / "subs").mkdir()
    for name in "anna", "bert":
        folder(tmp_path, {KERNEL: TEXT}).rename(tmp_path / "subs" / name)
    both, take = threading.Barrier(2, timeout=60), read_submission.take

    def together(name: str, folder: str, path: Path) -> Any:
        both.wait()
        return take(name, folder, path)

    monkeypatch.setattr(read_submission, "take", together)
    assert len(take_all(tmp_path)) == 2
    assert re.search(r"grade: .*: (anna|bert), taken in", capsys.readouterr().err)


@pytest.mark.parametrize(
    "first",
    ["=", "+", "@", "-", "\u2212", "\uff1d", "\ufe66", "\uff0b", "\uff0d", "\uff20", "\ufe0f="],
)
def test_no_spreadsheet_computes_a_name(first: str) -> None:
    assert str(cell(f"{first}1+1")).startswith("'")
    assert cell(f"a{first}") == f"a{first}"
