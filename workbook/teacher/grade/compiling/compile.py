# SPDX-License-Identifier: MIT
"""The steps from what is taken to a program, in the compiler's sandbox."""

from __future__ import annotations

from workbook import TOP
from workbook.handin.bench import Geometry, Step
from workbook.handin.compile import cuda_compiler
from workbook.teacher.grade.compiling.builder import PATIENCE, Work

ENGINE = tuple(path.stem for path in sorted((TOP / "engine/core").glob("*.cpp")))
CUDA = tuple(path.stem for path in sorted((TOP / "engine/cuda").glob("*/*.cpp")))
PARTS = {"cpu": (), "cuda": (*ENGINE, *CUDA), "opencl": ("opencl", *ENGINE, "host", "device")}
# By lab and archive: main with our params.h, which most students hand in unchanged.
mains: dict[tuple[str, str], bytes] = {}


def linking(
    work: Work, name: str, archive: str, *more: str, beside: tuple[str, ...] = ()
) -> list[Step]:
    """The guest of a kernel, whose object the steps before make; the link is the last one.
    `archive` is common, or bare for a tool."""
    main, steps = main_object(work, archive)
    objects = [*(f"/grading/{part}.o" for part in (*PARTS[work.backend], *beside)), *main]
    linker = ["cc"] if work.backend == "cpu" and not beside else ["g++", "-pthread"]
    if work.backend == "cpu" and work.task.threads > 1:
        linker.append("-fopenmp")
    libraries = ["-lm", "-ldl"]
    if work.backend == "opencl":  # the engine looks up a kernel by its name
        libraries += ["-rdynamic", "-lseccomp"]
    words = [*linker, *more, "-o", f"/out/{name}", *objects, "/out/kernel.o"]
    return [*steps, Step([*words, f"/grading/{archive}.a", *libraries], name)]


def main_object(work: Work, archive: str) -> tuple[list[str], list[Step]]:
    """The lab's main, with the sizes of params.h, and what makes it. With ours it is made once, in
    a sandbox that compiles nothing else."""
    if work.backend == "opencl":
        return [], []
    source, result = f"main.{'cu' if work.backend == 'cuda' else 'c'}", f"{archive}.main.o"
    guards = ["-DGUARD_BYTES=0"] if archive == "bare" else []
    c = ["cc", "-std=c11", "-O2", "-g", "-D_XOPEN_SOURCE=700", "-Dreal=float", "-I/lab"]
    compiler = [*c, "-I/common"] if work.backend == "cpu" else cuda_compiler()
    step = Step([*compiler, *guards, "-c", "-o", f"/out/{result}", f"/lab/{source}"], result)
    work.put(source, (work.lab.path / source).read_bytes())
    ours, key = (work.lab.path / "params.h").read_bytes(), (work.lab.name, archive)
    if (work.folder / "lab/params.h").read_bytes() != ours:
        return [f"/out/{result}"], [step]
    if key not in mains:
        work.build(step)
        mains[key] = (work.built / result).read_bytes()
    work.keep(result, mains[key])
    return [f"/built/{result}"], []


def compile_for_gpu(work: Work, architecture: str) -> None:
    """kernel.cubin: the device code of a CUDA kernel, without whatever there is for the host."""
    nvcc = ["/usr/local/cuda/bin/nvcc", "-cubin", f"-arch={architecture}", "-O3", "-lineinfo"]
    as_emulated = ["--expt-relaxed-constexpr", "--extended-lambda"]  # as make/cu.mk has it
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
