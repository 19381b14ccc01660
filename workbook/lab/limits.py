# SPDX-License-Identifier: MIT
"""Which sizes there are, and how long a program may take with them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from workbook import UserError

LARGEST = 2**31 - 1
AT_LEAST = 60.0  # seconds
A_CHECK = 240.0  # more for the battery of shapes
GFLOPS = 0.1  # slower than any program; with sanitizers a tenth of that


def size_of(text: str) -> int:
    """What 1024 or 2^10 is; 0: no size."""
    if not re.fullmatch(r"\d{1,10}(\^\d{1,2})?", text, re.ASCII):
        return 0
    base, _, exponent = text.partition("^")
    value = int(base) ** int(exponent or 1)
    return value if value <= LARGEST and int(base) > 0 else 0


def sizes_of(text: str) -> list[str]:
    """The words of a SIZE or SIZES, unless ./gemm would refuse one."""
    words = text.split()
    for word in words or ["nothing"]:
        if not size_of(word):
            raise UserError(f"SIZE: {word} is no size: give 1 to 2^31-1, as 1024 or 2^10")
    return words


Shape = tuple[int, int, int]  # M, N, K


def shapes_of(text: str) -> list[Shape]:
    """Of SIZES that may be M, N and K, too: 1024 1000x1000x16."""
    shapes = []
    for word in text.split() or ["nothing"]:
        sizes = [size_of(part) for part in word.split("x")]
        if len(sizes) not in (1, 3) or 0 in sizes:
            raise UserError(
                f"SIZES: {word} is no size: give 1024, 2^10, or M, N and K as 1000x20x3"
            )
        M, N, K = sizes if len(sizes) == 3 else 3 * sizes
        shapes.append((M, N, K))
    return shapes


def shape_name(M: int, N: int, K: int) -> str:
    return str(N) if M == N == K else f"{M} x {N} x {K}"


def shape_of(text: str) -> list[str]:
    """The words of a SIZE: 1024, or M, N and K."""
    words = sizes_of(text)
    if len(words) not in (1, 3):
        raise UserError(
            f"SIZE: {len(words)} sizes: give one, as SIZE=1024, or three, as SIZE='1000 20 3'"
        )
    return words


def limit(default: float = 120.0) -> float:
    """Seconds after which a program is stopped: LIMIT, or else these."""
    said = os.environ.get("LIMIT")
    if not said:
        return default
    if not re.fullmatch("0*[1-9][0-9]{0,8}", said):
        raise UserError(f"LIMIT={said}: give whole seconds, such as LIMIT=300")
    return int(said)


def seconds(arguments: Sequence[str]) -> float:
    """The limit of a program with these arguments."""
    return limit(enough(arguments))


def enough(arguments: Sequence[str]) -> float:
    """A minute, and what its runs take if it is as slow as none is."""
    if "--check" in arguments:
        return AT_LEAST + A_CHECK
    first_option = next(
        (n for n, word in enumerate(arguments) if word.startswith("--")), len(arguments)
    )
    sizes = [size_of(word) for word in arguments[:first_option]] or [1024]
    M, N, K = sizes if len(sizes) == 3 else sizes[:1] * 3
    speed = GFLOPS / 10 if os.environ.get("SAN") else GFLOPS
    return AT_LEAST + runs(arguments) * 2e-9 * M * N * K / speed


def runs(arguments: Sequence[str]) -> int:
    """Two to verify, and three, or as many as fit into a second."""
    for option, value in zip(arguments, arguments[1:]):
        if option == "--reps" and value.isdigit():
            return 2 + int(value)
    return 5
