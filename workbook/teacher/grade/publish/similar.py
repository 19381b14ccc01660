# SPDX-License-Identifier: MIT
"""Which submissions of a lab are alike: what two have in common that the workbook did not give
them. By winnowing, as MOSS does it (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for
Document Fingerprinting", 2003). A likeness is no verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from workbook.lab import labs
from workbook.lab.labs import Lab
from workbook.lab.stages import ANSWERS
from workbook.teacher.grade.intake.accepted import Submission
from workbook.teacher.grade.publish.fingerprints import GRAM, Document, document

LEAST = 40  # tokens that a pair shares, of their own: less is what any two may have
ALIKE = 0.5  # of what one of them has of its own, from which on a pair is told
MANY = 0.5  # of those who handed a lab in: what more have is nobody's own,
CLASS = 5  # if they are so many; else it may be a group that copied
PLACES = 16  # where a gram may stand in a kernel that repeats itself

Passage = tuple[range, range]  # lines of the left one, and those of the right one that are alike


@dataclass(frozen=True)
class Side:
    """One of a pair."""

    document: Document
    own: int  # tokens that neither the workbook nor most others have
    shared: frozenset[int]  # of these, those that the other one has as well

    @property
    def share(self) -> float:
        return len(self.shared) / self.own

    @cached_property
    def marked(self) -> set[int]:
        """Its lines in which they stand."""
        return {self.document.places[at] for at in self.shared}

    @cached_property
    def texts(self) -> set[str]:
        """These, but for their spaces."""
        return {" ".join(self.document.lines[at].text.split()) for at in self.marked}


@dataclass(frozen=True)
class Pair:
    left: Side
    right: Side
    common: frozenset[str]  # grams

    @property
    def likeness(self) -> float:
        return max(self.left.share, self.right.share)


@dataclass(frozen=True)
class Likenesses:
    """Of one lab."""

    lab: str
    handed_in: int
    poor: int  # of these, with too little of their own to be compared
    cut: int  # with more than is compared
    pairs: list[Pair]  # the most alike first


# ---- what is nobody's own ------------------------------------------------------------------------
def grams_given(lab: Lab) -> set[str]:
    """What the workbook shows or solves: starting points, hints and pages, the reference, its steps
    and variants, and the kernels of the lab before."""
    before = labs.before(lab)
    folders = [lab.path, ANSWERS / lab.name, *([before, ANSWERS / before.name] if before else [])]
    paths = [path for folder in folders for path in sorted(folder.glob("kernel*"))]
    paths += [
        *sorted((lab.path / "start").glob("*")),
        lab.path / "params.h",
        lab.path / "README.md",
    ]
    texts = [document("", {path.name: path.read_bytes()}) for path in paths if path.is_file()]
    return {gram for text in texts for gram in text.grams}


def grams_of_many(documents: list[Document]) -> set[str]:
    """What most of a class have."""
    counts = Counter(gram for one in documents for gram in set(one.grams))
    least = max(CLASS, int(MANY * len(documents)) + 1)
    return {gram for gram, count in counts.items() if count >= least}


# ---- pairs ---------------------------------------------------------------------------------------
def find(lab: Lab, submissions: list[Submission]) -> Likenesses:
    handed = [(one.name, one.labs[lab.name].files) for one in submissions if lab.name in one.labs]
    documents = [document(name, files) for name, files in handed if files]
    return compare(lab.name, documents, grams_given(lab))


def compare(lab: str, documents: list[Document], given: set[str]) -> Likenesses:
    nobodys = given | grams_of_many(documents)
    own = [one.covered(nobodys).count(0) for one in documents]
    rich = [at for at, tokens in enumerate(own) if tokens >= LEAST]
    found: list[Pair] = []
    for a, b in candidates([(at, documents[at].fingerprints - nobodys) for at in rich]):
        pair = pair_of(documents[a], documents[b], nobodys)
        if min(len(pair.left.shared), len(pair.right.shared)) >= LEAST and pair.likeness >= ALIKE:
            found.append(pair)
    found.sort(key=lambda pair: (-pair.likeness, -len(pair.left.shared)))
    cut = sum(not one.whole for one in documents)
    return Likenesses(lab, len(documents), len(documents) - len(rich), cut, found)


def candidates(kept: list[tuple[int, set[str]]]) -> Iterator[tuple[int, int]]:
    """Those that share, by their fingerprints, half of what a pair that is told has."""
    having: dict[str, list[int]] = defaultdict(list)
    for at, fingerprints in kept:
        for fingerprint in fingerprints:
            having[fingerprint].append(at)
    shared = Counter(pair for ones in having.values() for pair in combinations(ones, 2))
    counts = {at: len(fingerprints) for at, fingerprints in kept}
    for (a, b), count in sorted(shared.items()):
        if count >= ALIKE / 2 * min(counts[a], counts[b]):
            yield a, b


def pair_of(left: Document, right: Document, nobodys: set[str]) -> Pair:
    common = frozenset(set(left.grams) & set(right.grams)) - nobodys
    return Pair(side(left, common, nobodys), side(right, common, nobodys), common)


def side(one: Document, common: frozenset[str], nobodys: set[str]) -> Side:
    given, shared = one.covered(nobodys), one.covered(common)
    return Side(
        one,
        given.count(0),
        frozenset(at for at in range(len(given)) if shared[at] and not given[at]),
    )


# ---- where ---------------------------------------------------------------------------------------
def passages(pair: Pair) -> list[Passage]:
    """In the order of the left one."""
    left, right = pair.left.document, pair.right.document
    where: dict[str, list[int]] = defaultdict(list)
    for at, gram in enumerate(right.grams):
        if gram in pair.common and len(where[gram]) < PLACES:
            where[gram].append(at)
    found: list[Passage] = []
    at = 0
    while at < len(left.grams):
        length = 1
        if left.grams[at] in pair.common:
            length, there = max(
                (run(left.signs, at, right.signs, b), -b) for b in where[left.grams[at]]
            )
            here = lines(left, at, length), lines(right, -there, length)
            found.append(joined(found.pop(), here) if found and follows(found[-1], here) else here)
        at += length
    return found


def run(left: str, a: int, right: str, b: int) -> int:
    """How many tokens are the same from there on."""
    most = min(len(left) - a, len(right) - b)
    return next((n for n in range(GRAM, most) if left[a + n] != right[b + n]), most)


def lines(one: Document, at: int, length: int) -> range:
    return range(one.places[at], one.places[at + length - 1] + 1)


def follows(former: Passage, here: Passage) -> bool:
    """With no more than a line between, on both sides."""
    return all(a.start <= b.start <= a.stop + 1 for a, b in zip(former, here))


def joined(former: Passage, here: Passage) -> Passage:
    left, right = (range(a.start, max(a.stop, b.stop)) for a, b in zip(former, here))
    return left, right
