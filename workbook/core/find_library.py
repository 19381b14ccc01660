# SPDX-License-Identifier: MIT
"""find_library NAME ...: prints the first of these shared libraries that can be loaded here. Make
asks it for baseline/."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path


def can_load(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def main(words: list[str]) -> int:
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # it starts its threads when it is loaded
    names = (str(Path(word).resolve()) if "/" in word else word for word in words)
    print(next(filter(can_load, names), ""))
    return 0
