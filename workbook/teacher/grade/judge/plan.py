# SPDX-License-Identifier: MIT
"""Which shapes a kernel is judged at: they are drawn once for a class, around the tile of the
kernel, so that nobody knows them before, and the same kernel earns the same."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import NamedTuple

LONGEST = 4201  # of make check: session/shapes.c, and DEEPER of workbook/race/tools.py
LEAST, MOST = 24, 83  # elements, of which whole tiles have as many or a few more
MOST_K = 4096  # of a large problem
UNIT = 16  # elements of a vector, and of what A, B and C are aligned to
TRIES = 1000
FIT, LESS, MORE, SAME = "fit", "less", "more", "same"  # whole tiles; one less; one more; as M
Range = str | tuple[int, int]
THIN, FEW, SOME, MANY = (2, 9), (2, 20), (21, 60), (61, 150)
LONG, WIDE, PAST = (700, 1300), (130, 220), (4097, LONGEST)  # past a buffer of 4096 elements
KINDS: dict[str, tuple[tuple[Range, Range, Range], ...]] = {
    "whole tiles": ((FIT, FIT, FIT), (FIT, FIT, FIT)),
    "edges": (
        (LESS, FIT, FIT),
        (MORE, FIT, FIT),
        (FIT, LESS, FIT),
        (FIT, MORE, FIT),
        (FIT, FIT, LESS),
        (FIT, FIT, MORE),
        (LESS, LESS, LESS),
        (MORE, MORE, MORE),
    ),
    "rectangles": (
        (FEW, SOME, MANY),
        (MANY, FEW, SOME),
        (SOME, MANY, FEW),
        ((90, 180), (90, 180), (90, 180)),
        (FEW, FEW, FEW),
        (FEW, SAME, SAME),
        ((21, 150), SAME, SAME),
    ),
    "tall, wide, deep": (
        (LONG, THIN, THIN),
        (THIN, LONG, THIN),
        (THIN, THIN, LONG),
        (PAST, THIN, THIN),
        (THIN, PAST, THIN),
        (THIN, THIN, PAST),
        (WIDE, WIDE, THIN),
        (WIDE, THIN, WIDE),
        (THIN, WIDE, WIDE),
    ),
    "single rows, columns": (
        ((1, 1), (2, 90), (2, 90)),
        ((2, 90), (1, 1), (2, 90)),
        ((2, 90), (2, 90), (1, 1)),
        ((1, 1), (1, 1), (2, 90)),
        ((1, 1), (2, 90), (1, 1)),
        ((2, 90), (1, 1), (1, 1)),
        ((1, 1), (1, 1), (1, 1)),
        ((1, 1), (1100, 1300), SOME),
        ((1, 1), SOME, (1100, 1300)),
        ((1100, 1300), (1, 1), SOME),
        (SOME, (1, 1), (1100, 1300)),
        (WIDE, WIDE, (1, 1)),
        ((1, 1), (1, 1), PAST),
    ),
}
# C has arrays of a fixed size, and what passes one of 1024 x 1024 is B, or A. None has a C of that
# size: a kernel may print each element.
OF_C = (((2, 4), (1100, 1300), (1100, 1300)), ((1100, 1300), (2, 4), (1100, 1300)))


class Shape(NamedTuple):
    """M x N x K, in so many runs, each with other inputs: integers first, and then others. Of
    pairs, the kind is that of their data."""

    M: int
    N: int
    K: int
    kind: str
    runs: int = 2

    @property
    def sizes(self) -> tuple[int, int, int]:
        return self.M, self.N, self.K

    def __str__(self) -> str:
        return f"{self.M} {self.N} {self.K} {self.runs} {self.kind}"


@dataclass(frozen=True)
class Class:
    """What the shapes depend on: the seed is the same for a class."""

    tile: tuple[int, ...]
    size: int  # of large problems, which are those that are timed
    in_c: bool
    seed: str

    def random(self, *words: str) -> Random:
        return Random("\0".join((self.seed, *words)))


def cover(count: int, tile: int) -> int:
    """Whole tiles that have so many elements."""
    return -(-count // tile) * tile


def drawn(
    kind: str, ranges: tuple[Range, Range, Range], tile: tuple[int, ...], random: Random
) -> Shape:
    sizes: list[int] = []
    for wanted, one in zip(ranges, tile):
        whole = cover(random.randint(LEAST, MOST), one)
        beside = {FIT: whole, LESS: whole - 1, MORE: whole + 1, SAME: (sizes or [0])[0]}
        sizes.append(beside[wanted] if isinstance(wanted, str) else random.randint(*wanted))
    M, N, K = sizes
    return Shape(M, N, K, kind)


def fits(shape: Shape) -> bool:
    """Do A and B end where memory does, if they are put there?"""
    return shape.M * shape.K % UNIT == 0 and shape.K * shape.N % UNIT == 0


def timed(holds: Class) -> tuple[Shape, Shape]:
    """A round square; and a rectangle that is odd everywhere: there is a rest, by whatever power of
    two a loop is unrolled, and no size is another."""
    random = holds.random("large")
    near = holds.size // 8 + 1
    M, N = random.sample(range((holds.size - near // 2) | 1, holds.size + near - near // 2, 2), 2)
    least = min(holds.size, MOST_K - MOST_K // 16) - near // 2
    K = random.choice([k for k in range(least | 1, least + near, 2) if k not in (M, N)])
    return Shape(holds.size, holds.size, holds.size, "large"), Shape(M, N, K, "large")


def large(shape: Shape, tile: tuple[int, ...]) -> Shape:
    """Large is what goes on past one tile, however small the sizes that are timed."""
    M, N, K = (max(size, one + one // 2 + 1) for size, one in zip(shape.sizes, tile))
    return Shape(M, N, K, shape.kind)


def every(holds: Class) -> list[Shape]:
    """Of all kinds, those on which a failure says most first. One of each has two runs of the same
    data: what a kernel keeps is out of date."""
    random, tile = holds.random("shapes"), holds.tile
    kinds = [(kind, ranges) for kind, every_one in KINDS.items() for ranges in every_one]
    kinds += [("tall, wide, deep", ranges) for ranges in OF_C] if holds.in_c else []
    shapes: list[Shape] = []
    for kind, ranges in kinds:
        shape = drawn(kind, ranges, tile, random)
        is_first = all(one.kind != kind for one in shapes)
        shapes.append(shape._replace(runs=3 if is_first else 2))
        for _ in range(TRIES):
            if fits(shape):
                break
            shape = drawn(kind, ranges, tile, random)
        shapes += [shape] if fits(shape) and shape.sizes != shapes[-1].sizes else []
    square, odd = timed(holds)
    edge = large(odd, tile)  # A and B end where memory does, and no vector fits a row
    shapes += [large(square, tile), large(odd, tile), edge._replace(K=cover(edge.K, UNIT))]
    shapes += [one for one in (square, odd) if large(one, tile) != one]  # what is timed is right
    return sorted(shapes, key=lambda shape: telling(shape, tile))


def telling(shape: Shape, tile: tuple[int, ...]) -> tuple[int, int]:
    """Small, but more than an edge of a tile, and of more than one tile along k; a single row, a
    column, an element at last."""
    sizes = shape.sizes
    thin = min(sizes) < 21 or shape.K <= tile[2]
    return thin + sizes.count(1), shape.M * shape.N * shape.K


def anew(holds: Class) -> list[Shape]:
    """One of each kind."""
    random = holds.random("anew")
    shapes = [drawn(kind, random.choice(some), holds.tile, random) for kind, some in KINDS.items()]
    return [*shapes, large(timed(holds)[1], holds.tile)]


def rounds(holds: Class, count: int, seed: str) -> list[Shape]:
    """Those that are timed, with either kind of data, in an order of the kernel's own."""
    shapes = [
        shape._replace(kind=data)
        for shape in timed(holds)
        for data in ("integers", "uniform")
        for _ in range(count)
    ]
    Random(seed).shuffle(shapes)
    return shapes


def for_tool(
    few: tuple[tuple[int, int, int], ...], holds: Class, seed: str, exact: bool
) -> list[Shape]:
    """Of a tool, under which a call takes seconds: those that are said, and a little more each
    where they are not to be exact. Rows of whole vectors stay so, and the same shape twice."""
    random = Random(seed)
    shapes: list[Shape] = []
    for number, sizes in enumerate(few):
        if number > 0 and sizes == few[number - 1]:
            shapes.append(shapes[-1])
            continue
        most = 0 if exact or set(sizes) == {1} else 2
        M, N, K = (size + (random.randint(0, most) if size < LONGEST else 0) for size in sizes)
        N = sizes[1] if sizes[1] % UNIT == 0 else N
        shapes.append(Shape(M, N, K, "for a tool", 1))
    return shapes
