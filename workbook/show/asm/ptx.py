# SPDX-License-Identifier: MIT
"""PTX, the intermediate language of NVIDIA's compilers."""

from __future__ import annotations

import re
from dataclasses import replace

from workbook.profile.x86.code import Instruction

FILE = re.compile(r'\s*[.]file\s+(\d+)\s+"(.*?)"')
PLACE = re.compile(r"\s*[.]loc\s+(\d+)\s+(\d+)")
LABEL = re.compile(r"([A-Za-z_0-9$]+):")
INSTRUCTION = re.compile(r"[ \t]+@?[%a-z].*;")
BRANCH = re.compile(r"bra[.a-z]*\s+([^;\s]+)")


def parse(text: str, kernel: str) -> list[Instruction]:
    """The numbers of the files come last: which lines are of the kernel is told then."""
    code: list[tuple[str, Instruction]] = []
    files: dict[str, str] = {}
    file, line = "", 0
    for said in text.splitlines():
        if found := FILE.match(said):
            files[found[1]] = found[2].rpartition("/")[2]
        elif found := PLACE.match(said):
            file, line = found[1], int(found[2])
        elif found := LABEL.match(said):
            code.append((file, Instruction(said, label=found[1], line=line, executed=False)))
        elif INSTRUCTION.match(said):
            branch = BRANCH.search(said)
            code.append((file, Instruction(said, target=branch[1] if branch else "", line=line)))
    ours = {number for number, name in files.items() if name == kernel}
    return [
        instruction if file in ours else replace(instruction, line=0) for file, instruction in code
    ]
