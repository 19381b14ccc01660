# SPDX-License-Identifier: MIT
"""The files of a submission, one after the other. Nothing is unpacked: regular files alone are read, no link
is followed, and sizes are limited."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

from workbook.text import plain

BIT_BY_BIT = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # no more is unpacked than is read
ARCHIVES = (".tar.gz", ".tgz", ".zip")
UNPACKED = 256 << 20  # bytes of an archive that are gone through
ENTRIES = 20000  # files of a submission

Read = Callable[[int], bytes]


class Refused(Exception):
    """Why a lab, or all of a submission, is not taken."""


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
    elif name.endswith(ARCHIVES):
        yield from of_tar(path)
    else:
        raise Refused("is no folder, .tar.gz or .zip: make it one of these")


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
            entry = re.sub(r"^(\./)+", "", member.filename.replace("\\", "/"))  # as some systems pack them
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                yield entry, kind(mode)
            elif member.compress_type not in BIT_BY_BIT:
                yield entry, "packed in an unusual way"
            else:
                yield entry, of_zipped(archive, member)


def of_zipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Read:
    def read(size: int) -> bytes:
        with archive.open(member) as file:
            return file.read(size)

    return read
