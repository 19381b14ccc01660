# SPDX-License-Identifier: MIT
"""What a run on so many ranks should take: t = operations / speed + messages * latency + bytes /
bandwidth, of the rank that has most to do. What is hidden behind the computing is counted as if it
were not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

DEPTH = 256  # BLOCK_K
REAL = 4  # bytes of a float
SEEN = 1e-3  # of the time of a run: what never takes that much cannot be told from nothing
LIMIT = 0.5  # of all ranks together: what is below is broken


def grid(ranks: int) -> tuple[int, int]:
    """Rows and columns, as advanced/common/ranks.c makes them: as square as can be."""
    columns = next(c for c in range(math.isqrt(ranks), 0, -1) if ranks % c == 0)
    return ranks // columns, columns


def panels(size: int, ranks: int, depth: int) -> int:
    """A panel ends at a multiple of the depth from its beginning, or where a part of A or of B
    ends."""
    ends = sorted(
        {min(size, -(-size // parts) * (i + 1)) for parts in grid(ranks) for i in range(parts)}
    )
    return sum(-(-(end - start) // depth) for start, end in zip([0, *ends], ends))


@dataclass(frozen=True)
class Cost:
    """Of C = A * B, all of this size, for one rank."""

    even: float  # operations, if all had as many
    operations: float
    messages: float  # one after the other: a broadcast goes from rank to rank as in a tree
    bytes: float  # that it receives

    @property
    def parts(self) -> tuple[float, float, float]:
        return self.operations, self.messages, self.bytes


def cost(size: int, ranks: int, depth: int = DEPTH) -> Cost:
    rows, columns = grid(ranks)
    m, n = -(-size // rows), -(-size // columns)
    steps = (rows - 1).bit_length() + (columns - 1).bit_length()
    received = REAL * size * (m * (1 - 1 / columns) + n * (1 - 1 / rows))
    return Cost(
        2 * size**3 / ranks, 2.0 * m * n * size, panels(size, ranks, depth) * steps, received
    )


@dataclass(frozen=True)
class Model:
    """Seconds for an operation, a message, a byte; 0 where the runs do not show it."""

    operation: float
    message: float
    byte: float

    def seconds(self, of: Cost) -> float:
        return sum(
            each * many for each, many in zip((self.operation, self.message, self.byte), of.parts)
        )


def fit(costs: Sequence[Cost], seconds: Sequence[float]) -> Model:
    """That with the least relative errors. None of the three can be negative."""
    matrix = np.array([one.parts for one in costs]) / np.array(seconds)[:, None]
    scale = matrix.max(axis=0)
    scale[scale == 0] = 1
    found = non_negative(matrix / scale, np.ones(len(seconds)))
    found[found < SEEN] = 0
    return Model(*(float(value) for value in found / scale))


def non_negative(matrix: NDArray[np.float64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """The factors of the columns, none below 0, with the least squares. The best of all solutions
    with some of the columns is the one: there are seven of them with three columns."""
    columns = range(matrix.shape[1])
    best, least = np.zeros(len(columns)), float(wanted @ wanted)
    for count in range(1, len(columns) + 1):
        for some in map(list, combinations(columns, count)):
            factors = np.linalg.lstsq(matrix[:, some], wanted, rcond=None)[0]
            rest = float(((matrix[:, some] @ factors - wanted) ** 2).sum())
            if factors.min() >= 0 and rest < least:
                best, least = np.zeros(len(columns)), rest
                best[some] = factors
    return best


@dataclass(frozen=True)
class Point:
    """What the model says of a number of ranks, in seconds."""

    ranks: int
    size: int
    computing: float
    uneven: float  # more than the others have to compute
    latency: float
    moving: float

    @property
    def efficiency(self) -> float:
        return self.computing / (self.computing + self.uneven + self.latency + self.moving)

    @property
    def largest(self) -> str:
        """What costs most, beside computing."""
        costs = {"latency": self.latency, "bandwidth": self.moving, "uneven parts": self.uneven}
        return max(costs, key=lambda name: costs[name])


def point(model: Model, size: int, ranks: int) -> Point:
    of = cost(size, ranks)
    uneven = max(0.0, of.operations - of.even)
    return Point(
        *(ranks, size, model.operation * of.even, model.operation * uneven),
        *(model.message * of.messages, model.byte * of.bytes),
    )


def many() -> list[int]:
    """Numbers of ranks up to 10,000: square ones, whose grid is."""
    return sorted({round(10 ** (step / 10)) ** 2 for step in range(21)})


def strong(model: Model, size: int) -> list[Point]:
    """One problem, on more and more ranks."""
    return [point(model, size, ranks) for ranks in many()]


def weak(model: Model, size: int) -> list[Point]:
    """As much memory for each rank as that of this size on one."""
    return [point(model, size * math.isqrt(ranks), ranks) for ranks in many()]


def breaks(points: Sequence[Point]) -> Point | None:
    """The first at which half of the ranks could as well be left out."""
    return next((one for one in points if one.efficiency < LIMIT), None)
