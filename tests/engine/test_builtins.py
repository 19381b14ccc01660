# SPDX-License-Identifier: MIT
"""OpenCL's built-in functions on the engine compute what PoCL computes, and compile without a
warning for every clang that is installed."""

from __future__ import annotations

import math
import re
import shutil
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.opencl import HERE, on_engine, on_pocl
from tests.support import TOP, run

sys.path.insert(0, str(TOP / "engine/opencl"))
from families import macros  # type: ignore[import-not-found] # noqa: E402

PRELUDE = TOP / "engine/opencl/prelude.cl"
LANGUAGE = ["-x", "cl", "-cl-std=CL1.2"]
CLANGS = [name for name in ("clang", *(f"clang-{n}" for n in range(14, 30))) if shutil.which(name)]

N, RESULTS = 240, 12  # as in builtins.cl: elements of an array, arrays of a pair of types
FORMATS = dict(
    zip("char uchar short ushort int uint long ulong float double".split(), "bBhHiIqQfd")
)

# Units in the last place by which a result may differ: the specification's bound, which PoCL's
# result keeps as well. Functions that are not listed are exact. The bound is wide if the
# specification leaves the error open.
WIDE = 10000
ULPS = {
    **dict.fromkeys("cbrt rsqrt".split(), 2),
    **dict.fromkeys("exp exp2 exp10 expm1 log log2 log10 log1p".split(), 3),
    **dict.fromkeys("acos asin acosh asinh sin cos sincos sinh cosh sinpi cospi hypot".split(), 4),
    **dict.fromkeys("degrees radians mad normalize cross dot fract".split(), 4),
    **dict.fromkeys("atan atanh acospi asinpi atanpi tan tanh".split(), 5),
    **dict.fromkeys("tanpi atan2 atan2pi length distance".split(), 6),
    **dict.fromkeys("pow pown powr rootn erf erfc tgamma".split(), 16),
    **dict.fromkeys("mix mix_scalar smooth smooth_edge lgamma gamma_r".split(), WIDE),
}
OPEN = re.compile("native_(sin|cos|tan)")  # PoCL's are wrong for large arguments, as they may be
ROUGH = re.compile("(half|native|fast)_")
# PoCL 3.1 computes these wrongly for some elements of a vector, and rightly for scalars.
WRONG_VECTORS = re.compile(
    "(half_)?(sin|cos|tan|sincos|fmod|remainder|remquo|pow|pown|powr|rootn)__"
)


def ulps(a: float, b: float, bits: int) -> float:
    """How far apart two numbers are, in units in the last place of the greater one."""
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    digits, least = (24, -149) if bits == 32 else (53, -1074)
    exponent = max(math.frexp(max(abs(a), abs(b)))[1] - digits, least)
    return abs(a - b) / 2.0**exponent


def arrays(results: bytes, kernels: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """The results of each kernel and pair of types, from the file that builtins.c writes."""
    found: dict[str, tuple[float, ...]] = {}
    start = 0
    for name in kernels:
        function, *pairs = name.split("__")
        for pair in pairs:
            form = f"<{RESULTS * N}{FORMATS[pair.split('_')[0]]}"
            found[f"{function}__{pair}"] = struct.unpack_from(form, results, start)
            start += RESULTS * N * 8
    assert start == len(results)
    return found


def differences(ours: bytes, theirs: bytes, kernels: Sequence[str]) -> list[str]:
    """A line per kernel and pair of types whose results differ by more than they may."""
    mine, other = arrays(ours, kernels), arrays(theirs, kernels)
    lines = []
    for name, values in mine.items():
        function, types = name.split("__")
        limit = WIDE if ROUGH.match(function) else ULPS.get(function, 0)
        bits = 32 if types.startswith("float") else 64
        known = WRONG_VECTORS.match(name)
        wrong = [
            i
            for i, (a, b) in enumerate(zip(values, other[name]))
            if ulps(a, b, bits) > limit and not (known and same_as_first(values, i))
        ]
        if wrong and not OPEN.match(function):
            i = wrong[0]
            lines.append(f"{name}[{i // N}][{i % N}]: {values[i]!r}, PoCL {other[name][i]!r}")
    return lines


def same_as_first(values: Sequence[float], i: int) -> bool:
    """True if a vector's element equals the result for a scalar, which is compared as well."""
    first = i % N + (RESULTS // 2 * N if i >= RESULTS // 2 * N else 0)
    return i != first and ulps(values[i], values[first], 64) == 0


def kernels_of(clang: str) -> list[str]:
    """The names of the kernels of builtins.cl."""
    text = run([clang, *LANGUAGE, "-E", HERE / "builtins.cl"], TOP).out
    return re.findall(r"__kernel void (\w+)", text)


def results(program: Path, folder: Path, kernels: Sequence[str]) -> bytes:
    """What a program built from builtins.c writes."""
    file = folder / f"{program.name}.results"
    cache = {"POCL_CACHE_DIR": str(folder / "pocl")}
    ended = run([program, HERE / "builtins.cl", file, *kernels], folder, env=cache)
    assert (ended.status, ended.out) == (0, ""), ended.err  # PoCL has warnings of some CPUs there
    return file.read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(not CLANGS, reason="clang is not installed")
def test_as_pocl(tmp_path: Path) -> None:
    kernels = kernels_of(CLANGS[0])
    pocl = on_pocl("builtins", tmp_path)
    ours = results(on_engine("builtins", tmp_path, CLANGS[0]), tmp_path, kernels)
    assert differences(ours, results(pocl, tmp_path, kernels), kernels) == []


@pytest.mark.skipif(not CLANGS, reason="clang is not installed")
@pytest.mark.parametrize("clang", CLANGS)
def test_compiles(clang: str) -> None:
    flags: list[str | Path] = [
        "-Wall",
        "-Wno-unused-function",
        "-include",
        PRELUDE,
        "-fsyntax-only",
    ]
    named = macros(run([clang, *LANGUAGE, "-E", HERE / "builtins.cl"], TOP).out)
    ended = run([clang, *LANGUAGE, *flags, *named, HERE / "builtins.cl"], TOP)
    assert (ended.status, ended.text) == (0, "")


@pytest.mark.skipif(not CLANGS, reason="clang is not installed")
@pytest.mark.parametrize("clang", CLANGS)
@pytest.mark.parametrize("optimize", ["-O0", "-O1"])
def test_accesses_are_the_callers(tmp_path: Path, clang: str, optimize: str) -> None:
    """ThreadSanitizer sees what a built-in function accesses, at the kernel's line."""
    source, code = tmp_path / "kernel.cl", tmp_path / "kernel.ll"
    source.write_text(
        "__kernel void k(__global float *A, __local int *n)\n{\n"
        "    float4 v = vload4(0, A);\n    vstore3(v.xyz, 1, A);\n    atomic_max(n, 3);\n}\n"
    )
    flags: list[str | Path] = [
        optimize,
        "-g",
        "-fsanitize=thread",
        "-include",
        PRELUDE,
        "-S",
        "-emit-llvm",
    ]
    ended = run([clang, *LANGUAGE, *flags, "-o", code, source], TOP)
    assert (ended.status, ended.text) == (0, "")
    text = code.read_text(encoding="utf-8")
    lines = dict(re.findall(r"^(!\d+) = !DILocation\(line: (\d+)", text, re.MULTILINE))
    calls = re.findall(r"call .*@__tsan_(\w+)\(.*!dbg (!\d+)", text)
    seen = {(name, lines[at]) for name, at in calls if "func" not in name}
    wanted = {("unaligned_read16", "3"), ("write4", "4"), ("atomic32_load", "5")}
    assert wanted <= seen
    assert {line for _, line in seen} == {"3", "4", "5"}


@pytest.mark.skipif(not CLANGS, reason="clang is not installed")
@pytest.mark.parametrize(
    "line, text",
    [
        ("C[0] = read_imagef(image, place).x;", "read_imagef"),
        ("half h = 1;", "half"),
        ("C[0] = max(1, 2.0f);", "call to 'max' is ambiguous"),
    ],
)
def test_not_emulated(tmp_path: Path, line: str, text: str) -> None:
    """clang rejects these, or they stay undefined symbols that name the function."""
    source, kernel = tmp_path / "kernel.cl", tmp_path / "kernel.o"
    parameters = "__global float *C, read_only image2d_t image, int2 place"
    source.write_text(f"__kernel void k({parameters}) {{ {line} }}\n")
    ended = run([CLANGS[0], *LANGUAGE, "-include", PRELUDE, "-c", "-o", kernel, source], TOP)
    assert text in (run(["nm", "-u", kernel], TOP).out if ended.status == 0 else ended.text)
    assert ended.status in (0, 1)
