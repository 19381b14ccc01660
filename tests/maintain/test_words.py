# SPDX-License-Identifier: MIT
"""The field's terms: each of docs/glossary.md stands in bold in the lab that teaches it, and what
to search for are phrases that find it."""

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
PAGES = [
    name
    for name in sources()
    if re.fullmatch(
        r"(\w+/)?README\.md|(advanced/)?lab\w+/README\.md|docs/[a-z-]+\.md|answers/.+\.md", name
    )
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


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("advanced/")])
def test_an_advanced_lab_has_its_parts_in_order(page: str) -> None:
    parts = [part for part in PARTS_OF_A_LAB if part not in ("Write it", "Mistakes in the source")]
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
