# SPDX-License-Identifier: MIT
"""The steps of a compiler from a kernel to its object, with the flags of its lab, and what is not
taken on the way."""

from __future__ import annotations

import os
import re
import shlex
from functools import partial
from pathlib import Path

from workbook import TOP
from workbook.core.clang import clang
from workbook.handin.bench import (
    OURS,
    Bench,
    Geometry,
    Step,
    Unfit,
    not_there,
    preprocessed,
    saying,
)
from workbook.handin.cuda import complaint_of_cuda
from workbook.handin.symbols import complaint, no_gemm
from workbook.handin.text import (
    OF_CXX,
    UNROLL,
    as_all_drivers,
    complaint_of_code,
    complaint_of_text,
    features,
    foreign,
    headers,
    join,
    tokens,
    unrolled,
)

GROUP = {
    "cpu": ("1", "1"),
    "opencl": ("GROUP_X", "GROUP_Y"),
    "cuda": ("BLOCK", "BLOCK"),
}  # as main has it
SIZES = tuple(f"size_{name}" for name in ("TILE_M", "TILE_N", "TILE_K", "GROUP_X", "GROUP_Y"))
GEOMETRY = "geometry.c"
# What is defined by every driver that is taken: of OpenCL 1.2, on what computes in double as well.
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
# In C++ those that no types are part of: of variables, and AddressSanitizer's for each of them.
OF_C_NAMES = ("[a-z]*", "!gemm", "!main", "!emulation_*", "__odr_asan.*")
# By objcopy: what a kernel defines beside gemm is nobody else's, not the worker's, nor a tool's.
LOCALIZE = {
    "cpu": ("--keep-global-symbol=gemm",),
    "cuda": (
        "--wildcard",
        *(f"--localize-symbol={one}" for one in OF_C_NAMES),
    ),
}
# Which takes any size; a sanitizer takes none but multiples of the alignment, as C11 once had it.
AS_GLIBC = ("--redefine-sym", "aligned_alloc=memalign")
# Of what -dD says; in the C locale, as . is no byte of what is not UTF-8 elsewhere.
CODE_ALONE = ["env", "LC_ALL=C", "sed", "/^#define /s/.*//; /^#undef /s/.*//"]
SYMBOLS = ("nm", "-P", "--target=default")  # without plugins, which take it 20 times as long


def check_text(bench: Bench) -> None:
    """As it is written."""
    if not bench.holds("source"):
        return
    for name in (bench.source, "params.h"):
        text = bench.text(f"lab/{name}")
        complaint = complaint_of_cuda if bench.backend == "cuda" else complaint_of_text
        if said := complaint(name, text):
            raise Unfit("REFUSED", said)


def preprocessing(bench: Bench, source: str, what: str = "does not build") -> list[Step]:
    """Once: no build can be of another text than the others, as one for a tool has other flags.
    With all macros as well: including() and unrolled() ask which there are."""
    result = preprocessed(source)
    command = [*compiler(bench), "-E"]
    if source.endswith(".cl"):  # whose drivers differ in what they define, and have no headers
        c = ["cc", "-E", "-undef", "-nostdinc", "-x", "c"]
        command = [*c, *OF_OPENCL, "-Dreal=float", "-I/lab"]
    judge = partial(check_code, bench, source, what)
    macros = f"{source}.macros"
    return [
        Step([*command, "-dD", "-o", f"/out/{macros}", f"/lab/{source}"], macros, what),
        saying([*CODE_ALONE, f"/out/{macros}"], result, judge),
    ]


def check_code(bench: Bench, source: str, what: str) -> None:
    """What the preprocessor made of it."""
    if not bench.holds("source"):
        return
    result, suffix = preprocessed(source), Path(source).suffix
    expand_pragmas(bench, source)
    text = bench.text(f"built/{result}")
    if bench.holds("sandbox") and (place := foreign(text)):
        raise Unfit("FAIL", f"{what}: {elsewhere(bench, *place)}")
    if said := complaint_of_code(text, suffix):
        raise Unfit("REFUSED", said)
    if re.search(r'^[ \t]*extern\s+"C"', text, re.MULTILINE):
        raise Unfit("FAIL", f'{what}: {source} is C, and extern "C" is C++: remove it')
    if suffix == ".cl":
        (bench.built / result).write_bytes(as_all_drivers(text).encode("latin-1"))


def expand_pragmas(bench: Bench, source: str) -> None:
    """A compiler puts macros into a pragma that unrolls, and its -E leaves them there."""
    path = bench.built / preprocessed(source)
    text = path.read_bytes().decode("latin-1")
    if UNROLL.search(text):
        macros = (bench.built / f"{source}.macros").read_bytes().decode("latin-1")
        pragmas, complaint = unrolled(macros)
        if complaint:
            raise Unfit("REFUSED", complaint)
        expanded = iter(pragmas)
        path.write_bytes(UNROLL.sub(lambda _: next(expanded), text).encode("latin-1"))


def check_expanded(bench: Bench) -> None:
    """Of CUDA C, what its macros make of it in this build."""
    text = bench.text(f"built/{preprocessed(bench.source)}")
    if bench.holds("source") and (said := complaint_of_code(text, ".cu")):
        raise Unfit("REFUSED", said)


def elsewhere(bench: Bench, file: str, number: int) -> str:
    """Of an #include where that file is not."""
    line = bench.text(file[1:]).split("\n")[number - 1]
    found = re.search(r"include\s*[\"<]([^\">]*)", line)
    return not_there(f"{file}:{number}", found[1] if found else line.strip())


def including(bench: Bench, source: str) -> list[Step]:
    """What comes of the system's headers is taken as it is. So they must say what they say without
    macros of a kernel's, which could hold anything; but for those by which a program says what it
    wants of them. These the preprocessor knows, whatever stands before and behind them."""
    if not bench.holds("source"):
        return []
    alone, changes = features(bench.text(f"built/{source}.macros"))
    if not changes:
        return []
    name = f"headers.{source}"
    path = bench.folder / "lab" / name
    path.write_text(alone, encoding="latin-1")
    path.chmod(0o644)
    result = preprocessed(name)
    command = [*compiler(bench), "-E", "-o", f"/out/{result}", f"/lab/{name}"]
    return [Step(command, result, judge=partial(check_headers, bench, source, result))]


def check_headers(bench: Bench, source: str, alone: str) -> None:
    if headers(bench.text(f"built/{alone}")) != headers(
        bench.text(f"built/{preprocessed(source)}")
    ):
        raise Unfit(
            "REFUSED", "a macro changes what a header of the system says: #include before #define"
        )


def compiler(bench: Bench) -> list[str]:
    """cc with the flags of the lab's kernel in C, or of its main, as make describe says, less
    warnings."""
    commands = dict(bench.lab.commands)
    words = shlex.split(commands[bench.source if bench.backend == "cpu" else "main.c"])[1:]
    flags = [word for word in words if not re.match(r"-W|-I|-c$|[^-]", word)]
    folders = [f"-I{place}" for word in words if (place := place_of(bench, word))]
    threads = ["-fopenmp"] if bench.task.threads > 1 else []
    return ["cc", *flags, "-U_FORTIFY_SOURCE", *folders, "-isystem", "/system", *threads]


def place_of(bench: Bench, word: str) -> str:
    """Of -I and a folder of the workbook, where a compiler finds that; "" of another."""
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
    """kernel.o. In OpenCL it is for a tool alone."""
    if bench.backend == "opencl":
        source = f"/built/{bench.preprocessed}"
        return [Step([*engine_compiler(), *more, "-o", "/out/kernel.o", source], "kernel.o")]
    compiled, keep = "/out/object.o", [*LOCALIZE[bench.backend]]
    if bench.backend == "cuda":
        source, result = f"/lab/{bench.source}", preprocessed(bench.source)
        command, judge = [*cuda_compiler(), *more], partial(check_expanded, bench)
        steps = [
            Step([*command, "-E", "-o", f"/out/{result}", source], result, judge=judge),
            Step([*command, "-c", "-o", compiled, source], "object.o"),
        ]
    else:
        command = [*compiler(bench), *more, "-c", "-o", compiled, f"/built/{bench.preprocessed}"]
        keep += AS_GLIBC if of_tool else ()
        steps = [Step(command, "object.o")]
    steps.append(Step(["objcopy", *keep, compiled, "/out/kernel.o"], "kernel.o"))
    if of_tool and bench.backend != "cuda":  # dead code is in it that the judged object has not
        return steps
    if not of_tool:
        steps.append(saying(["objdump", "-h", "/out/kernel.o"], "sections"))
    judge = partial(check_object, bench, of_tool)
    return [*steps, saying([*SYMBOLS, "/out/kernel.o"], "symbols", judge)]


def check_object(bench: Bench, of_tool: bool) -> None:
    """A tool's own constructors are in the object that is made for it."""
    if not bench.holds("symbols"):
        return
    symbols = bench.text("built/symbols")
    words = partial(words_of, bench)
    if not of_tool and (said := no_gemm(symbols, words, bench.source)):
        raise Unfit("FAIL", f"does not build: {said}")
    sections = "" if of_tool else bench.text("built/sections")
    emulated = bench.backend == "cuda"
    text = None if emulated else bench.text(f"built/{bench.preprocessed}")
    if said := complaint(symbols, sections, bench.task.threads > 1, text, of_tool):
        raise Unfit("REFUSED", said)


def words_of(bench: Bench) -> list[str]:
    """Of the kernel, as far as it is preprocessed here."""
    if bench.backend == "cuda":
        return tokens(join(bench.text(f"lab/{bench.source}")), OF_CXX)
    return tokens(bench.text(f"built/{bench.preprocessed}"))


def measuring(bench: Bench) -> list[Step]:
    """The sizes of params.h, compiled as main is: those of arrays, which a compiler finds; nothing
    of it runs."""
    cuda = bench.backend == "cuda"
    source = "geometry.cu" if cuda else GEOMETRY
    sizes = zip(SIZES, ("TILE_M", "TILE_N", "TILE_K", *GROUP[bench.backend]))
    lines = ['#include "params.h"', *(f"char {name}[{size}];" for name, size in sizes), ""]
    path = bench.folder / "lab" / source
    path.write_text("\n".join(lines))
    path.chmod(0o644)
    steps = [] if cuda else preprocessing(bench, source, "params.h")
    command = cuda_compiler() if cuda else compiler(bench)
    file = f"/lab/{source}" if cuda else f"/out/{preprocessed(source)}"
    steps.append(Step([*command, "-c", "-o", "/out/geometry.o", file], "geometry.o", "params.h"))
    judge = partial(geometry, bench)
    return [*steps, saying([*SYMBOLS, "/out/geometry.o"], "sizes", judge)]


# The shapes around a deeper tile would be more than a judge has memory, and a class time, for.
DEEPEST = 1 << 16


def geometry(bench: Bench) -> Geometry:
    rows = [line.split() for line in bench.text("built/sizes").splitlines()]
    found = {row[0]: int(row[3], 16) for row in rows if len(row) == 4}
    numbers = tuple(found.get(name, 0) for name in SIZES)
    if numbers[2] > DEEPEST:
        raise Unfit("FAIL", f"params.h: TILE_K is {numbers[2]}: {DEEPEST} at most")
    if min(numbers) < 1 or max(numbers) >= 1 << 31 or max(numbers[3:]) > 1024:
        raise Unfit(
            "FAIL", f"params.h: tiles of {numbers[:3]}, groups of {numbers[3:]}: that cannot be"
        )
    return Geometry(numbers[:3], numbers[3:])
