# SPDX-License-Identifier: MIT
"""The steps from a source to a program, each in the compiler's sandbox, and what is not taken on the way."""

from __future__ import annotations

import re
import shlex

from workbook import TOP
from workbook.grade.build import PATIENCE, Geometry, Unfit, Work, step
from workbook.grade.objects import complaint
from workbook.grade.source import (
    complaint_of_code,
    complaint_of_cuda,
    complaint_of_text,
    headers,
    only_headers,
)

EMULATION = ("cuda", "base", *(path.stem for path in sorted((TOP / "emulation").glob("*.cpp"))))


def check_source(work: Work) -> None:
    """By its text, and by what the preprocessor makes of it; CUDA C, by its text alone."""
    if "source" in work.without:
        return
    text = {
        name: (work.folder / "lab" / name).read_bytes().decode("latin-1")
        for name in (work.source, "params.h")
    }
    for name, one in text.items():
        if said := complaint_of_text(name, one) or (complaint_of_cuda(one) if work.backend == "cuda" else ""):
            raise Unfit("REFUSED", said)
    if work.backend == "cuda":
        return
    preprocessed = (work.built / work.preprocessed).read_bytes().decode("latin-1")
    if said := complaint_of_code(preprocessed, opencl=work.backend == "opencl"):
        raise Unfit("REFUSED", said)
    if work.backend == "cpu":
        check_headers(work, preprocessed, "\n".join(text.values()))


def check_headers(work: Work, preprocessed: str, text: str) -> None:
    """What comes of the system's headers is taken as it is. So they must say what they say without macros of
    a kernel's, which could hold anything."""
    names, lines = headers(preprocessed)
    if not names:
        return
    path = work.folder / "lab/headers.c"
    path.write_text(only_headers(names, text))
    path.chmod(0o644)
    step(work, [*preprocessor(work), "-o", "/out/headers.i", "/lab/headers.c"], "headers.i")
    pure = (work.built / "headers.i").read_bytes().decode("latin-1")
    if headers(pure)[1] != lines:
        raise Unfit("REFUSED", "a macro changes what a header of the system says: #include before #define")


def check_object(work: Work, of_tool: bool = False) -> None:
    """A tool's own constructors are in the object that is made for it."""
    if "symbols" in work.without:
        return
    symbols = step(work, ["nm", "-P", "-u", "/built/kernel.o"]).out
    sections = "" if of_tool else step(work, ["objdump", "-h", "/built/kernel.o"]).out
    if said := complaint(symbols, sections, work.task.threads > 1, work.backend == "cuda", of_tool):
        raise Unfit("REFUSED", said)


def preprocess(work: Work) -> None:
    """Once: no build can be of another text than the others, as one for a tool is compiled with other flags.
    CUDA has headers of its own for each compiler."""
    name, result = f"/lab/{work.source}", work.preprocessed
    if work.backend == "cpu":
        step(work, [*preprocessor(work), "-o", f"/out/{result}", name], result)
    elif work.backend == "opencl":  # whose drivers differ in what they define
        defined = ["-D__OPENCL_VERSION__=120", "-D__OPENCL_C_VERSION__=120", "-Dreal=float"]
        command = ["cc", "-E", "-undef", "-x", "c", *defined, "-I/lab", "-o", f"/out/{result}", name]
        step(work, command, result)


def compiler(work: Work) -> list[str]:
    """cc with the flags of the lab's kernel, as make describe says them, less warnings and paths."""
    words = shlex.split(dict(work.lab.commands)[work.source])[1:]
    flags = [word for word in words if not re.match(r"-W|-I|-c$|[^-]", word)]
    return ["cc", *flags, "-I/lab", *(["-fopenmp"] if work.task.threads > 1 else [])]


def preprocessor(work: Work) -> list[str]:
    """Not as if it were for a build that optimises: some intrinsics are macros then, which every build can
    compile."""
    return [*compiler(work), "-E", "-U__OPTIMIZE__"]


def compile_kernel(work: Work, *more: str) -> None:
    """kernel.o. What a kernel in C defines beside gemm is nobody else's: not the worker's, nor a tool's."""
    if work.backend == "cuda":
        flags = ["-std=c++17", "-O2", "-g", "-Dreal=float", "-I/lab", *more]
        command = [
            "sh",
            "/emulation/compile",
            "g++",
            *flags,
            "-c",
            "-o",
            "/out/kernel.o",
            f"/lab/{work.source}",
        ]
        step(work, command, "kernel.o")
        return
    command = [*compiler(work), *more, "-c", "-o", "/out/object.o", f"/built/{work.preprocessed}"]
    step(work, command, "object.o")
    step(work, ["objcopy", "--keep-global-symbol=gemm", "/built/object.o", "/out/kernel.o"], "kernel.o")


def link(work: Work, name: str, ours: str, *more: str) -> None:
    """A program of serve.o, of `ours`, the rest of our part, and of kernel.o."""
    parts = EMULATION if ours == "cuda" else (ours,)
    objects = [f"/grading/{part}.o" for part in ("serve", *parts)]
    linker = ["g++", "-pthread"] if ours == "cuda" else ["cc"]
    if work.task.threads > 1 and ours != "cuda":
        linker.append("-fopenmp")
    step(work, [*linker, *more, "-o", f"/out/{name}", *objects, "/built/kernel.o", "-lm"], name)


def compile_for_gpu(work: Work, architecture: str) -> None:
    """kernel.cubin: the device code of a CUDA kernel, without whatever there is for the host."""
    nvcc = ["/usr/local/cuda/bin/nvcc", "-cubin", f"-arch={architecture}", "-O3", "-lineinfo"]
    command = [*nvcc, "-Dreal=float", "-I/lab", "-o", "/out/kernel.cubin", f"/lab/{work.source}"]
    step(work, command, "kernel.cubin")


def compile_opencl(work: Work, shape: Geometry) -> None:
    """kernel.bin, which the driver makes of the source for this size of work-groups, in a first launch. What
    the kernel does in it, a crash or a loop without end, is for the judge to see; by then the driver has left
    a library in its cache. Seconds of the processor: a busy machine refuses nobody."""
    words = [*shape.words, f"/built/{work.preprocessed}"]
    end = f"prlimit --cpu={work.limits.launch} timeout -s KILL {PATIENCE * work.limits.seconds * 0.8:g}"
    script = f"""{end} /grading/opencl launch "$@" >/dev/null
        made=$(find /tmp -name '*.so')
        /grading/opencl compile "$@" /out/kernel.bin || exit
        [ -n "$made" ] && exit
        echo 'error: the OpenCL driver needs more than {work.limits.launch} s for it, or cannot' >&2
        exit 1"""
    step(work, ["sh", "-c", script, "sh", *words], "kernel.bin")
