# SPDX-License-Identifier: MIT
"""Why a kernel in C misses the L1 cache, by line: engine/count/cache.h simulates this machine's
cache with each access that the compiler sees."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from workbook.core.process import run
from workbook.core.records import read
from workbook.lab.labs import Lab, Program, environment
from workbook.lab.limits import limit
from workbook.profile import steps
from workbook.profile.source import lines_of
from workbook.race.build import build

CAUSES = ("compulsory", "capacity", "conflict")
MISSES = {
    "schema": "gemm-misses/1",
    "misses": [{"line": str, **dict.fromkeys(CAUSES, int)}],
}
LIMIT = 600.0  # seconds
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
NAMES = ("level", "type", "size", "ways_of_associativity", "coherency_line_size")


@dataclass(frozen=True)
class L1:
    bytes: int
    ways: int
    line: int  # bytes

    def __str__(self) -> str:
        return f"{self.bytes >> 10} KiB in {self.ways} ways"


def l1(folder: Path = CACHES) -> L1 | None:
    """This machine's, as far as it says."""
    for index in sorted(folder.glob("index*")):
        try:
            level, kind, size, ways, line = (
                (index / name).read_text(encoding="utf-8").strip() for name in NAMES
            )
        except OSError:
            continue
        if level == "1" and kind != "Instruction" and int(ways) and int(line):
            return L1(int(size.rstrip("K")) << 10, int(ways), int(line))
    return None


def of_program(
    lab: Lab, program: Program, settings: list[str], size: list[str], work: Path, cache: L1
) -> dict[int, dict[str, int]]:
    """By line; nothing where it does not build so, or does not come to its end."""
    folder, problem = build(lab, program, [*settings, "COUNT=1"], work)
    if problem:
        return {}
    out = work / "misses"
    tells = {
        "PROFILE": str(out),
        "CACHE": f"{cache.bytes} {cache.ways} {cache.line}",
        "OBJECTS": steps.objects(folder / program.name),
        "OMP_NUM_THREADS": "1",
    }
    words = [f"./{program.name}", *size, "--once"]
    ended = run(words, folder, limit(LIMIT), {**environment(), **tells})
    if ended.status not in (0, 1) or not out.is_file():
        return {}
    found = read(out, MISSES)["misses"]
    lines = lines_of([one["line"] for one in found], folder / program.name, program.kernel)
    sums: dict[int, Counter[str]] = {}
    for one in found:
        sums.setdefault(lines[one["line"]], Counter()).update({name: one[name] for name in CAUSES})
    return {line: dict(causes) for line, causes in sums.items()}
