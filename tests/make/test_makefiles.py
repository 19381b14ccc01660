# SPDX-License-Identifier: MIT
"""What a student reads of make is short, and speaks of the nine labs alone: what only the labs of
advanced/ need is theirs."""

from __future__ import annotations

import re

import pytest

from tests.copies import sources
from tests.support import TOP

ADVANCED = r"MPI|(?i:capability)|TF32|BF16|ROUNDING|TENSOR_CORES|AVX-?512|tuned\.mk"
OPENMP = r"(?i:openmp)"  # but for C, where a course gives threads to one of the nine
MAKE = [name for name in sources() if name == "make/lab.mk" or name.startswith("make/")]


@pytest.mark.parametrize("name", MAKE)
def test_the_nine_labs_need_nothing_of_those_that_lead_on(name: str) -> None:
    words = ADVANCED if name == "make/c.mk" else f"{ADVANCED}|{OPENMP}"
    said = re.findall(words, (TOP / name).read_text(encoding="utf-8"))
    assert said == []


def test_lab_mk_can_be_read_in_one_go() -> None:
    assert len((TOP / "make/lab.mk").read_text(encoding="utf-8").splitlines()) <= 150
