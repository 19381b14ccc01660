# SPDX-License-Identifier: MIT
"""What a compiled kernel asks for, and what of it would run without being called."""

from __future__ import annotations

import re

MATHS = (
    "sqrt cbrt fabs fma fmin fmax floor ceil round trunc rint nearbyint lrint lround exp exp2 log log2 log10 "
    "pow sin cos tan ldexp frexp scalbn modf fmod hypot copysign remainder"
).split()
CALLS = frozenset(
    "malloc calloc realloc free aligned_alloc posix_memalign memalign memcpy memmove memset memcmp mempcpy "
    "printf puts putchar fprintf fputs fputc putc fwrite fflush snprintf sprintf vprintf stdout stderr "
    "__printf_chk __fprintf_chk __snprintf_chk __memcpy_chk __memset_chk __memmove_chk __stack_chk_fail "
    "abort __assert_fail qsort abs labs _GLOBAL_OFFSET_TABLE_ __tls_get_addr strlen".split()
) | {f"{name}{suffix}" for name in MATHS for suffix in ("", "f", "l")}
THREADS = re.compile(
    r"(GOMP_\w+|omp_(get|set|in|init|destroy|unset|test)_\w+|pthread_(?!kill|sigqueue|atfork|cancel)\w+)"
)
# Of C++, in which the emulation is written; sanitizers are the tools'.
EMULATED = re.compile(
    r"(_Z\w*9emulation\w*|_ZTH\w*|__cxa_(guard_\w+|throw_bad_array_new_length)|__ubsan_\w+|_Z(n|d)[wa]\w*|__gxx_personality_v0|_Unwind_Resume|_ZTVN10__cxxabiv1\w*|_ZSt\w+|_ZNSt?\w+)"
)
SANITIZERS = re.compile(r"__(asan|ubsan|tsan|sanitizer)_")
BEFORE_MAIN = re.compile(r"\.(pre)?init_array|\.ctors|\.init\b|\.fini|\.dtors|\.preinit")


def complaint(symbols: str, sections: str, threads: bool, emulated: bool, of_tool: bool = False) -> str:
    """Of what `nm -P -u` and `objdump -h` say of an object: why it is not taken, or nothing."""
    for line in symbols.splitlines():
        name = line.split(" ")[0]
        known = name in CALLS or (threads and THREADS.fullmatch(name))
        known = known or (emulated and EMULATED.match(name)) or (of_tool and SANITIZERS.match(name))
        if name and not known:
            return f"it calls {told(name)}, which no kernel needs{why(name)}"
    for line in sections.splitlines():
        words = line.split()
        if len(words) > 1 and words[0].isdigit() and BEFORE_MAIN.match(words[1]):
            return "it has code that would run before main: a constructor"
    return ""


def told(name: str) -> str:
    """As it is called in the source, where C++ has mangled it."""
    mangled = re.match(r"_Z(\d+)", name)
    if mangled:
        name = name[mangled.end() :][: int(mangled[1])]
    return re.sub(r"[^\w.@$]", "?", name)[:80]


def why(name: str) -> str:
    if re.match(r"_Z\d+cuda[A-Z]", name):
        return ": hand in the kernel alone, the host is ours"
    if THREADS.fullmatch(name):
        return ": this lab is for one thread (course.tsv)"
    if re.match(r"cblas_|[sd]gemm_?$|dlopen|dlsym", name):
        return ": the product is to be computed here"
    return ""
