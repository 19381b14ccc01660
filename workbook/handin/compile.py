# SPDX-License-Identifier: MIT
"""The steps of a compiler from a kernel to its object, with the flags of its lab."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from workbook import TOP
from workbook.core.clang import clang
from workbook.handin.bench import OURS, Bench, Geometry, Step, Unfit, saying

GROUP = {
    "cpu": ("1", "1"),
    "opencl": ("GROUP_X", "GROUP_Y"),
    "cuda": ("BLOCK", "BLOCK"),
}  # as main has it
SIZES = tuple(f"size_{name}" for name in ("TILE_M", "TILE_N", "TILE_K", "GROUP_X", "GROUP_Y"))
# Macros that every supported driver of OpenCL 1.2 defines, if it computes in double as well.
OF_OPENCL = [
    *("-D__OPENCL_VERSION__=120", "-D__OPENCL_C_VERSION__=120", "-D__ENDIAN_LITTLE__=1"),
    *("-DCL_VERSION_1_0=100", "-DCL_VERSION_1_1=110", "-DCL_VERSION_1_2=120", "-Dcl_khr_fp64=1"),
    *(
        f"-Dcl_khr_{name}=1"
        for name in (
            "byte_addressable_store",
            *(
                f"{of}_int32_{kind}_atomics"
                for of in ("global", "local")
                for kind in ("base", "extended")
            ),
        )
    ),
]
# The text without these macros: a driver has its own.
OWN_LINES = ("awk", '/^# [0-9]+ "/ { own = $3 !~ /^"</ } own')
# In C++ only names without types: variables, and AddressSanitizer's for each of them.
OF_C_NAMES = ("[a-z]*", "!gemm", "!main", "!emulation_*", "__odr_asan.*")
# By objcopy: the names of a kernel, except gemm, meet no names of the worker or of a tool.
LOCALIZE = {
    "cpu": ("--keep-global-symbol=gemm",),
    "cuda": ("--wildcard", *(f"--localize-symbol={one}" for one in OF_C_NAMES)),
}
# An index past the end of an array calls the engine, as make/emulation.mk has it.
BOUNDS = ("-fsanitize=bounds", "-fno-sanitize-recover=bounds")
TO_ENGINE = ("--redefine-sym", "__ubsan_handle_out_of_bounds_abort=emulation_out_of_bounds")
# It accepts any size; a sanitizer accepts only multiples of the alignment, as C11 once did.
AS_GLIBC = ("--redefine-sym", "aligned_alloc=memalign")
SANITIZED = ("-D__SANITIZE_ADDRESS__=1", "-D__SANITIZE_THREAD__=1")
SWITCHES_OFF = re.compile(
    r"\b_*(no_sanitize\w*|no_address_safety_analysis|disable_sanitizer_instrumentation)\b"
)
# The only such attribute of a header, in engine/cuda/tensor/narrow.h. By #line a kernel decides of
# which file its text seems to be, so that all of it is searched.
OF_ENGINE = '__attribute__((always_inline, no_sanitize("alignment"))) inline'


def preprocessing(bench: Bench) -> list[Step]:
    """OpenCL C as one file, without includes. Its macros stay: a driver also expands those in
    pragmas."""
    c = ["cc", "-E", "-undef", "-nostdinc", "-x", "c"]
    command = [*c, "-fdirectives-only", *OF_OPENCL, "-I/lab", "-o", "/out/whole"]
    return [
        Step([*command, f"/lab/{bench.source}"], "whole"),
        saying([*OWN_LINES, "/out/whole"], bench.source),
    ]


def expanding(bench: Bench) -> Step:
    """The text with its macros expanded, as a sanitizer's build sees it: for silenced()."""
    if bench.backend == "opencl":
        command, source = ["cc", "-undef", "-nostdinc", "-x", "c"], f"/out/{bench.source}"
    else:
        command = cuda_compiler() if bench.backend == "cuda" else compiler(bench)
        source = f"/lab/{bench.source}"
    return Step([*command, "-E", *SANITIZED, "-o", "/out/expanded", source], "expanded")


def silenced(bench: Bench) -> str:
    """Why a sanitizer would not see all of a kernel, or nothing; of CUDA C for a GPU, nothing."""
    if not (bench.built / "expanded").exists():
        return ""
    found = SWITCHES_OFF.search(bench.text("built/expanded").replace(OF_ENGINE, ""))
    if found is None:
        return ""
    name = "params.h" if found[0] in bench.text("lab/params.h") else bench.source
    return f"{name} switches a sanitizer off: remove '{found[0]}'"


def compiler(bench: Bench) -> list[str]:
    """cc with the flags of the lab's kernel in C, or of its main, as make describe reports them,
    without warnings."""
    commands = dict(bench.lab.commands)
    words = shlex.split(commands[bench.source if bench.backend == "cpu" else "main.c"])[1:]
    flags = [word for word in words if not re.match(r"-W|-I|-c$|[^-]", word)]
    folders = [f"-I{place}" for word in words if (place := place_of(bench, word))]
    threads = ["-fopenmp"] if bench.task.threads > 1 else []
    return ["cc", *flags, "-U_FORTIFY_SOURCE", *folders, *threads]


def place_of(bench: Bench, word: str) -> str:
    """Where a compiler finds the folder of a word -I, if the workbook has it; or nothing."""
    path = Path(os.path.normpath(bench.lab.path / word[2:])) if word.startswith("-I") else TOP
    if path == bench.lab.path:
        return "/lab"
    ours = (TOP / name for name in OURS)
    return next(
        (f"/{path.relative_to(TOP)}" for folder in ours if folder in (path, *path.parents)), ""
    )


def cuda_compiler() -> list[str]:
    flags = ["-std=c++17", "-O2", "-g", "-Dreal=float", "-I/lab", "-I/common", "-I/advanced/common"]
    return ["sh", "/engine/cuda/compile", "g++", *flags]


def engine_compiler() -> list[str]:
    python = ["python3", "-ISB", "/engine/opencl/compile.py", clang()]
    return [*python, "-g", "-Dreal=float", "-I/lab", "-I/common", "-I/advanced/common"]


def compiling(bench: Bench, *more: str, of_tool: bool = False) -> list[Step]:
    """kernel.o. In OpenCL only a tool needs it."""
    if bench.backend == "opencl":
        source = f"/built/{bench.source}"
        return [Step([*engine_compiler(), *more, "-o", "/out/kernel.o", source], "kernel.o")]
    to_object = cuda_compiler() if bench.backend == "cuda" else compiler(bench)
    keep = [*LOCALIZE[bench.backend], *(AS_GLIBC if of_tool and bench.backend == "cpu" else ())]
    if bench.backend == "cuda" and not of_tool:
        to_object += BOUNDS
        keep += TO_ENGINE
    compiled = "/out/object.o"
    return [
        Step([*to_object, *more, "-c", "-o", compiled, f"/lab/{bench.source}"], "object.o"),
        Step(["objcopy", *keep, compiled, "/out/kernel.o"], "kernel.o"),
    ]


def measuring(bench: Bench) -> list[Step]:
    """The sizes of params.h, compiled as main is: as the sizes of arrays, so nothing of it runs."""
    cuda = bench.backend == "cuda"
    source = "geometry.cu" if cuda else "geometry.c"
    sizes = zip(SIZES, ("TILE_M", "TILE_N", "TILE_K", *GROUP[bench.backend]))
    lines = ['#include "params.h"', *(f"char {name}[{size}];" for name, size in sizes), ""]
    bench.put(source, "\n".join(lines))
    command = cuda_compiler() if cuda else compiler(bench)
    command += ["-c", "-o", "/out/geometry.o", f"/lab/{source}"]
    # nm without plugins, with which it takes 20 times as long
    listing = ["nm", "-P", "--target=default", "/out/geometry.o"]
    return [Step(command, "geometry.o", "params.h"), saying(listing, "sizes")]


# The shapes around a deeper tile would take more memory and time than the judge has.
DEEPEST = 1 << 16


def geometry(bench: Bench) -> Geometry:
    rows = re.findall(r"^(\w+) \w [0-9a-f]+ ([0-9a-f]{1,16})$", bench.text("built/sizes"), re.M)
    found = {name: int(size, 16) for name, size in rows}
    numbers = tuple(found.get(name, 0) for name in SIZES)
    if numbers[2] > DEEPEST:
        raise Unfit("FAIL", f"params.h: TILE_K is {numbers[2]}: {DEEPEST} at most")
    if min(numbers) < 1 or max(numbers) >= 1 << 31 or max(numbers[3:]) > 1024:
        raise Unfit(
            "FAIL", f"params.h: tiles of {numbers[:3]}, groups of {numbers[3:]}: that cannot be"
        )
    return Geometry(numbers[:3], numbers[3:])
