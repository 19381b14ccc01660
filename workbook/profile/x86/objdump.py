# SPDX-License-Identifier: MIT
"""What `objdump -d -l --inlines` prints."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from workbook import UserError
from workbook.core.process import run
from workbook.core.text import plain
from workbook.profile.x86.code import Instruction

INSTRUCTION = re.compile(r" *([0-9a-f]+):\t(\S+)(?:\s+(\S+))?")
FUNCTION = re.compile(r"[0-9a-f]+ <")
DISASSEMBLE = "objdump -d -l --inlines --no-show-raw-insn"
PLACE = re.compile(r"(?:inlined by )?/.*:[0-9]+(?: |$)")


def disassembled(file: Path, build: Path) -> str:
    """By way of a file: it may be long."""
    if not shutil.which("objdump"):
        raise UserError("objdump is not installed: apt-get install binutils")
    text = build / "asm.txt"
    command = f'exec {DISASSEMBLE} "$1" >"$2"'
    said = run(["/bin/sh", "-c", command, "sh", str(file), str(text)], build, 60)
    if said.status != 0:
        raise UserError(f"objdump: status {said.status}: {plain(said.err)}")
    return text.read_text(encoding="utf-8", errors="replace")


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
