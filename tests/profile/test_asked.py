# SPDX-License-Identifier: MIT
"""What course.tsv asks of counts: the limits, a floor under shared loads, and that what a kernel
accesses is seen."""

from __future__ import annotations

import pytest

from workbook.lab.course import Task
from workbook.profile.asked import Asked, judged, missed_by_step, not_seen, per_fma, shape, unseen
from workbook.profile.counts import Count

PROBLEM = (128, 128, 64)
FMAS = 128 * 128 * 64 // 32
BOUNDS = "sectors<=8 conflicts=0 share>=0.1"


def task(counters: str = BOUNDS) -> Task:
    return Task(8, 2, None, 0, 1, "", 3, counters)


def of(counters: str, lab: str, counts: list[Count]) -> Asked:
    return judged(task(counters), lab, per_fma(counts, PROBLEM))


def count(
    space: str, writes: bool, requests: float, units: float, ideal: float = 0.0, size: int = 1 << 20
) -> Count:
    """So many for each FMA of a warp."""
    numbers = [round(FMAS * each) for each in (requests, units, ideal)]
    lanes = 32 * numbers[0]
    return Count(0, "?", space, writes, numbers[0], lanes, 4 * lanes, size, *numbers[1:])


LOADS, STORES = count("global", False, 2, 5), count("global", True, 0.015625, 0.0625)


def shared(requests: float, conflicts: float = 0.0) -> Count:
    return count("shared", False, requests, requests + conflicts, requests)


@pytest.mark.parametrize(
    ("counts", "held"),
    [
        ([LOADS, STORES, shared(0.3)], True),
        ([LOADS, STORES, shared(2), count("global", False, 1, 2.9)], True),
        ([LOADS, STORES, shared(2), count("global", False, 1, 3)], False),  # the stores count, too
        ([LOADS, STORES, shared(2, 0.001)], False),
        ([LOADS, STORES, shared(0.2)], False),
        ([LOADS, STORES], False),  # who has nothing in shared memory has no conflicts
        ([LOADS, STORES, count("shared", True, 2, 2, 2)], False),  # who stores there and loads not
    ],
)
def test_all_of_the_bounds_have_to_hold(counts: list[Count], held: bool) -> None:
    assert of(BOUNDS, "lab09_cuda_shared", counts).held is held


def test_loads_that_nobody_needs_make_it_no_better() -> None:
    """As they would an average: many requests of one sector each."""
    far = count("global", False, 1, 32)
    more = count("global", False, 90, 90)
    one = of(BOUNDS, "lab99", [far, STORES])
    other = of(BOUNDS, "lab99", [far, more, STORES])
    assert (one.held, other.held) == (False, False)
    assert other.now["sectors"] > one.now["sectors"]


def test_what_is_said() -> None:
    """One sentence: of the first limit that is missed."""
    assert of("sectors<=8", "lab08_cuda_naive", [LOADS, STORES]).said == ""
    found = of("share>=0.5 loads<=0.5", "lab06_ocl_regtile", [LOADS, STORES, shared(1)])
    assert found.missed == ("share", "loads")
    assert found.said == (
        "correct, but not the idea of lab 06: 0.333 of the operands' loads are from local or "
        "shared memory, the reference has 0.0 (at least 0.5)"
    )
    found = of("loads<=0.5", "lab06_ocl_regtile", [LOADS, STORES])
    assert found.said == (
        "correct, but not the idea of lab 06: 2.0 loads per multiply-add, the reference needs 0.25 "
        "(limit 0.5)"
    )
    found = judged(task("lanes>=4"), "lab02_avx", {"lanes": 1.0, "sums": 1.0}, "kernel.c:9")
    assert found.said == (
        "correct, but not the idea of lab 02: kernel.c:9: no vector instruction, 1 multiply-add "
        "per instruction in the inner loop, the reference has 8 (at least 4)"
    )


@pytest.mark.parametrize(
    ("step", "missed", "lacks"),
    [
        ("regtile", ("unpacked",), False),  # which is taught by the last step
        ("regtile", ("sums", "unpacked"), True),
        ("", ("unpacked",), True),
        ("of_nobody", ("sums",), False),
        ("regtile", ("",), True),  # it could not be counted
    ],
)
def test_a_step_keeps_what_its_own_kernel_keeps(
    step: str, missed: tuple[str, ...], lacks: bool
) -> None:
    limits = task("lanes>=4 sums>=3 unpacked<=0.05")
    assert missed_by_step(limits, "lab03_avx_block", step, missed) is lacks


def test_what_is_not_seen() -> None:
    """A right kernel has loaded each element of A and B, and stored each of C."""
    few = [count("global", writes, 2, 5, size=100) for writes in (False, True)]
    for counts, said in (
        ([few[0], STORES], f"loads only 100 of {4 * (128 * 64 + 64 * 128)}"),
        ([LOADS, few[1]], f"stores only 100 of {4 * 128 * 128}"),
    ):
        assert not_seen(counts, PROBLEM) == f"of what it {said} bytes are seen"
    assert not_seen([LOADS, STORES], PROBLEM) == ""


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
    assert shape((16, 2**31 - 1, 1)) == (128, 128, 64)  # a row for each work-item
