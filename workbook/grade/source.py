# SPDX-License-Identifier: MIT
"""Whether a kernel in C changes how it is compiled: by a pragma, an attribute, assembly. All are compiled
with the same flags, and what runs before main is no kernel. The preprocessor is asked, as macros hide
what is written; what could deceive about where a line comes from is not taken."""

from __future__ import annotations

import posixpath
import re

DIRECTIVES = frozenset("include define undef if ifdef ifndef elif else endif error warning pragma".split())
PRAGMAS = re.compile(r"(GCC (unroll|ivdep|diagnostic)|unroll|omp|once|STDC)\b")
ATTRIBUTES = frozenset(
    "aligned alloc_size always_inline artificial assume_aligned cleanup cold const deprecated fallthrough "
    "flatten format gnu_inline hot leaf "
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
MARKER = re.compile(r'# \d+ "((?:[^"\\]|\\.)*)"(.*)')
FOLDERS = re.compile(r"/usr/(?:lib/gcc/[^/]+/[^/]+/include(?:-fixed)?|include(?:/[a-z0-9_]+-linux-gnu)?)/")
# By which a program says which functions of a header it wants.
FEATURE = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+((?:_GNU|_DEFAULT|_POSIX|_POSIX_C|_XOPEN|_ISOC99|_ISOC11)_SOURCE|NDEBUG"
    r"|__STDC_WANT_\w+)[ \t]*(\w*)[ \t]*$",
    re.MULTILINE | re.ASCII,
)
# What differs between the drivers that compile OpenCL C, one of which is a checking tool.
OF_DRIVER = re.compile(
    r"__(?!attribute__)\w+__|_[A-Z]\w*|cl_(?:khr|ext|intel|amd|nv|arm|img|qcom|pocl)_\w+|POCL\w*|linux|unix",
    re.ASCII,
)
OF_TOOL = re.compile(r"__SANITIZE_\w+|__has_(?:feature|extension|attribute|builtin|include)|__pragma|_Pragma")


def complaint_of_text(name: str, text: str) -> str:
    """About a file as it is written: why it is not taken, or nothing."""
    if "\0" in text:
        return f"{name} has a byte 0 in it"
    if "??" in text and re.search(r"\?\?[=/'()!<>-]", text):
        return f"{name} has a trigraph, ??x: write the character itself"
    joined = join(text)
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


def join(text: str) -> str:
    """Lines that end in a backslash are one with the next."""
    return re.sub(r"\\[ \t\f\v]*\r?\n", "", text.replace("\r\n", "\n"))


def complaint_of_cuda(text: str) -> str:
    """Of a kernel in CUDA C, which each compiler preprocesses for itself: what is not to be seen as it is
    written, or could tell one build from another."""
    words = tokens(join(text))
    for first, second in zip(words, words[1:]):
        if (first, second) in (("#", "#"), ("%", ":")):
            return "it pastes tokens with ##: write the names"
    found = [word for word in words if OF_TOOL.fullmatch(word)]
    return f"'{found[0]}' is not taken: all builds are alike" if found else complaint_of_tokens(words)


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
            theirs = opencl or not is_of_system(marker[1])
        elif theirs and line.lstrip().startswith("#"):
            if not opencl and (said := complaint_of_pragma(line)):
                return said
        elif theirs:
            lines.append(line)
    text = "\n".join(lines)
    if len(text) > LARGEST:
        return f"it expands to more than {LARGEST >> 20} MiB"
    words = tokens(text)
    if not opencl:
        return complaint_of_tokens(words)
    if said := complaint_of_assembly(words):
        return said
    found = [word for word in words if OF_DRIVER.fullmatch(word) and word.strip("_") not in ATTRIBUTES]
    return f"'{found[0]}' is not taken: drivers differ in it" if found else ""


def headers(preprocessed: str) -> tuple[list[str], list[str]]:
    """The system's headers that it includes itself, in order, and the lines that come of them."""
    theirs = True
    names: list[str] = []
    lines: list[str] = []
    for line in preprocessed.splitlines():
        if marker := MARKER.fullmatch(line):
            system = is_of_system(marker[1])
            name = FOLDERS.sub("", posixpath.normpath(marker[1]))
            if system and theirs and "1" in marker[2].split() and name != "stdc-predef.h":
                names.append(name)
            theirs = not system
        elif not theirs and line.strip():
            lines.append(line.strip())
    return names, lines


def only_headers(names: list[str], text: str) -> str:
    """A program that includes the same, with the same features, and has no macros."""
    features = [f"#define {name} {value}" for name, value in FEATURE.findall(text)]
    return "\n".join([*features, *(f"#include <{name}>" for name in names), ""])


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
