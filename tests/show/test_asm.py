# SPDX-License-Identifier: MIT
"""make asm shows the loop that does the work, says from which line it comes, and names the
others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import Copy
from tests.support import edit, make, needs
from workbook.profile.x86 import objdump
from workbook.profile.x86.code import multiply_adds
from workbook.show.asm import NO_LOOP, ptx, registers, shown

# At the edge one instruction of four lanes and little else; in the main loop six of one lane, and
# more to load. In its middle a `continue`.
EDGE = "0000000000000000 <gemm>:\n/x/kernel.c:30\n  10:\tvfmadd231ps (%r11,%rbx,4),%xmm7,%xmm5\n"
EDGE += "  16:\tjne    10 <gemm+0x10>\n"
INLINED = (
    "/usr/include/avxintrin.h:980\ninlined by /x/kernel.c:12 (gemm)\n"
    "inlined by /x/kernel.c:50 (main)\n"
)
MAIN = "".join(
    f"  2{i}:\tvmovss (%r{i}),%xmm1\n  3{i}:\tnop\n  4{i}:\tnop\n  5{i}:\tvfmadd231ss "
    f"%xmm1,%xmm0,%xmm{i}\n" + ("  60:\tjl     20 <gemm+0x20>\n" if i == 2 else "")
    for i in range(6)
)
MOST_WORK = EDGE + INLINED + MAIN + "  61:\tjne    20 <gemm+0x20>\n"

# What is left of an unrolled loop, before it, and after it a copy that has no lines.
UNROLLED = (
    "0000000000000000 <gemm>:\n/x/kernel.c:12\n"
    "  10:\tvfmadd231ps %ymm1,%ymm2,%ymm3\n  11:\tjne    10 <gemm+0x10>\n"
    + "".join(f"  2{i}:\tvfmadd231ps %ymm1,%ymm2,%ymm{i}\n" for i in range(4))
    + "  24:\tnop\n  25:\tjne    20 <gemm+0x20>\n0000000000000100 <copy>:\n"
    + "".join(f"  12{i}:\tvfmadd231ps %ymm1,%ymm2,%ymm{i}\n" for i in range(4))
    + "  124:\tjne    120 <gemm+0x120>\n"
)
PTX = """
$L__BB0_1:
	.loc	1 21 5
	fma.rn.f32 	%f1, %f2, %f3, %f4;
	mad.lo.s32 	%r1, %r2, %r3, %r4;
	@%p1 bra 	$L__BB0_1;
	.file	1 "/x/kernel.cu"
"""


def one_loop(instruction: str) -> list[str]:
    text = (
        f"0000000000000000 <gemm>:\n/x/kernel.c:7\n  10:\t{instruction}\n"
        "  11:\tjne    10 <gemm+0x10>\n"
    )
    return shown(objdump.parse(text, "kernel.c"), "kernel.c")


def test_the_loop_with_the_most_work_is_shown() -> None:
    said = shown(objdump.parse(MOST_WORK, "kernel.c"), "kernel.c")
    assert said[0] == "    20:  vmovss (%r0),%xmm1"
    assert said[-4] == "  kernel.c:12, 6 multiply-adds per iteration, in 26 instructions"
    assert said[-1] == "  another loop: kernel.c:30, 4 multiply-adds per iteration"


def test_a_copy_without_lines_is_not_named() -> None:
    said = shown(objdump.parse(UNROLLED, "kernel.c"), "kernel.c")
    assert said[-4] == "  kernel.c:12, 32 multiply-adds per iteration, in 6 instructions"
    assert said[-1] == "  another loop: kernel.c:12, 8 multiply-adds per iteration"


def test_a_loop_without_arithmetic_is_none() -> None:
    assert one_loop("add    %eax,%ebx") == [NO_LOOP]


@pytest.mark.parametrize(
    ("instruction", "work"),
    [
        ("mulss  (%rdx),%xmm0", 1),
        ("vfmadd231pd %ymm1,%ymm2,%ymm3", 4),
        ("vfmadd231ps %zmm1,%zmm2,%zmm3", 16),
        ("vfnmadd132sd %xmm1,%xmm2,%xmm3", 1),
        ("vpmulld %ymm1,%ymm2,%ymm3", 8),
        ("imul   (%rdx),%eax", 1),
    ],
)
def test_work_is_counted_by_lanes(instruction: str, work: int) -> None:
    assert one_loop(instruction)[2].startswith(f"  kernel.c:7, {work} multiply-add")


def test_a_thread_does_a_32nd_of_what_tensor_cores_multiply() -> None:
    wmma = (
        "    wmma.mma.sync.aligned.row.row.m16n16k8.f32.tf32.tf32.f32 {%f1, %f2}, {%r1}, "
        "{%r2}, {%f3};"
    )
    assert multiply_adds(wmma, integers=False) == 16 * 16 * 8 // 32


def test_ptx_names_its_files_at_the_end() -> None:
    said = shown(ptx.parse(PTX, "kernel.cu"), "kernel.cu")
    assert said[-1] == "  kernel.cu:21, 1 multiply-add per iteration, in 3 instructions"
    assert shown(ptx.parse(PTX, "kernel_no_prefetch.cu"), "kernel_no_prefetch.cu")[-1].startswith(
        "  1 multiply-add"
    )


def test_registers_and_spills() -> None:
    said = (
        "ptxas info    : 0 bytes gmem\nptxas info    : Used 44 registers\n"
        "    0 bytes spill stores\n"
    )
    assert registers(said) == said.splitlines()[1:]


@pytest.mark.parametrize(
    ("name", "words", "of_the_sum"),
    [
        ("lab01_cpu_naive", "1 multiply-add per iteration", r"sum \+= "),
        ("lab02_avx", "8 multiply-adds per iteration", "fmadd_ps|maskload_ps"),
        ("lab03_avx_block", "96 multiply-adds per iteration", r"sum\[r\]\[.\] = _mm256_fmadd_ps"),
        # Where the columns of a work-item become a vector, the loop over them is its line.
        (
            "lab05_ocl_coarsen",
            r"\d+ multiply-add",
            r"sum\[c\] \+= |for \(int c = 0; c < COLS_PER_ITEM",
        ),
        ("lab09_cuda_shared", r"\d+ multiply-add", r"sum \+= "),
    ],
)
def test_a_lab_shows_the_line_with_its_sum(
    tree: Path, name: str, words: str, of_the_sum: str
) -> None:
    if name.startswith("lab09"):
        needs("nvcc")
    needs("objdump")
    result = make(tree / name, "asm", *(["CUDA=nvcc"] if name.startswith("lab09") else []))
    assert result.status == 0, result.text
    if "no machine code" in result.err:
        pytest.skip("this OpenCL driver keeps no machine code")
    kernel = next((tree / name).glob("kernel.c*"))
    lines = kernel.read_text().splitlines()
    at = "|".join(str(n) for n, line in enumerate(lines, 1) if re.search(of_the_sum, line))
    assert re.search(rf"^  {kernel.name}:({at})\b.*, {words}", result.out, re.MULTILINE), result.out


def test_a_skip_has_its_reason(tree: Path, lab: Copy) -> None:
    result = make(tree / "lab02_avx", "asm", "TYPE=int")
    assert result.status == 0
    assert "skipped: the AVX labs are written for float, not int" in result.err
    result = make(lab("lab08_cuda_naive"), "asm", "NVCC=", "CUDA=cpu")
    assert result.status == 0 and "asm: skipped: no nvcc" in result.err


@pytest.mark.parametrize("variant", ["", "banks"])
def test_nvcc_gets_what_the_kernel_is_built_with(tree: Path, variant: str) -> None:
    """Lab 17's kernel alone is built without ptxas's order of the products."""
    folder = tree / "advanced/lab17_cuda_async"
    said = make(folder, "-n", "asm", f"VARIANT={variant}", "NVCC=/some/nvcc", "CUDA=nvcc").out
    asm = said.splitlines()[-1]
    assert "--nvcc" in asm
    assert ("-Xptxas -O1" in asm) == (variant == "")


def said_of(*body: str) -> list[str]:
    """Of a loop of these instructions, what it says of its sums and of what bounds it."""
    code = "".join(f"  {n + 10}:\t{one}\n" for n, one in enumerate(body))
    text = f"0000000000000000 <gemm>:\n/x/kernel.c:7\n{code}  99:\tjne    10 <gemm+0x10>\n"
    return shown(objdump.parse(text, "kernel.c"), "kernel.c")[-2:]


STACK = (
    "vmovaps (%rsp,%rdx),%ymm0",
    "vfmadd231ps %ymm2,%ymm3,%ymm0",
    "vmovaps %ymm0,(%rsp,%rdx)",
)
# The body of a loop; what is said.
SUMS: dict[str, tuple[Sequence[str], str, str]] = {
    "a sum in a register waits for itself": (
        ("vmovups (%rax),%ymm1", "vfmadd231ps (%rdx,%rcx,4),%ymm1,%ymm0"),
        "  1 sum: 1 in registers, 0 in memory",
        "latency 1 * 4 = 4; loads 2 / 2 = 1; FMA 1 / 2 = 0.5",
    ),
    "an array that is indexed in a loop not unrolled is on the stack": (
        (*STACK, *STACK),
        "  2 sums: 0 in registers, 2 in memory, 2 of these on the stack",
        "stores 2 / 1 = 2; FMA 2 / 2 = 1; loads 2 / 2 = 1",
    ),
    "twelve sums are bound by multiply-adds": (
        [f"vfmadd231ps %ymm12,%ymm13,%ymm{n}" for n in range(12)],
        "  12 sums: 12 in registers, 0 in memory",
        "FMA 12 / 2 = 6; latency 1 * 4 = 4",
    ),
    "sums in C itself are in memory": (
        [one.replace("rsp", "rdi") for one in STACK],
        "  1 sum: 0 in registers, 1 in memory",
        "stores 1 / 1 = 1; FMA 1 / 2 = 0.5; loads 1 / 2 = 0.5",
    ),
    "products and sums of two instructions are no FMA": (
        ("mulss %xmm2,%xmm1", "addss %xmm1,%xmm0"),
        "  1 sum: 1 in registers, 0 in memory",
        "latency 1 * 4 = 4; arithmetic 2 / 2 = 1",
    ),
}


@pytest.mark.parametrize("kind", SUMS)
def test_where_the_sums_are_and_what_bounds_them(kind: str) -> None:
    body, sums, limits = SUMS[kind]
    assert said_of(*body) == [sums, f"  bound by, in cycles: {limits}"]


def test_products_that_nothing_adds_up_have_no_sums() -> None:
    assert not any("sum" in line for line in said_of("mulss (%rax),%xmm0", "movss %xmm0,(%rdx)"))


def test_a_kernel_that_is_not_done_yet_has_a_loop_to_show(clone: Path) -> None:
    lab = clone / "lab04_ocl_naive"
    edit(lab / "kernel.cl", "real sum = 0;", "real sum = 1; // TODO: wrong, and not done")
    said = make(lab, "asm")
    if "asm: skipped: no machine code was kept" not in said.err:
        assert (said.status, "multiply-add per iteration" in said.out) == (0, True), said.text
