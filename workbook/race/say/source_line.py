# SPDX-License-Identifier: MIT
"""Where in the kernel a line of a tool's output points to."""

from __future__ import annotations

import re


def in_kernel(line: str, kernel: str) -> int | None:
    """12 of '#0 0x4f in gemm /x/lab01/kernel.c:12:20' and the like."""
    found = re.search(rf"(?:^|[/ (]){re.escape(kernel)}:(\d{{1,9}})", line)
    return int(found[1]) if found else None
