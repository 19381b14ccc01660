# SPDX-License-Identifier: MIT
"""What a change brings, in sentences: what was counted of both kernels, and how fast they were
measured."""

from __future__ import annotations

from typing import Any

from workbook.page.speed import digits, rounded, sentence, where
from workbook.profile.table import UNITS

Recording = dict[str, Any]
SITE, BLOCK, PHASE = 0, 1, 2  # of the numbers of a request
SPACES = {"global": "global memory", "shared": "shared memory", "memory": "memory"}
DONE = {"load": "loaded", "store": "stored"}
SAME = (
    "Each element is loaded as often as before. What differs is which elements neighbours access, "
    "and so how many units of memory serve a request."
)
STORED = (
    "Each element of A and B is loaded as often as before; elements of C are stored {:,} times "
    "before, {:,} after."
)
SHARED = " Here each lane counts; a sector that lanes share counts once."
CALLED = {"sectors": "sectors", "wavefronts": "wavefronts", "lines": "cache lines"}


def gain(before: Recording, after: Recording) -> dict[str, str]:
    """Of two that were recorded."""
    return {
        "moved": moved(before, after),
        "reuse": reuse(before, after),
        "measured": measured(before, after),
    }


def moved(before: Recording, after: Recording) -> str:
    """In the whole run, of each kind of access that differs."""
    said = []
    for total in after["totals"] | before["totals"]:
        space, _, kind = total.partition("_")
        unit = UNITS[space]
        old, new = (one["totals"].get(total, {}).get(unit, 0) for one in (before, after))
        if old != new:
            fewer = f" (÷ {digits(old / new)})" if old > new > 0 else ""
            said.append(f"{CALLED[unit]} {DONE[kind]} {old:,} → {new:,}{fewer}")
    return "; ".join(said)


def accesses(one: Recording, array: str, writes: bool) -> int:
    """Elements that lanes load from an array or store, each as often as it is."""
    widths = {
        (site["line"], one["arrays"][site["array"]]["name"], site["writes"]): site["width"]
        for site in one["sites"]
    }
    return sum(
        line["lanes"] * widths.get((line["line"] or 0, array, writes), 1)
        for line in one["lines"]
        if (line["array"], line["writes"]) == (array, writes)
    )


def loads_of(one: Recording, name: str) -> float:
    """Of each element of a matrix, how often it is loaded."""
    [array] = [array for array in one["arrays"] if array["name"] == name] or [None]
    return accesses(one, name, False) / (array["rows"] * array["columns"]) if array else 0.0


def reuse(before: Recording, after: Recording) -> str:
    said = []
    for name in "AB":
        old, new = (loads_of(one, name) for one in (before, after))
        if old and new and digits(old) != digits(new):
            more, less = max(old, new), min(old, new)
            way = "fewer" if old > new else "more"
            times = f"{digits(rounded(more) / rounded(less))} times {way}"
            said.append(f"of {name} {digits(old)} times before, {digits(new)} after: {times}")
    spaces = {array["name"]: array["space"] for array in after["arrays"]}
    if not said:
        stored = [accesses(one, "C", True) for one in (before, after)]
        return SAME if stored[0] == stored[1] else STORED.format(*stored)
    shared = SHARED if spaces["A"] == "global" else ""
    from_where = f"Each element is loaded from {SPACES[spaces['A']]}"
    return f"{from_where}, {'; '.join(said)}.{shared}{kept(after)}"


def kept(one: Recording) -> str:
    """What shared memory does: how often what is stored there is loaded, what barriers separate."""
    tiles = [array["name"] for array in one["arrays"] if array["space"] == "shared"]
    each = [(tile, accesses(one, tile, True), accesses(one, tile, False)) for tile in tiles]
    if not each or not all(stored for _, stored, _ in each):
        return ""
    times = " and ".join(f"{digits(loaded / stored)} times from {t}" for t, stored, loaded in each)
    return f" What is stored in shared memory is loaded {times}.{separated(one, tiles)}"


def separated(one: Recording, tiles: list[str]) -> str:
    """Where no tile is both written and read between two barriers."""
    places: dict[bool, set[tuple[int, int, int]]] = {True: set(), False: set()}
    for request in one["requests"]:
        site = one["sites"][request[SITE]]
        if one["arrays"][site["array"]]["name"] in tiles:
            places[site["writes"]].add((request[BLOCK], request[PHASE], site["array"]))
    barriers = max(request[PHASE] for request in one["requests"])
    if places[True] & places[False] or not barriers:
        return ""
    return (
        f" A block passes {barriers} barrier{'s' * (barriers > 1)}; between two of them a tile is "
        "only written or only read: nobody reads what another has not stored yet, or overwrites "
        "what another still reads."
    )


def measured(before: Recording, after: Recording) -> str:
    """On the same machine, of the same size; or of each by itself."""
    both = [
        (old, new)
        for new in after["measured"]
        for old in before["measured"]
        if all(old[key] == new[key] for key in ("device", "N", "source"))
    ]
    if not both:
        return " ".join(
            f"{name(one, other)}: {sentence(one)}"
            for one, other in ((before, after), (after, before))
        )
    old, new = max(both, key=lambda pair: float(pair[1]["gflops"]))
    ratio = rounded(new["gflops"]) / rounded(old["gflops"])  # of what is shown
    speeds = f"{digits(old['gflops'])} → {digits(new['gflops'])} GFLOP/s"
    return f"Measured: {speeds}, {digits(ratio)} times as fast ({where(new)})."


def name(one: Recording, other: Recording) -> str:
    """Lab 04 published; Lab 07 PAD=0, and Lab 07 PAD=4 beside it."""
    tunable, is_setting, _ = (one["beside"] or other["beside"] or "").partition("=")
    own = one["beside"] or f"{tunable}={one['tunables'].get(tunable)}"
    words = f"Lab {one['lab'][3:5]}", one["variant"], own if is_setting else ""
    return " ".join(filter(None, words))
