# SPDX-License-Identifier: MIT
"""What a kernel in C did, by line: instructions, reads and writes, and what of these missed the
caches, as callgrind simulates them with the sizes of this machine's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbook.profile.source import lines_of

EVENTS = "Ir Dr Dw D1mr D1mw DLmr DLmw".split()
# By instruction: an intrinsic has the line of its header, and only what it is inlined into has
# ours.
COMMAND = (
    "valgrind -q --tool=callgrind --cache-sim=yes --dump-instr=yes --compress-pos=no "
    "--compress-strings=no"
)


@dataclass(frozen=True)
class Line:
    line: int
    instructions: int
    reads: int
    writes: int
    l1_misses: int
    ll_misses: int  # of the last level: these go to memory
    # Of the L1 misses, by engine/count/cache.h; None: it did not look.
    compulsory: int | None = None
    capacity: int | None = None
    conflict: int | None = None

    @property
    def missing(self) -> float:
        """The part of its reads and writes that miss the first level."""
        return self.l1_misses / max(self.reads + self.writes, 1)


def of_files(paths: Iterable[Path], program: Path, kernel: str) -> list[Line]:
    """Of what callgrind writes for each process, what comes of the kernel's file: the process that
    verifies never runs it."""
    # More than one of an instruction in several basic blocks.
    counts = [one for path in paths for one in by_instruction(path, program)]
    lines = lines_of([address for address, _ in counts], program, kernel)
    sums: dict[int, Counter[str]] = {}
    for address, found in counts:
        sums.setdefault(lines[address], Counter()).update(found)
    return [
        Line(line, n["Ir"], n["Dr"], n["Dw"], n["D1mr"] + n["D1mw"], n["DLmr"] + n["DLmw"])
        for line, n in sorted(sums.items())
        if line > 0
    ]


def by_instruction(path: Path, program: Path) -> Iterator[tuple[str, Counter[str]]]:
    """Of the program itself, without what the functions that it calls cost."""
    columns: dict[str, int] = {}
    ours = is_of_call = False
    for text in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if text.startswith("events: "):
            columns = {name: place for place, name in enumerate(text.split()[1:]) if name in EVENTS}
        elif text.startswith("ob="):
            ours = Path(text[3:]).name == program.name
        elif text.startswith("calls="):
            is_of_call = True
        elif text.startswith("0x"):
            address, _, *found = text.split()
            costs = [*map(int, found), *[0] * len(columns) * 2]  # zeros at the end are left out
            if ours and not is_of_call:
                yield address, Counter({name: costs[place] for name, place in columns.items()})
            is_of_call = False
