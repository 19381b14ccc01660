# SPDX-License-Identifier: MIT
"""The steps from what is taken to a program, in the compiler's sandbox."""

from __future__ import annotations

from workbook import TOP
from workbook.handin.bench import Geometry, Step
from workbook.teacher.grade.compiling.builder import PATIENCE, Work

ENGINE = tuple(path.stem for path in sorted((TOP / "engine/core").glob("*.cpp")))
CUDA = tuple(path.stem for path in sorted((TOP / "engine/cuda").glob("*/*.cpp")))
PARTS = {
    "copies": ("copies", "leaks"),
    "cuda": ("cuda", "base", *ENGINE, *CUDA),
    "opencl": ("opencl", *ENGINE, "host", "device"),
}


def linking(work: Work, name: str, ours: str, *more: str, beside: tuple[str, ...] = ()) -> Step:
    """A program of serve.o, of `ours`, the rest of our part, and of kernel.o, which the step before
    made."""
    parts = PARTS.get(ours, (ours,))
    objects = [f"/grading/{part}.o" for part in ("serve", "room", *parts, *beside)]
    linker = ["g++", "-pthread"] if ours in ("cuda", "opencl") else ["cc"]
    if work.task.threads > 1 and ours not in ("cuda", "opencl"):
        linker.append("-fopenmp")
    # The engine looks up a kernel by its name.
    libraries = ["-lm", *(["-rdynamic", "-ldl", "-lseccomp"] if ours == "opencl" else [])]
    command = [*linker, *more, "-o", f"/out/{name}", *objects, "/out/kernel.o", *libraries]
    return Step(command, name)


def compile_for_gpu(work: Work, architecture: str) -> None:
    """kernel.cubin: the device code of a CUDA kernel, without whatever there is for the host."""
    nvcc = ["/usr/local/cuda/bin/nvcc", "-cubin", f"-arch={architecture}", "-O3", "-lineinfo"]
    as_emulated = ["--expt-relaxed-constexpr", "--extended-lambda"]  # as common/make/cu.mk has it
    flags = ["-Dreal=float", "-I/lab", "-I/common", "-I/advanced/common"]
    command = [*nvcc, *as_emulated, *flags, "-o", "/out/kernel.cubin", f"/lab/{work.source}"]
    work.build(Step(command, "kernel.cubin"))


def compile_opencl(work: Work, shape: Geometry) -> None:
    """kernel.bin, which the driver makes of the source for this size of work-groups, in a first
    launch; in a sandbox of its own, as the kernel runs in it. What it does there, a crash or a loop
    without end, is for the judge to see; by then the driver has left a library in its cache,
    gemm.so: that of the kernel which poisons local memory comes before. Seconds of the processor: a
    busy machine refuses nobody."""
    words = [*shape.words, f"/built/{work.source}"]
    end = (
        f"prlimit --cpu={work.limits.launch} timeout -s KILL "
        f"{PATIENCE * work.limits.seconds * 0.8:g}"
    )
    script = f"""{end} /grading/opencl launch "$@" >/dev/null
        ended=$? made=$(find /tmp -name gemm.so)
        [ -z "$made" ] && [ $ended -gt 128 ] ||
            /grading/opencl compile "$@" /out/kernel.bin || exit
        [ -n "$made" ] && exit
        echo 'error: the OpenCL driver needs more than {work.limits.launch} s of the processor' \\
            'for it, or cannot: unroll less, as nested loops multiply, or have fewer barriers' >&2
        exit 1"""
    work.build(Step(["sh", "-c", script, "sh", *words], "kernel.bin"))
