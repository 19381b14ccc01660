# SPDX-License-Identifier: MIT
"""What a compiled kernel asks for, and what of it would run without being called."""

from __future__ import annotations

import re

MATHS = (
    "sqrt cbrt fabs fma fmin fmax floor ceil round trunc rint nearbyint lrint lround exp exp2 log log2 log10 "
    "pow sin cos tan asin acos atan atan2 sinh cosh tanh log1p expm1 fdim erf nextafter llrint llround logb "
    "ilogb ldexp frexp scalbn modf fmod hypot copysign remainder"
).split()
CALLS = frozenset(
    "malloc calloc realloc free aligned_alloc posix_memalign memalign memcpy memmove memset memcmp mempcpy "
    "strlen strcpy strncpy strcat strncat strcmp strncmp strchr strrchr strstr strdup memchr bzero bsearch "
    "printf puts putchar fprintf fputs fputc putc fwrite fflush snprintf sprintf vprintf vfprintf perror "
    "stdout stderr reallocarray __errno_location "
    "__printf_chk __fprintf_chk __snprintf_chk __memcpy_chk __memset_chk __memmove_chk __stack_chk_fail "
    "abort __assert_fail qsort abs labs _GLOBAL_OFFSET_TABLE_ __tls_get_addr".split()
) | {f"{name}{suffix}" for name in MATHS for suffix in ("", "f", "l")}
OF_C = frozenset({"exit"})  # which ends a worker, and so the call
# Of the compiler's own library: types that the processor has no instructions for.
RUNTIME = re.compile(
    r"__(extend|trunc|fix|fixuns|float|floatun|add|sub|mul|div|neg|eq|ne|lt|le|gt|ge|unord|powi|udiv|umod|mod|"
    r"popcount|clz|ctz|ffs|parity|ashl|ashr|lshr)([hsdxtb]f|[sdxt]c|[sdt]i){1,2}[23i]?2?"
)
THREADS = re.compile(
    r"(GOMP_\w+|omp_(get|set|in|init|destroy|unset|test)_\w+|pthread_(?!kill|sigqueue|atfork|cancel)\w+)"
)
# Of C++, in which the emulation is written; sanitizers are the tools'.
EMULATED = re.compile(
    r"(_Z\w*9emulation\w*|_ZTH\w*|__cxa_(guard_\w+|throw_bad_array_new_length)|__ubsan_\w+|_Z(n|d)[wa]\w*|__gxx_personality_v0|_Unwind_Resume|_ZTVN10__cxxabiv1\w*|_ZSt\w+|_ZNSt?\w+)"
)
SANITIZERS = re.compile(r"__(asan|ubsan|tsan|sanitizer)_\w+")
BEFORE_MAIN = re.compile(r"\.(pre)?init_array|\.ctors|\.init\b|\.fini|\.dtors|\.preinit")


def complaint(symbols: str, sections: str, threads: bool, emulated: bool, of_tool: bool = False) -> str:
    """Of what `nm -P -u` and `objdump -h` say of an object: why it is not taken, or nothing."""
    patterns = [RUNTIME]
    patterns += [THREADS] if threads else []
    patterns += [EMULATED] if emulated else []
    patterns += [SANITIZERS] if of_tool else []
    calls = CALLS if emulated else CALLS | OF_C
    for line in symbols.splitlines():
        name = line.split(" ")[0]
        if name and name not in calls and not any(pattern.fullmatch(name) for pattern in patterns):
            return f"it calls {told(name)}, which no kernel needs{why(name)}"
    if emulated:  # its variables on the device have constructors
        return ""
    for line in sections.splitlines():
        words = line.split()
        if len(words) > 1 and words[0].isdigit() and BEFORE_MAIN.match(words[1]):
            return "it has code that would run before main: a constructor"
    if re.search(r"\.note\.GNU-stack .*\n.*\bCODE\b", sections):
        return (
            "it takes the address of a function in a function, for which its stack would be executable: "
            "make it a function of its own"
        )
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
