# SPDX-License-Identifier: MIT
"""Who is alike in a class: copies are found however they are disguised, and those who solved a lab
on their own are not. tests/alike has kernels that were written from the starting points and hints,
each on its own."""

from __future__ import annotations

import random
import re
import stat
import sys
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.classes import answer, grade
from tests.support import TOP, run
from workbook.lab import labs
from workbook.lab.labs import Lab
from workbook.teacher.grade.intake.accepted import Handed, Submission
from workbook.teacher.grade.intake.names import submissions
from workbook.teacher.grade.publish import similar
from workbook.teacher.grade.publish.fingerprints import Document, Line, document
from workbook.teacher.grade.publish.likeness import page, publish_likenesses
from workbook.teacher.grade.publish.similar import Likenesses, compare, grams_given, pair_of

ALIKE = TOP / "tests/alike"
SECOND, THIRD, SEVENTH = "lab02_avx", "lab03_avx_block", "lab07_ocl_localmem"
HONEST_MOST = (
    0.3  # what two honest kernels have in common at most, of what is their own: grading/README.md
)
COPY = (ALIKE / f"{THIRD}.2.c").read_text(encoding="utf-8")


@lru_cache
def lab_of(name: str) -> Lab:
    return labs.describe(str(TOP / name), [])


@lru_cache
def given(name: str) -> frozenset[str]:
    return frozenset(grams_given(lab_of(name)))


def kernel(name: str, text: str, file: str = "kernel.c") -> Document:
    return document(name, {file: text.encode()})


def told(lab: str, *texts: str) -> Likenesses:
    return compare(lab, [kernel(str(n), text) for n, text in enumerate(texts)], set(given(lab)))


def honest(lab: str) -> list[Document]:
    paths = sorted(ALIKE.glob(f"{lab}.*")) or sorted((TOP / "tests/honest").glob("*.c"))
    return [kernel(path.name, path.read_text(encoding="utf-8")) for path in paths]


# ---- disguises -----------------------------------------------------------------------------------
OWN_NAMES = (
    "copy_panel compute buffer from leading count columns panel height out sums value left "
    "right top bytes"
)


def renamed(text: str) -> str:
    return re.sub(rf"\b({'|'.join(OWN_NAMES.split())})\b", lambda m: f"my_{m[0][::-1]}", text)


def respaced(text: str) -> str:
    return re.sub(r"\n\s*", "\n\n\t", re.sub(r" ?([,;()]) ?", r"  \1 ", text))


def commented(text: str) -> str:
    bare = re.sub(r"//.*", "", text)
    return re.sub(r"([,;])", r"\1 /* as we were told\n in the lecture */", bare)


def reordered(text: str) -> str:
    """The two functions above gemm, the other way around."""
    head, first, second, gemm = re.split(r"^(?=static void|void)", text, flags=re.MULTILINE)
    return head + second + first + gemm


def counted_otherwise(text: str) -> str:
    return re.sub(r"\+\+(\w)", r"\1++", text)


def retyped(text: str) -> str:
    return (
        re.sub(r"\bconst int\b", "long", text)
        .replace("static ", "static inline ")
        .replace("int ", "const int ")
    )


def with_lines_between(text: str) -> str:
    """A line that does nothing after every sixth."""
    lines = text.split("\n")
    return "\n".join(
        f"{x}\n(void)K;" if n % 6 == 5 and x.endswith(";") else x for n, x in enumerate(lines)
    )


@pytest.mark.parametrize(
    "disguise",
    [renamed, respaced, commented, reordered, counted_otherwise, retyped],
    ids=lambda function: function.__name__,
)
def test_a_disguised_copy_is_the_same(disguise: object) -> None:
    assert callable(disguise)
    copy = disguise(COPY)
    assert copy != COPY
    (pair,) = told(THIRD, COPY, copy).pairs
    assert pair.left.share == pair.right.share == 1


def test_all_disguises_together() -> None:
    copy = COPY
    for disguise in (
        reordered,
        retyped,
        counted_otherwise,
        with_lines_between,
        renamed,
        commented,
        respaced,
    ):
        copy = disguise(copy)
    (pair,) = told(THIRD, COPY, copy.replace("\n", "\r\n")).pairs
    assert pair.likeness > 0.8


def test_a_part_that_was_taken_over_is_found() -> None:
    """One function of another one's, in a kernel that is twice as long."""
    mine = (ALIKE / f"{THIRD}.1.c").read_text(encoding="utf-8")
    taken = re.split(r"^(?=static void|void)", COPY, flags=re.MULTILINE)[2]
    (pair,) = told(THIRD, taken, mine + renamed(taken)).pairs
    assert pair.left.share > 0.9 > 0.7 > pair.right.share


# ---- honest ones ---------------------------------------------------------------------------------
@pytest.mark.parametrize("lab", ["lab01_cpu_naive", SECOND, THIRD, SEVENTH])
def test_who_works_alone_is_not_told(lab: str) -> None:
    """Nor is he near to it."""
    documents = honest(lab)
    assert len(documents) > 1
    assert compare(lab, documents, set(given(lab))).pairs == []
    nobodys = set(given(lab))
    rich = [one for one in documents if one.covered(nobodys).count(0) >= similar.LEAST]
    assert len(rich) > 1 or lab == SECOND
    most = max(
        (pair_of(a, b, nobodys).likeness for a in rich for b in rich if a is not b),
        default=0.0,
    )
    assert most <= HONEST_MOST < similar.ALIKE / 1.5


def solutions(lab: str) -> list[Path]:
    return [*lab_of(lab).path.glob("kernel*"), *(TOP / "answers" / lab).glob("kernel.*")]


@pytest.mark.parametrize("lab", [path.name for path in sorted(TOP.glob("lab0*"))])
def test_what_the_workbook_gives_is_nobodys_own(lab: str) -> None:
    """The reference, its steps and variants, starting points, the kernel of the lab before;
    renamed, too."""
    before = labs.before(lab_of(lab))
    paths = [*solutions(lab), *(solutions(before.name) if before else [])]
    paths += sorted((TOP / lab / "start").glob("kernel*"))
    texts = [re.sub(r"\bsum\b", "total", path.read_text(encoding="utf-8")) for path in paths]
    said = told(lab, *texts, *texts)
    assert (said.pairs, said.poor, said.handed_in) == ([], 2 * len(texts), 2 * len(texts))


def test_the_code_of_a_hint_is_nobodys_own() -> None:
    hints = (TOP / SECOND / "start/hints.md").read_text(encoding="utf-8")
    (loop,) = re.findall(r"^ {8}for every k \{\n(?: {12}.*\n)+", hints, re.MULTILINE)
    assert document("", {"": loop.encode()}).covered(given(SECOND)).count(0) == 0


def test_a_few_tokens_are_no_sign() -> None:
    """Though they are most of what is there."""
    few = "x[y] = z * (u + v) / w; if (x < y) return z - u; w %= 3 | v;"  # 34 tokens
    others = "do f(a, b, c); while (!g); ", "switch (k) { case 1: h ^= 2; break; default: m(); } "
    for times, pairs in (1, 0), (2, 1):
        texts = [f"{other} {few * times}" for other in others]
        found = compare("", [kernel(text, text) for text in texts], set()).pairs
        assert len(found) == pairs


# ---- a class -------------------------------------------------------------------------------------
OTHERS = ["lab02_avx.1.c", "lab02_avx.2.c", "lab02_avx.3.c", "lab03_avx_block.1.c"]


def test_what_most_have_is_nobodys_own() -> None:
    """It was on the blackboard."""
    shared = re.split(r"^(?=static void|void)", COPY, flags=re.MULTILINE)[2]
    texts = [(ALIKE / name).read_text(encoding="utf-8") for name in OTHERS]
    assert len(told(SECOND, *(text + shared for text in texts)).pairs) > 0
    assert told(SECOND, *(text + shared for text in [*texts, ""])).pairs == []


def test_four_copies_in_a_class_of_four_are_told() -> None:
    assert len(told(THIRD, *[COPY] * 4).pairs) == 6


def test_the_most_alike_come_first() -> None:
    mine = (ALIKE / f"{THIRD}.1.c").read_text(encoding="utf-8")
    half = "".join(re.split(r"^(?=static void|void)", COPY, flags=re.MULTILINE)[:3])
    found = told(THIRD, COPY, half + mine, renamed(COPY)).pairs
    assert [pair.likeness for pair in found] == sorted(
        (pair.likeness for pair in found), reverse=True
    )
    assert {found[0].left.document.name, found[0].right.document.name} == {"0", "2"}


def test_the_same_pairs_in_every_run() -> None:
    program = (
        "from tests.teacher.test_grade_similar import *; half = with_lines_between(COPY)\n"
        "print([(p.likeness, sorted(p.left.shared)) for p in told(THIRD, COPY, half, "
        "renamed(half)).pairs])\n"
        "print(sorted(kernel('', COPY).fingerprints))"
    )
    said = [
        run(
            [sys.executable, "-c", program],
            TOP,
            120,
            env={"PYTHONPATH": str(TOP), "PYTHONHASHSEED": seed},
        )
        for seed in ("1", "2")
    ]
    assert said[0].status == 0, said[0].text
    assert "0.9" in said[0].text or "1.0" in said[0].text
    assert said[0].text == said[1].text


# ---- the page ------------------------------------------------------------------------------------
class Elements(HTMLParser):
    """The elements, and the text in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words += data


def handed_in(name: str, lab: str, text: bytes, file: str = "kernel.c") -> Submission:
    return Submission(name, "folder", {lab: Handed({file: text})})


def test_the_page_shows_both_and_harms_nobody(tmp_path: Path) -> None:
    bad = '<script>alert(1)</script>"\x1b[2J\u202e\udcff'
    evil = COPY.replace("memset(C", f"/* {bad[:-1]} </pre><img src=x onerror=alert(1)> */ memset(C")
    evil = evil.replace("memset(to", f"/* {'x' * 5000} */ memset(to")
    class_ = [
        handed_in("Anna", THIRD, COPY.encode()),
        handed_in(bad, THIRD, renamed(evil).encode() + b" \xff\xfe"),
    ]
    line = publish_likenesses(tmp_path, class_, [lab_of(THIRD)])
    assert "similar.html, for you alone: 1 pair shares 50% or more" in line
    assert line.endswith("a likeness is no verdict")
    file = tmp_path / "similar.html"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    text = file.read_text(encoding="utf-8")
    seen = Elements(text)
    assert not seen.names & {"script", "img", "link", "iframe"}
    assert seen.attributes <= {"lang", "charset", "name", "content", "class", "data-n"}
    assert not re.search(r"https?:|url\(|@import|[\x00-\x08\x0b-\x1f\u202e]", text)
    assert "A likeness is no verdict" in seen.words and "<script>alert(1)</script>" in seen.words
    assert (
        "static void copy_panel(" in seen.words
        and f"static void my_{'copy_panel'[::-1]}(" in seen.words
    )
    assert "x" * 300 not in text


def test_shared_lines_stand_beside_each_other() -> None:
    """Though the functions are in another order."""
    (pair,) = told(THIRD, COPY, reordered(COPY)).pairs
    both = pair.left.document.lines, pair.right.document.lines
    found = [
        [first_call(side, place) for side, place in zip(both, ones)]
        for ones in similar.passages(pair)
    ]
    assert len(found) >= 2
    assert all(left == right for left, right in found)


def first_call(side: list[Line], place: range) -> str:
    return next(line.text for line in side[place.start : place.stop] if "(" in line.text)


def test_many_pairs_are_counted_not_hidden() -> None:
    pairs = told(THIRD, COPY, renamed(COPY)).pairs
    text = page([Likenesses(THIRD, 900, 0, 3, pairs * 500)])
    assert text.count("<details>") == 40
    assert text.count("<p>0 ") == 360 and "And 100 pairs more" in text
    assert "first 8000 tokens are compared: 3." in text


def test_what_is_too_long_is_told() -> None:
    assert not kernel("", "a = b;" * 3000).whole
    assert kernel("", COPY).whole


def test_a_text_that_is_hard_to_read_is_read() -> None:
    """A lexer that looks for the end of each of its quotes and comments takes minutes."""
    assert len(kernel("", '"' + "\\'" * 131000).signs) == 1
    assert kernel("", "/* " * 87000).signs == ""


def test_where_a_macro_goes_on_is_no_matter() -> None:
    assert kernel("", "#define A(x) \\\n x + 1").signs == kernel("", "#define A(x) x + 1").signs


def test_random_text_is_no_trouble(tmp_path: Path) -> None:
    draw = random.Random(26)
    noise = [bytes(draw.choices(b"/*\"'\\\n{}#()ab1+-;", k=3000)) for _ in range(20)]
    class_ = [handed_in(str(n), THIRD, text) for n, text in enumerate([*noise, *noise])]
    line = publish_likenesses(tmp_path, class_, [lab_of(THIRD)])
    assert re.search(r": \d+ pairs share", line)


def test_nobodys_results_lie_where_the_page_does(tmp_path: Path) -> None:
    (tmp_path / "similar.html").mkdir()
    assert [folder for _, folder, _ in submissions(tmp_path)] != ["similar.html"]


@pytest.mark.slow
def test_make_grade_writes_the_page_also_when_it_goes_on(tmp_path: Path) -> None:
    lab, out = "lab01_cpu_naive", tmp_path / "out"
    text = (TOP / "tests/honest/pairwise.c").read_text(encoding="utf-8")
    for name, content in ("anna", text), ("ben", text.replace("add", "halve")), ("reference", ""):
        folder = tmp_path / "subs" / name / lab
        folder.mkdir(parents=True)
        (folder / "kernel.c").write_text(content or answer(lab).read_text(encoding="utf-8"))
    for _ in range(2):
        said = grade(tmp_path / "subs", out, lab, "--size=48")
        assert said.status == 0, said.text
        assert "1 pair shares 50% or more of their own code; a likeness is no verdict" in said.text
        seen = Elements((out / "similar.html").read_text(encoding="utf-8"))
        assert (
            "anna 100%" in seen.words and "reference" not in seen.words.partition("Of the lines")[2]
        )
        (out / "similar.html").unlink()
