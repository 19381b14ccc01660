# SPDX-License-Identifier: MIT
"""The submissions of a class: the name of each in the gradebook, and the folder of its results. No
two have the same, and of names that look alike all but a plain one have their folder behind them.
Which letters look alike (confusables) is for Unicode to say, in UTS 39: ICU has its tables."""

from __future__ import annotations

import ctypes
import ctypes.util
import re
import unicodedata
from collections import Counter
from functools import cache
from hashlib import sha256
from pathlib import Path

from workbook import UserError
from workbook.core.text import printable
from workbook.teacher.grade.intake.accepted import ARCHIVES, LAB

OURS = (  # what lies beside the results
    "grades.csv",
    "class.html",
    "log",
    "slurm",
    "intake",
    "decisions.tsv",
)
IGNORABLE = 5  # UCHAR_DEFAULT_IGNORABLE_CODE_POINT of ICU: what is not to be seen


def submissions(folder: Path) -> list[tuple[str, str, Path]]:
    """Name, folder for its results and path of each, in order. Those that differ by a suffix alone
    keep it. What is neither a folder nor an archive is one, too, and is refused. What systems leave
    about is none."""
    if not folder.is_dir():
        raise UserError(
            f"SUBMISSIONS={folder}: no folder: one with a folder, .tar.gz or .zip of each student"
        )
    found = []
    for path in sorted(folder.iterdir()):
        suffix = next((s for s in ARCHIVES if path.name.lower().endswith(s)), "")
        if not is_hidden(path, suffix):
            found.append((path.name[: len(path.name) - len(suffix)] or path.name, path))
    if not found:
        raise UserError(
            f"SUBMISSIONS={folder}: nothing in it: a folder, .tar.gz or .zip of each student"
        )
    if all(
        path.is_dir() and LAB.fullmatch(path.name) and any(path.glob("kernel.*"))
        for _, path in found
    ):
        raise UserError(
            f"SUBMISSIONS={folder}: has labs in it: is it one submission? Name the folder of all"
        )
    taken = Counter(
        name for stem, path in found for name in {stem, path.name}
    )  # bob/, bob.zip, bob.zip.zip
    names = [stem if taken[stem] == 1 else path.name for stem, path in found]
    results = folders(names)
    names = distinct(names, results)
    assert len({*names}) == len({name.lower() for name in results}) == len(found), (
        "each has its own"
    )
    return list(zip(names, results, [path for _, path in found]))


def is_hidden(path: Path, suffix: str) -> bool:
    """.git, __MACOSX, .DS_Store, ._anna.zip; and what Windows puts into a folder"""
    name = path.name
    return (
        name.startswith("._")
        or name in (".git", "__MACOSX", "Thumbs.db", "desktop.ini")
        or (name[0] == "." and not suffix and not path.is_dir())
    )


# ---- folders -------------------------------------------------------------------------------------
def folders(names: list[str]) -> list[str]:
    """For the results of each: harmless in any shell and file system, and its own, whoever else
    hands in. Two that differ by capital letters alone are one on some systems."""
    lower = Counter(name.lower() for name in names)
    return [folder_of(name, lower[name.lower()] == 1) for name in names]


def folder_of(name: str, single: bool) -> str:
    """As it is called, or with 128 bits behind it, for which nobody finds a second name."""
    if (
        single
        and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name)
        and name.lower() not in OURS
    ):
        return name
    safe = re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("._-")[:64] or "submission"
    return f"{safe}~{sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:32]}"


# ---- names ---------------------------------------------------------------------------------------
def distinct(names: list[str], results: list[str]) -> list[str]:
    """Until no two look alike, and each is to be seen: one could be called as another is with its
    folder."""
    told = list(names)
    while True:
        each = [looks(name) for name in told]
        count = Counter(look for one in each for look in one)
        alike = [
            at
            for at, one in enumerate(each)
            if told[at] == names[at] != results[at]
            and any(not look or count[look] > 1 for look in one)
        ]
        if not alike:
            return told
        for at in alike:
            told[at] = f"{printable(names[at]).strip()} [{results[at]}]"


def looks(name: str) -> frozenset[str]:
    """Names that have one in common look alike: as they are written, or in small letters. Spaces,
    quotes at an end and what cannot be shown make no difference."""
    text = re.sub(r"[\s?]", "", seen(name)).strip("'")
    skeleton = icu().skeleton
    return frozenset((skeleton(text), skeleton(text).casefold(), skeleton(text.casefold())))


def seen(text: str) -> str:
    """What of a text is to be seen; of a letter in another width or style, the plain one."""
    shown = "".join(c for c in printable(text) if c.isascii() or not icu().is_ignorable(c))
    return unicodedata.normalize("NFKC", shown)


class Icu:
    """Its library has its version in each name."""

    def __init__(self, library: str) -> None:
        self.library, self.version = ctypes.CDLL(library), library.rpartition(".")[2]
        self.checker = ctypes.c_void_p(self._call("uspoof_open"))

    def _call(self, name: str, *words: object) -> int:
        """Of a function whose last argument says whether it failed."""
        function, failed = self.library[f"{name}_{self.version}"], ctypes.c_int(0)
        function.restype = ctypes.c_ssize_t  # an address, or a length
        value: int = function(*words, ctypes.byref(failed))
        if failed.value > 0:
            raise UserError(
                f"ICU, which knows which letters look alike, fails in {name}: {failed.value}"
            )
        return value

    def skeleton(self, text: str) -> str:
        """The same of all texts that look alike."""
        given = text.encode("utf-8", "replace")
        made = ctypes.create_string_buffer(64 * len(given) + 64)
        self._call("uspoof_getSkeletonUTF8", self.checker, 0, given, len(given), made, len(made))
        return made.value.decode()

    def is_ignorable(self, letter: str) -> bool:
        return bool(self.library[f"u_hasBinaryProperty_{self.version}"](ord(letter), IGNORABLE))


@cache
def icu() -> Icu:
    library = ctypes.util.find_library("icui18n")
    if library is None:
        raise UserError(
            "needs ICU, which knows which letters look alike: ./setup grade (icu-devtools)"
        )
    return Icu(library)
