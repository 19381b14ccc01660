# SPDX-License-Identifier: MIT
"""Which lines of a kernel are new since the lab before: of its code, for a comment does nothing."""

from __future__ import annotations

import re
from difflib import SequenceMatcher


def code(line: str) -> str:
    return re.sub(r"\s+", " ", line.partition("//")[0]).strip()


def changed(before: list[str], after: list[str]) -> list[int]:
    """The numbers of lines, from 1 on, that the other has not."""
    old = [text for text in map(code, before) if text]
    new = [(number, code(line)) for number, line in enumerate(after, 1) if code(line)]
    matcher = SequenceMatcher(None, old, [text for _, text in new], autojunk=False)
    same = {b + n for _, b, count in matcher.get_matching_blocks() for n in range(count)}
    return [number for place, (number, _) in enumerate(new) if place not in same]
