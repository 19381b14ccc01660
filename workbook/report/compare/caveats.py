# SPDX-License-Identifier: MIT
"""What a comparison of two reports can tell, and what not."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workbook.report.compare.load_report import Report
from workbook.report.compare.ratios import FEWEST, Ratio, Sum
from workbook.report.data.measurements import quantile

FEW = 5  # units, below which an interval is wide
OCCASIONS = (
    "A and B are two occasions: heat, other users of the machine or an update between them look "
    "like a "
    "difference of the kernels."
)


def caveats(a: Report, b: Report, sums: Mapping[str, Sum]) -> list[str]:
    """Sentences, each only where it is true."""
    if a.rows.equals(b.rows):
        return ["A and B are the same measurements: there is nothing to tell."]
    ratios = [ratio for sum_ in sums.values() for ratio in sum_.ratios]
    said = [OCCASIONS, chance(ratios), undecided(ratios), few(ratios), drift(ratios)]
    return list(filter(None, [*said, devices(sums), tools(a, b), commits(a, b)]))


def chance(ratios: list[Ratio]) -> str:
    decided = sum(ratio.interval is not None for ratio in ratios)
    return (
        f"Of 20 cells that are equally fast up to 1 comes apart by chance; {decided} were compared."
        if decided
        else ""
    )


def undecided(ratios: list[Ratio]) -> str:
    """How much may hide where an interval contains 1."""
    intervals = [ratio.interval for ratio in ratios if ratio.interval]
    reach = [max(high, 1 / low) for low, high in intervals if low <= 1 <= high]
    if not reach:
        return ""
    one = "the one interval that contains 1 reaches"
    which = one if len(reach) == 1 else f"half of the {len(reach)} intervals that contain 1 reach"
    return (
        f'"No difference seen" leaves room for one: {which} {quantile(reach, 0.5):.2f} times '
        "or more."
    )


def few(ratios: list[Ratio]) -> str:
    units = [min(len(ratio.a.units), len(ratio.b.units)) for ratio in ratios]
    fewest = [n for n in units if FEWEST <= n < FEW]
    if not fewest:
        return ""
    cells = f"{len(fewest)} cell{'s have' if len(fewest) > 1 else ' has'}"
    return (
        f"{cells} fewer than {FEW} rounds or repetitions in A or B: only a large difference "
        "shows there."
    )


def drift(ratios: list[Ratio]) -> str:
    sides = [side for side in "ab" if any(not getattr(ratio, side).in_rounds for ratio in ratios)]
    if not sides:
        return ""
    which = " and ".join(sides).upper().replace("AND", "and")
    return (
        f"{which}: repetitions of a cell came in one series, not in rounds with those of others. "
        "An interval "
        "from them cannot tell a drift of the machine from a difference."
    )


def devices(sums: Mapping[str, Sum]) -> str:
    others = [
        backend
        for backend, sum_ in sums.items()
        if any(r.a.device != r.b.device for r in sum_.ratios)
    ]
    if not others:
        return ""
    return (
        f"{', '.join(others)}: the devices differ. A ratio is that of the devices and of all that "
        "came with "
        "them: it cannot tell which part is whose."
    )


def tools(a: Report, b: Report) -> str:
    names = [
        fact[0]
        for fact in a.facts.keys() & b.facts.keys()
        if a.facts[fact] != b.facts[fact] and re.search("compiler|flags|driver", fact[0])
    ]
    if not names:
        return ""
    return f"Not the same in A and B, and part of each ratio: {', '.join(sorted(set(names)))}."


def commits(a: Report, b: Report) -> str:
    commit = ("commit", 0)
    if commit in a.facts and commit in b.facts and a.facts[commit] != b.facts[commit]:
        return "The commits differ, and so may the kernels."
    return ""
