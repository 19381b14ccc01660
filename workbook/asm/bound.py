# SPDX-License-Identifier: MIT
"""Where a loop of x86 keeps its sums, and what bounds its speed: multiply-adds, loads, stores, or the latency
of a sum that waits for itself.

A cycle of the cores that are common since 2013 (Haswell, Zen 2 and later; Agner Fog's tables,
https://www.agner.org/optimize/) has two multiply-adds, two loads and one store; a multiply-add or an add has
a latency of four cycles. 64-byte registers may have half as many: then the bound is higher still.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from workbook.asm.code import Loop

FMAS, LOADS, STORES, LATENCY = 2, 2, 1, 4  # a cycle; and cycles
ARITHMETIC = re.compile(r"v?(?:add|mul|fn?m(?:add|sub)[0-9]+)[sp][sd]$")
ADDS = re.compile(r"v?(?:add[sp][sd]|fn?m(?:add|sub)[0-9]+[sp][sd])$")
OPERANDS = re.compile(r"[^,(]*\([^)]*\)|[^,]+")  # 8(%rax,%rbx,4) is one
REGISTER = re.compile(r"%[xyz]mm([0-9]+)")
COPIES = re.compile(r"v?(?:mov|maskmov)")


@dataclass(frozen=True)
class Step:
    name: str
    reads_memory: bool
    writes_memory: bool
    register: str  # vector register that it writes, or that it stores

    @property
    def adds(self) -> bool:
        return bool(ADDS.match(self.name)) and not self.writes_memory


@dataclass(frozen=True)
class Bound:
    registers: int  # sums that stay in registers
    memory: int  # sums that are stored in each iteration
    cycles: dict[str, float]  # an iteration, at least, by what it waits for

    def told(self) -> list[str]:
        many = self.registers + self.memory
        worst = max(self.cycles, key=lambda what: self.cycles[what])
        parts = ", ".join(f"{what} {cycles:g}" for what, cycles in self.cycles.items() if cycles)
        return [
            f"  {many} sum{'s' if many != 1 else ''}: {self.registers} in registers, {self.memory} in memory",
            f"  cycles an iteration, at least: {parts}",
            f"  bound by: {worst}",
        ]


def steps(loop: Loop) -> Iterator[Step]:
    for instruction in loop.instructions:
        words = instruction.text.split("\t")[-1].split("<")[0].split("#")[0].split(None, 1)
        operands = [one.strip() for one in OPERANDS.findall(words[1])] if len(words) > 1 else []
        if not instruction.executed or not operands or words[0].startswith(("lea", "j", "nop", "prefetch")):
            continue
        *sources, last = operands
        stores = "(" in last and bool(COPIES.match(words[0]))
        register = REGISTER.search(sources[-1] if stores and sources else last)
        yield Step(
            words[0],
            any("(" in one for one in sources) or ("(" in last and not stores),
            stores,
            register[1] if register and (stores or "(" not in last) else "",
        )


def bound(loop: Loop) -> Bound | None:
    """None: no loop of sums in the vector registers of x86."""
    done = list(steps(loop))
    chains = Counter(one.register for one in done if one.adds)
    others = {one.register for one in done if one.register and not one.adds and not one.writes_memory}
    kept = {register: many for register, many in chains.items() if register not in others}
    last, stored = dict[str, Step](), 0
    for one in done:
        if one.writes_memory:
            stored += one.register in last and last[one.register].adds and one.register not in kept
        elif one.register:
            last[one.register] = one
    if not kept and not stored:
        return None
    arithmetic = sum(bool(ARITHMETIC.match(one.name)) for one in done)
    cycles = {
        "multiply-adds": arithmetic / FMAS,
        "loads": sum(one.reads_memory for one in done) / LOADS,
        "stores": sum(one.writes_memory for one in done) / STORES,
        "latency of a sum": float(LATENCY * max(kept.values(), default=0)),
    }
    return Bound(len(kept), stored, cycles)
