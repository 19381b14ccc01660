# SPDX-License-Identifier: MIT
"""What the READMEs say can be looked up: each number that sounds measured is worked out again from
figures/, each formula of "Predict first" gives its value, and the tables are those of figures/.
tests/prose.py has the rules; here they are broken on purpose, too."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.prose import CLAIM, complaints
from tests.support import TOP, run

LABS = sorted(f"{path.parent.name}/README.md" for path in TOP.glob("lab*/README.md"))
PAGES = ["README.md", "docs/results.md", *LABS]
PAGE = "lab02_avx/README.md"


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_claims_is_in_the_figures(page: str) -> None:
    assert complaints(TOP, page) == []


def test_the_tables_are_those_of_the_figures(clone: Path) -> None:
    assert run([sys.executable, "-m", "workbook", "figures", "fill"], clone).status == 0
    stale = [page for page in PAGES if (clone / page).read_bytes() != (TOP / page).read_bytes()]
    assert stale == [], "next: python3 -m workbook figures fill"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """The pages and the figures, to change."""
    shutil.copytree(TOP / "figures", tmp_path / "figures")
    for page in PAGES:
        (tmp_path / page).parent.mkdir(exist_ok=True)
        shutil.copy(TOP / page, tmp_path / page)
    return tmp_path


def ends_with(book: Path, text: str) -> list[str]:
    """What is wrong with a page that ends with this text."""
    with (book / PAGE).open("a", encoding="utf-8") as page:
        page.write(f"\n{text}\n")
    return complaints(book, PAGE)


def assert_one(found: list[str], pattern: str) -> None:
    assert len(found) == 1, found
    assert re.search(pattern, found[0]), found


# Every way to say a number, and what it means.
WAYS = [
    ("five times", "5"),
    ("1.6 times", "1.6"),
    ("a hundred times", "100"),
    ("a sixth", "1 / 6"),
    ("1/8 of it", "0.125"),
    ("a factor of three", "3"),
    ("80 percent", "0.8"),
    ("28 GFLOP/s", "28"),
]


def number(words: str) -> str:
    """What of them is the number, with its unit."""
    found = CLAIM.search(words)
    assert found
    return found[0]


@pytest.mark.parametrize(("words", "value"), WAYS)
def test_a_number_that_is_right(book: Path, words: str, value: str) -> None:
    assert ends_with(book, f"It is {words} here.\n<!-- {number(words)} = {value} -->") == []


@pytest.mark.parametrize(("words", "value"), WAYS)
def test_a_number_that_is_wrong(book: Path, words: str, value: str) -> None:
    found = ends_with(book, f"It is {words} here.\n<!-- {number(words)} = 3 * {value} -->")
    assert_one(found, rf'": 3 \* {re.escape(value)} is ')


# How far off a number may be.
VAGUE = [
    ("just", 4.5, 5.5),
    ("about", 4, 6),
    ("almost", 4, 6),
    ("more than", 5, 7.5),
    ("less than", 3.34, 5),
]


@pytest.mark.parametrize(("words", "low", "high"), VAGUE)
@pytest.mark.parametrize("too", ["little", "much"])
def test_how_far_off_a_number_may_not_be(
    book: Path, words: str, low: float, high: float, too: str
) -> None:
    value = low - 0.1 if too == "little" else high + 0.1
    assert_one(
        ends_with(book, f"It is {words} five times here.\n<!-- five times = {value} -->"),
        r"is [0-9.]*$",
    )


@pytest.mark.parametrize(
    "text",
    [
        "It is 50 to 80 percent of it.\n<!-- 50 = 0.5 -->\n<!-- 80 percent = 0.8 -->",
        "It has 29 shapes, N = 1024, half precision, and `five times` as code.",
        "It is 100 %.\n<!-- 100 % = lab03 published xeon 1024 / lab03 published xeon 1024 -->",
        "It is 100 %.\n<!-- 100 % = lab04 published h200.demo / lab04 published h200.demo -->",
        "It is faster.\n<!-- holds: lab02 xeon 1024 < peak lab02 xeon -->",
        "- It is twice as fast.\n  <!-- twice = 2 -->\n- It is half as fast.\n  <!-- half = 0.5 "
        "-->",
    ],
)
def test_what_is_supported(book: Path, text: str) -> None:
    assert ends_with(book, text) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("It is 50 to 80 percent of it.\n<!-- 80 percent = 0.8 -->", '"50": nothing supports it'),
        ("Five times, or six times.\n<!-- six times = 6 -->", '"Five times": nothing'),
        (
            "It is slower.\n<!-- holds: lab02 xeon 1024 >\n2 * lab02 xeon 1024 -->",
            "it does not hold",
        ),
        ("It is slower.\n<!-- holds: lab02 xeon 1023 < 2 -->", "figures/ has no"),
        ("It is five times as fast.\n<!-- five times = five -->", "neither cells nor numbers"),
        ("It is twice.\n<!-- twice = __import__('os').getpid() -->", "neither cells nor numbers"),
        ("It is five times as fast.\n<!-- five times no measurement: -->", "says nothing"),
        ("It is fast.\n<!-- measured: yes -->", "no such marker"),
        (
            "It is twice.\n<!-- twice = 2 -->\n<!-- twice = 2 -->",
            'a marker for "twice": no such number',
        ),
    ],
)
def test_what_is_not_supported(book: Path, text: str, says: str) -> None:
    assert_one(ends_with(book, text), says)


@pytest.mark.parametrize(
    "text",
    [
        "It is five times <!-- five times = 5 --> as fast.",
        "It is five times<!-- five times = 5 -->.",
        "It is five times\n<!-- five times = 5 -->\nas fast.",
    ],
)
def test_no_sentence_has_a_formula_inside(book: Path, text: str) -> None:
    assert any("a marker inside the text" in wrong for wrong in ends_with(book, text))


@pytest.mark.parametrize(
    "cell",
    [
        "lab02 xeon 1023",
        "lab02 published xeon 1024",
        "lab99 h200.demo",
        "peak lab02 h200-cuda",
    ],
)
def test_a_cell_that_is_not_there(book: Path, cell: str) -> None:
    assert_one(
        ends_with(book, f"It is five times as fast.\n<!-- five times = {cell} -->"),
        '"five times": .*figures/',
    )


# ---- mistakes in the page itself, and figures that changed under it ---------------------------
@pytest.mark.parametrize(
    ("pattern", "words", "says"),
    [
        ("36·M·K·", "35·M·K·", r"35·M·K·.* is 4\.7"),
        (r"\| 4\.84 GB \|", "| 4.83 GB |", "not 4.83 GB"),
        (r"\(lab 01: 0\.25\)", "(lab 01: 0.26)", r"the table of lab 01 has .*0\.25"),
        ("^## Look closer", "Look closer", "its parts are not"),
        ("^  speed .*", "  speed          too noisy to tell", "measure it again"),
    ],
)
def test_mistakes_in_a_page(book: Path, pattern: str, words: str, says: str) -> None:
    text = (book / PAGE).read_text(encoding="utf-8")
    changed = re.sub(pattern, words, text, flags=re.MULTILINE)
    assert changed != text, "the page has changed: adapt the test"
    (book / PAGE).write_text(changed, encoding="utf-8")
    assert_one(complaints(book, PAGE), says)


LAB01 = r'  \{"lab": "lab01_cpu_naive", "variant": "", "size": "1024"'


@pytest.mark.parametrize("words", [r"\g<1>9.", None], ids=["changed", "gone"])
def test_a_figure_that_changed(book: Path, words: str | None) -> None:
    file = book / "figures/xeon.json"
    text = file.read_text(encoding="utf-8")
    if words:
        changed = re.sub(rf'^({LAB01}.*"gflops": )0\.', words, text, flags=re.MULTILINE)
    else:
        changed = re.sub(rf"^{LAB01}.*\n", "", text, flags=re.MULTILINE)
    assert changed != text
    file.write_text(changed, encoding="utf-8")
    assert_one(complaints(book, PAGE), '"8.4 times": ')


@pytest.mark.parametrize("page", ["README.md", PAGE])
def test_a_page_that_is_not_there_is_not_right(book: Path, page: str) -> None:
    (book / page).unlink()
    assert_one(complaints(book, page), "No such file")
