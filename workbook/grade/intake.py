# SPDX-License-Identifier: MIT
"""What was handed in: labNN_*/kernel.{c,cl,cu} and params.h of a folder, a .tar.gz or a .zip, and nothing
else of it. What does not count, and was probably meant to, has a reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from workbook import Mistake
from workbook.grade.archives import ARCHIVES, Read, Refused, entries
from workbook.text import plain, printable

LARGEST = 256 << 10  # bytes of a file
WANTED = re.compile(r"(lab\d\d_\w+)/(kernel\.(?:c|cl|cu)|params\.h)", re.ASCII)
ALMOST = re.compile(
    r"(?:.*/)?(lab[ _-]?0*(\d{1,2})[^/]*)/([^/]*kernel[^/]*|[^/]*\.(?:c|cl|cu))", re.IGNORECASE
)
OURS = ("grades.csv", "class.html", "similar.html", "log", "slurm")  # what lies beside the results
LONGEST = 300  # characters of a path that anybody meant
LAB = re.compile(r"lab\d\d_\w+", re.ASCII)


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
    almost: dict[str, str] = field(default_factory=dict)  # by the lab's number, what does not count and why


def submissions(folder: Path) -> list[tuple[str, str, Path]]:
    """Name, folder for its results and path of each, in order; two that differ by their suffix alone keep it.
    What is neither a folder nor an archive is one, too, and is refused. What systems leave about is none."""
    if not folder.is_dir():
        raise Mistake(f"SUBMISSIONS={folder}: no folder: one with a folder, .tar.gz or .zip of each student")
    found = []
    for path in sorted(folder.iterdir()):
        suffix = next((s for s in ARCHIVES if path.name.lower().endswith(s)), "")
        if not is_hidden(path, suffix):
            found.append((path.name[: len(path.name) - len(suffix)], path))
    if not found:
        raise Mistake(f"SUBMISSIONS={folder}: nothing in it: a folder, .tar.gz or .zip of each student")
    if all(path.is_dir() and LAB.fullmatch(path.name) and any(path.glob("kernel.*")) for _, path in found):
        raise Mistake(f"SUBMISSIONS={folder}: has labs in it: is it one submission? Name the folder of all")
    stems = [stem for stem, _ in found]
    names = [stem if stems.count(stem) == 1 else path.name for stem, path in found]
    results = folders(names)
    return list(zip(distinct(names, results), results, [path for _, path in found]))


def is_hidden(path: Path, suffix: str) -> bool:
    """.git, .DS_Store, ._anna.zip"""
    name = path.name
    return name.startswith("._") or name == ".git" or (name[0] == "." and not suffix and not path.is_dir())


def distinct(names: list[str], results: list[str]) -> list[str]:
    """Names that look different in a table, too: of those that do not, each that is not plain has the name of
    its folder behind it."""
    looks = [shown(name) for name in names]
    return [
        name if looks.count(look) == 1 or name == folder else f"{printable(name).strip()} [{folder}]"
        for name, look, folder in zip(names, looks, results)
    ]


def shown(name: str) -> str:
    return printable(name).strip(" '").casefold()


def folders(names: list[str]) -> list[str]:
    """For the results of each: harmless in any shell and file system, and its own, whoever else hands in. Two
    that differ by capital letters alone are one on some systems."""
    lower = [name.lower() for name in names]
    return [folder_of(name, lower.count(name.lower()) == 1) for name in names]


def folder_of(name: str, single: bool) -> str:
    if single and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name) and name.lower() not in OURS:
        return name
    safe = re.sub(r"[^A-Za-z0-9.-]+", "_", name).strip("._-")[:80] or "submission"
    return f"{safe}~{sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:6]}"


def take(name: str, folder: str, path: Path) -> Submission:
    """Never fails: what cannot be read is refused, with a reason."""
    submission = Submission(name, folder)
    try:
        for entry, read in entries(path):
            note(submission, entry, read)
        if not submission.labs and (inner := only_archive(path)):  # as some systems export what was handed in
            return take(name, folder, inner)
    except Refused as why:
        submission.refused = str(why)
    except Exception as error:  # of libraries that were given what somebody has made up
        said = plain(str(error)) or type(error).__name__
        submission.refused = f"cannot be read: {said}: hand it in again, without a password"
    return submission


def only_archive(path: Path) -> Path | None:
    """The one archive in a folder."""
    if not path.is_dir() or path.is_symlink():
        return None
    found = [one for one in path.iterdir() if one.name.lower().endswith(ARCHIVES) and not one.is_symlink()]
    return found[0] if len(found) == 1 else None


def note(submission: Submission, entry: str, read: Read | str) -> None:
    """One entry. What could be read, or why not."""
    if len(entry) > LONGEST:
        return
    wanted = wanted_part(entry)
    if wanted is None:
        missed(submission, entry)
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
        elif b"\0" in content:
            handed.refused = f"{lab}/{file} is no plain text, or UTF-16: save it as UTF-8"
        else:
            handed.files[file] = content


def missed(submission: Submission, entry: str) -> None:
    """Something that was probably meant to count: who handed it in is told why it does not."""
    almost = ALMOST.fullmatch(entry)
    if almost is None or entry.startswith("__MACOSX") or re.match(r"kernel_|main\.|\.", almost[3]):
        return
    folder, number, file = almost.groups()
    if not LAB.fullmatch(folder):
        why = "its folder is not called as the lab is"
    elif not WANTED.fullmatch(f"{folder}/{file}"):
        why = "a kernel is called kernel.c, kernel.cl or kernel.cu, in small letters, as the lab has it"
    else:
        why = "it lies too deep: labs are at the top, or in one folder around all"
    submission.almost[f"{int(number):02}"] = f"{plain(entry)} does not count: {why}"


def wanted_part(entry: str) -> tuple[str, str] | None:
    """The lab and the file, at the top or in one folder of any name: archives often have one around all."""
    parts = entry.split("/")
    if ".." in parts or "" in parts or len(parts) > 3:
        return None
    found = WANTED.fullmatch("/".join(parts[-2:])) if len(parts) > 1 else None
    return (found[1], found[2]) if found else None
