# SPDX-License-Identifier: MIT
"""The field's terms: each of docs/glossary.md stands in bold in the lab that teaches it, and no
page says with words of its own what the field has a term for."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.copies import sources
from tests.prose import PARTS_OF_A_LAB
from tests.support import TOP, edit

ROW = re.compile(r"^\| \*\*([^|*]+)\*\* \| [^|]+ \| (\d\d) \|", re.MULTILINE)
# What students could not search for, and what it is called.
GONE = {
    r"numbers? of (A|B|A's|B's)\b": "an element",
    r"(bunches|items) .*that go in step": "a warp, in lockstep (SIMT)",
    r"pieces of 32 bytes": "sectors",
    r"asked? (nothing|inside)|nothing asked inside": "no bounds checks in interior tiles",
    r"copies that (come by themselves|nobody carries)": "asynchronous copies",
    r"the next k read early|early loads": "prefetching, register double buffering",
    r"as asked for": "as requested",
    r"labs that lead on": "advanced labs",
    r"small workers": "work-items",
    r"rounding unit": "unit roundoff",
    r"steps? of k\b": "an iteration over k",
    r"a round (loads|fetches|begins)": "an iteration",
    r"in turns\b": "interleaved",
    r"filled up with zeros": "zero-padding",
    r"nothing to ask|without a question": "no bounds checks",
    r"begins? to copy": "issues a copy",
    r"places? in the (block|tile|work-group)": "an index",
    r"who is slow|nobody waits for memory": "a slow work-item; latency is hidden",
    r"hardware's affair": "unspecified",
    r"sticks? out": "a partial tile",
    r"pass(es)? by\b": "is streamed",
    r"hangs? over": "is shifted out",
    r"x (before|first)\b": "speedup over the previous lab, over the first",
    r"as late as (they|it) may": "as late as allowed",
    r"(dimension 0|\bx) (must )?runs? along": "neighbours in dimension 0 have neighbouring columns",
    r"turned around": "transposed, exchanged",
    r"even (when|if) it is not whole": "a partial tile",
    r"in a bunch|goes? by\.": "a warp, a wavefront; is streamed",
    r"leading dimensions N, K, N": "lda = K, ldb = N, ldc = N",
    r"barriers that not all reach": "barrier divergence",
}
PAGES = [
    name
    for name in sources()
    if re.fullmatch(
        r"(\w+/)?README\.md|(advanced/)?lab\w+/README\.md|docs/[a-z-]+\.md|answers/.+\.md", name
    )
]
# What a student reads and writes beside them: kernels, starting points, hints.
SOURCES = [
    name
    for name in sources()
    if re.fullmatch(r"(advanced/)?lab\w+/(start/)?[\w.]+\.(c|h|cl|cu)|lab\w+/start/hints\.md", name)
]


def lab_page(top: Path, number: str) -> Path:
    return next(top.glob(f"lab{number}_*/README.md"), None) or next(
        top.glob(f"advanced/lab{number}_*/README.md")
    )


def untaught(top: Path) -> Iterator[str]:
    """Terms that are not in the lab where the glossary says that they are taught."""
    rows = ROW.findall((top / "docs/glossary.md").read_text(encoding="utf-8"))
    assert len(rows) > 85
    for terms, number in rows:
        text = " ".join(lab_page(top, number).read_text(encoding="utf-8").lower().split())
        bold = re.findall(r"\*\*(.+?)\*\*", text)
        for term in terms.split(", "):
            stem = term.lower().rstrip("s")
            if not any(stem in words for words in bold):
                yield f"{term}: not in bold in lab {number}"


def own_words(text: str) -> list[str]:
    plain = " ".join(re.sub(r"^ *//", "", text, flags=re.MULTILINE).split())
    return [
        f"{found[0]!r}: {term}"
        for phrase, term in GONE.items()
        for found in re.finditer(phrase, plain, re.I)
    ]


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("advanced/")])
def test_an_advanced_lab_has_its_parts_in_order(page: str) -> None:
    parts = [
        part for part in PARTS_OF_A_LAB if part not in ("Write it", "What the source got wrong")
    ]
    assert re.findall(r"^## (.*)", (TOP / page).read_text(encoding="utf-8"), re.MULTILINE) == parts


def test_every_term_is_taught_where_the_glossary_says() -> None:
    assert list(untaught(TOP)) == []


# Without one of these a search engine finds other things: barriers of shops, tiles of bathrooms.
WORLD = re.compile(
    r"\b([CG]PU|CUDA|NVIDIA|Nsight|PTX|CUTLASS|NCCL|OpenCL|OpenMP|MPI|AVX|Intel|x86|BLAS|GotoBLAS"
    r"|BLIS|GEMM|C|Optuna|matrix|tensor cores?)(?=\b|\d)"
)


def vague_phrases(text: str) -> list[str]:
    """Of the terms to search for, those of one word, or without the world that they are of."""
    part = re.search(r"## In the literature\n\nSearch for: (.*?)\n\n", text, re.DOTALL)
    listed = " ".join(part[1].split()) if part else "*none at all*"
    phrases = re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", listed)
    return [said for said in phrases if len(said.split()) < 2 or not WORLD.search(said)]


@pytest.mark.parametrize("page", [page for page in PAGES if re.match(r"(advanced/)?lab\d", page)])
def test_what_to_search_for_are_phrases(page: str) -> None:
    assert vague_phrases((TOP / page).read_text(encoding="utf-8")) == []


def test_a_phrase_that_finds_anything_is_seen() -> None:
    text = (TOP / "advanced/lab13_ocl_vector/README.md").read_text(encoding="utf-8")
    assert "*GPU latency hiding*" in text
    for vague in "banks", "latency hiding":
        assert vague_phrases(text.replace("GPU latency hiding", vague)) == [vague]
    assert vague_phrases(text.replace("Search for:", "Look for:")) == ["none at all"]


@pytest.mark.parametrize("page", [*PAGES, *SOURCES])
def test_a_page_says_it_in_the_fields_terms(page: str) -> None:
    assert own_words((TOP / page).read_text(encoding="utf-8")) == []


# Those of report_template/ have markers in their lines, which make report fills.
ALL_PAGES = [n for n in sources() if n.endswith(".md") and not n.startswith("report_template/")]


def formulas_inside(text: str) -> list[str]:
    """Lines in which a comment stands beside words. Code is between backquotes, or indented."""
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`", "", text)
    lines = [line for line in text.splitlines() if line[:4] != "    "]
    return [line for line in lines if re.search(r"\S.*<!--|-->.*\S", line)]


@pytest.mark.parametrize("page", ALL_PAGES)
def test_no_sentence_of_any_page_has_a_formula_inside(page: str) -> None:
    assert formulas_inside((TOP / page).read_text(encoding="utf-8")) == []


def test_a_formula_inside_is_seen() -> None:
    for line in "It is twice <!-- twice = 2 --> that.", "<!-- twice = 2 --> that.", "Twice <!--":
        assert formulas_inside(f"It is.\n{line}\n") == [line]
    assert formulas_inside("It is twice that.\n<!-- twice = 2 -->\n- x\n  <!-- a = 1 -->\n") == []


def test_a_term_that_no_lab_teaches_is_seen(tmp_path: Path) -> None:
    for page in [
        *TOP.glob("lab*/README.md"),
        *TOP.glob("advanced/lab*/README.md"),
        TOP / "docs/glossary.md",
    ]:
        (tmp_path / page.relative_to(TOP)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page, tmp_path / page.relative_to(TOP))
    edit(tmp_path / "lab04_ocl_naive/README.md", "**coalescing**", "coalescing")
    assert "coalescing: not in bold in lab 04" in list(untaught(tmp_path))


SEEN = [
    "a number of\nA serves four",
    "labs that lead on",
    "copies that come by themselves",
    "    // the numbers\n    // of B",
    "for each step of k",
    "// A round\n// begins to copy the tiles",
    "medians of rounds, in turns",
    "a tile that sticks out is filled up with zeros",
    "there is nothing to ask",
    "const int x = threadIdx.x; // place in the block",
    "who is slow still reads",
    "which these are is the hardware's affair",
    "a tile that sticks out of C",
    "while all rows of A pass by",
    "what hangs over is lost",
    "time  GFLOP/s x before  x first",
    "copies come as late as they may",
    "where dimension 0 runs along rows",
    "// x runs along the columns of C",
    "with B turned around",
    "begin the last step even if it is not whole",
    "64 lanes in a bunch",
    "row-major, leading dimensions N, K, N",
    "races, barriers that not all reach",
]


@pytest.mark.parametrize("text", SEEN)
def test_a_phrase_of_ones_own_is_seen(text: str) -> None:
    assert own_words(text)
