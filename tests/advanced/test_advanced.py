# SPDX-License-Identifier: MIT
"""The labs that lead on from the nine: right on every shape, the same main as their backend's,
raced."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.copies import changed, copy_lab
from tests.gpus import MISTAKES
from tests.support import TOP, Result, gemm, make, needs, run
from workbook.lab import labs
from workbook.lab.labs import Lab
from workbook.race.run_tools import run_tool
from workbook.race.tools import for_engine, for_openmp

PROGRAMS = [
    (file.parent.name, f"gemm{file.stem[len('kernel') :]}")
    for file in sorted(TOP.glob("advanced/lab*/kernel*.c*"))
]
# They lead on from a step of the lab before: lab 18 with its tiles, lab 20 with wmma. Their READMEs
# say so.
COPIED_AS = {
    "lab18_cuda_tensor": TOP / "advanced/lab17_cuda_async/kernel_multistage.cu",
    "lab20_cuda_3xtf32": TOP / "advanced/lab18_cuda_tensor/kernel_wmma.cu",
    "lab22_multi_gpu": TOP / "advanced/lab17_cuda_async/kernel_banks.cu",
    "lab23_cuda_splitk": TOP / "advanced/lab17_cuda_async/kernel_banks.cu",
}
BLOCKS = ("BLOCK_M=24", "BLOCK_N=96", "BLOCK_K=32")  # small ones, as a tool or an emulator is slow
ARM = "aarch64-linux-gnu-gcc"


# The steps of a CUDA lab differ in what does not depend on the type.
TYPED = [
    (lab, program, type)
    for lab, program in PROGRAMS
    for type in ("float", "double")
    if type == "float" or not re.search("_cuda_|_gpu$", lab) or program == "gemm"
]


@pytest.mark.parametrize(
    ("lab", "program", "type"), TYPED, ids=["-".join(words) for words in TYPED]
)
def test_is_right_on_every_shape(tree: Path, lab: str, program: str, type: str) -> None:
    folder = tree / "advanced" / lab
    built = make(folder, program, f"TYPE={type}")
    assert built.status == 0, built.text
    ended, record = gemm(folder, "--check", program=program)
    if ended.status == 77:
        said = f"written for float, not {type}" in ended.err
        avx512 = "this CPU has no AVX-512" in ended.err
        one_gpu = "it needs a GPU of compute capability" in ended.err
        assert said or avx512 or one_gpu, ended.err
        return  # it says so; test_needs_no_avx512 looks at the kernel all the same
    assert ended.status == 0, ended.text
    assert [shape["verdict"] for shape in record["shapes"]] == ["pass"] * 33


@pytest.mark.parametrize("lab", ["lab11_avx512", "lab12_avx_threads"])
def test_needs_no_avx512(lab: str, tree: Path) -> None:
    folder = tree / "advanced" / lab
    settings = ("SIMDE=1", *BLOCKS, "UNPACKED_MAX=2000")
    built = make(folder, "gemm", *settings)
    assert built.status == 0, built.text
    ended, record = gemm(folder, "--check")
    assert (ended.status, record["verdict"], len(record["shapes"])) == (0, "pass", 33), ended.text


def test_without_simde_a_lab_says_what_to_install(tree: Path) -> None:
    needs(ARM)
    makefile = tree / "make/c.mk"
    folder = copy_lab(tree / "lab02_avx", tree / "copy_without_simde")
    with changed(makefile, makefile.read_text().replace("/simde/x86/avx2.h", "/simde/nowhere.h")):
        built = make(folder, "gemm", f"CC={ARM}")
    assert built.status == 0, built.text
    ended = run(["./gemm"], folder)
    assert ended.status == 77
    assert "no SIMDe, which is what AVX needs on this CPU: run ./setup" in ended.err


def steps() -> list[tuple[Path, Path]]:
    """From the kernel of the lab before, through the steps that a Makefile lists, to the lab's own.
    Every worker asks for them, and make describe takes longer to say the same."""
    pairs: list[tuple[Path, Path]] = []
    for path in labs.labs_in(TOP / labs.ADVANCED):
        said = dict(
            re.findall(r"^(BEFORE|STEPS) *:?= *(.*)", (path / "Makefile").read_text(), re.MULTILINE)
        )
        if "BEFORE" not in said:  # test_leads_on_from_a_lab_that_is_there names it
            continue
        before = next(lab for lab in labs.every() if lab.name == said["BEFORE"])
        (last,) = path.glob("kernel.*")
        first = COPIED_AS.get(path.name, before / last.name)
        names = said.get("STEPS", "").split()
        chain = [first, *(path / f"kernel_{name}{last.suffix}" for name in names), last]
        pairs += zip(chain, chain[1:])
    return pairs


@pytest.mark.parametrize(
    ("before", "after"), steps(), ids=lambda path: f"{path.parent.name[:5]}-{path.name}"
)
def test_a_step_is_one_idea(before: Path, after: Path) -> None:
    if after.parent.name == "lab19_cuda_hopper":  # other instructions, and so another kernel
        assert len(after.read_text(encoding="utf-8").splitlines()) <= 116
        return
    new = re.findall(r"^>", run(["diff", before, after], TOP).out, re.MULTILINE)
    assert 0 < len(new) <= 80, f"diff -u {before} {after}"


@pytest.mark.parametrize("lab", [path.name for path in labs.labs_in(TOP / labs.ADVANCED)])
def test_has_a_readme_and_rows_of_its_own(lab: str) -> None:
    assert (
        (TOP / "advanced" / lab / "README.md")
        .read_text(encoding="utf-8")
        .startswith(f"# Lab {lab[3:5]}: ")
    )
    assert f"\n| [{lab[3:5]} " in (TOP / "README.md").read_text(encoding="utf-8")
    assert f"\n{lab}\t" in (TOP / "advanced/course.tsv").read_text(encoding="utf-8")


def test_leads_on_from_a_lab_that_is_there() -> None:
    for path in labs.labs_in(TOP / labs.ADVANCED):
        assert labs.before(labs.describe(str(path), [])), path.name


def test_advanced_adds_them(tree: Path) -> None:
    every = make(tree, "describe", "ADVANCED=1").out.count('"schema": "gemm-lab/1"')
    (nine,) = re.findall(r"^for lab in (.*?);", make(tree, "-n", "describe").out)
    one = make(tree, "describe", "LAB=11")
    assert (len(nine.split()), every) == (9, 9 + len(labs.labs_in(TOP / labs.ADVANCED)))
    assert json.loads(one.out)["lab"] == "lab11_avx512"


RACES = {
    "one-block-of-a-for-all": ("static _Thread_local float a_block", "static float a_block"),
    "packing-is-not-waited-for": ("#pragma omp barrier\n        for", "        for"),
    "one-block-for-both": ("const float *b = b_block[n % 2];", "const float *b = b_block[0];"),
}


@pytest.mark.parametrize("mistake", [None, *RACES])
def test_a_race_between_threads_is_found(tree: Path, tmp_path: Path, mistake: str | None) -> None:
    kernel = tree / "advanced/lab12_avx_threads/kernel.c"
    text = kernel.read_text()
    if mistake is not None:
        old, new = RACES[mistake]
        assert text.count(old) == 1
        text = text.replace(old, new)
    described = labs.describe(str(kernel.parent), [])
    tool = for_openmp(described)
    with changed(kernel, text):
        said = run_tool(tool, described, described.programs[0], [], tmp_path, False, False, False)
    kind = said.finding and said.finding.kind
    assert (said.verdict, kind) == (("PASS", None) if mistake is None else ("FAIL", "race")), said


# What is done to the copies of a kernel, what the program says, and what the tools.
WAIT, BARRIER = "__pipeline_wait_prior(STAGES - 2);\n", "            __syncthreads(); // these"
NEXT = (
    "                __pipeline_wait_prior(STAGES - 2);\n"
    "                __syncthreads(); // the next"
)
Edits = dict[str, tuple[str, str, str | None]]
COPIES: dict[str, Edits] = {
    "multistage": {
        "one-batch-is-not-waited-for": ("wait_prior(STAGES - 2)", "wait_prior(STAGES - 1)", "copy"),
        "a-stage-is-used-too-early": (BARRIER, "            // these", "race"),
    },
    "": {
        "nobody-waits": (NEXT, NEXT.replace("__pipeline_wait_prior(STAGES - 2);", ""), "copy"),
        "no-barrier": (NEXT, NEXT.replace("__syncthreads();", ""), "race"),
        "the-same-k-again": ("&a_tiles[stage][(k + 1) % TILE_K][y]", "&a_tiles[stage][k][y]", None),
        "a-row-that-is-not-there": ("(unsigned)M - 1) * K", "(unsigned)M) * K", "bounds"),
        "the-residue-is-left-out": ("copy(0, TILE_K - 1 - (K - 1) % TILE_K)", "copy(0, 0)", None),
        "a-copy-from-beside-b": ("&B[index + further],", "&B[index + further + 1],", "undefined"),
    },
}


TOOLS = {
    "copy": "ASan+UBSan",
    "bounds": "ASan+UBSan",
    "race": "TSan",
    "undefined": "emulation",
    "warp": "emulation",
}


def found(lab: Lab, kind: str, work: Path, variant: str = "", *settings: str) -> str | None:
    """What the tool that finds such mistakes says of this one."""
    (tool,) = (tool for tool in for_engine(lab, short=False) if tool.name == TOOLS[kind])
    (program,) = (program for program in lab.programs if program.variant == variant)
    finding = run_tool(tool, lab, program, list(settings), work, False, False, False).finding
    return finding.kind if finding is not None else None


@contextmanager
def broken(folder: Path, variant: str, old: str, new: str) -> Iterator[Lab]:
    """The lab, while the last `old` in a kernel is `new`."""
    kernel = folder / f"kernel{variant and '_'}{variant}.cu"
    text = kernel.read_text()
    assert old in text
    described = labs.describe(str(folder), ["CUDA=cpu"])
    with changed(kernel, new.join(text.rsplit(old, 1))):
        yield described


# Whole tiles, and rests: what is copied in vectors, and what is not; few rows, for which lab 23 has
# a kernel of its own.
SIZES = ("128 128 96", "129 131 67", "3 260 512")


def wrong(folder: Path, variant: str) -> Result:
    """How a broken kernel ends: on the first size where it is seen."""
    program = f"gemm{variant and '_'}{variant}"
    assert make(folder, program, "CUDA=cpu").status == 0
    each = (gemm(folder, *size.split(), "--reps", "1", program=program)[0] for size in SIZES)
    return next((ended for ended in each if ended.status != 0), Result(0, "right on all", ""))


# What is done to a kernel with tensor cores, and what the program or a tool says of it.
MMA = "wmma::mma_sync(sum[r][c], a[r], b, sum[r][c]);"
TENSOR: dict[str, Edits] = {
    "load_matrix_sync": {
        "another-leading-dimension": ("[k], TILE_K + PAD);", "[k], TILE_K);", None),
        "one-that-no-lane-can-use": ("[k], TILE_K + PAD);", "[k], TILE_K + PAD + 1);", "undefined"),
        "half-of-the-warp": (MMA, f"if (thread % 32 < 16)\n{MMA}", "warp"),
        "each-lane-elsewhere": ("[k][x + c", "[k + thread % 2][x + c", "warp"),
        "nobody-waits-for-the-other-lanes": (
            "            __syncwarp();\n            for (int n",
            "            for (int n",
            "race",
        ),
        "beyond-the-last-row": ("if (i + n / MMA_N < M && j", "if (j", "bounds"),
    },
    "": {
        "k-in-another-order": ("[k_next + q][b_lane]", "[k_next + (q ^ 1)][b_lane]", None),
        "rows-of-c-in-order": ("r * 8 + q * 2 + t;", "r * 8 + q + t * 4;", None),
        "half-precision": (
            "round_to_tf32(frag.left[c][t])",
            "__half2float(__float2half(frag.left[c][t]))",
            None,
        ),
        "one-that-no-lane-can-use": (
            "lane / 8 % 2 * 4, b_lane",
            "lane / 8 % 2 * 4 + 1, b_lane",
            "undefined",
        ),
        "half-of-the-warp": (
            "mma_sync(sum[c][r], these.left[c], these.right[r]);",
            "if (lane < 16) mma_sync(sum[c][r], these.left[c], these.right[r]);",
            "warp",
        ),
        "half-of-the-warp-loads": (
            "ldmatrix(to.right[2 * r], &a[",
            "if (threadIdx.x % 32 < 16) ldmatrix(to.right[2 * r], &a[",
            "warp",
        ),
        "one-batch-is-not-waited-for": (NEXT, NEXT.replace("STAGES - 2", "STAGES - 1"), "copy"),
        "a-column-that-is-not-there": ("min(col + b_col, N - 4)", "min(col + b_col, N)", "bounds"),
    },
    "wmma": {
        "tiles-come-over-the-indices": (
            "    __syncthreads(); // they are consumed:",
            "    // they are consumed:",
            "race",
        ),
        "half-of-the-warp": (MMA, f"if (thread % 32 < 16)\n{MMA}", "warp"),
        "half-precision": (
            "wmma::__float_to_tf32(origin[at[t]])",
            "__half2float(__float2half(origin[at[t]]))",
            None,
        ),
    },
}


# Of the kernel that splits, what lab 18's has not.
SPLIT_MMA: Edits = {
    "small-left-out": ("mma_all(part, small, large);", "", None),
    "large-not-rounded": ("large = round_to_tf32(x);", "large = x;", None),
    "a-part-is-kept": ("part[c][r][t] = 0;", "", None),
    "a-part-is-added-early": ("k_next == 0 && c <", "k == 0 && c <", None),
}


def test_tensor_cores_round_no_further_than_their_type(tree: Path) -> None:
    """bfloat16 is no TF32, and TF32 no float."""
    folder = tree / "advanced/lab18_cuda_tensor"
    makefile = folder / "Makefile"
    with changed(makefile, makefile.read_text().replace("ROUNDING_bf16 = BF16\n", "")):
        assert wrong(folder, "bf16").status == 1
    with changed(makefile, makefile.read_text().replace("ROUNDING      = TF32\n", "")):
        assert wrong(folder, "").status == 1


def test_split_numbers_are_as_exact_as_floats_and_more(tree: Path) -> None:
    def mean(lab: str, program: str) -> float:
        folder = tree / "advanced" / lab
        assert make(folder, program, "CUDA=cpu").status == 0
        words = "64 64 1024 --reps 1 --no-warmup".split()
        error = gemm(folder, *words, program=program)[1]["error"]
        assert error["elements"] == 64 * 64
        return float(error["mean"])

    exact, outside = mean("lab17_cuda_async", "gemm"), mean("lab20_cuda_3xtf32", "gemm")
    inside, tf32 = mean("lab20_cuda_3xtf32", "gemm_3xtf32"), mean("lab18_cuda_tensor", "gemm")
    assert outside < exact < inside < tf32
    assert mean("lab20_cuda_3xtf32", "gemm_mma") < exact


# ---- split-K, stream-K
SPLIT = "advanced/lab23_cuda_splitk"
SPLITS: dict[str, Edits] = {
    "atomic": {
        "never-cleared": (
            "CHECK(cudaMemsetAsync(C, 0,",
            "if (C == NULL) CHECK(cudaMemsetAsync(C, 0,",
            None,
        ),
        "added-by-halves": (
            "atomicAdd(&C[i * N + j + v], sum[r][c].at[v]);",
            "C[i * N + j + v] += sum[r][c].at[v];",
            "race",
        ),
    },
    "split": {
        "all-parts-in-one-place": ("&sums[blockIdx.x * TILE_M", "&sums[tile * TILE_M", "race"),
        "the-others-are-not-waited-for": (
            "    __syncthreads(); // all have added theirs\n",
            "",
            "race",
        ),
    },
    "stream": {
        "two-parts-of-a-share-in-one-place": (
            "&sums[(share + tile - full) * TILE_M * TILE_N]",
            "&sums[share * TILE_M * TILE_N]",
            None,
        ),
        "into-tiles-that-are-read": (
            "        __syncthreads(); // the tiles may be overwritten\n",
            "",
            "race",
        ),
    },
    "low": {
        "two-warps-beside-each-other-as-before": (
            "warp / T::WARPS_BESIDE *",
            "warp / WARPS_X *",
            None,
        ),
    },
    "": {
        "a-row-that-is-not-there": ("A[min(r, M - 1) * K", "A[r * K", "bounds"),
    },
}


GPUS: Edits = {name: (one.line, one.instead, None) for name, one in MISTAKES.items()}
MISTAKEN = [
    (lab, variant, mistake, *edit)
    for lab, variants in {
        "lab17_cuda_async": COPIES,
        "lab18_cuda_tensor": TENSOR,
        "lab20_cuda_3xtf32": {"mma": SPLIT_MMA},
        "lab22_multi_gpu": {"": GPUS},
        "lab23_cuda_splitk": SPLITS,
    }.items()
    for variant, edits in variants.items()
    for mistake, edit in edits.items()
]


@pytest.mark.parametrize(
    ("lab", "variant", "mistake", "old", "new", "kind"),
    MISTAKEN,
    ids=["-".join(one[:3]) for one in MISTAKEN],
)
def test_a_mistake_is_found(
    tree: Path,
    tmp_path: Path,
    lab: str,
    variant: str,
    mistake: str,
    old: str,
    new: str,
    kind: str | None,
) -> None:
    """By a tool, or where none is named, by the program itself."""
    folder = tree / "advanced" / lab
    settings = (
        ["BLOCKS=9"] if mistake == "the-others-are-not-waited-for" else []
    )  # there are others
    with broken(folder, variant, old, new) as described:
        if kind is not None:
            assert found(described, kind, tmp_path, variant, *settings) == kind
        else:
            ended = wrong(folder, variant)
            assert ended.status in (1, 2), ended.text


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [1, 2, 3, 48])
def test_any_number_of_blocks_is_right(tree: Path, blocks: int) -> None:
    """A tile for itself, which a share may have, too; and a few rows of whole vectors."""
    settings = ("CUDA=cpu", f"BLOCKS={blocks}", "MIN_ITERATIONS=1")
    sizes = "128 256 16 1 260 70 4 512 33".split()
    programs = ("gemm_split", "gemm_stream", "gemm")
    assert make(tree / SPLIT, *programs, *settings).status == 0
    for program in programs:
        assert gemm(tree / SPLIT, "--check", "--once", program=program)[0].status == 0
        assert gemm(tree / SPLIT, *sizes, "--once", program=program)[0].status == 0


@pytest.mark.slow
def test_parts_in_order_have_the_same_bits_each_time(tree: Path) -> None:
    """Sums that are added as they come have not. The emulation runs blocks in the order of its
    seed."""
    assert make(tree / SPLIT, "all", "CUDA=cpu", "BLOCKS=16").status == 0

    def errors(program: str) -> set[float]:
        words = "20 64 1024 --error --reps 1 --no-warmup".split()
        records = (
            gemm(tree / SPLIT, *words, program=program, env={"EMULATION_SEED": seed})[1]
            for seed in "123"
        )
        return {record["error"]["mean"] for record in records}

    assert len(errors("gemm_atomic")) > 1
    for program in "gemm_split", "gemm_stream", "gemm_low", "gemm":
        assert len(errors(program)) == 1, program


# ---- several GPUs
@pytest.mark.parametrize("gpus", [1, 3, 5])
def test_any_number_of_gpus_is_right(tree: Path, gpus: int) -> None:
    folder = tree / "advanced/lab22_multi_gpu"
    assert make(folder, "all", "CUDA=cpu", f"GPUS={gpus}").status == 0
    for program in "gemm", "gemm_no_overlap":
        ended, record = gemm(folder, "--check", "--once", program=program)
        assert (ended.status, record["verdict"], len(record["shapes"])) == (0, "pass", 33), (
            ended.text
        )
        assert record["device"].startswith(f"{gpus} x ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "lab", ["lab02_avx", "lab03_avx_block", "advanced/lab10_avx_pack", "advanced/lab11_avx512"]
)
def test_builds_and_is_right_on_arm64(lab: str, tree: Path, tmp_path: Path) -> None:
    needs(ARM)
    needs("qemu-aarch64")
    (tmp_path / "simde").symlink_to("/usr/include/simde")
    folder = tree / lab
    settings = (
        f"CC={ARM}",
        *(BLOCKS if "advanced" in lab else ()),
        *(["BLOCK_KN=16"] if "03" in lab else []),
    )
    built = make(folder, "clean", "gemm", *settings, env={"C_INCLUDE_PATH": str(tmp_path)})
    assert built.status == 0, built.text
    # Vectors of 16 floats are four of the emulated CPU's: a battery of them takes half a minute.
    sizes = "1 1 1 23 97 33 49 17 70 --once" if "512" in lab else "--check"
    words = [*sizes.split(), *(["--once"] if "lab10" in lab else []), "--json", "arm.json"]
    ended = run(["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "./gemm", *words], folder)
    assert ended.status == 0, ended.text
    assert json.loads((folder / "arm.json").read_text())["verdict"] == "pass"
    make(folder, "clean")


def test_mains_are_those_of_their_backend() -> None:
    """Byte for byte, but for the parameters' header of a kernel for Hopper."""
    advanced, hopper = TOP / "advanced", b'"params_hopper.h"'
    alike = {
        "lab03_avx_block/main.c": ["lab10_avx_pack", "lab11_avx512", "lab12_avx_threads"],
        "lab07_ocl_localmem/main.c": ["lab13_ocl_vector", "lab14_ocl_tuned"],
        "advanced/lab17_cuda_async/main.cu": ["lab18_cuda_tensor", "lab20_cuda_3xtf32"],
        "baseline/cublas/main.cu": ["lab23_cuda_splitk"],
    }
    for first, others in alike.items():
        for lab in others:
            path = advanced / lab / Path(first).name
            assert path.read_bytes() == (TOP / first).read_bytes(), lab
    own = (advanced / "lab19_cuda_hopper/main.cu").read_bytes()
    variants = sorted(advanced.glob("lab*/main_hopper*.cu"))
    assert len(variants) == 2
    assert {path.read_bytes() for path in variants} == {own.replace(b'"params.h"', hopper)}
