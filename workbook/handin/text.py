# SPDX-License-Identifier: MIT
"""Whether a kernel changes how it is compiled: by a pragma, an attribute, assembly. All are
compiled with the same flags, and what runs before main is no kernel. The preprocessor is asked, as
macros hide what is written; what could deceive about where a line comes from is not taken. What
changes no code is."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

DIRECTIVES = frozenset(
    "include define undef if ifdef ifndef elif elifdef elifndef else endif error warning "
    "pragma".split()
)
# gcc hands its text to the assembler as it is.
IDENT = re.compile(r'\s*#\s*(?:ident|sccs)\s+"[^"\\]*"\s*')
# A compiler obeys these, and leaves out those that it does not know, which are for another
# compiler.
PRAGMAS = re.compile(
    r"(GCC|clang) "
    r"(?!(unroll|ivdep|novector|loop|diagnostic|warning|error|dependency|poison|system_header)\b)"
    r"|(weak|redefine_extname|scalar_storage_order|longcall|float_control|fp_contract|optimize|comment)\b"
)
ATTRIBUTES = frozenset(
    "access aligned alloc_align alloc_size always_inline artificial assume assume_aligned cleanup "
    "cold "
    "common const counted_by deprecated designated_init error externally_visible fallthrough "
    "flatten "
    "format format_arg gnu_inline hot leaf likely malloc may_alias maybe_unused mode "
    "no_unique_address "
    "nocommon nodiscard noclone noinline noipa nonnull nonstring noreturn nothrow "
    "null_terminated_string_arg packed pure reproducible restrict returns_nonnull sentinel "
    "transparent_union unavailable unlikely unsequenced unused used vector_size visibility "
    "warn_if_not_aligned warn_unused_result warning".split()
)
OF_GNU = ("__attribute__", "__attribute")
LARGEST = 2 << 20  # characters of code, once macros are expanded
ASSEMBLY = frozenset({"asm", "__asm", "__asm__"})
# As compilers have it, a string that nobody closes reaches to the end of its line, and a comment to
# that of the text: to look for the end of each again would take minutes.
WRITTEN = r"""(?P<space>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<text>{raw}(?:u8|[uUL])?"(?:\\[^\n]|[^"\\\n])*"?|[uUL]?'(?:\\[^\n]|[^'\\\n])*'?)
      | (?P<name>[A-Za-z_$]\w*)
      | (?P<number>\.?\d(?:[eEpP][+-]|{separated}[\w.])*)
      | (?P<other>\#\#|.)"""
LEXEME = re.compile(WRITTEN.format(raw="", separated=""), re.VERBOSE | re.DOTALL | re.ASCII)
OF_CXX = re.compile(  # which has 1'000, and R"(strings in which a " ends nothing)"
    WRITTEN.format(
        raw=r'(?:u8|[uUL])?R"(?P<end>[^()\\\s]{0,16})\(.*?(?:\)(?P=end)"|\Z)|', separated=r"'\w|"
    ),
    re.VERBOSE | re.DOTALL | re.ASCII,
)
MARKER = re.compile(r'(\d+) "((?:[^"\\\n]|\\.)*)"(.*)')  # behind "# "
FOLDERS = re.compile(
    r"/(?:system|usr/(?:local/)?(?:lib\d*/.*?/include(?:-fixed)?|include(?:/[a-z0-9_]+-linux-gnu)?))/"
)
# By which a program says which functions of a header it wants, and how.
FEATURE = re.compile(
    r"_(?:GNU|DEFAULT|BSD|SVID|POSIX|POSIX_C|XOPEN|ISOC\w+|LARGEFILE\w*|ATFILE|FORTIFY)_SOURCE(?:_EXTENDED)?"
    r"|_FILE_OFFSET_BITS|_TIME_BITS|_REENTRANT|_THREAD_SAFE|NDEBUG|__STDC_(?:WANT|FORMAT|LIMIT|CONSTANT)_\w+"
)
DEFINED = re.compile(r"#(define|undef) (\w+)(?: (\(?\w*\)?))?\s*", re.ASCII)
UNROLL = re.compile(r"^(#pragma (?:GCC unroll|unroll|clang loop)\b)(.*)", re.MULTILINE)
NESTED, LONGEST = 16, 200  # macros in one another, and characters of each, in such a pragma
IF_0 = re.compile(r"[ \t]*#[ \t]*if[ \t]+0[ \t]*")
# A line without a #; with one, and a word behind it or not; with one behind something else.
INSIDE = re.compile(
    r"[^#]*|[ \t]*#[ \t]*(?:([A-Za-z_]\w*)(?:[ \t(!][ -~\t]*)?|[^A-Za-z_$\\][ -~\t]*)?"
    r"|[ \t]*[!-\"$-~][ -~\t]*",
    re.ASCII,
)
TRIGRAPH = re.compile(r"\?\?[=/'()!<>-]")
DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#"}
DIGRAPH = re.compile(r"<:(?!:[^:>])|:>|<%|%>|%:")  # in C++ x<::y> has none
# What compilers of OpenCL C, that of the engine among them, may have as a macro.
OF_DRIVER = re.compile(
    r"__[A-Z0-9_]+__|__(?:clang|llvm|gnu|x86_64|amd64|i[3-6]86|aarch64|linux|unix)\w*"
    r"|cl_(?:khr|ext|intel|amd|nv|arm|img|qcom|pocl)_\w+|POCL\w*|linux|unix|i386",
    re.ASCII,
)
RESERVED = re.compile(r"_(?:_|[A-Z])\w*", re.ASCII)
OF_LANGUAGE = frozenset(
    "__kernel __global __local __constant __private __read_only __write_only".split()
)


def complaint_of_text(name: str, text: str, lexeme: re.Pattern[str] = LEXEME) -> str:
    """About a file as it is written: why it is not taken, or nothing."""
    if "\0" in text:
        return f"{name} has a byte 0 in it"
    joined = join(text)
    blank = lexeme.sub(blanked, joined)
    if re.search(r"\?\?/[ \t\f\v]*\r?\n", text) or TRIGRAPH.search(blank):
        return f"{name} has a trigraph, ??x: write the character itself"
    if said := complaint_of_digraphs(blank):
        return f"{name} {said}"
    for line, whole in zip(compiled(blank).split("\n"), joined.split("\n")):
        directive = re.match(r"\s*#\s*(\S*)", line)
        if not directive or IDENT.fullmatch(whole):
            continue
        word = re.match(r"\w*", directive[1])
        if directive[1] and (word is None or word[0] not in DIRECTIVES):
            return f"{name} has a line '#{directive[1]}', which is not taken: make it a comment"
    return ""


def compiled(code: str) -> str:
    """Less what stands under #if 0, which no compiler reads, up to its #else or #endif: of a text
    without comments. All of it, where a line could be one to us and none to a compiler, or the
    other way."""
    lines = code.split("\n")
    inside = 0  # so many #if, of which the first is of 0
    for at, line in enumerate(lines):
        if inside == 0:
            inside = int(IF_0.fullmatch(line) is not None)
            continue
        directive = INSIDE.fullmatch(line)
        if directive is None:
            return code
        word = directive[1] or ""
        inside += word in ("if", "ifdef", "ifndef")
        inside -= word == "endif" or inside == 1 and word.startswith("el")
        lines[at] = ""
    return "\n".join(lines)


def complaint_of_digraphs(blank: str) -> str:
    found = DIGRAPH.search(blank)
    return f"has a digraph, {found[0]}: write {DIGRAPHS[found[0]]}" if found else ""


def blanked(lexeme: re.Match[str]) -> str:
    """A comment, or a string, without what is in it; but for a trigraph by which it would end
    elsewhere."""
    text = lexeme[0]
    if lexeme.lastgroup not in ("space", "text"):
        return text
    ends = lexeme.lastgroup == "text" and (
        "??/" in text or text.endswith("'") and TRIGRAPH.search(text)
    )
    return text if ends else re.sub(r"[^\n]", " ", text)


# Not of MÉTODO, whatever É is made of: beside it there is only ASCII that is in no word. A range up
# to the last character of all takes 5 ms to compile, each time that Python starts.
TODO = re.compile(r"(?<![^\0-/:-@\[-^`{-\x7f])TODO(?![^\0-/:-@\[-^`{-\x7f])")


def first_todo(text: str) -> int:
    """The line of the first TODO that is a word of a comment, in all languages; 0 where there is
    none: as common/make/unfinished."""
    for lexeme in OF_CXX.finditer(text):
        if lexeme.lastgroup == "space" and (todo := TODO.search(lexeme[0])):
            return text.count("\n", 0, lexeme.start() + todo.start()) + 1
    return 0


def join(text: str) -> str:
    """Lines that end in a backslash are one with the next."""
    return re.sub(r"\\[ \t\f\v]*\r?\n", "", text.replace("\r\n", "\n"))


def complaint_of_assembly(words: list[str]) -> str:
    found = [word for word in words if word in ASSEMBLY]
    return f"'{found[0]}': kernels are written without assembly" if found else ""


def complaint_of_code(preprocessed: str, suffix: str) -> str:
    """About what the preprocessor makes of it, but for what headers of the system and the emulation
    say: why it is not taken, or nothing. OpenCL C has no pragma and no attribute by which its flags
    could change."""
    opencl, lexeme = suffix == ".cl", OF_CXX if suffix == ".cu" else LEXEME
    lines: list[str] = []
    for part in parts(preprocessed):
        if not opencl and (is_of_system(part.name) or is_emulation(part.name)):
            continue
        for line in part.said.split("\n"):
            if not line.lstrip().startswith("#"):
                lines.append(line)
            elif not opencl and (why := complaint_of_pragma(line)):
                return why
    text = "\n".join(lines)
    if len(text) > LARGEST:
        return f"it expands to more than {LARGEST >> 20} MiB"
    if said := complaint_of_digraphs(lexeme.sub(blanked, text)):
        return f"it {said}"
    words = tokens(text, lexeme)
    if not opencl:
        return "'_Pragma': write #pragma" if "_Pragma" in words else complaint_of_tokens(words)
    if said := complaint_of_assembly(words):
        return said
    found = [word for word in words if OF_DRIVER.fullmatch(word)]
    return f"'{found[0]}' is not taken: drivers differ in it" if found else ""


def as_all_drivers(preprocessed: str) -> str:
    """OpenCL C in which no driver knows a name as a macro of its own."""
    names = {word for word in tokens(preprocessed) if RESERVED.fullmatch(word)} - OF_LANGUAGE
    return "".join(f"#undef {name}\n" for name in sorted(names)) + preprocessed


def unrolled(with_macros: str) -> tuple[list[str], str]:
    """The pragmas that say how to unroll, of what -dD says, with what their macros stand for: a
    number, as a rule, or a product of tunables. And why one is not taken, or nothing."""
    macros: dict[str, str] = {}
    found: list[str] = []
    for line in with_macros.split("\n"):
        directive, _, rest = line.partition(" ")
        if directive == "#define":
            name, _, stands_for = rest.partition(" ")
            macros[name.partition("(")[0]] = stands_for if "(" not in name else ""
        elif directive == "#undef":
            macros.pop(rest, None)
        elif pragma := UNROLL.match(line):
            words = pragma[2]
            for _ in range(NESTED):
                names = macros.keys() & {*re.findall(r"\w+", words)}
                if not names:
                    break
                if not all(
                    0 < len(one) < LONGEST for one in (words, *(macros[one] for one in names))
                ):
                    return [], f"'{line}': write a number there, or a macro without arguments"
                words = re.sub(r"\w+", lambda word: macros.get(word[0], word[0]), words)
            found.append(pragma[1] + words)
    return found, ""


def headers(preprocessed: str) -> list[str]:
    """The words that come of the system's headers."""
    words: list[str] = []
    for part in parts(preprocessed):
        if is_of_system(part.name):
            words += part.said.split()
    return words


def features(with_macros: str) -> tuple[str, bool]:
    """A program that includes the same headers of the system, and has no macros but those by which
    it says what it wants of them: of what -dD says. And whether there are others, before a header,
    which it could understand otherwise."""
    theirs, others, changes = True, False, False
    lines: list[str] = []
    for part in parts(with_macros):
        system = is_of_system(part.name)
        changes = changes or system and others
        header = FOLDERS.sub("", normal(part.name)) if system and theirs else ""
        if header and "1" in part.flags and header != "stdc-predef.h":
            lines.append(f"#include <{header}>")
        theirs = not system and not part.name.startswith("<")
        for line in part.said.split("\n") if theirs else ():
            if (defined := DEFINED.fullmatch(line)) and FEATURE.fullmatch(defined[2]):
                lines.append(line.strip())
            else:
                others = others or line.startswith(("#define", "#undef"))
    return "\n".join([*lines, ""]), changes


def foreign(preprocessed: str) -> tuple[str, int] | None:
    """The file and the line that include what is neither handed in, nor the workbook's, nor the
    system's."""
    known = ("/lab/", "/common/", "/advanced/", "/system/", "/usr/")
    away = False
    for part in parts(preprocessed):
        name = normal(part.name)
        away = away or "1" in part.flags and name.startswith("/") and not name.startswith(known)
        if away and "2" in part.flags and name.startswith(known):
            return name, part.number - 1
    return None


class Part(NamedTuple):
    """What the preprocessor says up to its next marker: the file, the line and the flags of this
    one, and the text."""

    name: str
    number: int
    flags: list[str]
    said: str


def parts(preprocessed: str) -> Iterator[Part]:
    name, number, flags, said = "", 0, list[str](), list[str]()
    for at, piece in enumerate(f"\n{preprocessed}".split("\n# ")):
        if at > 0 and (marker := MARKER.match(piece)):
            yield Part(name, number, flags, "\n# ".join(said))
            name, number, flags = marker[2], int(marker[1]), marker[3].split()
            said, piece = [], piece[marker.end() :]
        said.append(piece)
    yield Part(name, number, flags, "\n# ".join(said))


@lru_cache(4096)
def normal(path: str) -> str:
    """Without `..`, which a compiler looks for where a link of the system's leads to."""
    is_led_on = path.startswith("/usr/") and "/../" in path
    return os.path.realpath(path) if is_led_on else posixpath.normpath(path)


def is_of_system(path: str) -> bool:
    """However it is written: a kernel that includes itself has other names."""
    return normal(path).startswith(("/usr/", "/system/"))


def is_emulation(path: str) -> bool:
    return normal(path).startswith("/engine/")


def complaint_of_pragma(line: str) -> str:
    pragma = re.match(r"\s*#\s*pragma\s+(.*)", line)
    words = " ".join(pragma[1].split()) if pragma else line.strip()
    if IDENT.fullmatch(line) or pragma and not PRAGMAS.match(words):
        return ""
    return f"'#pragma {words}' changes how it is compiled" if pragma else f"'{words}' is not taken"


def tokens(text: str, lexeme: re.Pattern[str] = LEXEME) -> list[str]:
    return [m[0] for m in lexeme.finditer(text) if m.lastgroup != "space"]


def complaint_of_tokens(words: list[str]) -> str:
    """Attributes are the names directly inside two brackets, but one before :: is that of a
    compiler."""
    if said := complaint_of_assembly(words):
        return said
    opened: list[bool] = []  # brackets, by whether they begin attributes
    for at, word in enumerate(words):
        if word in ("(", "["):
            after = words[at - 1] if at else ""
            opened.append(after in OF_GNU or words[at : at + 2] == ["[", "["])
        elif word in (")", "]"):
            del opened[-1:]
        elif len(opened) > 1 and opened[-2]:
            begins = words[at - 1] in ("(", "[", ",", ":") and words[at + 1 : at + 3] != [":", ":"]
            name = word.strip("_")
            if begins and re.match(r"[A-Za-z_]", word) and name not in ATTRIBUTES:
                outside = name.endswith("structor")
                why = "it runs outside of main" if outside else "all kernels are compiled alike"
                return f"the attribute '{name}' is not taken: {why}"
    return ""
