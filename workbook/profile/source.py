# SPDX-License-Identifier: MIT
"""What the source says of what was counted: the line of an instruction, the name of an array."""

from __future__ import annotations

import re
from pathlib import Path

from workbook import UserError
from workbook.core.process import run

GLOBAL, SHARED = "global", "shared"
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DECLARED = re.compile(r"(\bextern\s+)?\b(?:__shared__|__local|local)\b([^;()]*(?:\([^()]*\)[^;()]*)*);")
POINTER = re.compile(r"\*\s*(?:(?:const|restrict|__restrict__|__restrict)\s+)*(\w+)\s*$")


# ---- lines -------------------------------------------------------------------------------------
def lines_of(places: list[str], program: Path, kernel: str) -> dict[str, int]:
    """Of "17", "kernel.cu:17", or the address of an instruction: the line of the kernel's file."""
    found = {place: int(place.rpartition(":")[2] or 0) for place in places if not place.startswith("0x")}
    addresses = sorted({place for place in places if place.startswith("0x")})
    if addresses:
        said = run(["addr2line", "-aie", str(program), *addresses], program.parent, 60)
        if said.status != 0:
            raise UserError("addr2line is not installed, which knows the lines: apt-get install binutils")
        found |= dict.fromkeys(addresses, 0)
        found |= of_frames(said.out.splitlines(), Path(kernel).stem)
    return found


def of_frames(said: list[str], kernel: str) -> dict[str, int]:
    """Of the functions that are inlined at an address, the innermost that stands in the kernel's file."""
    found: dict[str, int] = {}
    address = ""
    for line in said:
        if line.startswith("0x"):
            address = f"{int(line, 16):#x}"
        elif address not in found and (frame := re.match(r"(?:.*/)?([^/:]+):(\d+)", line)):
            if Path(frame[1]).stem == kernel:
                found[address] = int(frame[2])
    return found


# ---- arrays ------------------------------------------------------------------------------------
class Names:
    """Of a kernel's parameters, and of what it has in shared memory, in the order of their declarations."""

    def __init__(self, source: str) -> None:
        code = COMMENT.sub("", source)
        found = re.search(r"\bgemm\s*\(([^)]*)\)", code)
        self.parameters = [one.strip() for one in found[1].split(",")] if found else []
        self.cuda = "__global__" in code
        words = [match[2] for match in DECLARED.finditer(code) if not match[1]]
        self.shared = [", ".join(names) for word in words if (names := declared(word))]
        dynamic = re.search(r"extern\s+__shared__\s[^;]*?(\w+)\s*\[\s*\]", code)
        self.dynamic = dynamic[1] if dynamic else "shared"

    def name(self, space: str, number: int) -> str:
        """CUDA counts all parameters; OpenCL the buffers of its host program, which are its pointers."""
        if space == SHARED:
            names = [self.dynamic, *self.shared] if self.cuda else ["?", *self.shared]
        else:
            pointers = [one for one in self.parameters if "*" in one]
            names = ["?", *(self.parameters if self.cuda else pointers)]
            names = [match[1] if (match := POINTER.search(one)) else "?" for one in names]
        return names[number] if number < len(names) else "?"


def declared(text: str) -> list[str]:
    """Of "real a[8][9], b[8]" the names."""
    plain = re.sub(r"\[[^\]]*\]", "[]", text)
    parts = [re.search(r"(\w+)\s*(?:\[\])*\s*$", part) for part in plain.split(",")]
    return [part[1] for part in parts if part]
