# SPDX-License-Identifier: MIT
"""What before and after say of a change: from the counts of both, and from figures that can be
compared."""

from __future__ import annotations

from typing import Any

from tests.steps import array, labs, matrices, recording, site
from workbook.page import assemble
from workbook.page.gain import gain


def of(number: str) -> dict[str, str]:
    [lab] = [lab for lab in labs() if lab["number"] == number]
    own, other = lab["recordings"]
    return gain(other, own)


def test_what_moved_is_said_of_both() -> None:
    expected = "sectors loaded 2,176 → 512 (÷ 4.25); sectors stored 128 → 32 (÷ 4)"
    assert of("04")["moved"] == expected
    assert of("07")["moved"] == "wavefronts stored 64 → 8 (÷ 8)"


def test_speeds_are_of_the_same_machine_and_size() -> None:
    said = of("04")["measured"]
    assert said.startswith("Measured: 971 → 5,460 GFLOP/s, 5.62 times as fast (N = 2048, a GPU")
    assert of("07")["measured"] == (
        "Lab 07 PAD=0: not measured: made by hand Lab 07 PAD=4: not measured: made by hand"
    )
    [lab] = [lab for lab in labs() if lab["number"] == "04"]
    own, other = lab["recordings"]
    other["roofline"]["points"][0]["N"] = 4096
    said = gain(other, own)["measured"]
    assert "times as fast" not in said and "N = 4096" in said and "N = 2048" in said


def tiled(*requests: tuple[int, int, int, int, list[int | None]]) -> dict[str, Any]:
    """A and C of global memory, a tile that is written and read."""
    arrays = [*matrices("global"), array("a_tile", "shared", 1, 32)]
    sites = [site(1, 0, False), site(1, 3, True), site(2, 3, False), site(3, 2, True)]
    return recording(
        "lab09_cuda_shared",
        None,
        ["a", "b", "c"],
        sites,
        file="kernel.cu",
        arrays=arrays,
        requests=requests,
    )


LANES: list[int | None] = list(range(32))


def test_reuse_and_barriers_are_counted() -> None:
    direct = tiled(*((0, 0, 0, 0, LANES) for _ in range(64)))
    copied = [(0, 0, 0, 0, LANES), (1, 0, 0, 0, LANES)]
    read = [(2, 0, 1, 0, LANES) for _ in range(4)]
    said = gain(direct, tiled(*copied, *read))["reuse"]
    assert "of A 8 times before, 0.125 after: 64 times fewer" in said
    assert "loaded 4 times from a_tile" in said and "passes 1 barrier;" in said
    assert "only written or only read" in said
    mixed = gain(direct, tiled(*copied, *read, (1, 0, 1, 0, LANES)))["reuse"]
    assert "64 times fewer" in mixed and "barrier" not in mixed


def test_where_loads_are_the_same_the_stores_are_told_apart() -> None:
    load, store = (0, 0, 0, 0, LANES), (3, 0, 0, 0, LANES)
    assert (
        "as often as before. What differs" in gain(tiled(load, store), tiled(load, store))["reuse"]
    )
    said = gain(tiled(load, store, store), tiled(load, store))["reuse"]
    assert said.endswith("elements of C are stored 64 times before, 32 after.")


def test_without_a_recording_there_is_nothing_to_say() -> None:
    [broken] = [lab for lab in labs() if lab["number"] == "05"]
    assert assemble.gain_of(broken["recordings"]) is None
