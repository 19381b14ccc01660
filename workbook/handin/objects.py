# SPDX-License-Identifier: MIT
"""What a compiled kernel asks for, and what of it would run without being called."""

from __future__ import annotations

import re

# All of libm: whatever of it a kernel calls, or a compiler makes of what it calls, is arithmetic.
MATHS = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 "
    "expm1 fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn ldexp "
    "lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter nextdown "
    "nexttoward nextup pow pow10 remainder remquo rint round roundeven scalb scalbln scalbn significand "
    "sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn __fpclassify __signbit __isinf __isnan "
    "__finite __issignaling"
).split()
CALLS = frozenset(
    "malloc calloc realloc reallocarray free aligned_alloc posix_memalign memalign memcpy memmove "
    "memset memcmp memchr memrchr mempcpy memccpy bzero bcopy bcmp strlen strnlen strcpy strncpy stpcpy "
    "stpncpy strcat strncat strcmp strncmp strcasecmp strncasecmp strchr strrchr strchrnul strstr "
    "strpbrk strspn strcspn strtok strtok_r strdup strndup strerror strtol strtoul strtoll strtoull "
    "strtod strtof strtold atoi atol atoll atof isalnum isalpha isdigit isspace isupper islower ispunct "
    "isxdigit isprint toupper tolower __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc qsort "
    "bsearch abs labs llabs div ldiv lldiv rand srand rand_r random srandom drand48 srand48 printf puts "
    "putchar fprintf fputs fputc putc fwrite fflush snprintf sprintf vprintf vfprintf vsnprintf perror "
    "stdout stderr __errno_location abort __assert_fail __printf_chk __fprintf_chk __snprintf_chk "
    "__memcpy_chk __memset_chk __memmove_chk __stack_chk_fail _GLOBAL_OFFSET_TABLE_ __tls_get_addr "
    "feclearexcept fegetround fesetround fetestexcept".split()
) | {f"{name}{suffix}" for name in MATHS for suffix in ("", "f", "l")}
OF_C = frozenset({"exit"})  # which ends a worker, and so the call
# Of the compiler's own library, in C++: types that the processor has no instructions for.
RUNTIME = re.compile(
    r"__(extend|trunc|fix|fixuns|float|floatun|add|sub|mul|div|neg|eq|ne|lt|le|gt|ge|unord|powi|udiv|umod|mod|"
    r"popcount|clz|ctz|ffs|parity|bswap|ashl|ashr|lshr)([bhsdxt]f|[sdxt]c|[sdt]i){1,2}[23i]?2?"
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


def complaint(symbols: str, sections: str, threads: bool, text: str | None, of_tool: bool = False) -> str:
    """Of what `nm -P -u` and `objdump -h` say of an object, and of the text that it was compiled from: why it
    is not taken, or nothing. None: of C++, for the emulation."""
    emulated = text is None
    patterns = [RUNTIME, EMULATED] if emulated else []
    patterns += [THREADS] if threads else []
    patterns += [SANITIZERS] if of_tool else []
    calls = CALLS if emulated else CALLS | OF_C
    for line in symbols.splitlines():
        name = line.split(" ")[0]
        if not name or name in calls or any(pattern.fullmatch(name) for pattern in patterns):
            continue
        if text is None or is_named(name, text):
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


def is_named(name: str, text: str) -> bool:
    """Does a preprocessed text name it, in code or as the label that a header gives a function? What it does
    not name is the compiler's: of its own library, or what it makes of several calls."""
    return re.search(rf"(?<!\w)(?:__builtin_)?{re.escape(name)}(?!\w)", text) is not None


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
