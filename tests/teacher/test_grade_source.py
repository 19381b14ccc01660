# SPDX-License-Identifier: MIT
"""Which kernels in C are not compiled, by their text and by what they call; tests/cheats has whole
ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from workbook.handin.cuda import complaint_of_builds, complaint_of_cuda
from workbook.handin.file import LARGEST
from workbook.handin.symbols import complaint, declaring
from workbook.handin.text import (
    OF_CXX,
    as_all_drivers,
    complaint_of_code,
    complaint_of_text,
    complaint_of_tokens,
    first_todo,
    tokens,
)


class Counted(list[str]):
    """Words, and how many of them were looked at by their place."""

    looked = 0

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        self.looked += len(found) if isinstance(at, slice) else 1
        return found


@pytest.mark.parametrize(
    "text", ["gemm(),", "gemm()", "[[unused]] ", "__has_include(", "#define static "]
)
@pytest.mark.parametrize(
    "look",
    [lambda words: declaring("gemm", words), complaint_of_tokens, complaint_of_builds],
    ids=["declaring", "tokens", "builds"],
)
def test_twice_the_text_is_twice_the_work(text: str, look: Callable[[list[str]], object]) -> None:
    """However a kernel is made: the time of who grades is not a student's."""
    work = []
    for times in 500, 1000:
        words = Counted(tokens(text * times))
        look(words)
        work.append(words.looked)
    assert work[1] <= 2 * work[0] + 100


def of_code(text: str) -> str:
    return complaint_of_code(f'# 1 "/lab/kernel.c"\n{text}', ".c")


@pytest.mark.parametrize(
    "text",
    [
        "int x;",
        "/* asm # line */ // __attribute__ #pragma x\nint x;",
        'char *s = "asm # 1 \\"x\\" __attribute__";',
        "#include <math.h>\n#  define A(x) #x\n#ifndef B\n#endif\n#",
        "#define LONG(x) \\\n    x # y\n",
        "int a = 1'000 ? 2 : 3;",
        '#ident "of me"\n#elifdef A\n#elifndef B\n',
        '#if 0\nasm("nop");\n#endif\n',  # the preprocessor is asked
    ],
)
def test_a_text_that_is_taken(text: str) -> None:
    assert complaint_of_text("kernel.c", text) == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('# 1 "x.h" 3', "not taken"),
        ("#line 7", "not taken"),
        ("  #\t7", "not taken"),
        ("/* */ # 7", "not taken"),
        ("#li\\\nne 7", "not taken"),
        ('#ident "x\\n.globl y"', "not taken"),  # gcc hands it to the assembler
        ("#ident X", "not taken"),
        ("%: 1", "write #"),
        ("??=line 7", "trigraph"),
        ("a\0b", "byte 0"),
    ],
)  # fmt: skip
def test_a_text_that_is_not(text: str, says: str) -> None:
    assert says in complaint_of_text("kernel.c", text)


@pytest.mark.parametrize(
    "text",
    [
        "#pragma GCC unroll 8",
        "#pragma omp parallel for",
        "#pragma GCC ivdep",
        "float a __attribute__((aligned(64), __unused__));",
        "[[maybe_unused]] int x;",
        "int a[2]; int b = a[a[0]];",
        "typedef float v __attribute__((vector_size(32)));",
    ],
)
def test_a_pragma_or_an_attribute_that_is_taken(text: str) -> None:
    assert of_code(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        '#pragma GCC optimize("O3")',
        "#pragma GCC push_options",
        "# pragma  GCC  target  (\"avx2\")",
        "#pragma weak gemm",
        "__attribute__((constructor)) void f(void);",
        "__attribute((__optimize__(3))) void f(void);",
        "void f(void) __attribute__((unused, target(\"avx\")));",
        "[[gnu::optimize(3)]] void f(void);",
        "[[gnu::unused, gnu::target(\"avx\")]] void f(void);",
        "float x __attribute__((aligned(64))) __attribute__((section(\".init_array\")));",
        '_Pragma("GCC optimize(3)")',
        "int x = asm;",
    ],
)  # fmt: skip
def test_a_pragma_or_an_attribute_that_is_not(text: str) -> None:
    assert of_code(text) != ""


def test_what_headers_of_the_system_say_is_theirs() -> None:
    header = '# 1 "/usr/include/immintrin.h" 1 3\n#pragma GCC target("avx")\n'
    header += '__attribute__((target("avx"))) int f;\n'
    assert of_code(f'{header}# 2 "/lab/kernel.c" 2\nint x;') == ""
    assert of_code(f'{header}# 2 "/lab/kernel.c" 2\n#pragma GCC target("avx")') != ""


@pytest.mark.parametrize(
    "name",
    [
        "/lab/./kernel.c",
        "./kernel.c",
        "/usr/include/../../lab/kernel.c",
        "/built/kernel.i",
        "<stdin>",
        "kernel.c",
    ],
)
def test_whatever_it_calls_itself_it_is_theirs(name: str) -> None:
    assert complaint_of_code(f'# 1 "{name}"\n#pragma GCC target("avx")', ".c") != ""


def test_much_is_looked_at_soon() -> None:
    """Tens of thousands of attributes take a moment, not an hour."""
    assert of_code("int a __attribute__((unused));\n" * 50000) == ""
    assert "expands to more than" in of_code("int a;\n" * 500000)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ('"', "\\'"),
        ("'", '\\"'),
        ("", "/* "),
        ("", 'R"('),
        ("", 'R"'),
        ("", "["),
        ("", "__attribute__((aligned("),
    ],
)
def test_what_is_begun_and_never_ended_is_looked_at_soon(first: str, then: str) -> None:
    """Where the end of each is looked for, this takes from minutes to hours."""
    text = first + then * (LARGEST // len(then))
    assert [of("kernel.cu", text) for of in (complaint_of_text, complaint_of_cuda)] == ["", ""]
    assert of_code(text) == ""
    assert first_todo(text) == 0


@pytest.mark.parametrize(
    ("text", "c", "cxx"),
    [
        ("a 'b\\'c\nd", ["a", "'b\\'c", "d"], ["a", "'b\\'c", "d"]),
        ('"a\\"b" "c\nd" \'e', ['"a\\"b"', '"c', "d", "\" 'e"], ['"a\\"b"', '"c', "d", "\" 'e"]),
        ('a"\\', ["a", '"', "\\"], ["a", '"', "\\"]),
        ("a/* b */c/* d\ne", ["a", "c"], ["a", "c"]),
        ("1'000'000", ["1", "'000'", "000"], ["1'000'000"]),
        (
            'R"x(")"\n)x"a R"(b',
            ["R", '"x("', ")", '"', ")", "x", '"a R"', "(", "b"],
            ['R"x(")"\n)x"', "a", 'R"(b'],
        ),
    ],
)
def test_the_tokens_of_c_and_of_cuda(text: str, c: list[str], cxx: list[str]) -> None:
    """What nobody closes: a string ends with its line, a comment and a raw string with the text."""
    assert (tokens(text), tokens(text, OF_CXX)) == (c, cxx)


def test_a_raw_string_in_which_no_line_goes_on_hides_nothing() -> None:
    hidden = 'const char *s = R"(a)\\\n")"; asm("nop"); //"\n'
    assert "raw string" in complaint_of_cuda("kernel.cu", hidden)
    assert complaint_of_cuda("kernel.cu", 'const char *s = R"(a)";\n') == ""


def test_opencl_has_no_assembly() -> None:
    assert complaint_of_code('# 1 "/lab/kernel.cl"\n__asm__("nop");', ".cl") != ""
    assert complaint_of_code("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\nint a;", ".cl") == ""


@pytest.mark.parametrize(
    ("calls", "threads", "says"),
    [
        ("malloc", False, ""),
        ("sqrtf", False, ""),
        ("memcpy", False, ""),
        ("GOMP_parallel", False, "one thread"),
        ("GOMP_parallel", True, ""),
        ("pthread_create", True, ""),
        ("thrd_create", True, ""),
        ("mtx_lock", True, ""),
        ("call_once", True, ""),
        ("thrd_create", False, "one thread"),
        ("thrd_sleep", True, "no kernel needs"),
        ("pthread_kill", True, "no kernel needs"),
        ("cblas_sgemm", True, "to be computed here"),
        ("system", True, "no kernel needs"),
        ("_exit", False, ""),
        ("quick_exit", False, "no kernel needs"),
        ("gemm2\x1b[2J", False, "gemm2"),
    ],
)
def test_what_is_called(calls: str, threads: bool, says: str) -> None:
    said = complaint(f"{calls} U\nprintf U\n", "  0 .text 0 0\n", threads, text=f"{calls}();")
    assert says in said
    assert bool(said) == bool(says)
    assert "\x1b" not in said


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("C[0] = sinf(x);", True),
        ("its_own__popcountdi3(x);", True),
        ("__popcountdi3(x);", False),
        ("__builtin___popcountdi3(x);", False),
        ('int f(void) __asm__("" "__popcountdi3");', False),
    ],
)
def test_what_nobody_names_the_compiler_has_made(text: str, made: bool) -> None:
    assert (complaint("__popcountdi3 U\n", "", False, text) == "") == made


def test_no_driver_knows_a_name_of_a_kernel() -> None:
    text = as_all_drivers(
        '# 1 "/lab/kernel.cl"\n__kernel void f(int _K, __global int *a) { a[0] = _K; }'
    )
    assert text.startswith('#undef _K\n# 1 "/lab/kernel.cl"\n')


@pytest.mark.parametrize(
    "section", [".init_array", ".init_array.101", ".ctors", ".preinit_array", ".fini_array"]
)
def test_what_would_run_before_main(section: str) -> None:
    assert "before main" in complaint("", f"  0 .text 0 0\n  1 {section} 00000008 0\n", False, "")
