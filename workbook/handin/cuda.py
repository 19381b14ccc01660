# SPDX-License-Identifier: MIT
"""A kernel in CUDA C, which each compiler preprocesses for itself: what is not to be seen as it is
written, or could tell one build from another, or is not where it is graded. What a macro makes is
seen in each build of the emulation (compile.py)."""

from __future__ import annotations

import posixpath
import re

from workbook.handin.text import (
    OF_CXX,
    compiled,
    complaint_of_pragma,
    complaint_of_text,
    complaint_of_tokens,
    join,
    tokens,
)

RAW = re.compile(r'(?:u8|[uUL])?R"')
OF_TOOL = re.compile(
    r"__SANITIZE_\w+|EMULATION_\w+|__pragma|"
    r"__has_(?:feature|extension|attribute|builtin|include_next)"
)
INCLUDE = re.compile(r"#include\s*(?:\"([^\"]*)\"|<([^>]*)>)\s*")
NAMED = re.compile(r"<[\w.+-]+(?:/[\w.+-]+)*>")  # a header, by its name alone


def complaint_of_cuda(name: str, text: str) -> str:
    """About a file as it is written: why it is not taken, or nothing."""
    if said := complaint_of_text(name, text, OF_CXX):
        return said
    joined = join(text)
    words = tokens(joined, OF_CXX)
    raw = [word for word in words if RAW.match(word)]
    if raw and len(joined) < len(text.replace("\r\n", "\n")):
        return (
            f"{name} has a raw string, and lines that end in a backslash: write one of them "
            "otherwise"
        )
    if any("\n" in word for word in raw):  # a line of it could look like the preprocessor's own
        return f"{name} has a raw string of several lines: write \\n"
    code = OF_CXX.sub(without_comment, joined)
    code = compiled(code)
    words = tokens(code, OF_CXX)
    return (
        complaint_of_includes(name, code)
        or complaint_of_builds(words)
        or complaint_of_tokens(words)
    )


def complaint_of_includes(name: str, code: str) -> str:
    """Of CUDA C: what lies elsewhere is here, perhaps, and not where it is graded."""
    for line in code.split("\n"):
        line = re.sub(r"^\s*#\s*", "#", line)
        if not re.match(r"#include\b", line):
            continue
        said = INCLUDE.fullmatch(line)
        if said is None:
            return f"{name} has a line '{line.strip()}': write the name of the file in it"
        file = said[1] or said[2] or ""
        if not posixpath.normpath(f"/lab/{file}").startswith(
            ("/lab/", "/common/")
        ) or file.startswith("/"):
            return f"{name} includes {file}, which is not handed in: write it into the kernel"
    return ""


def without_comment(lexeme: re.Match[str]) -> str:
    return re.sub(r"[^\n]+", " ", lexeme[0]) if lexeme.lastgroup == "space" else lexeme[0]


def complaint_of_builds(words: list[str]) -> str:
    for at, word in enumerate(words):
        if word == "##" or words[at : at + 2] == ["%", ":"]:
            return f"it pastes tokens with ##: {instead_of_pasting(words[at + 1 : at + 3])}"
        said = ""
        if word == "_Pragma":
            said = complaint_of_operator(words[at + 1 : at + 4])
        elif word == "__has_include":
            said = complaint_of_question(words[max(at - 2, 0) : at], words[at + 1 : at + 40])
        elif OF_TOOL.fullmatch(word):
            said = f"'{word}' is not taken: all builds are alike"
        if said:
            return said
    return ""


def instead_of_pasting(words: list[str]) -> str:
    if "__VA_ARGS__" in words:
        return "a macro for printf does without, as in #define LOG(...) printf(__VA_ARGS__)"
    return "write the names"


def complaint_of_operator(words: list[str]) -> str:
    """What follows _Pragma: one plain string, which is seen before any macro is expanded."""
    plain = (
        len(words) == 3
        and words[0] == "("
        and words[2] == ")"
        and re.fullmatch(r'"[^"\\]*"', words[1])
    )
    if not plain:
        return "'_Pragma' takes a plain string here: write #pragma"
    return complaint_of_pragma(f"#pragma {words[1][1:-1]}")


def complaint_of_question(before: list[str], words: list[str]) -> str:
    """What stands around __has_include: the name of a header. A path could tell one build from
    another."""
    if before[-1:] in (["ifdef"], ["ifndef"], ["defined"]) or before == ["defined", "("]:
        return ""
    end = words.index(")") if ")" in words else 0
    name = "".join(words[1:end])
    named = words[:1] == ["("] and NAMED.fullmatch(name) and ".." not in name
    return "" if named else "'__has_include' takes <name.h> alone: all builds are alike"
