# SPDX-License-Identifier: MIT
"""What make grade takes of a submission, and what it does not: nothing that is handed in makes it follow a
link, read for ever or write a file."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cheating import described
from workbook import Mistake
from workbook.course import Task
from workbook.grade import archives, counter, intake
from workbook.grade.intake import Submission, folders, shown, submissions, take
from workbook.grade.terms import Terms

KERNEL = "lab01_cpu_naive/kernel.c"
TEXT = b"int x;\n"
Make = Callable[[Path], None]


def taken(path: Path) -> Submission:
    return take("anna", "anna", path)


def files(submission: Submission) -> dict[str, bytes]:
    return {f"{lab}/{name}": text for lab, one in submission.labs.items() for name, text in one.files.items()}


def folder(top: Path, entries: dict[str, bytes]) -> Path:
    for name, text in entries.items():
        (top / "anna" / name).parent.mkdir(parents=True, exist_ok=True)
        (top / "anna" / name).write_bytes(text)
    return top / "anna"


def tar(top: Path, entries: dict[str, bytes]) -> Path:
    with tarfile.open(top / "anna.tar.gz", "w:gz") as archive:
        for name, text in entries.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return top / "anna.tar.gz"


def zipped(top: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(top / "anna.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return top / "anna.zip"


KINDS = pytest.mark.parametrize("made", [folder, tar, zipped])


@KINDS
@pytest.mark.parametrize("around", ["", "solution/", "./"])
def test_kernels_and_their_tunables_are_taken(tmp_path: Path, made: Callable[..., Path], around: str) -> None:
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
    names = ["Makefile", "lab01_cpu_naive/Makefile", "common/lab.mk", "lab01_cpu_naive/kernel_fast.c"]
    names += (
        "lab01_cpu_naive/main.c",
        "kernel.c",
        "a/b/lab01_cpu_naive/kernel.c",
        ".lab01_cpu_naive/kernel.c",
    )
    submission = taken(made(tmp_path, dict.fromkeys(names, TEXT)))
    assert (files(submission), submission.refused) == ({}, "")


@pytest.mark.parametrize("made", [tar, zipped])
@pytest.mark.parametrize("name", [f"../{KERNEL}", f"/{KERNEL}", f"x/../{KERNEL}"])
def test_no_name_leads_outside(tmp_path: Path, made: Callable[..., Path], name: str) -> None:
    assert files(taken(made(tmp_path, {name: TEXT}))) == {}


def refused(submission: Submission) -> str:
    return submission.labs["lab01_cpu_naive"].refused


def test_a_link_in_a_folder(tmp_path: Path) -> None:
    path = folder(tmp_path, {"lab01_cpu_naive/params.h": TEXT})
    (path / KERNEL).symlink_to("/etc/passwd")
    assert refused(taken(path)) == f"{KERNEL} is a link: hand in the file itself"


def test_a_lab_behind_a_link(tmp_path: Path) -> None:
    path = folder(tmp_path, {"README": TEXT})
    folder(tmp_path / "other", {KERNEL: TEXT})
    (path / "lab01_cpu_naive").symlink_to(tmp_path / "other/anna/lab01_cpu_naive")
    assert "is behind a link" in refused(taken(path))


def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    path = folder(tmp_path, {"lab01_cpu_naive/params.h": TEXT})
    os.mkfifo(path / KERNEL)
    assert refused(taken(path)) == f"{KERNEL} is a FIFO: hand in the file itself"


def test_a_submission_that_is_a_link(tmp_path: Path) -> None:
    folder(tmp_path, {KERNEL: TEXT})
    (tmp_path / "bert").symlink_to(tmp_path / "anna")
    assert taken(tmp_path / "bert").refused == "is a link: hand in the files themselves"


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_no_file_in_a_tar(tmp_path: Path, kind: bytes) -> None:
    with tarfile.open(tmp_path / "anna.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo(KERNEL)
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    said = refused(taken(tmp_path / "anna.tar.gz"))
    assert ("is a link" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else "no regular file") in said


def test_a_link_in_a_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "anna.zip", "w") as archive:
        member = zipfile.ZipInfo(KERNEL)
        member.external_attr = 0o120777 << 16
        archive.writestr(member, "/etc/passwd")
    assert "is a link" in refused(taken(tmp_path / "anna.zip"))


@KINDS
def test_a_large_kernel(tmp_path: Path, made: Callable[..., Path]) -> None:
    assert (
        refused(taken(made(tmp_path, {KERNEL: b" " * (intake.LARGEST + 1)})))
        == f"{KERNEL} has more than 256 KiB"
    )


def test_a_file_twice(tmp_path: Path) -> None:
    path = folder(tmp_path, {KERNEL: TEXT, f"again/{KERNEL}": TEXT})
    assert refused(taken(path)) == f"{KERNEL} is there twice"


def test_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that nobody asked for, of which all would have to be unpacked to go on."""
    monkeypatch.setattr(archives, "UNPACKED", 1 << 20)
    path = tar(tmp_path, {"zeros": b"\0" * (8 << 20), KERNEL: TEXT})
    assert path.stat().st_size < 20000
    assert taken(path).refused == "unpacks to more than 1 MiB"


@KINDS
def test_too_many_files(tmp_path: Path, made: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "ENTRIES", 10)
    path = made(tmp_path, {f"x{n}": b"" for n in range(20)})
    assert taken(path).refused == "has more than 10 files"


@pytest.mark.parametrize("name", ["anna.tar.gz", "anna.zip"])
@pytest.mark.parametrize(
    "content", [b"", b"no archive", gzip.compress(b"no tar" * 999, mtime=0), b"PK\3\4" + b"x" * 99]
)
def test_a_damaged_archive(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    submission = taken(tmp_path / name)
    assert files(submission) == {}
    assert submission.refused.startswith("cannot be read: ") or name == "anna.tar.gz" and content == b""


def test_half_an_archive(tmp_path: Path) -> None:
    path = tar(tmp_path, {"random": os.urandom(9999), KERNEL: TEXT})
    path.write_bytes(path.read_bytes()[:5000])
    assert taken(path).refused.startswith("cannot be read: ")


@pytest.mark.parametrize("made", [tar, zipped])
@pytest.mark.parametrize("error", [IndexError, RecursionError, MemoryError, UnicodeDecodeError])
def test_whatever_a_library_makes_of_it(
    tmp_path: Path, made: Callable[..., Path], error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise error("ascii", b"", 0, 1, "odd") if error is UnicodeDecodeError else error("odd")

    path = made(tmp_path, {KERNEL: TEXT})
    monkeypatch.setattr(intake, "note", fails)
    assert taken(path).refused.startswith("cannot be read: ")


def test_a_folder_that_is_almost_a_lab(tmp_path: Path) -> None:
    submission = taken(folder(tmp_path, {"Lab1/kernel.c": TEXT}))
    assert submission.almost == {"01": "Lab1/kernel.c does not count: its folder is not called as the lab is"}


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("lab01_cpu_naive/kernel.cpp", "a kernel is called"),
        ("lab01_cpu_naive/my_kernel.c", "a kernel is called"),
        (f"a/b/{KERNEL}", "it lies too deep"),
        ("01/lab1/kernel.c", "its folder is not called"),
    ],
)
def test_what_does_not_count_is_told(tmp_path: Path, entry: str, why: str) -> None:
    submission = taken(zipped(tmp_path, {entry: TEXT}))
    assert why in submission.almost["01"] and entry in submission.almost["01"]


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
    assert taken(tmp_path / "notes.txt").refused == "is no folder, .tar.gz or .zip: make it one of these"


def one_submission(path: Path) -> None:
    (path / "lab01_cpu_naive").mkdir(parents=True)
    (path / KERNEL).write_bytes(TEXT)


@pytest.mark.parametrize(
    "make", [lambda path: None, lambda path: path.mkdir(), lambda path: path.write_text("x"), one_submission]
)
def test_nothing_to_grade(tmp_path: Path, make: Make) -> None:
    make(tmp_path / "subs")
    with pytest.raises(Mistake, match="SUBMISSIONS="):
        submissions(tmp_path / "subs")


def test_folders_of_results_are_harmless_and_each_has_its_own() -> None:
    names = ["anna", "Anna", "..", "a/b", "=1+1", "<b>", "\x1b[2J", "Zoë", "-rf", "x" * 300, "anna~2"]
    made = folders(names)
    assert len({name.lower() for name in made}) == len(names)
    assert all(name.strip("._-") and set(name) <= set(intake_letters()) and len(name) <= 110 for name in made)


def test_no_folder_of_results_is_one_of_our_files() -> None:
    made = folders(["grades.csv", "log", "LOG", "class.html", "slurm"])
    assert not {name.lower() for name in made} & {"grades.csv", "log", "class.html", "slurm"}


@pytest.mark.parametrize("name", ["lab02_avx.zip", "lab02_avx", ".bob", ".eve.zip"])
def test_whatever_lies_there_has_its_rows(tmp_path: Path, name: str) -> None:
    (tmp_path / "anna").mkdir()
    (tmp_path / name).mkdir()
    for nothing in ".DS_Store", "._anna.zip":
        (tmp_path / nothing).touch()
    assert len(submissions(tmp_path)) == 2


@pytest.mark.parametrize("twin", ["alice ", " alice", "alice\n", "'alice", "Alice", "ali\x02ce"])
def test_no_two_look_alike_in_the_gradebook(tmp_path: Path, twin: str) -> None:
    others = ["ali?ce"] if "\x02" in twin else ["alice"]
    for name in (*others, twin):
        (tmp_path / name).mkdir()
    found = submissions(tmp_path)
    looks = [shown(name) for name, _, _ in found]
    assert len(set(looks)) == 2, looks
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
    assert folders([name]) == ["an_na~080429"]
    terms = Terms(described("lab01_cpu_naive"), Task(8, 2, None, 0, 1, ""), "0" * 64, 64, 3, frozenset())
    assert len(terms.seed_of(name)) == 64


def test_an_archive_that_takes_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name so long that Python's library is busy with it: it is read in a process that ends."""
    monkeypatch.setattr(counter, "SECONDS", 2.0)
    path = tar(tmp_path, {f"lab{'0' * 400000}": TEXT, KERNEL: TEXT})
    assert (
        counter.hand_over("anna", "anna", path).refused == "cannot be read: not within 2 s: hand it in again"
    )


@KINDS
def test_what_is_handed_over_is_what_was_taken(tmp_path: Path, made: Callable[..., Path]) -> None:
    entries = {KERNEL: bytes(range(256)), "lab2/kernel.c": TEXT, "lab04_ocl_naive/kernel.cl": TEXT * 99999}
    path = made(tmp_path, entries)
    assert counter.hand_over("anna", "anna", path) == taken(path)


def test_what_unpacks_all_at_once_is_not_taken(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "anna.zip", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr(KERNEL, TEXT)
    assert "is packed in an unusual way" in refused(taken(tmp_path / "anna.zip"))


def intake_letters() -> str:
    return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-~"
