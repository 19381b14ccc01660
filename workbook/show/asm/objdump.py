# SPDX-License-Identifier: MIT
"""What `objdump -d -l --inlines` prints."""

from __future__ import annotations

import re

from workbook.show.asm.code import Instruction

INSTRUCTION = re.compile(r" *([0-9a-f]+):\t(\S+)(?:\s+(\S+))?")
FUNCTION = re.compile(r"[0-9a-f]+ <")
PLACE = re.compile(r"(?:inlined by )?/.*:[0-9]+(?: |$)")


def parse(text: str, kernel: str) -> list[Instruction]:
    """Only lines of the kernel count. PoCL has a name of its own for kernel.cl."""
    name = r"[^ /]*[.]cl" if kernel.endswith(".cl") else re.escape(kernel)
    ours = re.compile(rf"(?:^|[/ ]){name}:([0-9]+)(?: |$)")
    code = []
    line, named = 0, False
    for said in text.splitlines():
        if PLACE.match(said):  # and after it, where it is inlined: the first in the kernel counts
            found = ours.search(said)
            if found and not named:
                line, named = int(found[1]), True
        elif FUNCTION.match(said):  # copies that the compiler makes may have no lines
            line = 0
        elif instruction := INSTRUCTION.match(said):
            address, name_, operand = instruction.groups()
            target = operand or "" if name_.startswith("j") else ""
            code.append(Instruction(said, address, target, line))
            named = False
    return code
