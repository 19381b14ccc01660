# SPDX-License-Identifier: MIT
"""Requests of warps in few words: what the lanes do, as patterns; what a warp repeats at a line, as
runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Lanes = tuple[tuple[int, int], ...]  # lane and its first element, of those that take part
Pattern = tuple[tuple[int, int, int, int], ...]  # first lane, lanes, offset in elements, stride
Place = tuple[int, int, int, int]  # site, block, phase, warp
Costs = tuple[int, int, int]  # units, ideal, bytes


@dataclass
class Run:
    place: Place
    order: int
    order_step: int
    pattern: int
    base: int
    base_step: int
    count: int
    costs: Costs

    def goes_on(self, order: int, pattern: int, base: int, costs: Costs) -> bool:
        """Takes a request in, if it is what comes next."""
        if (pattern, costs) != (self.pattern, self.costs):
            return False
        if self.count == 1:
            self.order_step, self.base_step = order - self.order, base - self.base
        expected = (
            self.order + self.count * self.order_step,
            self.base + self.count * self.base_step,
        )
        self.count += (order, base) == expected
        return (order, base) == expected

    def words(self) -> list[int]:
        return [
            *(*self.place, self.order, self.order_step),
            *(self.pattern, self.base, self.base_step, self.count, *self.costs),
        ]


def pattern_of(lanes: Lanes) -> Pattern:
    """Neighbouring lanes whose elements are equally far apart are one segment."""
    base = lanes[0][1]
    segments: list[tuple[int, int, int, int]] = []
    for lane, element in lanes:
        first, count, offset, stride = segments[-1] if segments else (lane, 0, 0, 0)
        if count == 1:
            stride = element - base - offset
        if lane == first + count and element - base == offset + count * stride:
            segments[-1:] = [(first, count + 1, offset, stride)]
        else:
            segments.append((lane, 1, element - base, 0))
    return tuple(segments)


def runs_of(requests: Iterable[tuple[Place, int, Lanes, Costs]]) -> tuple[list[Pattern], list[Run]]:
    """The patterns that there are, and the runs in the order of their beginnings."""
    patterns: dict[Pattern, int] = {}
    runs: list[Run] = []
    latest: dict[Place, Run] = {}
    for place, order, lanes, costs in requests:
        pattern, base = patterns.setdefault(pattern_of(lanes), len(patterns)), lanes[0][1]
        run = latest.get(place)
        if run is None or not run.goes_on(order, pattern, base, costs):
            latest[place] = Run(place, order, 1, pattern, base, 0, 1, costs)
            runs.append(latest[place])
    return list(patterns), runs
