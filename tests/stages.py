# SPDX-License-Identifier: MIT
"""The stages of all labs, for the tests."""

from __future__ import annotations

import re

from tests.support import TOP

LABS = sorted(path.name for path in TOP.glob("lab[0-9]*") if path.is_dir())


def of_lab(lab: str) -> list[str]:
    steps = re.search(r"^STEPS *= *(.*)$", (TOP / lab / "Makefile").read_text(), re.MULTILINE)
    return [*(steps[1].split() if steps else []), "kernel"]


STAGES = [(lab, stage) for lab in LABS for stage in of_lab(lab)]
FIRST_OF_BACKEND = ("lab01_cpu_naive", "lab04_ocl_naive", "lab08_cuda_naive")
