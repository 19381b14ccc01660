# SPDX-License-Identifier: MIT
"""OpenCL's built-in functions on the engine: their results agree with those of PoCL, and with
themselves in all sizes of vectors."""

from __future__ import annotations

import math
import re
import struct
from pathlib import Path

N, RESULTS = 240, 12  # as in builtins.cl: elements of an array, arrays of a kernel
FORMATS = dict(zip("char uchar short ushort int uint long ulong float double".split(), "bBhHiIqQfd"))

# How far from exact a result of OpenCL may be, in units in the last place; 0 for the others. Half
# and native functions, and those whose error the specification leaves open, are only compared
# roughly.
ULPS = {
    **dict.fromkeys("cbrt rsqrt".split(), 2),
    **dict.fromkeys("exp exp2 exp10 expm1 log log2 log10 log1p".split(), 3),
    **dict.fromkeys("acos asin acosh asinh sin cos sincos sinh cosh sinpi cospi hypot".split(), 4),
    **dict.fromkeys("atan atanh acospi asinpi atanpi tan tanh".split(), 5),
    **dict.fromkeys("tanpi atan2 atan2pi length distance".split(), 6),
    **dict.fromkeys("pow pown powr rootn erf erfc tgamma".split(), 16),
    **dict.fromkeys("degrees radians mad normalize cross dot fract".split(), 4),
    **dict.fromkeys("mix smooth smooth_edge mix_scalar lgamma lgamma_r".split(), 10000),
}
ROUGH = re.compile("(half|native|fast)_")


def ulps(a: float, b: float, bits: int) -> float:
    """How far apart two numbers are, in units in the last place of the greater one."""
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    digits, least = (24, -149) if bits == 32 else (53, -1074)
    exponent = max(math.frexp(max(abs(a), abs(b)))[1] - digits, least)
    return abs(a - b) / 2.0**exponent


def arrays(results: bytes, kernels: list[str]) -> dict[str, tuple[float, ...]]:
    """The results of each kernel and pair of types, from the file that builtins.c writes."""
    found: dict[str, tuple[float, ...]] = {}
    start = 0
    for name in kernels:
        function, *pairs = name.split("__")
        for pair in pairs:
            letter = FORMATS[pair.split("_")[0]]
            found[f"{function}__{pair}"] = struct.unpack_from(f"<{RESULTS * N}{letter}", results, start)
            start += RESULTS * N * 8
    assert start == len(results)
    return found


def differences(ours: bytes, theirs: bytes, kernels: list[str]) -> list[str]:
    """A line per kernel whose results differ by more than they may."""
    mine, other = arrays(ours, kernels), arrays(theirs, kernels)
    lines = []
    for name in mine:
        function, types = name.split("__")
        limit = 10000 if ROUGH.match(function) else ULPS.get(function, 0)
        bits = 32 if types.startswith("float") else 64
        wrong = [i for i, (a, b) in enumerate(zip(mine[name], other[name])) if ulps(a, b, bits) > limit]
        if wrong:
            i = wrong[0]
            lines.append(f"{name}[{i // N}][{i % N}]: {mine[name][i]!r}, PoCL {other[name][i]!r} ({len(wrong)})")
    return lines


if __name__ == "__main__":
    import sys
    names = Path(sys.argv[3]).read_text().split()
    for line in differences(Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]).read_bytes(), names):
        print(line)
