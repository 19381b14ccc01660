# SPDX-License-Identifier: MIT
"""What was handed in: labNN_*/kernel.{c,cl,cu} and params.h of a folder, a .tar.gz or a .zip, and nothing
else of it. Nothing is unpacked. Regular files alone are read, no link is followed, and sizes are limited."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Callable

from workbook import Mistake
from workbook.text import plain

ARCHIVES = (".tar.gz", ".tgz", ".zip")
LARGEST = 256 << 10  # bytes of a file
UNPACKED = 256 << 20  # bytes of an archive that are gone through
ENTRIES = 20000  # files of a submission
WANTED = re.compile(r"(lab\d\d_\w+)/(kernel\.(?:c|cl|cu)|params\.h)", re.ASCII)
ALMOST = re.compile(r"(lab_?0*(\d{1,2})[^/]*)/kernel\.\w+", re.ASCII | re.IGNORECASE)


class Refused(Exception):
    """Why a lab, or all of a submission, is not taken."""


@dataclass
class Handed:
    """A lab of a submission."""

    files: dict[str, bytes] = field(default_factory=dict)  # kernel.c, params.h
    refused: str = ""

    @property
    def digest(self) -> str:
        parts = [name.encode() + b"\0" + content for name, content in sorted(self.files.items())]
        return sha256(b"\0".join([self.refused.encode(), *parts])).hexdigest()


@dataclass
class Submission:
    name: str  # as it was given; it may be anything that a file system allows
    folder: str  # of its results: letters, digits, dots, dashes
    labs: dict[str, Handed] = field(default_factory=dict)
    refused: str = ""  # all of it
    notes: list[str] = field(default_factory=list)  # what is there and does not count


Read = Callable[[int], bytes]


def submissions(folder: Path) -> list[tuple[str, Path]]:
    """Name and path of each, in order; two that differ by their suffix alone keep it."""
    if not folder.is_dir():
        raise Mistake(f"SUBMISSIONS={folder}: no folder: one with a folder, .tar.gz or .zip of each student")
    found = []
    for path in sorted(folder.iterdir()):
        suffix = next((s for s in ARCHIVES if path.name.lower().endswith(s)), "")
        if not path.name.startswith(".") and (suffix or path.is_symlink() or path.is_dir()):
            found.append((path.name[: len(path.name) - len(suffix)], path))
    if not found:
        raise Mistake(f"SUBMISSIONS={folder}: nothing in it: a folder, .tar.gz or .zip of each student")
    stems = [stem for stem, _ in found]
    return [(stem if stems.count(stem) == 1 else path.name, path) for stem, path in found]


def folders(names: list[str]) -> list[str]:
    """A folder for the results of each name: harmless in any shell and file system, and its own."""
    taken: dict[str, int] = {}
    result = []
    for name in names:
        safe = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._-")[:100] or "submission"
        key = safe.lower()
        taken[key] = taken.get(key, 0) + 1
        result.append(safe if taken[key] == 1 else f"{safe}~{taken[key]}")
    return result


def take(name: str, folder: str, path: Path) -> Submission:
    """Never fails: what cannot be read is refused, with a reason."""
    submission = Submission(name, folder)
    try:
        for entry, read in entries(path):
            note(submission, entry, read)
    except Refused as why:
        submission.refused = str(why)
    except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error) as error:
        submission.refused = f"cannot be read: {plain(str(error)) or type(error).__name__}"
    except (RuntimeError, NotImplementedError, ValueError) as error:  # encrypted, or of an odd kind
        submission.refused = f"cannot be read: {plain(str(error))}"
    return submission


def note(submission: Submission, entry: str, read: Read | str) -> None:
    """One entry. What could be read, or why not."""
    wanted = wanted_part(entry)
    if wanted is None:
        if almost := ALMOST.search(entry):
            submission.notes.append(
                f"{plain(almost[0])} does not count: its folder is not called as the lab is"
            )
        return
    lab, file = wanted
    handed = submission.labs.setdefault(lab, Handed())
    if file in handed.files:
        handed.refused = f"{lab}/{file} is there twice"
    elif isinstance(read, str):
        handed.refused = f"{lab}/{file} is {read}: hand in the file itself"
    else:
        content = read(LARGEST + 1)
        if len(content) > LARGEST:
            handed.refused = f"{lab}/{file} has more than {LARGEST >> 10} KiB"
        else:
            handed.files[file] = content


def wanted_part(entry: str) -> tuple[str, str] | None:
    """The lab and the file, at the top or in one folder of any name: archives often have one around all."""
    parts = entry.split("/")
    if ".." in parts or "" in parts or entry.startswith("/") or "\\" in entry or len(parts) > 3:
        return None
    found = WANTED.fullmatch("/".join(parts[-2:])) if len(parts) > 1 else None
    return (found[1], found[2]) if found else None


def entries(path: Path) -> Iterator[tuple[str, Read | str]]:
    """Paths inside, with what reads so many bytes of it, or what it is if it is no regular file."""
    name = path.name.lower()
    if path.is_symlink():
        raise Refused("is a link: hand in the files themselves")
    if path.is_dir():
        yield from of_folder(path)
    elif not stat.S_ISREG(path.lstat().st_mode):
        raise Refused("is no regular file")
    elif name.endswith(".zip"):
        yield from of_zip(path)
    else:
        yield from of_tar(path)


def of_folder(top: Path) -> Iterator[tuple[str, Read | str]]:
    """Two levels: that is where labs are. What is below is not looked at."""
    count = 0
    waiting = [(top, "")]
    while waiting:
        folder, prefix = waiting.pop(0)
        for one in sorted(os.scandir(folder), key=lambda each: each.name):
            count += 1
            if count > ENTRIES:
                raise Refused(f"has more than {ENTRIES} files")
            entry = prefix + one.name
            if one.is_dir(follow_symlinks=False):
                if entry.count("/") < 2:
                    waiting.append((Path(one.path), f"{entry}/"))
            elif one.is_symlink() and one.is_dir():  # of whose contents nothing is known
                yield f"{entry}/kernel.c", "behind a link"
            else:
                yield entry, of_file(Path(one.path), one.stat(follow_symlinks=False).st_mode)


def of_file(path: Path, mode: int) -> Read | str:
    if not stat.S_ISREG(mode):
        return kind(mode)

    def read(size: int) -> bytes:
        # It may have been exchanged since: what was opened is what counts.
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Refused(f"{plain(path.name)} is no regular file any more")
            return file.read(size)

    return read


def kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a link"
    return "a FIFO" if stat.S_ISFIFO(mode) else "no regular file"


class Limited(io.RawIOBase):
    """A stream of which only so much is read: a few bytes can unpack to terabytes."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self.file, self.left = file, UNPACKED

    def read(self, size: int = -1) -> bytes:
        content = self.file.read(self.left + 1 if size < 0 else min(size, self.left + 1))
        self.left -= len(content)
        if self.left < 0:
            raise Refused(f"unpacks to more than {UNPACKED >> 20} MiB")
        return content


def of_tar(path: Path) -> Iterator[tuple[str, Read | str]]:
    with gzip.open(path, "rb") as packed, tarfile.open(fileobj=Limited(packed), mode="r|") as archive:
        for count, member in enumerate(archive):
            if count > ENTRIES:
                raise Refused(f"has more than {ENTRIES} files")
            entry = re.sub(r"^(\./)+", "", member.name)
            if member.isdir():
                continue
            if not member.isreg():
                yield entry, "a link" if member.issym() or member.islnk() else "no regular file"
            else:
                yield entry, of_member(archive, member)


def of_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Read:
    def read(size: int) -> bytes:
        file = archive.extractfile(member)
        return file.read(size) if file else b""

    return read


def of_zip(path: Path) -> Iterator[tuple[str, Read | str]]:
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        if len(members) > ENTRIES:
            raise Refused(f"has more than {ENTRIES} files")
        for member in members:
            mode = member.external_attr >> 16
            if member.is_dir():
                continue
            entry = re.sub(r"^(\./)+", "", member.filename)
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                yield entry, kind(mode)
            else:
                yield entry, of_zipped(archive, member)


def of_zipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Read:
    def read(size: int) -> bytes:
        with archive.open(member) as file:
            return file.read(size)

    return read
