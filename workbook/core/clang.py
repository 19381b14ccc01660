# SPDX-License-Identifier: MIT
"""clang, which compiles OpenCL C for engine/: as make/cl.mk looks for it."""

from __future__ import annotations

import shutil

NAMES = ("clang", *(f"clang-{version}" for version in range(30, 13, -1)))


def clang() -> str:
    """Its name in PATH; nothing if there is none."""
    return next((name for name in NAMES if shutil.which(name)), "")


def missing_clang() -> str:
    return "" if clang() else "clang is not installed, which compiles OpenCL here: ./setup"
