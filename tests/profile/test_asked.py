# SPDX-License-Identifier: MIT
"""What course.tsv asks of counters: the bounds, a floor under shared loads, and that what a kernel
accesses is seen."""

from __future__ import annotations

import pytest

from workbook.lab.course import Task
from workbook.profile.asked import Asked, judged, shape, unseen
from workbook.profile.counts import Count

PROBLEM = (128, 128, 64)
FMAS = 128 * 128 * 64 // 32
BOUNDS = "sectors<=8 conflicts=0 shared>=0.1"


def task(counters: str = BOUNDS) -> Task:
    return Task(8, 2, None, 0, 1, "", 3, counters)


def count(
    space: str, writes: bool, requests: float, units: float, ideal: float = 0.0, size: int = 1 << 20
) -> Count:
    """So many for each FMA of a warp."""
    numbers = [round(FMAS * each) for each in (requests, units, ideal)]
    return Count(0, "?", space, writes, numbers[0], 32, 4, size, numbers[1], numbers[2])


LOADS, STORES = count("global", False, 2, 5), count("global", True, 0.015625, 0.0625)


def shared(requests: float, conflicts: float = 0.0) -> Count:
    return count("shared", False, requests, requests + conflicts, requests)


@pytest.mark.parametrize(
    ("counts", "held"),
    [
        ([LOADS, STORES, shared(0.1)], True),
        ([LOADS, STORES, shared(2), count("global", False, 1, 2.9)], True),
        ([LOADS, STORES, shared(2), count("global", False, 1, 3)], False),  # the stores count, too
        ([LOADS, STORES, shared(2, 0.001)], False),
        ([LOADS, STORES, shared(0.09)], False),
        ([LOADS, STORES], False),  # who has nothing in shared memory has no conflicts
        ([LOADS, STORES, count("shared", True, 2, 2, 2)], False),  # who stores there and loads not
    ],
)
def test_all_of_the_bounds_have_to_hold(counts: list[Count], held: bool) -> None:
    assert judged(task(), "lab09_cuda_shared", counts, PROBLEM).held is held


def test_loads_that_nobody_needs_make_it_no_better() -> None:
    """As they would an average: many requests of one sector each."""
    far = count("global", False, 1, 32)
    more = count("global", False, 90, 90)
    one = judged(task(), "-", [far, STORES], PROBLEM)
    other = judged(task(), "-", [far, more, STORES], PROBLEM)
    assert (one.held, other.held) == (False, False)
    assert other.now["sectors"] > one.now["sectors"]


def test_what_is_said() -> None:
    said = judged(task("sectors<=8"), "lab08_cuda_naive", [LOADS, STORES], PROBLEM).said
    assert said == "sectors: now 5.06, reference 5.06, limit 8"
    assert judged(task("shared>=1"), "-", [LOADS, STORES, shared(2)], PROBLEM).said == (
        "shared: now 2, at least 1"
    )


def test_what_is_not_seen_earns_nothing() -> None:
    """A right kernel has loaded each element of A and B, and stored each of C."""
    few = [count("global", writes, 2, 5, size=100) for writes in (False, True)]
    for counts, said in (
        ([few[0], STORES], f"loads only 100 of {4 * (128 * 64 + 64 * 128)}"),
        ([LOADS, few[1]], f"stores only 100 of {4 * 128 * 128}"),
    ):
        found = judged(task("sectors<=8"), "-", counts, PROBLEM)
        assert found == Asked(False, f"of what it {said} bytes are seen")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("memcpy(&a, A, n);", "memcpy"),
        ("__builtin_memmove(&a, A, n);", "__builtin_memmove"),
        ("#define COPY mempcpy\n", "mempcpy"),
        ("strncpy(a, A, n);", "strncpy"),
        ("// memcpy(&a, A, n);\n/* strcpy */ stride(a); memset(sums, 0, sizeof sums);", ""),
        ("cuda::memcpy_async(group, a, A, n, pipe); __pipeline_memcpy_async(a, A, 16);", ""),
        ("async_work_group_copy(a, A, n, 0);", ""),
        ("strlen_of_row(a); const int stream = strided;", ""),
    ],
)
def test_a_copy_that_nobody_counts(text: str, found: str) -> None:
    assert found in unseen(text)
    assert bool(unseen(text)) == bool(found)


def test_what_is_counted_is_full_tiles() -> None:
    assert [shape((1, 16, 16)), shape((48, 256, 100))] == [(128, 128, 64), (144, 256, 100)]
