# SPDX-License-Identifier: MIT
"""Some 600 built-in functions of OpenCL C have names of a type, a size and a rounding. The compiler
gets those that a kernel calls as macros on its command line."""

from __future__ import annotations

import re

SIZE = "(2|3|4|8|16)?"
CONVERT = re.compile(
    rf"\bconvert_(u?(?:char|short|int|long)|float|double){SIZE}(_sat)?(?:_(rt[ezpn]))?\b"
)
VLOAD = re.compile(rf"\bvload(a)?_half{SIZE}\b")
VSTORE = re.compile(rf"\bvstore(a)?_half{SIZE}(?:_(rt[ezpn]))?\b")


def macros(text: str) -> list[str]:
    """Returns -DNAME(x)=... for each name in the text, by the macros of prelude_families.cl."""
    found = {one[0]: convert(*one.groups()) for one in CONVERT.finditer(text)}
    found = {name: definition.replace("NAME", name) for name, definition in found.items()}
    defines = [f"-D{name}(x)={definition}" for name, definition in found.items()]
    loads = {one[0]: stride(one[1], one[2]) for one in VLOAD.finditer(text)}
    defines += [f"-D{name}(i,p)=VLOAD_HALF_({name}, {n}, i, p)" for name, n in loads.items()]
    stores = {one[0]: (stride(one[1], one[2]), one[3]) for one in VSTORE.finditer(text)}
    return defines + [
        f"-D{name}(x,i,p)=VSTORE_HALF_({name}, {n}, {mode or 'rte'}, x, i, p)"
        for name, (n, mode) in stores.items()
    ]


def convert(kind: str, size: str | None, saturates: str | None, mode: str | None) -> str:
    if not saturates and not mode:
        return f"__builtin_convertvector(x, {kind}{size})" if size else f"(({kind})(x))"
    return f"CONVERT_(NAME, {kind}, x, {1 if saturates else 0}, {mode or 'rtz'})"


def stride(aligned: str | None, size: str | None) -> str:
    """Of vectors in memory, in elements: vloada_half3 finds them four apart."""
    return "4" if aligned and size == "3" else size or "1"
