# SPDX-License-Identifier: MIT
"""What may be handed in: make check, as the student, and make grade, in its sandbox, say the same
of it in the same words, be it honest or not."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cheating import Kernel, described, grade
from tests.classes import answer
from tests.support import TOP, make, run
from workbook.check import check
from workbook.check.grade import Grade
from workbook.check.other import of_other
from workbook.check.refused import asked, refusal
from workbook.check.table import notes
from workbook.core.process import Outcome
from workbook.core.progress_bar import ProgressBar
from workbook.handin.bench import LONGEST, NO_FUNCTION, Unfit, first_error
from workbook.handin.compile import silenced
from workbook.handin.file import LARGEST
from workbook.handin.take import take
from workbook.handin.todo import LEXEME, first_todo
from workbook.lab import labs
from workbook.lab.course import Task, read_course
from workbook.lab.labs import Lab
from workbook.lab.program import FAIL, PASS, Result
from workbook.lab.stages import kernel_name
from workbook.profile.asked import Asked
from workbook.teacher.grade.compiling import builder
from workbook.teacher.grade.compiling.builder import Work, build_tools, open_bench
from workbook.teacher.grade.compiling.sandbox import Box, require_sandbox, run_inside
from workbook.teacher.grade.grade_lab import unfinished
from workbook.teacher.grade.intake.accepted import Handed, note
from workbook.teacher.grade.judge.workers import make as make_worker

TASK = Task(8, 2, None, 0, 1, "")
C, AVX, CL, CU = "lab01_cpu_naive", "lab02_avx", "lab04_ocl_naive", "lab08_cuda_naive"
HEAD = "void gemm(int M, int N, int K, const real *A, const real *B, real *C)\n"
BODY = "for (int i = 0; i < M * N; i++)\n    C[i] = A[0] * B[0] + (real)K;\n"
GEMM = f"{HEAD}{{\n{BODY}}}\n"
CL_GEMM = (
    "__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,\n"
    "__global real *C)\n"
    "{{\n    C[get_global_id(1) * N + get_global_id(0)] = {};\n}}\n"
)
CU_GEMM = (
    "__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)\n"
    "{{\n    C[blockIdx.y * N + blockIdx.x] = {};\n}}\n"
)
PARAMS = "#define TILE_M 1\n#define TILE_N 1\n#define TILE_K 1\n"


def said(why: Unfit | None) -> str:
    return f"{why.verdict} {why.reason}" if why else ""


def by_grade(lab: str, task: Task, files: dict[str, bytes]) -> str:
    with tempfile.TemporaryDirectory(prefix="gemm-test.") as folder:
        Path(folder).chmod(0o777)
        work = Work(described(lab), task, Path(folder, "work"))
        try:
            if lab == CL:  # a driver would take seconds for each
                open_bench(work, files)
                take(work)
            else:
                make_worker(work, files)
        except Unfit as why:
            return said(why)
        return f"FAIL robust: {off}" if (off := silenced(work)) else ""


def by_both(lab: str, text: str | bytes, params: str | bytes = "", task: Task = TASK) -> str:
    """What both say."""
    encoded = [one.encode() if isinstance(one, str) else one for one in (text, params)]
    files = {
        kernel_name(described(lab)): encoded[0],
        **({"params.h": encoded[1]} if params else {}),
    }
    check = said(asked(described(lab), task, files))
    assert check == by_grade(lab, task, files)
    return check


@pytest.fixture(scope="module", autouse=True)
def _tools() -> None:
    build_tools()
    require_sandbox()


def with_line(line: str) -> str:
    return f"{HEAD}{{\n    {line}\n{BODY}}}\n"


# All of C, OpenCL C and CUDA C may be handed in.
TAKEN: dict[str, tuple[str, str | bytes]] = {
    "trigraphs": (C, f"// what??! really??/ no /* ??= */\n??=define X\n{GEMM}"),
    "digraphs": (C, f"%:define X\nstatic int more<:2:>;\n{GEMM}"),
    "CRLF and a splice": (C, f"#define TWO \\\n  2\n{GEMM}".replace("\n", "\r\n")),
    "no UTF-8 in a macro": (C, b'#define TITLE "\xdcbung"\n' + GEMM.encode()),
    "no UTF-8 in a macro, in OpenCL": (
        CL, b'#define TITLE "\xdcbung"\n' + CL_GEMM.format("A[0]").encode()
    ),
    "letters beyond ASCII in names, in CUDA": (
        CU, "__constant__ real größe[2] = {1, 2};\n" + CU_GEMM.format("плитка[0]").replace(
            "{\n", "{\n    __shared__ real плитка[2], kachel_ü;\n    kachel_ü = größe[0];\n"
            "    плитка[0] = A[0] * kachel_ü;\n", 1
        )
    ),
    "BOM": (C, f"\ufeff{GEMM}"),
    "optimised": (C, f"#ifndef __OPTIMIZE__\n#error not optimised\n#endif\n{GEMM}"),
    "pragmas that change how it is compiled": (
        C, f"#pragma GCC optimize(3)\n#pragma GCC target(\"avx2\")\n#pragma weak f\n{GEMM}"
    ),
    "pragma by a macro": (C, f"#define P(x) _Pragma(#x)\nP(GCC optimize(3))\n{GEMM}"),
    "pragma by a macro, in CUDA": (
        CU, "#define P(x) _Pragma(#x)\nP(GCC diagnostic push)\n" + CU_GEMM.format("A[0]")
    ),
    "attributes": (
        C, "__attribute__((constructor, section(\".text.own\"))) static void f(void) {}\n" + GEMM
    ),
    "assembly": (C, with_line('__asm__("nop");')),
    "assembly, in CUDA": (CU, CU_GEMM.format("A[0]").replace("C[", 'asm("nop");\n    C[')),
    "a line of the preprocessor's own": (C, f"#line 7 \"mine.c\"\n# 1 \"/usr/x.h\" 3\n{GEMM}"),
    "a macro that changes a header": (
        C, f"#define _GNU_SOURCE\n#define size_t its\n#include <stddef.h>\n{GEMM}"
    ),
    "tokens pasted, in CUDA": (
        CU, "#define LOG(format, ...) printf(format, ##__VA_ARGS__)\n" + CU_GEMM.format("A[0]")
    ),
    "raw string, in CUDA": (
        CU, 'static const char *s = R"(\n# 1 "x" 3\n)";\n' + CU_GEMM.format("A[0]")
    ),
    "clock and environment": (
        C, "#include <stdlib.h>\n#include <time.h>\n"
        + with_line('if (getenv("X") != NULL) C[0] = (real)clock();')
    ),
    "unrolled by macros, in OpenCL": (
        CL, "#define TIMES(n) (n * 2)\n#define FEW TIMES(2)\n" + CL_GEMM.format("A[0]").replace(
            "C[", "\n#pragma unroll FEW\n    for (int i = 0; i < FEW; i++);\n    C[", 1
        )
    ),
    "header of common": (C, f"#include \"../common/lab.h\"\n{GEMM}"),
    "header of common, by name": (C, f"#include \"lab.h\"\n{GEMM}"),
    "header of common, in CUDA": (CU, "#include \"../common/lab.h\"\n" + CU_GEMM.format("A[0]")),
    "checked": (
        C, "#define _FORTIFY_SOURCE 2\n#include <stdio.h>\n#include <string.h>\n"
        + with_line('char s[8]; sprintf(s, "%d", K); strcat(s, "x"); C[0] = (real)s[0];')
    ),
    "a guard of OpenCL": (
        CL, "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#else\n#error 1\n"
        "#endif\n#if !defined(CL_VERSION_1_2) || __OPENCL_VERSION__ < CL_VERSION_1_1\n#error old\n"
        "#endif\n#ifndef __ENDIAN_LITTLE__\n#error big\n#endif\n"
        + CL_GEMM.format("(real)((double)A[0] * 2)")
    ),
    "a launch that is left in, in CUDA": (
        CU, CU_GEMM.format("A[0]")
        + "void run(int M, int N, int K, const real *A, const real *B, real *C)\n"
        "{\n    gemm<<<dim3(N, M), dim3(1, 1)>>>(M, N, K, A, B, C);\n}\n"
    ),
    "a question for a header, in CUDA": (
        CU,
        "#if defined(__has_include)\n#if __has_include(<cuda_fp16.h>)\n"
        "#include <cuda_fp16.h>\n#endif\n#endif\n"
        + CU_GEMM.format("A[0]"),
    ),
    "header of editors for CUDA": (
        CU, "#include \"cuda_runtime.h\"\n#include <device_launch_parameters.h>\n"
        "#include <device_functions.h>\n#include <cuda_runtime_api.h>\n" + CU_GEMM.format("A[0]")
    ),
    "function of common/": (
        C, "double now_ms(void);\n" + with_line("C[0] = (real)now_ms();")
    ),
    "helper called as a function of common/": (
        C, f"int share(int n);\nint share(int n) {{ return n; }}\n{GEMM}"
    ),
    "headers of C++": (CU, "#include <iostream>\n#include <algorithm>\n" + CU_GEMM.format("A[0]")),
    "main left in": (C, f"int main(void) {{ return 0; }}\n{GEMM}"),
    "extern inline": (C, f"extern inline {GEMM}"),
    "K&R": (C, ("void gemm(M, N, K, A, B, C)\nint M, N, K;\nconst real *A, *B;\n"
"real *C;\n{\n") + BODY + "}\n"),
    "_K in OpenCL": (CL, "#define TIMES(_K) ((_K) * B[0])\n" + CL_GEMM.format("TIMES(A[0])")),
}  # fmt: skip

PARAMS_TAKEN = {
    "real": (C, PARAMS + "static inline real twice(real a) { return 2 * a; }\n",
             with_line("C[0] = twice(A[0]);")),
    "static": (C, PARAMS + "static const real table[3] = {1, 2, 3};\nstatic int calls;\n",
               with_line("calls++; C[0] = table[K % 3];")),
    "names in small letters": (
        C,
        "enum { tile_m = 1, tile_n = 8 };\n#define TILE_M tile_m\n#define TILE_N tile_n\n#define "
        "TILE_K 1\n",
        GEMM,
    ),
    "enum": (C, "enum { TILE_M = 1, TILE_N = 2, TILE_K = sizeof(real) };\n", GEMM),
    "CRLF": (C, PARAMS.replace("\n", "\r\n"), f'#include "params.h"\n{GEMM}'),
    "CUDA": (
        CU,
        "#define BLOCK 16\n#define TILE_M BLOCK\n#define TILE_N BLOCK\nconstexpr int TILE_K = 1;\n"
        "__device__ inline real twice(real a) { return 2 * a; }\n",
        '#include "params.h"\n' + CU_GEMM.format("twice(A[0])"),
    ),
}  # fmt: skip

NOT_TAKEN = {
    "file that is not there": (C, f'#include "mine.h"\n{GEMM}', "mine.h"),
    "file elsewhere, in CUDA": (CU, '#include "../mine.h"\n' + CU_GEMM.format("A[0]"), "mine.h"),
    "header of C, in OpenCL": (
        CL, "#include <math.h>\n" + CL_GEMM.format("A[0]"),
        "kernel.cl:1 includes math.h, which is not there; OpenCL C needs none for printf"
    ),
    "static": (C, f"static {GEMM}", NO_FUNCTION),
    "inline": (C, f"inline {GEMM}", NO_FUNCTION),
    "no gemm": (C, GEMM.replace("gemm", "Gemm"), NO_FUNCTION),
    "an error": (C, f"{GEMM}}}", "does not build: kernel.c:6:1: error"),
    "sanitizers off": (
        C, f"#define OFF __attribute__((no_sanitize(\"address\")))\nOFF {GEMM}",
        "kernel.c switches a sanitizer off: remove 'no_sanitize'"
    ),
    "sanitizer off, in OpenCL": (
        CL, "__attribute__((no_sanitize(\"thread\"))) " + CL_GEMM.format("A[0]"), "switches a"
    ),
    "sanitizer off in its own build, in CUDA": (
        CU, "#ifdef __SANITIZE_THREAD__\n#define OFF [[gnu::no_sanitize_thread]]\n#else\n"
        "#define OFF\n#endif\nOFF " + CU_GEMM.format("A[0]"), "switches a sanitizer off"
    ),
    "params.h without tiles": (C, GEMM, "FAIL params.h: TILE_N undeclared"),
    "params.h with an error": (C, GEMM, "FAIL params.h:4:1: error: "),
    "params.h with a variable": (C, GEMM, "FAIL params.h: TILE_N is no constant expression"),
    "params.h with a negative tile": (C, GEMM, "FAIL params.h: TILE_N is no whole number from 1"),
    "params.h with half a tile": (C, GEMM, "FAIL params.h: TILE_N is no whole number from 1 on"),
    "params.h with a deep tile": (C, GEMM, "FAIL params.h: TILE_K is 10000000: 65536 at most"),
}  # fmt: skip
WITH_PARAMS = {
    "params.h without tiles": "#define TILE_M 1\n",
    "params.h with an error": PARAMS + "\x1a\n",
    "params.h with a negative tile": PARAMS.replace("TILE_N 1", "TILE_N -8"),
    "params.h with half a tile": PARAMS.replace("TILE_N 1", "TILE_N 1.5"),
    "params.h with a deep tile": PARAMS.replace("TILE_K 1", "TILE_K 10000000"),
    "params.h with a variable": "static const int VL = 8;\n"
    + PARAMS.replace("TILE_N 1", "TILE_N VL"),
}


@pytest.mark.parametrize("name", TAKEN)
def test_whatever_a_compiler_accepts_is_accepted(name: str) -> None:
    assert by_both(*TAKEN[name]) == ""


@pytest.mark.parametrize("name", PARAMS_TAKEN)
def test_params_h_may_have_what_a_kernel_may(name: str) -> None:
    lab, params, text = PARAMS_TAKEN[name]
    includes = "" if "params.h" in text else '#include "params.h"\n'
    assert by_both(lab, includes + text, params) == ""


@pytest.mark.parametrize("name", NOT_TAKEN)
def test_both_report_the_same(name: str) -> None:
    lab, text, word = NOT_TAKEN[name]
    assert word in by_both(lab, text, WITH_PARAMS.get(name, ""))


@pytest.mark.parametrize(("lab", "count"), [(C, 1), (AVX, 1), (CL, 2), (CU, 1)])
def test_a_kernel_is_built_in_one_sandbox(
    lab: str, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenCL needs another one, in which its driver compiles."""
    commands: list[list[str]] = []

    def counted(command: list[str], box: Box, seconds: float) -> Outcome:
        commands.append(command)
        return run_inside(command, box, seconds)

    monkeypatch.setattr(builder, "run_inside", counted)
    with tempfile.TemporaryDirectory(prefix="gemm-test.") as folder:
        Path(folder).chmod(0o777)
        text = answer(lab).read_bytes()
        for name in "first", "second":  # the lab's main is compiled for the first of a class alone
            commands.clear()
            work = Work(described(lab), TASK, Path(folder, name))
            worker = make_worker(work, {answer(lab).name: text})
        assert Path(worker.box.files[0][0]).stat().st_size > 0
    assert len(commands) == count


@pytest.mark.parametrize(
    ("kept", "found"),
    [
        (b"1\na0\n3\nb\nc", [b"a", b"", b"b\nc"]),
        (b"1\na9\nb", [b"a"]),  # there was no room for the rest
        (b"", []),
        (b"-1\na", []),
        (b"x", []),
        (b"0\n" * 9, [b""] * 3),
    ],
)
def test_of_the_results_the_whole_ones_count(kept: bytes, found: list[bytes]) -> None:
    assert builder.parts(kept, 3) == found


@pytest.mark.parametrize(
    "text",
    [
        CU_GEMM.format("A[0]").replace("gemm", "Gemm"),
        CU_GEMM.format("A[0]").replace("const ", ""),
        "static " + CU_GEMM.format("A[0]"),
        'extern "C" ' + CU_GEMM.format("A[0]"),
    ],
)
def test_a_kernel_in_cuda_without_gemm_is_reported_in_one_line(text: str) -> None:
    """make check builds the whole lab, which reports it."""
    assert NO_FUNCTION in by_grade(CU, TASK, {"kernel.cu": text.encode()})


@pytest.mark.parametrize(
    ("first", "then"), [('"', "\\'"), ("'", '\\"'), ("", "/* "), ("", 'R"('), ("", 'R"')]
)
def test_what_is_begun_and_never_ended_is_read_once(first: str, then: str) -> None:
    """Searching for the end of each would take from minutes to hours."""
    assert first_todo(first + then * (LARGEST // len(then))) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a 'b\\'c\nd", ["a", "'b\\'c", "d"]),
        ('"a\\"b" "c\nd" \'e', ['"a\\"b"', '"c', "d", "\" 'e"]),
        ('a"\\', ["a", '"', "\\"]),
        ("a/* b */c/* d\ne", ["a", "c"]),
        ("1'000'000", ["1'000'000"]),
        ('R"x(")"\n)x"a R"(b', ['R"x(")"\n)x"', "a", 'R"(b']),
    ],
)
def test_an_unclosed_string_ends_with_its_line(text: str, words: list[str]) -> None:
    assert [m[0] for m in LEXEME.finditer(text) if m.lastgroup != "space"] == words


@pytest.mark.parametrize("lab", list(read_course()))
def test_what_the_course_itself_has_is_taken(lab: str) -> None:
    """The reference, the starting points and the steps; a variant may be for other tunables."""
    steps = [TOP / lab / f"kernel_{step}{answer(lab).suffix}" for step in described(lab).stages]
    for path in [answer(lab), *steps, *sorted((TOP / lab / "start").glob("kernel*"))]:
        assert (
            said(asked(described(lab), read_course()[lab], {answer(lab).name: path.read_bytes()}))
            == ""
        )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("// METODO\n// TODO_LATER TODOS\n", 0),
        ("// MÉTODO, ME\u0301TODO\n// TODOå\n", 0),
        ('int TODO; char *s = "// TODO", c = \'"\';\n', 0),
        ("int a;\n// a TODO: b\n", 2),
        ("/* a\n * (TODO)\n */\n", 2),
        ("/* a */ int TODO; // b\r\n/**/ /*TODO*/\r\n", 2),
        ('char *s = "\\""; // TODO\n', 1),
        ("int n = 1'000; // TODO\n", 1),
        ("int n = x+1'000'000/2'0; char c = '1'; // TODO\n", 1),
        ("#error don't // TODO\nint n; // TODO\n", 2),
        ('#error "don\n/* TODO */\n', 2),
        ('char c[] = "\\\\"; // TODO\n', 1),
    ],
)
def test_todo_is_a_word_of_a_comment(text: str, line: int, tmp_path: Path) -> None:
    """For make, which asks a script, as for make grade."""
    (tmp_path / "kernel.c").write_bytes(text.encode())
    make = run(["sh", TOP / "make/unfinished", "kernel.c"], tmp_path).out
    grade = unfinished(text, "kernel.c", frozenset())
    assert make == (f"kernel.c:{line} still says TODO\n" if line else "")
    assert grade == (f"not done yet: {make.strip()}" if line else "")


def test_a_tool_that_is_not_here_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = described(C)
    monkeypatch.setenv("PATH", "/nowhere")
    assert said(asked(lab, TASK, {"kernel.c": GEMM.encode()})) == "SKIP there is no cc here"


def test_a_params_h_that_settles_the_tunables_is_as_right_as_in_grade(clone: Path) -> None:
    """docs/handing-in.md takes one of the student's own; nobody can build it with other values
    then."""
    lab = clone / "lab03_avx_block"
    text = (lab / "params.h").read_text().replace("#ifndef", "#if 0 //")
    (lab / "params.h").write_text(f"#define BLOCK_KN 64\n#define ROWS 6\n{text}")
    assert of_other(labs.describe(str(lab), []), []) is None


def begin_step(lab: Path, step: str) -> None:
    """Its reference is the student's kernel, and no other is there to be checked."""
    make(lab, "start", f"STEP={step}")
    kernel = next(lab.glob("kernel.*"))
    kernel.write_bytes((lab / f"kernel_{step}{kernel.suffix}").read_bytes())
    for other in lab.glob("kernel_*"):
        other.unlink()


@pytest.mark.slow
def test_a_step_has_the_points_that_make_grade_gives_it(clone: Path) -> None:
    """Its kernel is right with the settings of its step, which are not handed in."""
    name = "lab07_ocl_localmem"
    with tempfile.TemporaryDirectory(prefix="gemm-test.") as folder:
        Path(folder).chmod(0o755)
        handed, _ = grade(Kernel(TOP / name / "kernel_square.cl", {"lab": name}), Path(folder))
    lab = clone / name
    begin_step(lab, "square")
    text = re.sub(r"\s+", " ", make(clone, "check", "LAB=7", env={"SIZE": "64"}).out)
    entry = json.loads((lab / "build/check.json").read_text())["labs"][0]
    assert (handed["verdict"], handed["points"]) == ("FAIL", 0)
    assert (entry["verdict"], entry["points"]) == ("PASS", 0)
    assert "make grade gives it no points: FAIL: wrong at " in entry["reason"]
    assert entry["reason"].endswith(
        "were never written; it takes params.h alone, without the step's GROUP_X=TILE GROUP_Y=TILE "
        "TILE_K=TILE COLS_PER_ITEM=1 ROWS_PER_ITEM=1: make next goes on, or put them into params.h"
    )
    assert entry["reason"] in text
    params = (lab / "params.h").read_text()
    for setting in "GROUP_X TILE", "GROUP_Y TILE", "COLS_PER_ITEM 1", "ROWS_PER_ITEM 1":
        params = re.sub(rf"(?<=define ){setting.split()[0]} \d+", setting, params)
    (lab / "params.h").write_text(params)
    assert "10/10" in make(clone, "check", "LAB=7", env={"SIZE": "64"}).out


@pytest.mark.parametrize(
    ("name", "step", "setting"),
    [
        ("lab03_avx_block", "block", "BLOCK_KN=128"),
        ("lab06_ocl_regtile", "rows", "COLS_PER_ITEM=4"),
    ],
)
def test_a_step_is_timed_and_counted_as_it_is_handed_in(
    clone: Path, monkeypatch: pytest.MonkeyPatch, name: str, step: str, setting: str
) -> None:
    begin_step(clone / name, step)
    lab = labs.describe(str(clone / name), [])
    one = Grade(lab)
    with ProgressBar("check", 1) as progress:
        check.run_programs(one, [], progress)
    assert (one.verdict, one.worthless, lab.programs[0].settings) == (PASS, "", (setting,))
    words = f"its points are those of params.h alone, without the step's {setting}"
    assert words in " ".join("\n".join(notes(one, [])).split())
    judged: list[Path] = []

    def ask(counted: Lab, *_: object) -> Asked:
        judged.append(counted.path)
        return Asked()

    def measure(folder: Path, _: str) -> Result:
        judged.append(folder)
        return Result("gemm", FAIL)

    monkeypatch.setattr(check, "ask", ask)
    monkeypatch.setattr(check, "measure", measure)
    check.count_all([one], {name: replace(TASK, idea=1)}, [], progress)
    check.time_lab(one, None, None, "64", [])
    counted, timed = judged
    assert counted == timed, "copied and built once"
    assert labs.describe(str(timed), []).programs[0].settings == ()


@pytest.mark.parametrize(
    ("lab", "text"),
    [
        (C, f'#include "lab.h"\n#include <math.h>\n{GEMM}'),
        (CU, CU_GEMM.format("A[0]")),
        (CL, CL_GEMM.format("A[0]")),
    ],
)
def test_the_folder_of_the_workbook_may_have_any_name(clone: Path, lab: str, text: str) -> None:
    """The preprocessor has other words for it."""
    book = clone.with_name("Übung-müller")
    clone.rename(book)
    code = (
        "from workbook.check.refused import refusal; from workbook.lab import labs; "
        f"print(refusal(labs.describe('{lab}', [])))"
    )
    (book / lab / kernel_name(described(lab))).write_text(text)
    here = {"PYTHONPATH": str(book), "TMPDIR": str(book)}
    said = run([sys.executable, "-c", code], book, env=here)
    assert said.out == "None\n", said.text


@pytest.mark.parametrize(
    ("lab", "text"), [(C, GEMM), (CL, CL_GEMM.format("A[0]")), (CU, CU_GEMM.format("A[0]"))]
)
def test_a_header_beside_the_kernel_is_not_handed_in(lab: str, text: str) -> None:
    says = f"FAIL does not build: {kernel_name(described(lab))}:1 includes util.h, which is not"
    assert by_both(lab, f'#include "util.h"\n{text}').startswith(says)


def test_a_function_that_is_nowhere_has_a_name() -> None:
    """As PoCL says it."""
    said = "Error(s) while linking:\nCannot find symbol f in kernel library\ngemm: failed: -11\n"
    assert first_error(Outcome(2, "", said, False, 1)) == "Cannot find symbol f in kernel library"


@pytest.mark.parametrize("linker", ["bfd", "gold", "mold"])
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("void gemm(void); int main(void) { gemm(); }", NO_FUNCTION),
        (
            "char a[3L << 30], b[3L << 30]; int main(void) { return a[0] + b[0]; }",
            "its static arrays are larger than the 2 GiB that a kernel may have",
        ),
    ],
)
def test_each_linkers_words_are_known(linker: str, text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "kernel.c").write_text(text)
    linked = run(["cc", f"-fuse-ld={linker}", "-o", tmp_path / "gemm", "kernel.c"], tmp_path)
    assert first_error(Outcome(linked.status, linked.out, linked.err, False, 1)) == says


def test_a_missing_header_is_told_where_folders_have_spaces_in_their_names() -> None:
    said = "kernel.c:5:10: fatal error: /my work/own.h: No such file or directory\n"
    assert "includes /my work/own.h, which is not there" in first_error(
        Outcome(1, "", said, False, 1)
    )


def test_of_a_compilers_longest_lines_the_beginning_is_read() -> None:
    """A pattern over a line of megabytes, which a kernel can make, took the class hours."""
    said = f"kernel.c:3:1: error: static assertion failed: {'A' * 100_000}"
    assert len(first_error(Outcome(1, "", said, False, 1))) <= LONGEST


def test_colons_without_end_are_read_once() -> None:
    said = f"/lab/kernel.c:1:2: error: #error {'1:' * LONGEST}"  # tried at each colon: minutes
    assert first_error(Outcome(1, "", said, False, 1)).startswith("kernel.c:1:2: error: #error 1:1")


def test_a_params_h_of_ones_own_comes_after_what_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """make grade says the one, and knows nothing of the other."""
    failed = Grade(described(C), unbuilt="error")
    for name, before in ("params.h", False), ("main.c", True):
        changed = f"{name} is not the one handed out"
        monkeypatch.setattr(Grade, "edited", changed)
        assert failed.reason.startswith(changed) is before


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b" " * (LARGEST + 1), "has more than 256 KiB"),
        ("int x;".encode("utf-16"), "is no plain text, or UTF-16: save it as UTF-8"),
    ],
)
def test_make_check_says_of_a_file_what_the_intake_says(
    clone: Path, content: bytes, says: str
) -> None:
    lab = labs.describe(str(clone / C), [])
    (lab.path / "kernel.c").write_bytes(content)
    handed = Handed()
    note(handed, C, {"name": f"{C}/kernel.c", "text": content, "is": ""})
    assert said(refusal(lab)) == f"REFUSED {handed.refused}" == f"REFUSED {C}/kernel.c {says}"
