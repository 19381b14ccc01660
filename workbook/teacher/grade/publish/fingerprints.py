# SPDX-License-Identifier: MIT
"""What a submission has for a lab, as similar.py compares it: its tokens without what anybody can
change and mean the same (names, numbers, braces, comments, spaces), and their fingerprints."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from zlib import crc32

from workbook.handin.todo import LEXEME

GRAM = 12  # tokens that are compared at a time: what is shared and shorter is a sign of nothing
# Of so many grams one is a fingerprint: GRAM + WINDOW - 1 tokens that are shared are always seen.
WINDOW = 5
LONGEST = 8000  # tokens of a submission; what comes then is not compared

KEPT = frozenset(
    "for while do if else return switch case default break continue goto sizeof".split()
)
BUILT_IN = re.compile(
    r"_mm\w+|get_(?:global|local|group)_\w+|barrier|__syncthreads|threadIdx|blockIdx|blockDim",
    re.ASCII,
)
DROPPED = frozenset(
    r"{ } \ const volatile restrict static inline register signed unsigned __restrict__ "
    r"__restrict".split()
)
TRIFLES = re.compile(r"^[ \t]*#[ \t]*include.*$|\+\+|--", re.MULTILINE)  # i++ and ++i are one


@dataclass(frozen=True)
class Line:
    file: str
    number: int
    text: str


@dataclass
class Document:
    """What one submission has for a lab. Each token is one character of its signs: a gram is a
    substring."""

    name: str
    signs: str
    places: list[int]  # of each token, its line
    lines: list[Line]
    whole: bool  # or longer than what is compared

    @cached_property
    def grams(self) -> list[str]:
        return [self.signs[at : at + GRAM] for at in range(len(self.signs) - GRAM + 1)]

    @cached_property
    def fingerprints(self) -> set[str]:
        """Winnowing: of WINDOW grams in a row, the one with the lowest hash."""
        hashes = [(crc32(gram.encode()), gram) for gram in self.grams]
        last = max(1, len(hashes) - WINDOW + 1)
        return {min(hashes[at : at + WINDOW])[1] for at in range(last)} if hashes else set()

    def covered(self, grams: Collection[str]) -> bytearray:
        """1 for each token that stands in one of these."""
        mask = bytearray(len(self.signs))
        for at, gram in enumerate(self.grams):
            if gram in grams:
                mask[at : at + GRAM] = b"\1" * GRAM
        return mask


@lru_cache(maxsize=4096)
def sign(word: str) -> str:
    """A character for a word; the same in every run, so that the same pairs are found."""
    return chr(0x10000 + crc32(word.encode()) % 0x100000)


def alike(word: str, kind: str | None) -> str:
    """What stays of a word where others may have written another one."""
    if kind == "name":
        return word if word in KEPT or BUILT_IN.fullmatch(word) else "name"
    return kind if kind in ("number", "text") else word


def words(text: str) -> Iterator[tuple[str, int]]:
    """The tokens, and the line of each from 0 on."""
    kept = TRIFLES.sub("", text)
    line = counted = 0
    for match in LEXEME.finditer(kept):
        if match.lastgroup != "space" and match[0] not in DROPPED:
            line += kept.count("\n", counted, match.start())
            counted = match.start()
            yield alike(match[0], match.lastgroup), line


def document(name: str, files: dict[str, bytes]) -> Document:
    signs: list[str] = []
    places: list[int] = []
    lines: list[Line] = []
    for file, content in sorted(files.items(), reverse=True):  # params.h, then the kernel
        text = re.sub(r"\r\n?", "\n", content.decode("utf-8", "replace"))
        first = len(lines)
        lines += [Line(file, number, line) for number, line in enumerate(text.split("\n"), 1)]
        for word, line in words(text):
            signs.append(sign(word))
            places.append(first + line)
    return Document(name, "".join(signs[:LONGEST]), places[:LONGEST], lines, len(signs) <= LONGEST)
