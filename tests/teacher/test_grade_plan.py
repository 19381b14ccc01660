# SPDX-License-Identifier: MIT
"""The shapes that a class is judged at: all kinds, for any tile, the same for the same seed."""

from __future__ import annotations

import pytest

from workbook.teacher.grade.judge import plan
from workbook.teacher.grade.judge.judging import with_skipped
from workbook.teacher.grade.judge.plan import KINDS, Class, Shape

TILES = ((1, 1, 1), (4, 16, 1), (32, 32, 32), (128, 128, 16), (12, 7, 5))


@pytest.mark.parametrize("tile", TILES)
def test_every_kind_is_there_and_the_edges_on_both_sides(tile: tuple[int, int, int]) -> None:
    shapes = plan.every(Class(tile, 512, True, "seed"))
    kinds = {shape.kind: [one for one in shapes if one.kind == shape.kind] for shape in shapes}
    assert set(kinds) == {*KINDS, "large"}
    for at, size in enumerate(tile):
        rests = {shape.sizes[at] % size for shape in kinds["edges"]}
        assert {0, 1 % size, size - 1} <= rests
        assert {shape.sizes[at] % size for shape in kinds["whole tiles"]} == {0}
        assert all(shape.sizes[at] > size for shape in kinds["large"])
    for kind in KINDS:
        assert [shape.runs for shape in kinds[kind]].count(3) == 1
    assert all(min(shape.sizes) == 1 for shape in kinds["single rows, columns"])
    assert max(max(shape.sizes) for shape in shapes) > 4096
    assert sum(plan.fits(shape) for shape in shapes) > 20


def test_what_is_timed_was_judged_before() -> None:
    for tile in TILES:
        for size in (64, 512):
            holds = Class(tile, size, False, "seed")
            judged = {shape.sizes for shape in plan.every(holds)}
            rounds = plan.rounds(holds, 3, "order")
            assert {shape.sizes for shape in rounds} <= judged
            assert len(rounds) == 12 and {shape.kind for shape in rounds} == {"integers", "uniform"}


def test_a_class_has_its_shapes_and_another_has_others() -> None:
    first, again, other = (plan.every(Class((8, 8, 8), 256, True, seed)) for seed in "aab")
    assert first == again
    assert first != other
    orders = [plan.rounds(Class((8, 8, 8), 256, True, "a"), 7, seed) for seed in "xy"]
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1])


def test_the_most_telling_shape_comes_first() -> None:
    shapes = plan.every(Class((8, 8, 8), 256, True, "a"))
    assert min(shapes[0].sizes) >= 21 and shapes[0].K > 8
    assert shapes[-1].sizes == (1, 1, 1)


def test_the_shapes_of_a_tool_are_a_little_more_and_twice_the_same() -> None:
    few = ((1, 1, 1), (3, 1, 5), (3, 1, 5), (34, 48, 17), (5, 3, plan.LONGEST))
    shapes = plan.for_tool(few, Class((1, 1, 1), 64, True, "a"), "seed", False)
    assert shapes[0].sizes == (1, 1, 1) and shapes[1] == shapes[2]
    assert shapes[3].N == 48 and shapes[4].K == plan.LONGEST
    assert all(
        0 <= shape.sizes[at] - said[at] <= 2 for shape, said in zip(shapes, few) for at in range(3)
    )
    exact = plan.for_tool(few, Class((1, 1, 1), 64, True, "a"), "seed", True)
    assert [shape.sizes for shape in exact] == list(few)


def test_what_was_not_tried_is_skipped() -> None:
    planned = [Shape(9, 9, 9, "edges"), Shape(8, 8, 8, "edges"), Shape(1, 1, 1, "large")]
    done = [{"M": m, "N": m, "K": m, "class": kind} for m, kind in ((9, "edges"), (1, "large"))]
    every = with_skipped([{**one, "verdict": "crash"} for one in done], planned)
    assert [shape["verdict"] for shape in every] == ["crash", "skipped", "crash"]
