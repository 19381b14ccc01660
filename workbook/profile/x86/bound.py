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
from collections.abc import Container, Iterator
from dataclasses import dataclass

from workbook.core.text import wrap
from workbook.profile.x86.code import Loop

FMAS, LOADS, STORES, LATENCY = 2, 2, 1, 4  # a cycle; and cycles
ARITHMETIC = re.compile(r"v?(?:add|mul|fn?m(?:add|sub)[0-9]+)[sp][sd]$")
ADDS = re.compile(r"v?(?:add[sp][sd]|fn?m(?:add|sub)[0-9]+[sp][sd])$")
OPERANDS = re.compile(r"[^,(]*\([^)]*\)|[^,]+")  # 8(%rax,%rbx,4) is one
REGISTER = re.compile(r"%[xyz]mm([0-9]+)")
STACK = re.compile(r"%r[sb]p\b")
OTHERS = ("lea", "j", "nop", "prefetch")
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


def steps(loop: Loop) -> Iterator[Step]:
    for instruction in loop.instructions:
        code = instruction.text.split("\t")[-1].split("<")[0].split("#")[0]
        name, _, rest = code.strip().partition(" ")
        operands = [one.strip() for one in OPERANDS.findall(rest)]
        if not instruction.executed or not operands or name.startswith(OTHERS):
            continue
        *sources, last = operands
        stores = "(" in last and bool(COPIES.match(name))
        register = REGISTER.search(sources[-1] if stores and sources else last)
        yield Step(
            name,
            any("(" in one for one in sources) or ("(" in last and not stores),
            stores,
            register[1] if register and (stores or "(" not in last) else "",
            stores and bool(STACK.search(last)),
        )


def bound(loop: Loop) -> list[str]:
    """In lines for people: where its sums are, and the cycles of an iteration by each limit.
    Nothing of a loop without sums in the vector registers of x86."""
    done = list(steps(loop))
    kept = in_registers(done)
    stored = list(stored_sums(done, kept))
    if not kept and not stored:
        return []
    places = [f"{len(kept)} in registers", f"{len(stored)} in memory"]
    places += [f"{sum(stored)} of these on the stack"] if any(stored) else []
    arithmetic = [one.name for one in done if ARITHMETIC.match(one.name)]
    fused = all("fm" in name or "fnm" in name for name in arithmetic)
    counts = [
        ("FMA" if fused else "arithmetic", len(arithmetic), FMAS),
        ("loads", sum(one.reads_memory for one in done), LOADS),
        ("stores", sum(one.writes_memory for one in done), STORES),
    ]
    limits = [(many / each, f"{name} {many} / {each}") for name, many, each in counts]
    chain = max(kept.values(), default=0)
    limits.append((chain * LATENCY, f"latency {chain} * {LATENCY}"))
    limits = sorted((one for one in limits if one[0]), key=lambda one: -one[0])
    cycles = "; ".join(f"{text} = {count:g}" for count, text in limits)
    many = len(kept) + len(stored)
    return [
        f"  {many} sum{'s' if many != 1 else ''}: {', '.join(places)}",
        *wrap(f"bound by, in cycles: {cycles}", "  "),
    ]


def in_registers(done: list[Step]) -> dict[str, int]:
    """The registers of sums, and how often an iteration adds to each."""
    chains = Counter(one.register for one in done if one.adds)
    written = {one.register for one in done if not one.adds and not one.writes_memory}
    return {register: many for register, many in chains.items() if register not in written}


def stored_sums(done: list[Step], kept: Container[str]) -> Iterator[bool]:
    """Of each sum that is stored in each iteration: is it on the stack?"""
    last: dict[str, Step] = {}
    for one in done:
        if not one.writes_memory:
            last[one.register] = one
        elif one.register in last and last[one.register].adds and one.register not in kept:
            yield one.on_stack
