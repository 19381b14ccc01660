# SPDX-License-Identifier: MIT
"""The text of a file as tokens, each of which can become another: lines stay where they are."""

import re
from functools import lru_cache

SPACE = r"""(?P<space>     \s*\n(?=[ \t]*\#) | (?:\s|\\\r?\n)+
                     | //(?:\\\r?\n|[^\n])* | /\*.*?(?:\*/|\Z) )"""
DIRECTIVE = r"""(?P<directive> ^[ \t]*\#(?: /\*.*?\*/ | //[^\n]* | \\\r?\n | [^\n] )* )"""
CODE = r"""(?P<code>      R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"
                     | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'
                     | [^\W\d]\w* | \d(?:'?[\w.])* | <<<|<<\s+< | >>>|>>\s+> | [<>=!]= | \.\.\.
                     | :: | -> | . )"""
FLAGS = re.VERBOSE | re.DOTALL | re.MULTILINE
CLOSING = {"(": ")", "[": "]", "{": "}"}
ALIGNMENT = ("alignas", "__align__", "__attribute__")


@lru_cache(None)  # few files have a macro to rewrite: a pattern takes long to compile
def pattern(*kinds):
    return re.compile("|".join(kinds), FLAGS)


class Source:
    """The tokens of a text that the compiler sees, by number. What a token becomes is set by put()
    and so on; s[i] is what it was. There is nothing before the first and after the last."""

    def __init__(self, text, name="", macro=False):
        self.pieces, self.tokens, self.places, self.directives = [], [], [], []
        self.name, self.macro = name, macro  # the first is part of the names that are made up here
        kinds = (SPACE, CODE) if macro else (DIRECTIVE, SPACE, CODE)
        for match in pattern(*kinds).finditer(text):
            piece = match.group()
            if match["code"]:
                self.tokens.append(re.sub(r"\s+", "", piece) if piece[0] in "<>" else piece)
                self.places.append(len(self.pieces))
            elif match.lastgroup == "directive":
                self.directives.append(len(self.pieces))
            self.pieces.append(piece)
        self.numbers = 0

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return self.tokens[i] if 0 <= i < len(self) else ""

    def __str__(self):
        return "".join(self.pieces)

    def put(self, i, text):
        """In its place; a token may be of two lines."""
        self.pieces[self.places[i]] = text + "\n" * self.pieces[self.places[i]].count("\n")

    def prepend(self, i, text):
        self.pieces[self.places[i]] = text + self.pieces[self.places[i]]

    def append(self, i, text):
        self.pieces[self.places[i]] += text

    def remove(self, first, last):
        for i in range(first, last + 1):
            self.put(i, "")

    def text(self, first, last):
        """As it was written, with a blank for each space or comment."""
        return "".join(
            f" {self[i]}" if i > first and self.places[i] - self.places[i - 1] > 1 else self[i]
            for i in range(first, last + 1)
        )

    def number(self):
        self.numbers += 1
        return f"{self.name}{self.numbers}"

    def line(self, i):
        """For the compiler. That of a macro is where it is used."""
        return "__LINE__" if self.macro else "".join(self.pieces[: self.places[i]]).count("\n") + 1

    def is_name(self, i):
        return re.match(r"[^\W\d]\w*$", self[i]) is not None

    def closing(self, i):
        """Where the bracket is closed that opens at i."""
        opens, closes = self[i], CLOSING[self[i]]
        depth = 0
        for j in range(i, len(self)):
            depth += (self[j] == opens) - (self[j] == closes)
            if depth <= 0:
                return j
        return len(self) - 1

    def opening(self, i):
        """Where the bracket opens that is closed at i."""
        depth, angles, j = 0, self[i][0] == ">", i
        while j > 0:
            if angles and self[j] in (")", "]"):  # a comparison may be in it
                j = self.opening(j)
            elif angles and self[j].strip("<>") == "":
                depth += self[j].count(">") - self[j].count("<")
            elif not angles:
                depth += (self[j] == self[i]) - (CLOSING.get(self[j]) == self[i])
            if depth <= 0:
                return j
            j -= 1
        return 0

    def find(self, i, *wanted):
        """The first of these tokens from i on that is in no bracket which opens there; or the last
        of all."""
        while i < len(self) and self[i] not in wanted:
            i = (self.closing(i) if self[i] in ("(", "[", "{") else i) + 1
        return min(i, len(self) - 1)

    def start(self, i):
        """The first token of the declaration that token i is a word of."""
        while True:
            if self.is_name(i - 1) and self[i - 1] not in ("else", "do") or self[i - 1] == "::":
                i -= 1
            elif self[i - 1] == ")" and self[self.opening(i - 1) - 1] in ALIGNMENT:
                i = self.opening(i - 1) - 1
            else:
                return i

    def names(self, first, last):
        """The numbers of the names that a declaration declares; its last token is the semicolon."""
        found, name, complete, angles, i = [], None, False, 0, first
        while i <= last:
            token = self[i]
            if token in ALIGNMENT:
                i = self.closing(i + 1)
            elif token == "=":
                i = self.find(i, ",", ";") - 1
            elif token == "(":  # float (*rows)[8]
                name = next((j for j in range(i, self.closing(i)) if self.is_name(j)), name)
                complete, i = True, self.closing(i)
            elif token in ("[", "{"):  # a size; what is in a struct
                complete, i = token == "[", self.closing(i)
            elif token.strip("<>") == "" and not complete:
                angles += len(token) if token[0] == "<" else -len(token)
            elif token in (",", ";") and angles == 0:
                found.append(name)
                name, complete = None, False
            elif self.is_name(i) and not complete:
                name = i
            i += 1
        if self[last] != ";":  # of a macro, after which comes one
            found.append(name)
        return [name for name in found if name is not None]
