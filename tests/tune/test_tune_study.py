# SPDX-License-Identifier: MIT
"""Which settings make tune tries, and in which order; what it keeps."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from tests.support import TOP
from workbook.lab import labs
from workbook.tune import results
from workbook.tune.space import Space, space_of
from workbook.tune.study import REFUSED, RIGHT, WRONG, Study, Tried


def searched(lab: str, *settings: str) -> dict[str, tuple[int, ...]]:
    words = list(settings)
    described = labs.describe(str(TOP / lab), words)
    space = space_of(described, labs.chosen(described, words), words)
    assert all(default in values for default, values in zip(space.defaults, space.values))
    return dict(zip(space.names, space.values))


# ---- what is searched -------------------------------------------------------------------------
def test_around_the_defaults_within_what_params_h_allows() -> None:
    assert searched("lab06_ocl_regtile") == {
        "GROUP_X": (4, 8, 16, 32, 64),
        "GROUP_Y": (4, 8, 16, 32, 64),
        "COLS_PER_ITEM": (1, 2, 4, 8, 16, 32),
        "ROWS_PER_ITEM": (1, 2, 4, 8, 16, 32),
    }


def test_multiples_the_most_and_the_values_of_a_sweep() -> None:
    blocks = (16, 32, 64, 128, 256, 512, 1024)
    assert searched("lab03_avx_block") == {"BLOCK_KN": blocks, "ROWS": (3, 6, 12)}
    assert searched("advanced/lab13_ocl_vector", "TUNE=")["COLS_PER_ITEM"] == (4, 8, 16, 32)


def test_what_a_variant_is_written_for_stays() -> None:
    assert searched("lab03_avx_block", "VARIANT=regtile") == {"ROWS": (3, 6, 12)}
    swept = searched("lab03_avx_block", "VARIANT=published")
    assert swept["BLOCK_KN"] == (8, 16, 32, 64, 128, 256, 512, 1024)


def test_what_a_makefile_says() -> None:
    said = "TUNE=TILE_K=4,16 PAD=0"
    assert searched("lab07_ocl_localmem", said) == {"TILE_K": (4, 8, 16), "PAD": (0, 4)}
    assert searched("lab07_ocl_localmem", "VARIANT=one_per_item") == {"TILE": (4, 8, 16, 32)}


# ---- in which order ---------------------------------------------------------------------------
FEW = Space(("A", "B"), ((1, 2, 3), (4, 8)), (2, 8))
MANY = Space(tuple("VWXYZ"), ((4, 8, 16, 32, 64),) * 5, (16,) * 5)


@pytest.mark.parametrize("space", [FEW, MANY, Space(("A",), ((7,),), (7,))])
def test_every_point_comes_once_after_the_defaults(space: Space) -> None:
    first, *points = space.points()
    assert first == space.defaults
    assert len(points) == len(set(points))
    assert set(points) == set(product(*space.values))


def speed(point: tuple[int, ...]) -> float:
    """Fastest at 8, 16, 32, 64 and 8, the less the farther away."""
    best = zip(point, (8, 16, 32, 64, 8), (4, 3, 2, 1, 0.1))
    return 100 / (
        1 + sum(weight * abs(value.bit_length() - b.bit_length()) for value, b, weight in best)
    )


def is_refused(point: tuple[int, ...]) -> bool:
    return point[0] * point[1] > 256 or point[2] * point[3] % 128 != 0


def search(study: Study, built: int) -> None:
    while len(study.built) < built and (point := study.next()):
        if is_refused(point):
            study.add(Tried(point, REFUSED, why="no", built=False))
        else:
            study.add(Tried(point, RIGHT, speed(point)))


def test_optuna_finds_what_is_fast_and_no_point_comes_twice(tmp_path: Path) -> None:
    study = Study(tmp_path / "studies.db", "one", MANY)
    search(study, 25)
    assert len(study._study.trials) == len(study.tried)
    again = Study(tmp_path / "studies.db", "one", MANY)
    assert again.tried == study.tried
    search(again, 45)
    assert len(again._study.trials) == len(again.tried)
    found = [tried.gflops for tried in again.built]
    allowed = sorted(
        (speed(point) for point in product(*MANY.values) if not is_refused(point)), reverse=True
    )
    assert max(found) >= allowed[10]
    assert sorted(found[10:])[15] > max(found[:10]) / 2


def test_what_was_wrong_once_is_wrong(tmp_path: Path) -> None:
    for _ in range(2):
        study = Study(tmp_path / "studies.db", "one", FEW)
        study.add(Tried((2, 8), WRONG, why="a race"))
        study.add(Tried((2, 8), RIGHT, 5.0))
        study.add(Tried((1, 4), RIGHT, 4.0))
        assert [tried.point for tried in study.best] == [(1, 4)]
        assert [tried.why for tried in study.having(WRONG)] == ["a race"]


# ---- what is kept -----------------------------------------------------------------------------
def winner(device: str, setting: str) -> results.Winner:
    settings = [setting]
    return {
        **{
            "device": device,
            "variant": "",
            "type": "float",
            "size": "64",
            "study": "s",
            "trials": 2,
            "wrong": 0,
        },
        **{"settings": settings, "gflops": 2.0, "defaults": 1.0},
        "measured": [{"settings": settings, "gflops": 2.0}],
    }


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> labs.Lab:
    monkeypatch.setattr(results, "FOLDER", tmp_path / "tuned")
    found = labs.describe(str(TOP / "lab03_avx_block"), [])
    return replace(found, path=tmp_path)


def test_each_device_has_its_winner(lab: labs.Lab) -> None:
    for device, setting in ("one", "BLOCK=16"), ("two $(x) #", "BLOCK=32"), ("one", "BLOCK=64"):
        results.save(lab, winner(device, setting))
    found = [(one["device"], one["settings"]) for one in results.winners(lab)]
    assert found == [("two $(x) #", ["BLOCK=32"]), ("one", ["BLOCK=64"])]
    results.hand_over(lab, "two $(x) #")
    assert (lab.path / "tuned.mk").read_text().splitlines()[1:] == [
        "tuned_for = two ?(x) ?",
        "tuned__float = BLOCK=32",
    ]


def test_a_full_disk_leaves_the_winners_as_they_were(
    lab: labs.Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    results.save(lab, winner("one", "BLOCK=16"))
    before = results.place(lab).read_bytes()

    def full(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:20])
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="no space"):
        results.save(lab, winner("one", "BLOCK=64"))
    assert [(path.name, path.read_bytes()) for path in results.FOLDER.iterdir()] == [
        ("lab03_avx_block.json", before)
    ]
