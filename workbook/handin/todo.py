# SPDX-License-Identifier: MIT
"""The tokens of C, OpenCL C and CUDA C, and the first TODO in a comment."""

from __future__ import annotations

import re

# C++ also has 1'000 and R"(raw strings)". As in compilers, an unclosed string ends with its line,
# an unclosed comment with the text. Searching for the end of each again would take minutes.
LEXEME = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<text>(?:u8|[uUL])?R"(?P<end>[^()\\\s]{0,16})\(.*?(?:\)(?P=end)"|\Z)
        |(?:u8|[uUL])?"(?:\\[^\n]|[^"\\\n])*"?|[uUL]?'(?:\\[^\n]|[^'\\\n])*'?)
      | (?P<name>[A-Za-z_$]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
      | (?P<other>\#\#|.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
# A word: not part of MÉTODO, whether É is one character or two. A range up to the last character of
# all takes 5 ms to compile, each time that Python starts.
TODO = re.compile(r"(?<![^\0-/:-@\[-^`{-\x7f])TODO(?![^\0-/:-@\[-^`{-\x7f])")


def first_todo(text: str) -> int:
    """The line of the first TODO that is a word of a comment, or 0: as make/unfinished."""
    for lexeme in LEXEME.finditer(text):
        if lexeme.lastgroup == "space" and (todo := TODO.search(lexeme[0])):
            return text.count("\n", 0, lexeme.start() + todo.start()) + 1
    return 0
