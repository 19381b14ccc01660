# SPDX-License-Identifier: MIT
"""From the times of timed calls to how fast a kernel is, beside the reference that ran in turns with it."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any

LEAST_RANGE = 1.1  # times as fast as the lab before: a reference that is not has no points for speed
NEARLY = 0.95  # of the reference: two runs of the same kernel differ by as much
ALIKE = 0.9  # the speed with one kind of data, of that with the other
CALM = 0.15  # of the range from the lab before to the reference: what the machine may leave uncertain


@dataclass(frozen=True)
class Timing:
    """Of one kernel."""

    ratio: float  # times as fast as the reference
    ms: float  # median of the timed calls of the round square
    error: float  # of the reference's own times: standard error of the median over it
    own: float  # of the kernel's
    calls: int


def timing(calls: list[dict[str, Any]]) -> Timing | None:
    """None where nothing was timed. A kernel that is faster with some data than with others has the speed
    that it has with the slowest: whole numbers could be multiplied as integers."""
    groups: dict[tuple[int, int, int], dict[str, list[tuple[float, float]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for call in calls:
        if call["reference_ms"] and call["ms"]:
            shape = (call["M"], call["N"], call["K"])
            groups[shape][call["data"]].append((call["ms"], call["reference_ms"]))
    if not groups:
        return None
    ratios = [of_shape(list(kinds.values())) for kinds in groups.values()]
    every = [pairs for kinds in groups.values() for pairs in kinds.values()]
    errors = [error([r for _, r in pairs]) for pairs in every]
    own = [error([m for m, _ in pairs]) for pairs in every]
    square = next(
        (kinds for shape, kinds in groups.items() if len(set(shape)) == 1), next(iter(groups.values()))
    )
    return Timing(
        ratio=math.exp(sum(map(math.log, ratios)) / len(ratios)),
        ms=median(m for pairs in square.values() for m, _ in pairs),
        error=sum(errors) / len(errors),
        own=sum(own) / len(own),
        calls=sum(len(pairs) for pairs in every),
    )


def of_shape(kinds: list[list[tuple[float, float]]]) -> float:
    """Times as fast as the reference, in one shape, by pairs of times for each kind of data."""
    each = [median(r / m for m, r in pairs) for pairs in kinds]
    if min(each) < ALIKE * max(each):
        return min(each)
    return median(r / m for pairs in kinds for m, r in pairs)  # the least of two would be the noise's choice


def error(times: list[float]) -> float:
    """Standard error of the median, over the median, by the distances from it: one outlier is nothing."""
    middle = median(times)
    deviation = 1.4826 * median(abs(time - middle) for time in times)
    return 1.2533 * deviation / middle / math.sqrt(len(times))


def share(ratio: float, range: float) -> float:
    """Of the points: none for who is no faster than the lab before, all for who is as fast as the reference,
    or nearly so, and in between on a scale of factors. range: how many times as fast as the lab before
    that is."""
    return min(1.0, max(0.0, math.log(ratio * range) / math.log(NEARLY * range)))


def is_noisy(error: float, range: float) -> bool:
    """Could an error of this size alone have moved the share?"""
    return error > CALM * math.log(range)
