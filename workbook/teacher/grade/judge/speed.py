# SPDX-License-Identifier: MIT
"""From the times of timed calls to how fast a kernel is, beside the reference, whose calls were
interleaved with its own. What is looked at is the ratio of a pair, two calls next to each other in
time on the same cores: a neighbour who slows down both changes nothing."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

LEAST_RANGE = (
    1.1  # times as fast as the lab before: a reference that is not has no points for speed
)
NEARLY = (
    0.9  # of the reference: two processes of the same kernel differ by as much on a busy machine
)
ALIKE = 0.9  # the speed with one kind of data, of that with the other
# Of the points for speed: what the error of a ratio, taken twice, may be worth on both sides.
UNCERTAIN = 0.1
SURE = 0.005  # an error that is small enough, however near the lab before is
LEAST_PAIRS = 4  # for each shape and kind of data

Pairs = list[tuple[float, float]]  # milliseconds of the kernel, and of the reference beside it


@dataclass(frozen=True)
class Timing:
    """Of one kernel."""

    ratio: float  # times as fast as the reference
    ms: float  # median of the timed calls of the round square
    error: float  # standard error of the ratio, in parts of it
    reference: float  # the same of the reference's own times: what the machine does
    pairs: int
    waited: int  # of the timed pairs those in which a call had to wait for a core


def timing(records: Sequence[dict[str, Any]]) -> Timing | None:
    """Of all tries. A kernel that is faster with some data than with others has the speed that it
    has with the slowest: whole numbers could be multiplied as integers. None where too few pairs
    count."""
    timed = [
        call for one in records for call in one["calls"] if call["ms"] and call["reference_ms"]
    ]
    groups = grouped([call for call in timed if not call["waited"]])
    every = grouped(timed)
    if records[0]["clock"] == "processor" and not enough(groups, every):
        groups = (
            every  # the waiting is in none of these times; what it did to the caches is in both
        )
    if not timed or not enough(groups, every):
        return None
    kinds = [pairs for shape in groups.values() for pairs in shape.values()]
    square = next(
        (kinds for shape, kinds in groups.items() if len(set(shape)) == 1),
        next(iter(groups.values())),
    )
    ratios = [of_shape(list(shape.values())) for shape in groups.values()]
    return Timing(
        ratio=math.exp(sum(map(math.log, ratios)) / len(ratios)),
        ms=median(m for pairs in square.values() for m, _ in pairs),
        error=error([logarithms(pairs) for pairs in kinds]),
        reference=error([[math.log(r) for _, r in pairs] for pairs in kinds]),
        pairs=sum(map(len, kinds)),
        waited=sum(call["waited"] for call in timed),
    )


Groups = dict[tuple[int, int, int], dict[str, Pairs]]


def grouped(calls: list[dict[str, Any]]) -> Groups:
    groups: Groups = defaultdict(lambda: defaultdict(list))
    for call in calls:
        shape = (call["M"], call["N"], call["K"])
        groups[shape][call["data"]].append((call["ms"], call["reference_ms"]))
    return groups


def enough(groups: Groups, every: Groups) -> bool:
    """Of each shape and kind of data that was timed: else what is left is another mixture."""
    return all(
        len(groups.get(shape, {}).get(data, [])) >= min(LEAST_PAIRS, len(pairs))
        for shape, kinds in every.items()
        for data, pairs in kinds.items()
    )


def of_shape(kinds: list[Pairs]) -> float:
    """Times as fast as the reference, in one shape, by pairs of times for each kind of data."""
    each = [median(r / m for m, r in pairs) for pairs in kinds]
    # Twice the error of how far they are apart; the reference's own, as a kernel may spread its
    # times on purpose.
    of_reference = error([[math.log(r) for _, r in pairs] for pairs in kinds])
    noise = 2 * 2 * min(error([logarithms(pairs) for pairs in kinds]), 2 * of_reference)
    if min(each) < ALIKE * max(each) * math.exp(-noise):
        return min(each)
    return median(
        r / m for pairs in kinds for m, r in pairs
    )  # the least of two would be the noise's choice


def logarithms(pairs: Pairs) -> list[float]:
    return [math.log(r / m) for m, r in pairs]


def error(groups: Sequence[Sequence[float]]) -> float:
    """Standard error of what the medians of logarithms come to, by the distances from each: one
    outlier is nothing."""
    distances = [abs(one - median(group)) for group in groups for one in group]
    return 1.2533 * 1.4826 * median(distances) / math.sqrt(len(distances))


def share(ratio: float, range: float) -> float:
    """Of the points: none for who is no faster than the lab before, all for who is as fast as the
    reference, or nearly so, and in between on a scale of factors. range: how many times as fast as
    the lab before that is."""
    return min(1.0, max(0.0, math.log(ratio * range) / math.log(NEARLY * range)))


def is_rough(times: float, error: float) -> bool:
    """Is it uncertain how far the reference is from the lab before? That is so many times as
    fast."""
    return error > max(SURE, UNCERTAIN / 4 * math.log(max(1.0, NEARLY * times)))


def is_noisy(ratio: float, error: float, range: float) -> bool:
    """Could an error of this size have moved the share? Not at the ends of the scale, where it
    stays."""
    low, high = (share(ratio * math.exp(sign * 2 * error), range) for sign in (-1, 1))
    return high - low > UNCERTAIN


def is_settled(measured: Timing, range: float, last: bool) -> bool:
    """By its pairs. After the last try, a kernel whose times differ beside a reference whose times
    do not has what they come to: that is no fault of the machine."""
    error = min(measured.error, 2 * measured.reference) if last else measured.error
    return not is_noisy(measured.ratio, error, range)
