# SPDX-License-Identifier: MIT
"""What of a submission is taken: labNN_*/kernel.{c,cl,cu} and params.h, and nothing else of it.
What does not count, and was probably meant to, has a reason."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from workbook.core.text import printable
from workbook.core.typed import number_of
from workbook.handin.file import complaint_of_file
from workbook.lab.stages import bare, codes, decoded

ARCHIVES = (
    ".tar.gz",
    ".tgz",
    ".tar.xz",
    ".txz",
    ".tar.bz2",
    ".tbz2",
    ".tar",
    ".zip",
)  # that are opened
LAB = re.compile(r"lab\d\d_\w+", re.ASCII)
WANTED = re.compile(r"(lab\d\d_\w+)/(kernel\.(?:c|cl|cu)|params\.h)", re.ASCII)
ALMOST = re.compile(r"lab[ _-]?0*(\d{1,2})(?!\d).*", re.IGNORECASE | re.DOTALL)
A_KERNEL = re.compile(
    r"(?!kernel_.*\.|main\.|\.).*(?:kernel.*|\.(?:c|cl|cu))", re.IGNORECASE | re.DOTALL
)
ALONE = re.compile(
    r"(?:[^/]+/)?(?:kernel(?:[ _-]?lab[^/]*)?|lab[ _-]?\d[^/]*)\.(?:c|cl|cu)", re.IGNORECASE
)
HIDDEN = re.compile(r"__MACOSX\b|\.(?!\.?/)")  # what a system leaves about: .Trash/
SOURCE = re.compile(r"(?:[^/]+/)?[^/]+\.(?:c|cl|cu)", re.IGNORECASE)
IN_ITS_LAB = "a kernel lies in the folder of its lab, as in lab02_avx/kernel.c"
PACKED = re.compile(
    r"(?:[^/]+/)?(?!\._)[^/]+\.(?:zip|tar|t?gz|txz|tbz2|tar\.\w+|7z|rar)", re.IGNORECASE
)


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
    almost: dict[str, str] = field(
        default_factory=dict
    )  # by the lab's number, "" for all, "code" for who has no lab: what does not count
    packed: list[str] = field(default_factory=list)  # archives in it

    def instead(self, missing: str) -> str:
        """What was handed in where this kernel of a lab is missing, and why it does not count; or
        nothing."""
        (lab, _, kernel), number = missing.partition("/"), number_of(missing)
        for other, handed in self.labs.items():
            if other != lab and other.startswith(f"lab{number}_"):
                name = f"{other}/{next(iter(handed.files), '')}"
                return f"{name} does not count: its folder is not called as the lab is"
        if number in self.almost:
            return self.almost[number]
        if lab not in self.labs:
            return self.almost.get("") or ("" if self.labs else self.almost.get("code", ""))
        there = min(self.labs[lab].files)  # a kernel before params.h
        why = f"the kernel of this lab is {kernel}: hand that in"
        if there == "params.h":
            why = f"no {kernel} is beside it: hand that in, too"
        return f"{lab}/{there} does not count: {why}"

    def lacks(self, kernel: str) -> bool:
        """No lab02_avx/kernel.c was handed in, or none that counts."""
        lab, _, file = kernel.partition("/")
        handed = self.labs.get(lab)
        return handed is None or (not handed.refused and file not in handed.files)

    def borrowed(self, lab: str, former: str) -> bool:
        """Is the kernel of a lab that of the former one?"""
        both = (self.labs.get(lab, Handed()), self.labs.get(former, Handed()))
        here, there = ({n: decoded(t) for n, t in of.files.items()} for of in both)
        return any(
            n.startswith("kernel.") and n in there and bare(here[n]) in codes(there[n])
            for n in here
        )

    def digest(self, kernel: str, former: str) -> str:
        """Of what the verdict on lab02_avx/kernel.c depends on."""
        if self.lacks(kernel):
            return sha256((self.refused or self.instead(kernel)).encode()).hexdigest()
        lab = kernel.partition("/")[0]
        handed = self.labs[lab]
        borrowed = f"{handed.digest} borrowed".encode()
        return sha256(borrowed).hexdigest() if self.borrowed(lab, former) else handed.digest


def choose(submission: Submission, entries: Iterable[dict[str, Any]]) -> None:
    """Of the folders of a lab that have a kernel, the one nearest to the top counts, whole: a copy
    in old/ is none, nor one in a hidden folder. Where two are equally near, and differ, nobody
    knows which was meant. Of a path that an archive has twice the last counts, as for who unpacks
    it."""
    labs: dict[str, dict[str, dict[str, dict[str, Any]]]] = {}
    for entry in entries:
        if wanted := wanted_part(entry["name"]):
            place = entry["name"].rpartition("/")[0]
            labs.setdefault(wanted[0], {}).setdefault(place, {})[wanted[1]] = entry
        else:
            missed(submission, entry)
    for lab, places in labs.items():
        kernels = [
            place for place in places if any(name.startswith("kernel.") for name in places[place])
        ]
        nearest = min(map(distance, kernels or places))
        handed = submission.labs[lab] = Handed()
        taken: list[dict[str, tuple[str, bytes | None]]] = []
        paths: dict[str, str] = {}  # of each file, where it was found first
        for place in kernels or places:
            content = {name: (one["is"], one["text"]) for name, one in places[place].items()}
            if distance(place) != nearest or content in taken:
                continue
            taken.append(content)
            for file, entry in places[place].items():
                note(handed, lab, entry)
                if paths.setdefault(file, entry["name"]) != entry["name"]:
                    both = " and ".join(map(short, (paths[file], entry["name"])))
                    handed.refused = f"{lab}/{file} is there twice: {both}: hand in one of them"


def distance(place: str) -> tuple[bool, int]:
    """From where a lab is looked for first."""
    return HIDDEN.match(place) is not None, place.count("/")


def short(path: str) -> str:
    """Both its ends, where it is long."""
    shown = printable(path)
    return shown if len(shown) <= 80 else f"{shown[:20]}...{shown[-57:]}"


def note(handed: Handed, lab: str, entry: dict[str, Any]) -> None:
    """One file of a lab: what could be read, or why not."""
    file, text = entry["name"].rpartition("/")[2], entry["text"]
    if text is None:
        handed.refused = (
            f"{lab}/{file} is {entry['is']}: hand in the file itself, in a folder or a plain .zip"
        )
    elif said := complaint_of_file(text):
        handed.refused = f"{lab}/{file} {said}"
    else:
        handed.files[file] = text


def missed(submission: Submission, entry: dict[str, Any]) -> None:
    """Something that was probably meant to count: who handed it in is told why it does not."""
    name = entry["name"]
    *folders, file = name.split("/")
    near = [found for folder in folders if (found := ALMOST.fullmatch(folder))]
    if HIDDEN.match(name):
        return
    if PACKED.fullmatch(name) and not entry["is"]:
        submission.packed.append(name)
    elif not near and ALONE.fullmatch(name):
        submission.almost[""] = f"{printable(name)} does not count: {IN_ITS_LAB}"
    elif not near and SOURCE.fullmatch(name):
        submission.almost["code"] = f"{printable(name)} does not count: {IN_ITS_LAB}"
    elif near and A_KERNEL.fullmatch(file):
        folder = near[-1][0]
        if not LAB.fullmatch(folder):
            why = "its folder is not called as the lab is"
        elif not WANTED.fullmatch(f"{folder}/{file}"):
            why = (
                "a kernel is called kernel.c, kernel.cl or kernel.cu, in small letters, as the "
                "lab has it"
            )
        elif folder != folders[-1]:
            why = IN_ITS_LAB
        elif "" in folders or ".." in folders:
            why = "its path leads out of what was handed in"
        else:
            why = "it lies too deep: labs are at the top, or in at most three folders around all"
        submission.almost[f"{int(near[-1][1]):02}"] = f"{printable(name)} does not count: {why}"


def left_packed(submission: Submission) -> None:
    """Archives that were not opened."""
    names = [printable(name) for name in submission.packed]
    if len(names) > 1:
        why = f"{names[0]} and {names[1]}: {len(names)} archives are in it: hand in one"
        submission.almost[""] = why
    elif names:
        submission.almost[""] = f"{names[0]} does not count: {why_packed(submission.packed[0])}"


def why_packed(name: str) -> str:
    if name.lower().endswith(ARCHIVES):
        return "an archive in what was handed in: hand it in alone"
    return "it is packed in a way that is not opened: make it a .tar.gz or .zip"


def wanted_part(entry: str) -> tuple[str, str] | None:
    """The lab and the file, at the top or in three folders at most, none of which is a lab:
    archives often have one around all, and who unpacks them another."""
    parts = entry.split("/")
    around = parts[:-2]
    if ".." in parts or "" in parts or len(around) > 3 or any(map(LAB.fullmatch, around)):
        return None
    found = WANTED.fullmatch("/".join(parts[-2:])) if len(parts) > 1 else None
    return (found[1], found[2]) if found else None
