# SPDX-License-Identifier: MIT
"""archives LARGEST ENTRIES UNPACKED < ARCHIVE: says as JSON what is in an archive and may count. It
runs in a sandbox, to which its text alone is handed: it needs Python's own library and nothing
else. Nothing is unpacked: regular files alone are read, and sizes are limited. How it is packed its
first bytes say, whatever it is called."""

from __future__ import annotations

import base64
import json
import re
import stat
import sys
from collections.abc import Iterator
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Callable, Union

if TYPE_CHECKING:
    import tarfile
    import zipfile

SCHEMA = "gemm-archive/1"
ENCRYPTED = 1  # of the flags of a file in a zip
LONGEST = 300  # characters of a path that anybody meant
LISTED = 1000  # names of what does not count: enough to say why
TEXTS = 8 << 20  # bytes of all kernels, and of their names as JSON has them
TOLD = re.compile(  # what counts, or was perhaps meant to
    r"(?:.*/)?(?:[^/]*kernel[^/]*|params\.h|[^/]+\.(?:c|cl|cu|zip|tar|t?gz|txz|tbz2|tar\.\w+|7z|rar))",
    re.IGNORECASE,
)
ALONE = "hand in the labs alone, without .venv and build"
HIDDEN = re.compile(r"(?:.*/)?\.(?!\.?/)")  # .venv/ and what is in it, which nobody looks at
TEXT = re.compile(r"(?:[^/]+/){1,4}(?:kernel\.(?:c|cl|cu)|params\.h)")
FIRST = 512  # bytes, a block of a tar
USTAR = slice(257, 262)  # of them, where a tar says that it is one
PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:.*<)?(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)

Read = Callable[[int], bytes]
Found = Iterator[
    tuple[str, Union[Read, str]]
]  # a path, with what reads so many bytes of it, or what it is


class Refused(Exception):
    """Why a lab, or all of a submission, is not taken."""


def entries(found: Found, largest: int, most: int) -> Iterator[dict[str, Any]]:
    """Of each path of interest `name`, `is` where it is no regular file, `text` where it may
    count."""
    names = size = count = 0
    for name, what in found:
        count += not HIDDEN.match(name)
        if count > most:
            raise Refused(f"has more than {most} files: {ALONE}")
        if len(name) > LONGEST or not TOLD.fullmatch(name):
            continue
        text = what(largest + 1) if callable(what) and TEXT.fullmatch(name) else None
        size += len(text) + 12 * len(name) if text is not None else 0
        names += text is None
        if size > TEXTS:
            raise Refused(f"has kernels of more than {TEXTS >> 20} MiB")
        if names <= LISTED or text is not None:
            yield {"name": name, "is": "" if callable(what) else what, "text": text}


def kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a link"
    return "a FIFO" if stat.S_ISFIFO(mode) else "no regular file"


class Limited:
    """A stream of which only so much is read: a few bytes can unpack to terabytes."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self.file, self.left, self.most = file, most, most

    def read(self, size: int = -1) -> bytes:
        content = self.file.read(self.left + 1 if size < 0 else min(size, self.left + 1))
        self.left -= len(content)
        if self.left < 0:
            raise Refused(f"unpacks to more than {self.most >> 20} MiB: {ALONE}")
        return content


def stream(file: IO[bytes], first: bytes) -> Any:
    """What is packed in it, a tar."""
    if first.startswith(b"\x1f\x8b"):
        import gzip

        return gzip.GzipFile(fileobj=file)
    if first.startswith(b"\xfd7zXZ"):
        import lzma

        return lzma.LZMAFile(file)
    if first.startswith(b"BZh"):
        import bz2

        return bz2.BZ2File(file)
    return file


def of_tar(file: IO[bytes], first: bytes, largest: int, most: int) -> Found:
    """A hard link within it is the file that came before, of which it is the text."""
    import tarfile

    texts: dict[str, bytes] = {}
    packed: Any = Limited(stream(file, first), most)
    try:
        opened = tarfile.open(fileobj=packed, mode="r|")
    except tarfile.ReadError:
        raise Refused(f"cannot be read: it is {instead(first)}: hand it in again") from None
    with opened as archive:
        for member in archive:
            names = member.name, member.linkname
            entry, linked = map(path_of, names)
            is_small = member.isreg() and member.size <= largest
            text = of_member(archive, member)(largest) if is_small else None
            if member.islnk():
                text = texts.get(linked) if not member.linkname.endswith("/") else None
            texts.pop(entry, None)
            if text is not None:
                texts[entry] = text
                yield entry, partial(beginning, text)
            elif member.isdir():
                yield f"{entry}/", "a folder"
            elif not member.isreg():
                yield entry, "a link" if member.issym() or member.islnk() else "no regular file"
            else:
                yield entry, of_member(archive, member)


def path_of(name: str) -> str:
    """Where it is unpacked: `tar czf me.tgz me/.` makes me/./lab01 of it."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return "/" * name.startswith("/") + "/".join(parts)


def instead(first: bytes) -> str:
    """What it is, where it is no archive."""
    if PAGE.match(first):
        return "a web page (a login page that was saved in place of the file?)"
    return "no zip or tar archive, or a damaged one" if first else "empty"


def beginning(text: bytes, size: int) -> bytes:
    return text[:size]


def of_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Read:
    def read(size: int) -> bytes:
        file = archive.extractfile(member)
        return file.read(size) if file else b""

    return read


def is_zip(file: IO[bytes], first: bytes) -> bool:
    """Also where a program comes before it, which extracts it; at the end of a tar a zip is a file
    of it."""
    if first.startswith(b"PK"):
        return True
    if first[USTAR] == b"ustar" or stream(file, first) is not file:
        return False
    import zipfile

    found = zipfile.is_zipfile(file)
    file.seek(0)
    return found


def of_zip(file: IO[bytes]) -> Found:
    import zipfile

    # Of the last two more is unpacked than is read, which the sandbox's memory limits.
    known = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            mode = member.external_attr >> 16
            entry = path_of(member.filename.replace("\\", "/"))  # as some systems pack them
            if member.is_dir():
                yield f"{entry}/", "a folder"
            elif stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                yield entry, kind(mode)
            elif member.flag_bits & ENCRYPTED:
                yield entry, "encrypted"
            elif member.compress_type not in known:
                yield entry, "packed by none of Deflate, BZip2 and LZMA"
            else:
                yield entry, of_zipped(archive, member)


def of_zipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Read:
    def read(size: int) -> bytes:
        with archive.open(member) as file:
            return file.read(size)

    return read


def said(file: IO[bytes], largest: int, most: int, unpacked: int) -> dict[str, Any]:
    """Never fails: what cannot be read is refused, with a reason."""
    try:
        first = file.read(FIRST)
        file.seek(0)
        if is_zip(file, first):
            opened = of_zip(file)
        else:
            opened = of_tar(file, first, largest, unpacked)
        found = list(entries(opened, largest, most))
        for one in found:
            one["text"] = None if one["text"] is None else base64.b64encode(one["text"]).decode()
        return {"schema": SCHEMA, "refused": "", "entries": found}
    except Refused as why:
        return refused(str(why))
    except MemoryError:
        return refused("cannot be read: it takes too much memory: hand it in again")
    except Exception as error:  # of libraries that were given what somebody has made up
        named = str(error)[:LONGEST] or type(error).__name__
        return refused(f"cannot be read: {named}: hand it in again")


def refused(why: str) -> dict[str, Any]:
    return {"schema": SCHEMA, "refused": why, "entries": []}


if __name__ == "__main__":
    print(json.dumps(said(sys.stdin.buffer, *map(int, sys.argv[1:]))))
