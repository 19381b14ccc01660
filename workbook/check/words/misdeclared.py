# SPDX-License-Identifier: MIT
"""How a kernel declares gemm(). A parameter in the place of another one is no error for a compiler,
where their types are the same; and without its qualifier a kernel is none, which the emulation does
not mind."""

from __future__ import annotations

import re
from pathlib import Path

from workbook.lab.stages import uncommented

PARAMETERS = ["M", "N", "K", "A", "B", "C"]  # in the order in which main passes them
# Where a statement, or a declaration, begins: tried from within, a table of numbers takes hours.
BEGINS = r"(?<![^;{}])"
# What stands before its name, that, and its parameters.
FUNCTION = re.compile(BEGINS + r"([^;{}]*?)\b(\w+)\s*\(([^()]*)\)\s*\{")
QUALIFIER = {".cl": ("__kernel", r"\b(?:__)?kernel\b"), ".cu": ("__global__", r"\b__global__\b")}
CALL = r"\b{}\s*\(((?:[^()]|\([^()]*\))*)\)\s*;"
# All that stands before a function's name which is no macro, of which more cannot be seen.
PLAIN = set("void static inline extern C __device__ __host__ __forceinline__ __noinline__".split())
LAUNCH = re.compile(r"\bgemm\s*<<<")
# A macro for what waits, or says where memory is: its name, and that.
ALIAS = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^()]*\))?[ \t]+"
    r"(.*(?:barrier|__syncthreads|__shared__|local\b).*)",
    re.MULTILINE,
)


def code_of(path: Path) -> str:
    """Without comments and the lines of the preprocessor; with what an ALIAS stands for."""
    text = path.read_text(errors="replace") if path.is_file() else ""
    text = uncommented(text).replace("\\\n", " ")
    aliases = dict(ALIAS.findall(text))
    code = re.sub(r"^[ \t]*#.*", "", text, flags=re.MULTILINE)
    return re.sub(r"\w+", lambda word: aliases.get(word[0], word[0]), code)


def no_kernel(kernel: Path) -> str:
    """Why main has nothing to launch, in words; "": it has, or that cannot be seen."""
    if kernel.suffix not in QUALIFIER:
        return ""
    qualifier, word = QUALIFIER[kernel.suffix]
    found = [(name, before) for before, name, _ in FUNCTION.findall(code_of(kernel))]
    kernels = [name for name, before in found if re.search(word, before)]
    if "gemm" in kernels:
        return ""
    if kernel.suffix == ".cu" and not LAUNCH.search(code_of(kernel.with_name("main.cu"))):
        return ""  # a function on the host, which launches others
    if "gemm" in dict(found):
        plain = PLAIN.issuperset(re.findall(r"\w+", dict(found)["gemm"]))
        return f"{kernel.name}: gemm() is not {qualifier}, and main launches it" if plain else ""
    if kernels and not re.search(r"\bgemm\b", uncommented(kernel.read_text(errors="replace"))):
        return f"{kernel.name} has no gemm(), which main launches: it has {', '.join(kernels)}()"
    return ""


def exchanged(kernel: Path) -> str:
    """Which parameters, in words; "" where they have the names and the order that main's have, or
    others."""
    lists = [given for _, name, given in FUNCTION.findall(code_of(kernel)) if name == "gemm"]
    names = re.findall(r"(\w+)\s*(?:,|$)", lists[0]) if lists else []
    if names == PARAMETERS or sorted(names) != sorted(PARAMETERS):
        return ""
    return (
        f"{kernel.name}: the parameters of gemm() are {', '.join(names)}, and main passes "
        f"{', '.join(PARAMETERS)} in this order"
    )


def exchanged_arguments(kernel: Path) -> str:
    """Of a function of its own, two that are called what its parameters are, and stand in each
    other's place; "" where there are none. Of M, N and K, or matrices, that may be meant."""
    code = code_of(kernel)
    for _, name, given in FUNCTION.findall(code):
        names = re.findall(r"(\w+)\s*(?:,|$)", given)
        for call in re.findall(CALL.format(re.escape(name)), code):
            words = [word.strip() for word in call.split(",")]
            places = {word: at for at, word in enumerate(words) if word in names}
            for word, at in places.items():
                other = names[at] if at < len(names) else word
                if places.get(other) == names.index(word) > at and not (word + other).isupper():
                    return (
                        f"{kernel.name}: {name}() is given {word} for its parameter {other}, and "
                        f"{other} for {word}"
                    )
    return ""


def one_sum(kernel: Path) -> str:
    """Of several sums the first is the only one that anything is added to; "" where none is."""
    code = code_of(kernel)
    for name, size in re.findall(r"\b(?:real|float|double)\s+(\w+)((?:\[[^\]]*\])+)", code):
        added = re.findall(rf"\b{name}((?:\[[^\]]*\])+)\s*\+=", code)
        if added and not re.sub(r"\[0\]", "", "".join(added)) and size.replace("[1]", ""):
            return f"{kernel.name}: {name}{added[0]} takes all products: has each element its own?"
    return ""
