# SPDX-License-Identifier: MIT
"""Pages are written in plain sentences: words that replace a noun, a condition or a verb are rare.
A limit is in lines per 10,000 words, of all pages and of each group, or two lines."""

from __future__ import annotations

import re

import pytest

from tests.copies import sources
from tests.support import TOP

# A pattern, and how many lines may contain it.
LIMITS = {
    r"[]a-z0-9)*`]; [][a-z0-9`*(]": 12,
    r"\b[Ww]hat (is|are|was|it|they|an?|the|has|does|not|comes|takes|lies|stands|costs|must|may|can"
    r"|each|this|of|there|you|had|makes|lacks|its|changes|runs|belongs|limits|[A-Z])\b[^?]*$": 4,
    r"\b(alone|beside|behind|anew|meanwhile|hardly|[Ee]lse)\b|, too\b|in place of"
    r"|of (its|their|your) own\b|\bso many\b": 4,
    r"\b(says?|said|tells?|told|asks?|asked)\b": 7,
    r"\b([Nn]obody|[Nn]o one|[Nn]othing|[Nn]one)\b": 3,
    r"\b[Ww]here (an?|the|it|that|this|there|no|none|not|one|they|its|each|all|nothing|nobody|some"
    r"|[A-Z]|both|only|several|of|k|what|such)\b": 8,
    r"\b(stands?|lies?|lay|stood|comes? (to|from|with|in|out|first|back|later|of|by)|came)\b": 3,
    r"\bfor (each|every)\b|[0-9] a (cycle|second|call|core|block|line|lane)\b": 10,
    r"\b(has|had|have) ([0-9][0-9.,]*|more|all|none|no|what)\b|\]\([^)]*\) (has|have)\b": 4,
    r"(^|[.;:(|,] |// |\")Of [A-Za-z0-9]"
    r"|[.;:(|,] of (C|OpenCL|CUDA|it|them|these|each|all|the|a|an|what|[0-9]+)\b": 2,
}
# Hints are messages, and CHANGELOG.md is not rewritten.
PAGES = [name for name in sources() if re.fullmatch(r"(?!CHANGELOG|.*/hints).+\.md", name)]
GROUPS = ["", "advanced/", "answers/", "docs/", "grading/", "lab0", "report_template/", "[^/]+$"]
BAD = "What is left lies where it was; nobody said so, too, for each of it. Of it, he has none.\n"


def prose(text: str) -> list[str]:
    """Its lines, without code and comments."""
    text = re.sub(r"^ *```.*?^ *```|<!--.*?-->", "", text, flags=re.DOTALL | re.MULTILINE)
    return [line for line in text.splitlines() if line[:4] != "    "]


def too_often(lines: list[str]) -> list[str]:
    words = sum(len(line.split()) for line in lines)
    return [
        pattern
        for pattern, most in LIMITS.items()
        if sum(bool(re.search(pattern, line)) for line in lines) > max(2, most * words / 10_000)
    ]


@pytest.mark.parametrize("group", GROUPS)
def test_pages_are_written_in_plain_sentences(group: str) -> None:
    """The group "": all pages. The last one: the front page and CONTRIBUTING.md."""
    pages = [(TOP / name).read_text(encoding="utf-8") for name in PAGES if re.match(group, name)]
    lines = [line for page in pages for line in prose(page)]
    assert too_often(lines) == []
    assert too_often([*lines, *prose(BAD * (len(lines) // 50 + 3))]) == list(LIMITS)


def test_code_is_not_prose() -> None:
    assert "".join(prose(f"```\n{BAD}```\n\n    {BAD}<!-- {BAD} -->")) == ""
