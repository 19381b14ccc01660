# SPDX-License-Identifier: MIT
"""What make check finds where the result is right: what is read outside of A, B and C, a tunable
whose value is written out, and that it says where it did not look."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.copies import TOP
from tests.grading import CPU, Submit, book, check, endless_stack, kernel_alone, recorded, submit
from tests.support import make, needs
from workbook.check.other import unused
from workbook.check.race import by_traps
from workbook.check.words.in_time import of_source_in_time
from workbook.check.words.misdeclared import exchanged, exchanged_arguments, no_kernel, one_sum
from workbook.check.words.unshared import of_source, unreached, unshared, unwaited
from workbook.core.process import STACK
from workbook.lab.labs import Lab, describe
from workbook.lab.program import FAIL, PASS, SKIP, Result

__all__ = ["book", "endless_stack", "kernel_alone", "submit"]  # fixtures
AVX, COARSE, BLOCKS = "lab02_avx", "lab05_ocl_coarsen", "lab03_avx_block"
GUARDED = "    if (row < M && col < N) {"
STORE = "        C[row * N + col] = sum;"
GROWS = (
    "memory leak: what the kernel keeps grows from call to call, without end: 192 bytes in 24 calls"
)
ALL_READ = ("    {", "        if (row < M && col < N) C[row * N + col] = sum;")


# ---- what is read outside ----------------------------------------------------------------------
def test_a_load_without_a_mask_has_its_line(book: Path, submit: Submit) -> None:
    file = f"{AVX}/kernel.c"
    submit(
        "_mm256_maskload_ps(&B[k * N + j], lanes)",
        "_mm256_loadu_ps(&B[k * N + j])",
        file,
        includes="",
    )
    said = check(book, AVX)
    said.assert_says(1, "likely cause: kernel.c:21 reads past the end of B", "FAIL 0/10")
    assert recorded(book)["labs"][0]["race"]["verdict"] == "FAIL"


def test_a_b_and_c_begin_where_the_page_says(book: Path, submit: Submit) -> None:
    first = "    for (int i = 0; i < M; i++)"
    aligned = "    assert((((uintptr_t)A | (uintptr_t)B | (uintptr_t)C) & 63) == 0);\n"
    submit(first, aligned + first, includes="#include <assert.h>\n#include <stdint.h>\n")
    check(book, CPU).assert_says(0, "PASS 10/10", "33/33 PASS")
    assert make(book / CPU, "run", "SIZE=65").status == 0


@pytest.mark.parametrize("matrix", ["A[M * K]", "A[-1]", "B[K * N]", "B[-1]"])
def test_one_element_beside_a_or_b_is_seen(book: Path, submit: Submit, matrix: str) -> None:
    """In the battery, and before make run times anything; the result is right."""
    read = f"    (void)*(volatile const real *)&{matrix};\n"
    first = "    for (int i = 0; i < M; i++)"
    submit(first, read + first, includes="")
    says = f"reads {'past the end of' if '*' in matrix else 'what lies before'} {matrix[0]}"
    check(book, CPU).assert_says(1, says, "FAIL 0/10")
    assert says in make(book / CPU, "run").text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lab", "kernel", "says", "ends"),
    [
        (
            "lab04_ocl_naive",
            "kernel.cl",
            "kernel.cl:16: out of bounds: reads outside global memory",
            "33/33 FAIL",
        ),
        (
            "lab08_cuda_naive",
            "kernel.cu",
            "kernel.cu:16: thread ",
            "FAIL",
        ),  # there it crashes, emulated
    ],
)
def test_reads_past_the_last_row_of_a_gpu(
    book: Path, kernel_alone: None, submit: Submit, lab: str, kernel: str, says: str, ends: str
) -> None:
    if kernel == "kernel.cl":
        needs("clang")
    submit(GUARDED, ALL_READ[0], f"{lab}/{kernel}", includes="")
    submit(STORE, ALL_READ[1], f"{lab}/{kernel}", includes="")
    check(book, lab).assert_says(1, says, ends)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("int h = M; for (int k = 0; k < 99; k++) h = h * 31 + k; if (h == 5) return;", "signed"),
        ("short part[8]; for (int v = 0; v <= 8; v++) part[v] = v;", "index 8 out of bounds"),
        ("int seen; if (M > 9999) seen = 1; if (seen == 7654321) return;", "nobody has written"),
        ('if (strdup("a name") == NULL) return;', "memory leak"),
    ],
)
def test_what_the_grader_s_tools_find_in_a_right_kernel_is_told_before(
    book: Path, submit: Submit, line: str, says: str
) -> None:
    """What no trap sees: it costs points there."""
    needs("valgrind")
    first = "    for (int i = 0; i < M; i++)"
    submit(first, f"    {line}\n{first}", includes="#include <stdlib.h>\n#include <string.h>\n")
    check(book, CPU).assert_says(1, says, "33/33 FAIL")


def test_the_row_of_a_lab_says_that_its_memory_was_looked_at(book: Path) -> None:
    check(book, CPU).assert_says(0, "33/33 PASS", "memory: races, and what lies outside")


def test_a_lab_that_is_a_skip_was_not_looked_at(book: Path) -> None:
    said = make(book / AVX, "check", "TYPE=int").out
    assert said.splitlines()[1].split()[-1] == "SKIP"


@pytest.fixture
def lab(tree: Path) -> Lab:
    return describe(str(tree / CPU), [])


TRAPPED, UNTRAPPED = ({"trapped": trapped} for trapped in (True, False))


@pytest.mark.parametrize(
    ("programs", "ranks", "verdict"),
    [
        ([Result("gemm", PASS, record=TRAPPED)], False, PASS),
        ([Result("gemm", PASS, record=TRAPPED), Result("gemm_a", SKIP, "no AVX")], False, PASS),
        (
            [Result("gemm", PASS, record=TRAPPED), Result("gemm_a", PASS, record=UNTRAPPED)],
            False,
            SKIP,
        ),
        ([Result("gemm", PASS, record=TRAPPED)], True, SKIP),
        ([Result("gemm", FAIL, "wrong")], False, SKIP),
        ([Result("gemm", FAIL, record={"finding": {"kind": "outside"}})], False, FAIL),
        ([Result("gemm", SKIP, "no AVX")], False, SKIP),
        ([], False, SKIP),
    ],
)
def test_nothing_passes_that_no_trap_was_set_for(
    lab: Lab, programs: list[Result], ranks: bool, verdict: str
) -> None:
    race = by_traps(replace(lab, ranks=ranks), programs)
    assert race.verdict == verdict
    assert race.reason or verdict == PASS


# ---- memory of the kernel's own, of which no trap knows ------------------------------------------
@pytest.mark.parametrize(
    ("own", "says"),
    [
        ("real *own = malloc(4); memset(own, 0, 4); real sum = *own;", "memory leak: "),
        (
            "real *volatile own = malloc(8); own[2] = 0; real sum = own[2]; free(own);",
            "writes outside what line 12 allocates",
        ),
    ],
)
def test_a_right_result_with_memory_that_is_not_right(
    book: Path, submit: Submit, own: str, says: str
) -> None:
    submit("real sum = 0;", own, includes="#include <stdlib.h>\n#include <string.h>\n")
    check(book, CPU).assert_says(1, "kernel.c:12", says, "33/33 FAIL")


@pytest.mark.parametrize(
    ("kept", "says"),
    [
        ("static char *all[999]; static int n; all[n++ % 999] = malloc(8); all[0][0] = 0;", GROWS),
        ("static char *log; static int n; log = realloc(log, 8 * (size_t)++n); log[0] = 0;", GROWS),
        (
            "static char *all[8]; static int n; free(all[n]); all[n] = malloc(9); n = (n + 1) % 8;",
            "",
        ),
        ("static char *all[8]; static int n; if (n < 8) all[n++] = malloc(9); all[0][0] = 0;", ""),
    ],
)
def test_what_a_kernel_keeps_may_not_grow_without_end(
    book: Path, submit: Submit, kept: str, says: str
) -> None:
    """make grade says the same: tests/cheats, tests/honest."""
    first = "    for (int i = 0; i < M; i++)"
    submit(first, f"    {kept}\n{first}", includes="#include <stdlib.h>\n")
    if says:
        check(book, CPU).assert_says(1, says, "33/33 FAIL")
    else:
        check(book, CPU).assert_says(0, "33/33 PASS")


def test_a_buffer_that_make_grade_sees_to_be_too_small_is_seen_here(
    book: Path, submit: Submit
) -> None:
    first = "    for (int i = 0; i < M; i++)"
    own = "    static real own[4200]; for (int k = 0; k < K; k++) own[k] = B[(size_t)k * N];"
    submit(first, f"{own}\n    if (own[0] > 9e9f) return;\n{first}", includes="")
    check(book, CPU).assert_says(1, "FAIL 0/10")


# ---- no more memory than where it is graded: tests/teacher/test_grade_limits.py ----------------
FIRST = "    for (int i = 0; i < M; i++)"
ON_THE_STACK = "volatile char much[16 << 20]; much[M] = much[(16 << 20) - N] = 0;"


@pytest.mark.parametrize(
    ("asks", "says"),
    [
        (
            "volatile char *much = malloc(3UL << 30); much[M] = 1; free((void *)much);",
            "kernel.c:9 writes where",
        ),
        ("char *volatile much = malloc(3UL << 30); if (much == NULL) return;", "first wrong"),
        (
            "static char *kept[3]; for (int n = 0; n < 3; n++)"
            "    if (kept[n] == NULL) { kept[n] = malloc(1UL << 30); kept[n][M] = 0; }",
            "kernel.c:9 writes where",
        ),
    ],
)
def test_more_memory_than_a_kernel_has_is_told(
    book: Path, submit: Submit, asks: str, says: str
) -> None:
    submit(FIRST, f"    {asks}\n{FIRST}", includes="#include <stdlib.h>\n")
    check(book, CPU).assert_says(
        1, says, "2 GiB of memory, static arrays included, and malloc gave NULL", "FAIL 0/10"
    )


def test_as_much_as_a_kernel_has_is_given(book: Path, submit: Submit) -> None:
    asks = "static char *kept; if (kept == NULL) kept = malloc(2UL << 30); kept[M] = 1;"
    submit(FIRST, f"    {asks}\n{FIRST}", includes="#include <stdlib.h>\n")
    check(book, CPU).assert_says(0, "PASS 10/10")


def test_the_stack_is_no_larger_than_where_it_is_graded(
    book: Path, submit: Submit, endless_stack: None
) -> None:
    submit(FIRST, f"    {ON_THE_STACK}\n{FIRST}", includes="")
    check(book, CPU).assert_says(1, "a kernel has 8 MiB of stack, and needs more", "FAIL 0/10")


def test_the_shell_gives_the_stack_that_the_words_name() -> None:
    room = (TOP / "guest/room.c").read_text(encoding="utf-8")
    assert f"STACK_MIB = {STACK >> 20}," in room
    assert f"a kernel has {STACK >> 20} MiB of stack" in room


# ---- tiles that nobody shares ------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        (
            "kernel.cl",
            "real tile[8]; barrier(CLK_LOCAL_MEM_FENCE);",
            "no array is __local: each work-item has",
        ),
        (
            "kernel.cu",
            "real tile[8]; __syncthreads(); // __shared__",
            "no array is __shared__: each thread has",
        ),
        (
            "kernel.cl",
            "__local real a_tile[TILE_M][TILE_K]; real b_tile[TILE_K][TILE_N]; barrier();",
            "kernel.cl: b_tile is not __local: each work-item has one of its own",
        ),
        (
            "kernel.cu",
            "__shared__ real a[BLOCK][BLOCK];\n    real b[BLOCK][BLOCK];\n    __syncthreads();",
            "kernel.cu: b is not __shared__: each thread has one of its own",
        ),
        ("kernel.cl", "__local real a[TILE_M]; real sum[ROWS_PER_ITEM] = {0}; barrier();", ""),
        ("kernel.cl", "__local real tile[8]; barrier(CLK_LOCAL_MEM_FENCE);", ""),
        ("kernel.cu", "__shared__ real tile[8]; __syncthreads();", ""),
        ("kernel.cl", "real tile[8]; // no barrier(", ""),
        ("kernel.cl", "real sum = 0; barrier(CLK_LOCAL_MEM_FENCE);", ""),
    ],
)
def test_barriers_where_nothing_is_shared(tmp_path: Path, name: str, code: str, says: str) -> None:
    (tmp_path / name).write_text(code)
    said = unshared(tmp_path / name)
    assert says in said if says else said == ""


GIVEN = "(int M, int N, int K, const real *A, const real *B, real *C)\n{\n}\n"


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("kernel.cl", f"void gemm{GIVEN}", "gemm() is not __kernel, and main launches it"),
        (
            "kernel.cl",
            f"__kernel void Gemm{GIVEN}",
            "has no gemm(), which main launches: it has Gemm()",
        ),
        ("kernel.cl", f"kernel void gemm{GIVEN}", ""),
        ("kernel.cu", f"__device__ void gemm{GIVEN}", "gemm() is not __global__"),
        ("kernel.cu", f"// __global__\nvoid gemm{GIVEN}", "gemm() is not __global__"),
        ("kernel.cu", f"__global__ void __launch_bounds__(9) gemm{GIVEN}", ""),
        ("kernel.cu", f"#define ENTRY __global__\nENTRY void gemm{GIVEN}", ""),
        (
            "kernel.cu",
            f"#define IT(f) void f\n__global__ IT(g){GIVEN} __global__ IT(gemm){GIVEN}",
            "",
        ),
        ("kernel.cu", f"#define IT gemm\n__global__ void IT{GIVEN}", ""),
        ("kernel.c", f"void gemm{GIVEN}", ""),
    ],
)
def test_what_main_launches(tmp_path: Path, name: str, code: str, says: str) -> None:
    (tmp_path / name).write_text(code)
    (tmp_path / "main.cu").write_text("gemm<<<grid, block>>>(p->M);")
    said = no_kernel(tmp_path / name)
    assert says in said if says else said == ""


def test_a_function_of_the_host_needs_no_qualifier(tmp_path: Path) -> None:
    (tmp_path / "kernel.cu").write_text(f"void gemm{GIVEN}")
    (tmp_path / "main.cu").write_text("gemm(p->M);")
    assert no_kernel(tmp_path / "kernel.cu") == ""


def test_no_kernel_of_the_workbook_is_taken_for_a_wrong_one() -> None:
    kernels = [path for path in TOP.glob("**/lab*/kernel*") if path.suffix in (".c", ".cl", ".cu")]
    assert len(kernels) > 50
    assert [path for path in kernels if no_kernel(path)] == []
    swapped = {path.name for path in kernels if exchanged(path)}
    assert swapped == {"kernel_column_major.cl"}  # its idea
    kernels += [
        path for folder in ("honest", "independent") for path in TOP.glob(f"tests/{folder}/*.c*")
    ]
    assert [
        path
        for path in kernels
        if exchanged_arguments(path) or unreached(path) or unwaited(path) or one_sum(path)
    ] == []


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("real sum[4][8] = {{0}}; for (;;) sum[0][0] += a * b; C[0] = sum[r][c];", "sum[0][0]"),
        ("real sum[COLS]; for (;;) sum[0] += a; C[0] = sum[0];", "sum[0] takes all products"),
        ("real sum[COLS]; for (;;) sum[c] += a; sum[0] += 1;", ""),
        ("real sum[2]; for (;;) { sum[0] += a; sum[1] += b; }", ""),
        ("real sum[1]; for (;;) sum[0] += a;", ""),
        ("real *sum; for (;;) sum[0] += a;", ""),
    ],
)
def test_one_sum_of_several_takes_all(tmp_path: Path, code: str, says: str) -> None:
    (tmp_path / "kernel.cl").write_text(code)
    said = one_sum(tmp_path / "kernel.cl")
    assert says in said if says else said == ""


ITEM = "const int x = get_local_id(0), row = get_group_id(1) * TILE_M + y(x);"
WAIT = "barrier(CLK_LOCAL_MEM_FENCE);"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (f"if (row < M) {{ a[x] = 1; {WAIT} }}", "a barrier is inside if (row < M), where not all"),
        (f"if (get_local_id(1) == 0) {WAIT}", "a barrier is inside if (get_local_id(1) == 0)"),
        (
            f"for (;;) {{ if (x < N) {{ a[x] = 0; }} if (row < M) {{ {WAIT} }} }}",
            "a barrier is inside if (row < M)",
        ),
        (f"if (row >= M || x >= N) return; {WAIT}", "if (row >= M || x >= N) return; is before"),
        (f"if (row >= M) {{ return; }} {WAIT}", "if (row >= M) return; is before a barrier"),
        (f"if (row < M) {{ a[x] = 1; }} {WAIT}", ""),
        (f"if (k0 + TILE_K < K) {WAIT}", ""),  # all or none
        (f"for (int k = 0; k < K; k++) {{ if (k > 0) {WAIT} }}", ""),
        (f"if (M == 0) return; {WAIT}", ""),
        (f"{WAIT} if (row >= M) return; C[row] = 0;", ""),
        ("if (row >= M) return; C[row] = 0;", ""),
    ],
)
def test_barriers_that_not_all_reach(tmp_path: Path, code: str, says: str) -> None:
    kernel = tmp_path / "kernel.cl"
    kernel.write_text(
        "int low(int i)\n{\n    if (i > get_local_id(0)) return i;\n    return 0;\n}\n"
        f"__kernel void gemm(int M) {{\n    __local real a[8]; {ITEM}\n    {code}\n}}\n"
    )
    said = unreached(kernel)
    assert says in said if says else said == ""
    assert of_source(kernel) == ([("race", said)] if says else [])


@pytest.mark.parametrize("again", ["", "SYNC()"])
def test_a_macro_that_waits_is_a_barrier(tmp_path: Path, again: str) -> None:
    kernel = tmp_path / "kernel.cl"
    kernel.write_text(
        "#define TILE_OF __local\n#define SYNC() \\\n    barrier(CLK_LOCAL_MEM_FENCE)\n"
        "__kernel void gemm(int M) { TILE_OF real a[TILE_M][9]; "
        f"for (;;) {{ {LOAD} SYNC(); {USE} {again}; }} }}\n"
    )
    assert unwaited(kernel).endswith("next iteration's writing") == (not again)
    assert unshared(kernel) == ""


def test_a_text_that_takes_hours_is_left_alone(tmp_path: Path) -> None:
    """As make grade asks, which reads the kernels of others."""
    kernel = tmp_path / "kernel.cl"
    kernel.write_text("void f() { int row = get_local_id(0); if (row) return; barrier(0); }")
    assert of_source_in_time(kernel) == of_source(kernel) == [("race", unreached(kernel))]
    kernel.write_text("void f() {" + "if (c) {" * 4000 + "barrier(0); return;" * 4000)
    assert of_source_in_time(kernel, seconds=1) == []


LOAD, USE = "a[y][x] = A[k0 + x];", "sum += a[y][k];"


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (f"for (;;) {{ {LOAD} {WAIT} {USE} }}", "writes a and reads it, and has one barrier"),
        (f"for (;;) {{ {LOAD} {USE} {WAIT} }}", "writes a and reads it, and has one barrier"),
        (f"while (k < K) {{ for (;;) {{ {LOAD} }} {USE} }}", "and has no barrier"),
        (f"for (;;) {{ {LOAD} {WAIT} {USE} {WAIT} }}", ""),
        (f"for (;;) {{ {LOAD} }} {WAIT} for (;;) {{ {USE} }}", ""),  # once
        (f"for (;;) {{ {LOAD} {WAIT} sum += a[y][x]; }}", ""),  # the item's own
        (f"for (;;) {{ if (y < k) a[y][x] = a[y][x] + a[y + k][x]; {WAIT} }}", ""),  # reduction
        (f"for (;;) {{ if (y < k) a[y][x] += a[y + k][x]; {WAIT} }}", ""),
        (f"for (;;) {{ {LOAD} __syncwarp(); {USE} }}", ""),
    ],
)
def test_barriers_that_are_missing(tmp_path: Path, code: str, says: str) -> None:
    kernel = tmp_path / "kernel.cl"
    kernel.write_text(f"__kernel void gemm(int M) {{ __local real a[TILE][TILE + 1]; {code} }}\n")
    said = unwaited(kernel)
    assert says in said if says else said == ""
    assert of_source(kernel) == ([("race", said)] if says else [])
    text = kernel.read_text()
    for size in ("2 * TILE", "STAGES", "SLOTS * TILE * TILE"):  # double buffering needs one
        kernel.write_text(text.replace("a[TILE]", f"a[{size}]"))
        assert unwaited(kernel) == ""


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            "pack(width, depth, N, &B[kk * N + jj]);",
            "pack() is given width for its parameter depth",
        ),
        ("pack(depth, width, N, &B[kk * N + jj]);", ""),
        ("pack(depth, min(width, N), N, B);", ""),
        ("pack(width, width, N, B);", ""),
        ("pack(N, width, depth, B);", "pack() is given N for its parameter depth, and depth for N"),
    ],
)
def test_arguments_in_another_order(tmp_path: Path, call: str, says: str) -> None:
    kernel = tmp_path / "kernel.c"
    pack = "static void pack(int depth, int width, int N, const float *B)\n{\n}\n"
    kernel.write_text(f"{pack}void gemm(int M)\n{{\n    if (M > 0) {{\n    {call}\n    }}\n}}\n")
    said = exchanged_arguments(kernel)
    assert says in said if says else said == ""


def test_a_call_with_two_arguments_exchanged(book: Path, submit: Submit) -> None:
    file = "lab03_avx_block/kernel.c"
    text = (TOP / file).read_text(encoding="utf-8")
    submit(
        text, text.replace("pack(depth, width, N, &", "pack(width, depth, N, &"), file, includes=""
    )
    check(book, "lab03_avx_block").assert_says(
        1, "likely cause: kernel.c: pack() is given width for its parameter depth"
    )


def test_parameters_in_another_order(book: Path, submit: Submit) -> None:
    file = "lab01_cpu_naive/kernel.c"
    text = (TOP / file).read_text(encoding="utf-8")
    submit(text, text.replace("int M, int N, int K", "int M, int K, int N"), file, includes="")
    said = check(book, "lab01_cpu_naive")
    said.assert_says(
        1, "likely cause: kernel.c: the parameters of gemm() are M, K, N, A, B, C, and"
    )


def test_without_global_nothing_is_launched(book: Path, submit: Submit) -> None:
    file = "lab08_cuda_naive/kernel.cu"
    text = (TOP / file).read_text(encoding="utf-8")
    submit(text, text.replace("__global__ void", "void"), file, includes="")
    said = check(book, "lab08_cuda_naive")
    said.assert_says(1, "kernel.cu: gemm() is not __global__, and main launches it")


def test_tiles_that_nobody_shares_are_no_race(book: Path, submit: Submit) -> None:
    file = "lab09_cuda_shared/kernel.cu"
    text = (TOP / file).read_text(encoding="utf-8")
    submit(text, text.replace("__shared__ ", ""), file, includes="")
    said = check(book, "lab09_cuda_shared")
    said.assert_says(
        1,
        "likely cause: kernel.cu has barriers, and no array is __shared__: each thread has a tile",
    )
    assert (
        "no array is __shared__"
        in make(book / "lab09_cuda_shared", "run", "SIZE=64", "CUDA=cpu").err
    )


# ---- other tunables ----------------------------------------------------------------------------
def test_a_number_in_the_place_of_a_tunable(book: Path, submit: Submit) -> None:
    file = f"{COARSE}/kernel.cl"
    text = (TOP / file).read_text(encoding="utf-8")
    submit(text, text.replace("GROUP_X", "16"), file, includes="")
    said = check(book, COARSE)
    said.assert_says(
        1, "with GROUP_X=8 GROUP_Y=4 COLS_PER_ITEM=3 it is wrong at", "a number written where"
    )
    assert "likely cause" not in said.out  # with the defaults it is right
    assert (
        "make SIZE=64 GROUP_X=8 GROUP_Y=4" in said.text
        or "GROUP_X=8 GROUP_Y=4 COLS_PER_ITEM=3 &&" in said.text
    )


def test_a_number_in_the_place_of_a_tunable_that_changes_nothing(
    book: Path, submit: Submit
) -> None:
    file = f"{BLOCKS}/kernel.c"
    text = (TOP / file).read_text(encoding="utf-8")
    submit(text, text.replace("ROWS", "6"), file, includes="")
    said = check(book, BLOCKS)
    said.assert_says(
        1, "kernel.c does not use ROWS, which its task names: is 6 written in its place, or is"
    )


@pytest.mark.slow
def test_tunables_of_the_command_line_are_settled(book: Path, submit: Submit) -> None:
    file = f"{COARSE}/kernel.cl"
    text = (TOP / file).read_text(encoding="utf-8")
    submit(text, text.replace("GROUP_X", "16"), file, includes="")
    assert make(book / COARSE, "check", "GROUP_X=16", "SIZE=64").status == 0


@pytest.mark.parametrize(
    ("code", "lacks"),
    [
        ("int x = BLOCK_KN * ROWS;", ""),
        ("int x = TILE_N * TILE_M;", ""),  # which params.h makes of them
        ("int x = BLOCK_KN; // ROWS", "ROWS"),
        ("int x = ROWS; /* BLOCK_KN */", "BLOCK_KN"),
    ],
)
def test_a_tunable_is_used_where_the_code_names_it(clone: Path, code: str, lacks: str) -> None:
    (clone / BLOCKS / "kernel.c").write_text(f"{code}\n")
    assert unused(describe(str(clone / BLOCKS), [])) == lacks


def test_what_the_task_does_not_name_may_be_left_out(clone: Path) -> None:
    make(clone / BLOCKS, "start", "STEP=regtile")
    (clone / BLOCKS / "kernel.c").write_text("int x = ROWS;\n")
    assert unused(describe(str(clone / BLOCKS), [])) == ""


def test_a_lab_without_a_task_names_none(tree: Path) -> None:
    for lab in "lab10_avx_pack", "lab11_avx512", "lab12_avx_threads":
        assert unused(describe(str(tree / "advanced" / lab), [])) == ""


@pytest.mark.parametrize(
    "name", sorted(path.name for path in TOP.glob("lab0*") if (path / "params.h").is_file())
)
def test_each_lab_with_tunables_names_other_values_of_its_kernel(tree: Path, name: str) -> None:
    said = describe(str(tree / name), [])
    of_others = {"TILE"}  # kernel_one_per_item.cl's alone
    named = {word.partition("=")[0] for word in said.other}
    assert named == {tunable for tunable, _ in said.defaults} - of_others
    defaults = dict(said.defaults)
    assert all(defaults[word.partition("=")[0]] != word.partition("=")[2] for word in said.other)


def test_a_table_of_numbers_is_looked_at_soon(tmp_path: Path) -> None:
    """Where a function is looked for from each of them on, this takes hours."""
    kernel = tmp_path / "kernel.cl"
    table = f"__constant real table[] = {{{'0.1f, ' * 40_000}}};\n"
    kernel.write_text(table + (TOP / "lab07_ocl_localmem/kernel.cl").read_text(encoding="utf-8"))
    assert no_kernel(kernel) == ""
    assert of_source(kernel) == []
