# SPDX-License-Identifier: MIT
"""Inline PTX: asm volatile("mov.u32 %0, %1;" : "=r"(x) : "r"(y)); becomes a call of tensor/ptx.h,
which knows a few instructions and refuses the others when they are to run."""

ASM = ("asm", "__asm", "__asm__")


def rewrite_asm(s, i):
    opening = s.find(i, "(")
    end = s.closing(opening)
    operands, begin, section = [], opening + 1, 0
    j = opening + 1
    while j <= end:
        if s[j] in ("(", "[", "{"):
            j = s.closing(j)
        elif s[j] in (":", "::", ",") or j == end:
            if section == 0:
                template = s.text(begin, j - 1)
            elif section < 3 and begin < j:
                operands.append(operand(s, begin, j - 1, section))
            section += len(s[j]) if s[j][0] == ":" else 0
            begin = j + 1
        j += 1
    lines = "".join(s.pieces[s.places[i] : s.places[end] + 1]).count("\n")
    for j in range(s.places[i], s.places[end] + 1):
        s.pieces[j] = ""
    arguments = "".join(f", {one}" for one in operands)
    splice = "\\\n" if s.macro else "\n"
    s.pieces[s.places[i]] = (
        f"([&] {{ static const emulation::ptx::code ptx({template}); emulation::ptx::run("
        f"ptx, {{__FILE__, __LINE__}}{arguments}); }}()){splice * lines}"
    )


def operand(s, first, last, section):
    """[name] "=r" (x)"""
    if s[first] == "[":
        first = s.closing(first) + 1
    opening = s.find(first, "(")
    kind = "in" if section == 2 else "in_out" if "+" in s.text(first, opening) else "out"
    return f"emulation::ptx::{kind}({s.text(opening + 1, last - 1)})"
