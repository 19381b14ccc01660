# SPDX-License-Identifier: MIT
"""Whether a kernel in C changes how it is compiled: by a pragma, an attribute, assembly. All are compiled
with the same flags, and what runs before main is no kernel. The preprocessor is asked, as macros hide
what is written; what could deceive about where a line comes from is not taken."""

from __future__ import annotations

import posixpath
import re

DIRECTIVES = frozenset("include define undef if ifdef ifndef elif else endif error warning pragma".split())
PRAGMAS = re.compile(r"(GCC (unroll|ivdep)|unroll|omp|once|STDC)\b")
ATTRIBUTES = frozenset(
    "aligned alloc_size always_inline assume_aligned cold const deprecated fallthrough flatten hot leaf "
    "malloc may_alias maybe_unused nodiscard noinline nonnull nothrow packed pure restrict returns_nonnull "
    "unused used vector_size warn_unused_result".split()
)
LARGEST = 2 << 20  # characters of code, once macros are expanded
ASSEMBLY = frozenset({"asm", "__asm", "__asm__"})
LEXEME = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<text>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|[uUL]?'(?:\\.|[^'\\\n])*')
      | (?P<name>[A-Za-z_$]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
MARKER = re.compile(r'# \d+ "((?:[^"\\]|\\.)*)".*')


def complaint_of_text(name: str, text: str) -> str:
    """About a file as it is written: why it is not taken, or nothing."""
    if "\0" in text:
        return f"{name} has a byte 0 in it"
    if "??" in text and re.search(r"\?\?[=/'()!<>-]", text):
        return f"{name} has a trigraph, ??x: write the character itself"
    joined = re.sub(r"\\[ \t\f\v]*\r?\n", "", text.replace("\r\n", "\n"))
    blank = LEXEME.sub(
        lambda m: re.sub(r"[^\n]", " ", m[0]) if m.lastgroup in ("space", "text") else m[0], joined
    )
    for line in blank.splitlines():
        directive = re.match(r"\s*(#|%:)\s*(\S*)", line)
        if not directive:
            continue
        word = re.match(r"\w*", directive[2])
        if directive[1] == "%:":
            return f"{name} writes %: for #: write #"
        if directive[2] and (word is None or word[0] not in DIRECTIVES):
            return f"{name} has a line '#{directive[2]}', which is not taken"
    return complaint_of_assembly(tokens(joined))


def complaint_of_assembly(words: list[str]) -> str:
    found = [word for word in words if word in ASSEMBLY]
    return f"'{found[0]}': kernels are written without assembly" if found else ""


def complaint_of_code(preprocessed: str, opencl: bool = False) -> str:
    """About what the preprocessor makes of it, but for what the system's headers say: why it is not taken, or
    nothing. OpenCL C has no pragma and no attribute by which its flags could change."""
    theirs = True
    lines: list[str] = []
    for line in preprocessed.splitlines():
        if marker := MARKER.fullmatch(line):
            theirs = not is_of_system(marker[1])
        elif theirs and line.lstrip().startswith("#"):
            if not opencl and (said := complaint_of_pragma(line)):
                return said
        elif theirs:
            lines.append(line)
    text = "\n".join(lines)
    if len(text) > LARGEST:
        return f"it expands to more than {LARGEST >> 20} MiB"
    words = tokens(text)
    return complaint_of_assembly(words) if opencl else complaint_of_tokens(words)


def is_of_system(path: str) -> bool:
    """However it is written: a kernel that includes itself has other names."""
    plain_path = posixpath.normpath(path)
    return plain_path.startswith(("/usr/include/", "/usr/lib/gcc/"))


def complaint_of_pragma(line: str) -> str:
    pragma = re.match(r"\s*#\s*pragma\s+(.*)", line)
    words = " ".join(pragma[1].split()) if pragma else line.strip()
    if pragma and PRAGMAS.match(words):
        return ""
    return f"'#pragma {words}' changes how it is compiled" if pragma else f"'{words}' is not taken"


def tokens(text: str) -> list[str]:
    return [m[0] for m in LEXEME.finditer(text) if m.lastgroup not in ("space",)]


def complaint_of_tokens(words: list[str]) -> str:
    if said := complaint_of_assembly(words):
        return said
    for at, word in enumerate(words):
        if word == "_Pragma":
            return "'_Pragma': write #pragma"
        said = ""
        if word in ("__attribute__", "__attribute"):
            said = complaint_of_attributes(words, at + 1)
        elif word == "[" and words[at + 1 : at + 2] == ["["]:
            said = complaint_of_attributes(words, at)
        if said:
            return said
    return ""


def complaint_of_attributes(words: list[str], first: int) -> str:
    """Of the names directly inside two brackets, from the first of these on; one before :: is that of a
    compiler."""
    depth = 0
    for at in range(first, len(words)):
        word = words[at]
        depth += word in ("(", "[")
        depth -= word in (")", "]")
        if depth <= 0:
            return ""
        begins = depth == 2 and words[at - 1] in ("(", "[", ",", ":") and words[at + 1 : at + 3] != [":", ":"]
        name = word.strip("_")
        if begins and re.match(r"[A-Za-z_]", word) and name not in ATTRIBUTES:
            return f"the attribute '{name}' is not taken: all kernels are compiled alike"
    return ""
