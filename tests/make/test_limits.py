# SPDX-License-Identifier: MIT
"""Which sizes there are, and how long a program may take with each."""

from __future__ import annotations

import pytest

from workbook import UserError
from workbook.lab.limits import limit as limit_
from workbook.lab.limits import seconds, size_of, sizes_of


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("1024", 1024),
        ("2^10", 1024),
        ("3^3", 27),
        ("2147483647", 2**31 - 1),
        ("5^0", 1),
        ("46340^2", 46340**2),
    ],
)
def test_what_is_a_size(text: str, size: int) -> None:
    assert size_of(text) == size


NO_SIZES = (
    "0 abc 0^5 0^0 -3 -3^2 99999999999 2147483648 2^31 2^ ^5 2^-1 1.5 1e3 64x 2^2^2 9^99 ٣".split()
)


@pytest.mark.parametrize("text", [*NO_SIZES, "", " "])
def test_what_is_no_size(text: str) -> None:
    assert size_of(text) == 0
    with pytest.raises(UserError, match="is no size: give 1 to"):
        sizes_of(text)


@pytest.fixture(autouse=True)
def _nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "LIMIT", "SAN":
        monkeypatch.delenv(name, raising=False)


def test_a_minute_at_least() -> None:
    assert 60 <= seconds(["1"]) < 61


def test_more_for_larger_ones() -> None:
    assert seconds(["2^11"]) == seconds(["2048"] * 3) > 600


def test_more_for_more_runs() -> None:
    assert seconds(["1024", "--reps", "100"]) > seconds(["1024"]) > seconds(["1024", "--reps", "1"])


def test_more_with_sanitizers(monkeypatch: pytest.MonkeyPatch) -> None:
    without = seconds(["1024"]) - 60
    monkeypatch.setenv("SAN", "address")
    assert seconds(["1024"]) - 60 == pytest.approx(10 * without)


@pytest.mark.parametrize(("limit", "wanted"), [("7", 7), ("007", 7)])
def test_limit_decides(monkeypatch: pytest.MonkeyPatch, limit: str, wanted: float) -> None:
    monkeypatch.setenv("LIMIT", limit)
    assert seconds(["2^14"]) == limit_(200) == wanted


@pytest.mark.parametrize(
    "limit", ["soon", "-1", "1.5", "1e3", "٣", "²", "0", "00", " ", "9" * 5000]
)
def test_limit_is_a_number(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setenv("LIMIT", limit)
    with pytest.raises(UserError, match=f"^LIMIT={limit}: give whole seconds"):
        seconds(["1"])
    with pytest.raises(UserError, match=f"^LIMIT={limit}: give whole seconds"):
        limit_()
