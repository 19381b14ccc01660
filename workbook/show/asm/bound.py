# SPDX-License-Identifier: MIT
"""Where a loop of x86 keeps its sums, and what bounds its speed: multiply-adds, loads, stores, or
the latency of a sum that waits for itself.

A cycle of the cores that are common since 2013 (Haswell, Zen 2 and later; Agner Fog's tables,
https://www.agner.org/optimize/) has two multiply-adds, two loads and one store; a multiply-add or
an add has a latency of four cycles. 64-byte registers may have half as many: then the bound is
higher still.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from workbook.core.text import wrap
from workbook.show.asm.code import Loop

FMAS, LOADS, STORES, LATENCY = 2, 2, 1, 4  # a cycle; and cycles
ARITHMETIC = re.compile(r"v?(?:add|mul|fn?m(?:add|sub)[0-9]+)[sp][sd]$")
ADDS = re.compile(r"v?(?:add[sp][sd]|fn?m(?:add|sub)[0-9]+[sp][sd])$")
OPERANDS = re.compile(r"[^,(]*\([^)]*\)|[^,]+")  # 8(%rax,%rbx,4) is one
REGISTER = re.compile(r"%[xyz]mm([0-9]+)")
STACK = re.compile(r"%r[sb]p\b")
COPIES = re.compile(r"v?(?:mov|maskmov)")


@dataclass(frozen=True)
class Step:
    name: str
    reads_memory: bool
    writes_memory: bool
    register: str  # vector register that it writes, or that it stores
    on_stack: bool  # where it is stored

    @property
    def adds(self) -> bool:
        return bool(ADDS.match(self.name)) and not self.writes_memory


@dataclass(frozen=True)
class Limit:
    """So many instructions of a kind, of which a cycle has a few; or, of a chain, a latency
    each."""

    name: str
    many: int
    per_cycle: int = 0  # 0: one waits for the other

    @property
    def cycles(self) -> float:
        return self.many / self.per_cycle if self.per_cycle else float(self.many * LATENCY)

    @property
    def summary(self) -> str:
        by = f"/ {self.per_cycle}" if self.per_cycle else f"* {LATENCY}"
        return f"{self.name} {self.many} {by} = {self.cycles:g}"


@dataclass(frozen=True)
class Bound:
    registers: int  # sums that stay in registers
    memory: int  # that are stored in each iteration
    stack: int  # and of these by rsp or rbp
    limits: tuple[Limit, ...]  # of an iteration

    def format_rows(self) -> list[str]:
        many = self.registers + self.memory
        places = [f"{self.registers} in registers", f"{self.memory} in memory"]
        places += [f"{self.stack} of these on the stack"] if self.stack else []
        limits = sorted((one for one in self.limits if one.many), key=lambda one: -one.cycles)
        return [
            f"  {many} sum{'s' if many != 1 else ''}: {', '.join(places)}",
            *wrap(f"bound by, in cycles: {'; '.join(one.summary for one in limits)}", "  "),
        ]


def steps(loop: Loop) -> Iterator[Step]:
    for instruction in loop.instructions:
        words = instruction.text.split("\t")[-1].split("<")[0].split("#")[0].split(None, 1)
        operands = [one.strip() for one in OPERANDS.findall(words[1])] if len(words) > 1 else []
        if (
            not instruction.executed
            or not operands
            or words[0].startswith(("lea", "j", "nop", "prefetch"))
        ):
            continue
        *sources, last = operands
        stores = "(" in last and bool(COPIES.match(words[0]))
        register = REGISTER.search(sources[-1] if stores and sources else last)
        yield Step(
            words[0],
            any("(" in one for one in sources) or ("(" in last and not stores),
            stores,
            register[1] if register and (stores or "(" not in last) else "",
            stores and bool(STACK.search(last)),
        )


def bound(loop: Loop) -> Bound | None:
    """None: no loop of sums in the vector registers of x86."""
    done = list(steps(loop))
    chains = Counter(one.register for one in done if one.adds)
    others = {
        one.register for one in done if one.register and not one.adds and not one.writes_memory
    }
    kept = {register: many for register, many in chains.items() if register not in others}
    last: dict[str, Step] = {}
    stored = []
    for one in done:
        if (
            one.writes_memory
            and one.register in last
            and last[one.register].adds
            and one.register not in kept
        ):
            stored.append(one.on_stack)
        elif one.register and not one.writes_memory:
            last[one.register] = one
    if not kept and not stored:
        return None
    arithmetic = [one.name for one in done if ARITHMETIC.match(one.name)]
    fused = all("fm" in name or "fnm" in name for name in arithmetic)
    limits = (
        Limit("FMA" if fused else "arithmetic", len(arithmetic), FMAS),
        Limit("loads", sum(one.reads_memory for one in done), LOADS),
        Limit("stores", sum(one.writes_memory for one in done), STORES),
        Limit("latency", max(kept.values(), default=0)),
    )
    return Bound(len(kept), len(stored), sum(stored), limits)
