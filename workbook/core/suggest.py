# SPDX-License-Identifier: MIT
"""suggest WORD NAME ...: prints the name that WORD was probably meant to be, or nothing."""

from __future__ import annotations

from difflib import get_close_matches


def suggest(word: str, names: list[str]) -> str:
    """Small and capital letters are the same."""
    longer = [name for name in names if name.upper().startswith(word.upper())]
    if longer and len(word) > 1:
        return longer[0]
    found = get_close_matches(word.upper(), [name.upper() for name in names], n=1)
    return next((name for name in names if found == [name.upper()]), "")


def main(words: list[str]) -> int:
    print(suggest(words[0], words[1:]) if words else "")
    return 0
