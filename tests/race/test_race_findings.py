# SPDX-License-Identifier: MIT
"""How make race reads what its tools say: their own words, shortened; and what it makes of it for
people."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import TOP
from workbook.check.race import judge
from workbook.core.process import Outcome
from workbook.lab.labs import Lab, Program
from workbook.lab.program import FAIL, PASS, SKIP
from workbook.race import run_tools
from workbook.race.barrier import with_remedy
from workbook.race.findings import WORST_FIRST, Finding, sentence, worst
from workbook.race.output import RaceResult, format_row
from workbook.race.run_tools import ToolRun
from workbook.race.say import compute_sanitizer, emulated, sanitizers, valgrind
from workbook.race.tools import DEEPER, Tool, shapes
from workbook.teacher.grade.judge import plan

ASAN = """
==31094==ERROR: AddressSanitizer: heap-buffer-overflow \
on address 0x625000003100 at pc 0x558a402d5838
READ of size 4 at 0x625000003100 thread T0
    #0 0x558a402d5837 in gemm /x/lab01/kernel.c:12
    #1 0x558a402d5168 in main /x/lab01/main.c:24

0x625000003100 is located 0 bytes to the right of 256-byte region [0x625000003000,0x625000003100)
allocated by thread T0 here:
    #0 0x7fbe6a0b7ffd in __interceptor_posix_memalign \
../../src/libsanitizer/asan/asan_malloc_linux.cpp:145
"""
ALLOCATED = "allocated by thread T0 here:\n"
ASAN_OWN = ASAN.replace(ALLOCATED, f"{ALLOCATED}    #1 0x55e in pack /x/lab01/kernel.c:7\n")
BESIDE = ASAN.index("0x625000003100 is located")
ASAN_GLOBAL = f"""{ASAN[:BESIDE]}
0x55e is located 32 bytes to the left of global variable 'lab' \
defined in 'main.c:38:6' (0x55e) of size 160
0x5 is located 0 bytes to the right of global variable 'block' \
defined in 'kernel.c:18' (0x5) of size 245760
"""
ASAN_STACK = f"{ASAN[:BESIDE]}\nAddress 0x7ff is located in stack of thread T0\n"
ASAN_REFUSED = """
==17==WARNING: AddressSanitizer failed to allocate 0xc0000000 bytes
==17==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x55e sp 0x7ff T0)
==17==The signal is caused by a WRITE memory access.
    #0 0x55e in gemm /x/lab01/kernel.c:8
"""
UBSAN_INSIDE = """
/x/include/avxintrin.h:887:18: runtime error: load of misaligned address 0x5
    #0 0x5601 in _mm256_load_ps /x/include/avxintrin.h:887
    #1 0x5601 in pack /x/lab03/kernel.c:40
    #2 0x5601 in gemm /x/lab03/kernel.c:89
"""
UBSAN_ANY = UBSAN_INSIDE.replace("0x5\n", "0x5 for type 'const double', which\n")
UBSAN_VECTOR = UBSAN_INSIDE.replace("0x5\n", "0x5 for type '__m256'\n")
UBSAN_OWN = "kernel.c:10:5: runtime error: load of misaligned address 0x5 for type 'const double'\n"
COMPUTES = """
kernel.c:30: gemm computes with memory that nobody wrote, or with another NaN: it is wrong \
if its result depends on that
"""
LEAK = """
==31141==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 384 byte(s) in 48 object(s) allocated from:
    #0 0x7f7ebaab89cf in __interceptor_malloc ../../src/libsanitizer/asan/asan_malloc_linux.cpp:69
    #1 0x55b28e9146d3 in gemm /x/lab01/kernel.c:10
    #2 0x55b28e914178 in main /x/lab01/main.c:24
"""
GROWTH = "\ngemm: memory growth: 192 bytes in 24 calls of one shape\n"
LOST = Finding("leak", "384 bytes", 10)  # which has a line
UBSAN_INDEX = "kernel.c:10:55: runtime error: index 4 out of bounds for type 'int [2]'\n"
# What is said of OpenCL: lab 07 with mistakes of tests/mutants/race.
TSAN_OPENCL = """
WARNING: ThreadSanitizer: data race (pid=10924)
  Read of size 4 at 0x7ba400000500 by thread T2:
    #0 gemm /x/lab07/kernel.c:40 (gemm+0x1247c)
    #1 engine_call_gemm <null> (gemm+0x126dd)
    #2 call engine/opencl/host.cpp:497 (gemm+0x3efe6)

  Previous write of size 4 at 0x7ba400000500 by thread T1:
    #0 gemm /x/lab07/kernel.c:27 (gemm+0x121b8)
    #1 engine_call_gemm <null> (gemm+0x126dd)

  Thread T2 'work-item (1,0) of group (0,0)' (tid=0, running) created by main thread at:
    #0 emulation::fiber::fiber() engine/core/fiber.cpp:84 (gemm+0x34ede)

  Thread T1 'work-item (0,0) of group (0,0)' (tid=0, running) created by main thread at:
    #0 emulation::fiber::fiber() engine/core/fiber.cpp:84 (gemm+0x34ede)

SUMMARY: ThreadSanitizer: data race /x/lab07/kernel.c:40 in gemm
"""
UBSAN_LOCAL = "kernel.c:31:13: runtime error: index 7 out of bounds for type '__local float[7]'\n"
UBSAN_PRIVATE = UBSAN_LOCAL.replace("local", "private")
UBSAN_FLOAT4 = "kernel.c:16:61: runtime error: load of misaligned address 0x62500000b104 for type \
'const __global float4' (vector of 4 'float' values), which requires 16 byte alignment\n"
FLOAT4 = "misaligned address: a vector must begin at a multiple of its size; vload4 and vstore4 \
take any address"
COPY = "asynchronous copy: no wait_group_events() waits for it"
DIVERGENCE = "kernel.c:33: barrier divergence: work-items of group (0,0) wait at this barrier, "
VALGRIND_OWN = """
==31735== Invalid read of size 4
==31735==    at 0x10A66E: gemm (kernel.c:12)
==31735==    by 0x10A467: main (main.c:24)
==31735==  Address 0x4b2e100 is 0 bytes after a block of size 256 alloc'd
==31735==    at 0x4846990: memalign (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==31735==    by 0x10E797: pack (kernel.c:7)
"""
VALGRIND_UNSET = """
==31979== Conditional jump or move depends on uninitialised value(s)
==31979==    at 0x10FA31: check_row (verify.c:55)
==31979==    by 0x10A4C0: main (main.c:28)
==31979==  Uninitialised value was created by a stack allocation
==31979==    at 0x10A5E9: gemm (kernel.c:7)
"""
MEMCHECK = """
========= Invalid __shared__ write of size 4 bytes
=========     at gemm(int, int, int, const float *, const float *, float *)+0x420 in /x/kernel.c:23
=========     by thread (31,0,0) in block (0,0,0)
"""
RACECHECK = """
========= Error: Race reported between Read access at gemm(int, int)+0x5a0 in /x/kernel.c:30
=========     and Write access at gemm(int, int)+0x3c0 in /x/kernel.c:22 [2048 hazards]
"""
SYNCCHECK = """
========= Barrier error detected. Divergent thread(s) in block.
=========     at gemm(int, int)+0x3c0 in /x/kernel.c:24
=========     by thread (1,0,0) in block (0,0,0)
"""
INITCHECK = """
========= Uninitialized __global__ memory read of size 4 bytes
=========     at gemm(int, int)+0x3c0 in /x/kernel.c:35
"""
STOPPED = "kernel.c:24: barrier divergence: threads of block (0,4) wait at this __syncthreads(), "


@pytest.mark.parametrize(
    ("parse", "said", "expected"),
    [
        (sanitizers.findings, ASAN, Finding("bounds", "reads outside an array", 12)),
        (
            sanitizers.findings,
            ASAN_REFUSED,
            Finding("memory", "malloc gave NULL: a kernel has 2 GiB of memory", 8),
        ),
        (sanitizers.findings, COMPUTES, Finding("unwritten", "", 30)),
        (sanitizers.findings, LEAK, Finding("leak", "384 bytes", 10)),
        (sanitizers.findings, GROWTH, Finding("growth", "192 bytes in 24 calls of one shape")),
        (sanitizers.findings, GROWTH.replace("gemm", "worker") + LEAK, LOST),
        (
            sanitizers.findings,
            UBSAN_INDEX,
            Finding("bounds", "index 4 out of bounds for type 'int [2]'", 10),
        ),
        (sanitizers.findings, TSAN_OPENCL, Finding("race", "", 27, 40, 27)),
        *(
            (sanitizers.findings, said, Finding("bounds", said.split(": ")[2].strip(), 31))
            for said in (UBSAN_LOCAL, UBSAN_PRIVATE)
        ),
        (
            sanitizers.findings,
            ASAN_OWN,
            Finding("bounds", "reads outside what line 7 allocates", 12),
        ),
        (
            sanitizers.findings,
            ASAN_GLOBAL,
            Finding("bounds", "reads outside block, of 245760 bytes", 12),
        ),
        (
            sanitizers.findings,
            ASAN_STACK,
            Finding("bounds", "reads outside an array on the stack", 12),
        ),
        (
            sanitizers.findings,
            UBSAN_INSIDE,
            Finding("undefined", "load of misaligned address 0x5", 40),
        ),
        (
            valgrind.findings,
            VALGRIND_OWN,
            Finding("bounds", "reads outside what line 7 allocates", 12),
        ),
        (valgrind.findings, VALGRIND_UNSET, Finding("unwritten", "", 7)),
        (
            compute_sanitizer.findings,
            MEMCHECK,
            Finding("bounds", "writes outside shared memory", 23),
        ),
        (compute_sanitizer.findings, RACECHECK, Finding("race", "", 22, 30, 22)),
        (compute_sanitizer.findings, SYNCCHECK, Finding("divergence", "", 24)),
        (compute_sanitizer.findings, INITCHECK, Finding("unwritten", "", 35)),
        (emulated.findings, f"gemm: {STOPPED}56 have returned", Finding("divergence", "", 24)),
        (
            emulated.findings,
            "kernel.c:7: thread (1,0,0) of block (0,2,0) of gemm reads at 0x7f00, where there is "
            "no memory",
            Finding("bounds", "reads outside an array", 7),
        ),
        (sanitizers.findings, UBSAN_FLOAT4, Finding("undefined", FLOAT4, 16)),
        (emulated.findings, f"gemm: kernel.c:17: {COPY}", Finding("copy", COPY, 17)),
        (
            emulated.findings,
            f"gemm: {DIVERGENCE}others at the one in line 45: all work-items of a group must come "
            "to the same one",
            Finding("divergence", "", 33, 45),
        ),
        (
            emulated.findings,
            "kernel.c:13: misaligned address: a float4",
            Finding("undefined", "misaligned address: a float4", 13),
        ),
    ],
)
def test_what_a_tool_says(parse: object, said: str, expected: Finding) -> None:
    assert callable(parse)
    found = worst(parse(said, "kernel.c"))
    if expected.kind in ("divergence",) and parse is emulated.findings:
        assert found is not None
        found = replace(found, text="")
    assert found == expected


def test_an_intrinsic_takes_a_double_at_any_address() -> None:
    """A vector it does not, nor does what is no intrinsic; what follows is found."""
    assert sanitizers.findings(UBSAN_ANY, "kernel.c") == []
    for bad, line in (UBSAN_VECTOR, 40), (UBSAN_OWN, 10):
        (found,) = sanitizers.findings(UBSAN_ANY + bad, "kernel.c")
        assert (found.kind, found.line) == ("undefined", line)


def test_the_cause_is_told_before_what_it_causes() -> None:
    found = [Finding(kind) for kind in reversed(WORST_FIRST)]
    assert worst(found) == Finding("memory")
    assert worst([Finding("race", "", 3), Finding("race", "", 2)]) == Finding("race", "", 3)
    assert worst([]) is None


def test_who_races_is_named_in_the_words_of_the_language() -> None:
    assert "two work-items use" in sentence(Finding("race", "", 2, 5), "opencl")
    assert sentence(Finding("race", "", 2, 5), "cuda").endswith("orders them; see line 5, too")
    assert sentence(Finding("race", "", 2), "cuda").endswith(
        "its own? Where all write the same, one is enough"
    )
    assert "not all threads of the block" in sentence(Finding("divergence"), "cuda")


PROGRAM = Program("gemm", "", None, (), "kernel.cl", (32, 32, 8), ())


def made(path: Path) -> Lab:
    return Lab(
        path=path,
        name="lab07_ocl_localmem",
        backend="opencl",
        emulated=False,
        skip=None,
        type="float",
        size="1024",
        programs=(
            PROGRAM,
            replace(
                PROGRAM,
                name="gemm_one_per_item",
                variant="one_per_item",
                kernel="kernel_one_per_item.cl",
            ),
        ),
        tunables=frozenset(),
        defaults=(),
        files=(),
    )


TILES = """__kernel void gemm(int M) {
    __local real a_tile[4][4], b_tile[4][4]; barrier(CLK_GLOBAL_MEM_FENCE);
    for (;;) {
        a_tile[k][r] = A[r];
        sum += a_tile[k][y]; // barrier( of a comment is none
        {wait}
        next = b_tile[0][0];
        b_tile[k][r] = 1;
        C[0] = sum;
        {last}
    }
"""
WAIT = "barrier(CLK_LOCAL_MEM_FENCE);"


def said_of(finding: Finding, wait: str = "", last: str = "") -> str:
    source = TILES.replace("{wait}", wait).replace("{last}", last).splitlines()
    return sentence(with_remedy(finding, source), "opencl").removeprefix("data race: line ")


@pytest.mark.parametrize(
    "fence", ["CLK_GLOBAL_MEM_FENCE", "0", "(CLK_GLOBAL_MEM_FENCE)", "0 | CLK_GLOBAL_MEM_FENCE"]
)
def test_a_barrier_with_another_fence_is_not_missing(fence: str) -> None:
    """It is named if it is between the two lines, or on the way back up the loop."""
    other = f"barrier({fence});"
    lacks = "the barrier in line {} has no CLK_LOCAL_MEM_FENCE, which the memory of a work-group"
    for found, wait, last, said in (
        (Finding("race", "", 4, 7, writer=4), other, "", "7 reads what line 4 writes"),
        (Finding("race", "", 5, 8, writer=8), other, WAIT, "5 has just read what line 8 writes"),
        (Finding("race", "", 7, 8, writer=8), other, "", "7 reads what line 8 writes"),
        (Finding("race", "", 4, 7, writer=4), WAIT, other, "7 has just read what line 4 writes"),
    ):
        line = 6 if wait == other else 10
        assert said_of(found, wait, last).startswith(f"{said}: {lacks.format(line)}")


FLAGS = "#define FLAGS {}\n#define WAIT() barrier(FLAGS)\nvoid wait(void)\n{{\n    WAIT();\n}}\n"


@pytest.mark.parametrize("call", ["wait();", "WAIT();", "barrier(FLAGS);"])
def test_a_barrier_may_have_another_name(call: str) -> None:
    """Of a function, or a macro; its flags are an expression."""
    found = Finding("race", "", 10, 11, writer=10)
    text = TILES.replace("{last}", "")
    text = text.replace("sum += a_tile", "\n    {wait}\n sum += a_tile").replace("{wait}", call, 1)
    found = replace(found, other=13)
    for flags, says in (
        ("(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)", "reads what line 10 writes in the next"),
        ("CLK_GLOBAL_MEM_FENCE", "the barrier in line 12 has no CLK_LOCAL_MEM_FENCE"),
    ):
        source = (FLAGS.format(flags) + text.replace("{wait}", "")).splitlines()
        assert says in sentence(with_remedy(found, source), "opencl")


def test_an_access_in_a_function_is_where_it_is_called() -> None:
    source = """#define K 4
static void add(real *sum, __local real *a_tile)
{
    *sum += a_tile[0];
}
__kernel void gemm(int M) {
    __local real a_tile[4];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (;;) {
        a_tile[0] = 1;
        {wait}
        add(&sum, a_tile);
    }
}
""".replace("{wait}", "")
    found = Finding("race", "", 4, 10, writer=10)
    said = sentence(with_remedy(found, source.splitlines()), "opencl")
    assert said.startswith("data race: line 4 reads what line 10 writes: a barrier between them")
    waits = source.replace("        \n", f"        {WAIT}\n").splitlines()
    said = sentence(with_remedy(found, waits), "opencl")
    assert said.startswith("data race: line 4 reads what line 10 writes in the next iteration")


def test_a_missing_barrier_has_both_lines_and_its_place() -> None:
    """The one in line 2 is outside of the loop, and right."""
    here, later = Finding("race", "", 4, 5, writer=4), Finding("race", "", 7, 8, writer=8)
    assert said_of(here) == "5 reads what line 4 writes: a barrier between them"
    assert said_of(later) == "7 has just read what line 8 writes: a barrier between them"
    next_one = Finding("race", "", 5, 8, writer=5)
    remedy = "in the next iteration: a barrier between them, after line 8"
    assert said_of(next_one, WAIT) == f"8 reads what line 5 writes {remedy}"
    before = replace(next_one, writer=8)
    assert (
        said_of(before, WAIT)
        == "5 reads in the next iteration what line 8 writes" + (remedy.partition("iteration")[2])
    )


def test_no_barrier_mends_a_race_of_what_is_not_shared() -> None:
    assert "should each have its own?" in said_of(Finding("race", "", 9))
    assert "is a barrier missing beside it?" in said_of(Finding("race", "", 4))
    assert "see line 9, too" in said_of(Finding("race", "", 4, 9, writer=4))


def test_a_finding_is_told_with_the_lines_of_the_kernel(tmp_path: Path) -> None:
    lines = ["", "    " + "x" * 90 + ";", "    y = 2;"]
    (tmp_path / "kernel.cl").write_text("\n".join(lines))
    finding = Finding("race", "", 2, 3)
    said = format_row(RaceResult(made(tmp_path), [ToolRun("gemm", "TSan", FAIL, finding=finding)]))
    assert said[0] == "lab07_ocl_localmem   FAIL    gemm: TSan"
    assert said[1].startswith(
        "    lab07_ocl_localmem/kernel.cl:2: data race: two work-items use one"
    )
    assert said[-2].startswith("    2 | xxx")
    assert said[-1] == "    3 | y = 2;"
    assert max(map(len, said)) <= 80


@pytest.mark.parametrize(
    ("runs", "verdict", "reason"),
    [
        ([], "FAIL", "nothing, and no tool says why"),
        ([ToolRun(None, "TSan", SKIP, "none here")], "SKIP", "none here"),
        (
            [ToolRun("gemm", "a", PASS), ToolRun("gemm", "b", FAIL, finding=Finding("limit", "x"))],
            "FAIL",
            "gemm: x",
        ),
    ],
)
def test_the_verdict_of_a_lab(
    tmp_path: Path, runs: list[ToolRun], verdict: str, reason: str
) -> None:
    raced = RaceResult(made(tmp_path), runs)
    assert raced.verdict == verdict
    assert raced.reason.startswith(reason)


@pytest.mark.parametrize(
    ("runs", "verdict", "reason"),
    [
        ([], "FAIL", "nothing is said of gemm, gemm_one_per_item"),
        ([ToolRun(None, "TSan", SKIP, "none here")], "SKIP", "none here"),
        (
            [ToolRun(None, "b", FAIL, finding=Finding("build", "x"))],
            "SKIP",
            "None x",
        ),
        (
            [
                ToolRun("gemm", "b", PASS),
                ToolRun("gemm_one_per_item", "b", FAIL, finding=Finding("race")),
            ],
            "FAIL",
            "found in gemm_one_per_item",
        ),
    ],
)
def test_what_make_check_makes_of_a_race_run(
    tmp_path: Path, runs: list[ToolRun], verdict: str, reason: str
) -> None:
    race = judge(made(tmp_path), runs)
    assert (race.verdict, race.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("tile", "backend", "short", "expected"),
    [
        ((1, 1, 1), "cpu", False, [(34, 35, 17), (5, 3, 4201)]),
        ((32, 32, 8), "opencl", False, [(34, 35, 29), (5, 3, 1031)]),
        ((32, 32, 32), "cuda", True, [(32, 34, 65), (5, 3, 1024)]),
    ],
)
def test_shapes_lie_beside_the_tile(
    tile: tuple[int, ...], backend: str, short: bool, expected: list[tuple[int, int, int]]
) -> None:
    smallest, once, again, *said = shapes(tile, backend, short)
    assert [said[0], said[2]] == expected
    assert all(one < two for one, two in zip(once, said[0]))  # they grow
    assert all(one > two for one, two in zip(said[0], said[1]))  # and shrink
    assert smallest == (1, 1, 1)
    assert once == again  # with other inputs
    assert short or any(min(size) >= 40 for size in said)  # one in the range that the judge asks


def test_a_tool_without_its_library_does_not_hide_what_the_one_before_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A wrong result is kept, as the next tool may find the race that it comes from."""
    wrong = ToolRun("gemm", "one", FAIL, finding=Finding("wrong", "wrong result"))
    two = [Tool(name, lambda _said, _kernel: [], ()) for name in ("one", "two")]
    run_tool = run_tools.run_tool
    monkeypatch.setattr(run_tools, "tools", lambda _lab, _short: two)
    monkeypatch.setattr(
        run_tools,
        "run_tool",
        lambda tool, *more: wrong if tool.name == "one" else run_tool(tool, *more),
    )
    monkeypatch.setattr(run_tools, "build", lambda *_: (tmp_path, "ld: cannot find -ltsan"))
    runs = run_tools.run_all(made(tmp_path), PROGRAM, [], tmp_path)
    assert [(run.tool, run.verdict) for run in runs] == [("two", SKIP), ("one", FAIL)]
    assert runs[1] == wrong


@pytest.mark.parametrize("right", [True, False])
def test_computing_with_unwritten_memory_counts_where_a_result_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, right: bool
) -> None:
    """With another tool, in whose run that memory holds something else."""
    unwritten, wrong = Finding("unwritten", line=30), Finding("wrong", "wrong result")
    said = {
        "address": ToolRun("gemm", "address", PASS, finding=unwritten),
        "thread": ToolRun("gemm", "thread", PASS if right else FAIL, "", None if right else wrong),
    }
    two = [Tool(name, lambda _said, _kernel: [], ()) for name in said]
    monkeypatch.setattr(run_tools, "tools", lambda _lab, _short: two)
    monkeypatch.setattr(run_tools, "run_tool", lambda tool, *_: said[tool.name])
    runs = run_tools.run_all(made(tmp_path), PROGRAM, [], tmp_path)
    assert {run.tool: run.finding for run in runs} == (
        {"thread": None, "address": None} if right else {"address": unwritten}
    )
    assert {run.verdict for run in runs} == {PASS if right else FAIL}


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "==9==LeakSanitizer has encountered a fatal error.",
            "==9==LeakSanitizer has encountered a fatal error.",
        ),
        (
            "FATAL: ThreadSanitizer: unexpected memory mapping",
            "FATAL: ThreadSanitizer: unexpected memory mapping",
        ),
        ("gemm: valgrind: I say so\n", None),  # the program
    ],
)
def test_a_tool_that_cannot_run_is_a_skip_and_no_finding(said: str, reason: str | None) -> None:
    tool = Tool("tool", lambda _said, _kernel: [], ())
    verdict, why, finding = run_tools.judged(
        tool, PROGRAM, Outcome(1, "", said, False, 9.0), None, short=False
    )
    if reason is None:
        assert (verdict, why, finding is None) == (FAIL, "", False)
    else:
        assert (verdict, why, finding) == (SKIP, f"tool cannot: {reason}", None)


def test_check_race_and_grade_go_as_far_in_each_dimension() -> None:
    """A buffer that is too small for one of them is too small for all."""
    battery = (TOP / "session/shapes.c").read_text()
    rows = re.findall(r"\{(\d+), (\d+), (\d+), thin\}", battery)
    assert [max(map(int, column)) for column in zip(*rows)] == [DEEPER] * 3
    assert plan.LONGEST == DEEPER
    drawn = plan.every(plan.Class((1, 1, 1), 512, True, "seed"))
    for most in (max(sizes) for sizes in zip(*(shape.sizes for shape in drawn))):
        assert 4096 < most <= DEEPER
    for every in zip(*shapes((1, 1, 1), "cpu", short=False)):
        assert max(every) == DEEPER
