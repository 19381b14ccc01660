# SPDX-License-Identifier: MIT
"""What the source says of what was counted: the line of an instruction, the name of an array."""

from __future__ import annotations

import re
from pathlib import Path

from workbook import UserError
from workbook.core.process import run

GLOBAL, SHARED, MEMORY = "global", "shared", "memory"  # of a GPU, of its block; of a CPU
KERNEL = re.compile(r"\b(?:__)?kernel\b[^{};]*\{")
LOCAL_PARAMETER = re.compile(r"\b(?:__)?local\b[^,;(){}]*\*[^,;(){}]*?(\w+)\s*[,)]")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


# ---- lines -------------------------------------------------------------------------------------
def lines_of(places: list[str], program: Path, kernel: str, inlined: bool = True) -> dict[str, int]:
    """Of "17", "kernel.cu:17", or the address of an instruction: the line of the kernel's file;
    of what is inlined from another file none, if that is not asked for."""
    found = {
        place: int(place.rpartition(":")[2] or 0) for place in places if not place.startswith("0x")
    }
    addresses = sorted({place for place in places if place.startswith("0x")})
    if addresses:
        said = run(["addr2line", "-aie", str(program), *addresses], program.parent, 60)
        if said.status != 0:
            raise UserError(
                "addr2line is not installed, which knows the lines: apt-get install binutils"
            )
        found |= dict.fromkeys(addresses, 0)
        found |= of_frames(said.out.splitlines(), Path(kernel).stem, inlined)
    return found


def of_frames(said: list[str], kernel: str, inlined: bool) -> dict[str, int]:
    """Of the functions that are inlined at an address, the innermost that stands in the kernel's
    file, or the innermost of all."""
    found: dict[str, int] = {}
    address = ""
    for line in said:
        if line.startswith("0x"):
            address = f"{int(line, 16):#x}"
        elif address not in found and (frame := re.match(r"(?:.*/)?([^/:]+):(\d+)", line)):
            is_kernel = Path(frame[1]).stem == kernel
            if is_kernel or not inlined:
                found[address] = int(frame[2]) if is_kernel else 0
    return found


# ---- arrays ------------------------------------------------------------------------------------
class Names:
    """Of the parameters of kernels, and of what is in shared memory."""

    def __init__(self, source: str) -> None:
        self.lines = source.splitlines()
        self.code = COMMENT.sub("", source)
        self.cuda = "__global__" in self.code
        word = r"__shared__" if self.cuda else r"(?:__)?local"
        found = re.finditer(rf"(\bextern\s+)?\b{word}\b([^;{{}}]*);", self.code)
        each = [declared(match[2]) for match in found if not match[1]]
        if not self.cuda:  # the engine comes to parameters first
            kernels = " ".join(KERNEL.findall(self.code))
            each = [[name] for name in LOCAL_PARAMETER.findall(kernels)] + each
        self.names = [name for names in each for name in names]
        # A declaration of CUDA has one number, however many arrays it declares; in OpenCL each has
        # its own.
        self.shared = [", ".join(names) for names in each] if self.cuda else self.names
        dynamic = re.search(r"\bextern\s+__shared__\s[^;]*?(\w+)\s*\[\s*\]", self.code)
        self.dynamic = dynamic[1] if dynamic else "shared"

    def of_shared(self, number: int, line: int) -> str:
        """Where the line has one of them alone, that; else by its number in the order of
        declarations."""
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        there = [name for name in self.names if re.search(rf"\b{name}\s*\[", text)]
        names = [self.dynamic, *self.shared] if self.cuda else ["?", *self.shared]
        return there[0] if len(there) == 1 else names[number] if number < len(names) else "?"

    def of_global(self, number: int, kernel: str) -> str:
        found = re.findall(rf"\b{re.escape(kernel)}\s*\(([^)]*)\)\s*\{{", self.code)
        parameters = [one.strip() for one in found[0].split(",")] if found else []
        if not 0 < number <= len(parameters):
            return "?"
        name = re.search(r"(\w+)\s*(?:\[\s*\])?$", parameters[number - 1])
        return name[1] if name else "?"


def declared(text: str) -> list[str]:
    """Of "real a[8][9], b[8]" the names; none of a parameter."""
    plain = re.sub(r"\[[^\]]*\]", "[]", text)
    plain = re.sub(r"\([^()]*\)", "", plain)
    if "(" in plain or ")" in plain:
        return []
    parts = [re.search(r"(\w+)\s*(?:\[\])*\s*$", part) for part in plain.split(",")]
    return [part[1] for part in parts if part]
