# SPDX-License-Identifier: MIT
"""What a compiled kernel asks for, and what of it would run without being called."""

from __future__ import annotations

import re
from collections.abc import Callable

# All of libm: whatever of it a kernel calls, or a compiler makes of what it calls, is arithmetic.
MATHS = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 "
    "exp2 expm1 fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 "
    "j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint "
    "nextafter nextdown nexttoward nextup pow pow10 remainder remquo rint round roundeven scalb "
    "scalbln scalbn significand sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn __fpclassify "
    "__signbit __isinf __isnan __finite __issignaling"
).split()
CALLS = frozenset(
    "malloc calloc realloc reallocarray free aligned_alloc posix_memalign memalign memcpy memmove "
    "memset memcmp memchr memrchr mempcpy memccpy bzero bcopy bcmp strlen strnlen strcpy strncpy "
    "stpcpy stpncpy strcat strncat strcmp strncmp strcasecmp strncasecmp strchr strrchr strchrnul "
    "strstr strpbrk strspn strcspn strtok strtok_r strdup strndup strerror strtol strtoul strtoll "
    "strtoull strtod strtof strtold atoi atol atoll atof isalnum isalpha isdigit isspace isupper "
    "islower ispunct isxdigit isprint toupper tolower __ctype_b_loc __ctype_tolower_loc "
    "__ctype_toupper_loc qsort bsearch abs labs llabs div ldiv lldiv rand srand rand_r random "
    "srandom drand48 srand48 printf puts putchar fprintf fputs fputc putc ferror clearerr fwrite "
    "putchar_unlocked putc_unlocked fputc_unlocked fputs_unlocked fwrite_unlocked __overflow "
    "setbuf setvbuf setlinebuf fflush snprintf sprintf sscanf vprintf vfprintf vsprintf vsnprintf "
    "perror stdout stderr __errno_location abort __assert_fail __stack_chk_fail "
    "_GLOBAL_OFFSET_TABLE_ __tls_get_addr fegetenv fesetenv feholdexcept feupdateenv "
    "feraiseexcept feclearexcept fegetround fesetround fetestexcept".split()
) | {f"{name}{suffix}" for name in MATHS for suffix in ("", "f", "l")}
OF_C = frozenset({"exit", "_exit", "_Exit", "atexit"})  # which ends a worker, and so the call
# The same function, as headers call it: checked, or by a later standard.
OTHERWISE = re.compile(r"__isoc\d\d_(\w+)|__(\w+)_chk", re.ASCII)
# Of the compiler's own library, in C++: types that the processor has no instructions for.
RUNTIME = re.compile(
    r"__(extend|trunc|fix|fixuns|float|floatun|add|sub|mul|div|neg|eq|ne|lt|le|gt|ge|unord|powi|udiv|umod|mod|"
    r"popcount|clz|ctz|ffs|parity|bswap|ashl|ashr|lshr)([bhsdxt]f|[sdxt]c|[sdt]i){1,2}[23i]?2?"
)
THREADS = re.compile(  # OpenMP, POSIX, and C11: threads.h
    r"(GOMP_\w+|omp_(get|set|in|init|destroy|unset|test)_\w+"
    r"|pthread_(?!kill|sigqueue|atfork|cancel)\w+|(thrd|mtx|cnd|tss)_(?!sleep)\w+|call_once)"
)
# Of C++, in which the emulation is written; sanitizers are the tools'.
EMULATED = re.compile(
    r"(_Z\w*9emulation\w*|emulation_type_mismatch|_ZTH\w*|__cxa_(guard_\w+|throw_bad_array_new_length|atexit|pure_virtual)|__dso_handle|__ubsan_\w+|_Z(n[wa]|d[la])\w*|__gxx_personality_v0|_Unwind_Resume|_ZTVN10__cxxabiv1\w*|_ZSt\w+|_ZNSt?\w+)"
)
OF_CUDA = re.compile(r"_Z4gemmiiiPK([fdi])S0_P\1")  # gemm(M, N, K, A, B, C)
SANITIZERS = re.compile(r"__(asan|ubsan|tsan|sanitizer)_\w+")
BEFORE_MAIN = re.compile(r"\.(pre)?init_array|\.ctors|\.init\b|\.fini|\.dtors|\.preinit")


def no_gemm(symbols: str, words: Callable[[], list[str]], file: str) -> str:
    """Of what `nm -P` says of an object, and of the words of its text: why main does not find gemm
    in it, or nothing."""
    cuda = file.endswith(".cu")
    names = {
        row[0] for line in symbols.splitlines() if len(row := line.split()) > 1 and row[1] in "TW"
    }
    if cuda and "main" in names:
        return "it has a main, and the host is ours: hand in the kernel alone"
    if any(OF_CUDA.fullmatch(name) for name in names) if cuda else "gemm" in names:
        return ""
    before = declaring("gemm", words())
    for word in "static", "inline":
        if word in before:
            return f"gemm is '{word}' in {file}, where main does not find it: remove that word"
    if cuda and "gemm" in names:
        return f"gemm is 'extern \"C\"' in {file}, and main, in C++, does not find it: remove that"
    if any(name.startswith("_Z4gemm") for name in names):
        return (
            "gemm has other parameters than main gives it: "
            "(int M, int N, int K, const real *A, const real *B, real *C)"
        )
    return "there is no function gemm in it"


def declaring(name: str, words: list[str]) -> set[str]:
    """The words before it where it is declared, outside of all braces and parentheses. Each is
    looked at once, however often a declaration has the name."""
    found: set[str] = set()
    depth = begin = 0
    for at, word in enumerate(words):
        if word == name and depth == 0 and words[at + 1 : at + 2] == ["("]:
            found.update(words[begin:at])
            begin = at
        depth += (word in "({") - (word in ")}")
        if depth == 0 and word in ";}":
            begin = at + 1
    return found


def complaint(
    symbols: str, sections: str, threads: bool, text: str | None, of_tool: bool = False
) -> str:
    """Of what `nm -P` and `objdump -h` say of an object, and of the text that it was compiled from:
    why it is not taken, or nothing. None: of C++, for the emulation."""
    emulated = text is None
    patterns = [RUNTIME, EMULATED] if emulated else []
    patterns += [THREADS] if threads else []
    patterns += [SANITIZERS] if of_tool else []
    calls = CALLS if emulated else CALLS | OF_C
    for name in undefined(symbols):
        same = OTHERWISE.fullmatch(name)
        if name in calls or same and (same[1] or same[2]) in calls:
            continue
        if any(pattern.fullmatch(name) for pattern in patterns):
            continue
        if text is None or is_named(name, text):
            return f"it calls {demangled(name)}, which no kernel needs{why(name)}"
    if emulated:  # its variables on the device have constructors
        return ""
    for line in sections.splitlines():
        words = line.split()
        if len(words) > 1 and words[0].isdigit() and BEFORE_MAIN.match(words[1]):
            return "it has code that would run before main: a constructor"
    if re.search(r"\.note\.GNU-stack .*\n.*\bCODE\b", sections):
        return (
            "it takes the address of a function in a function, for which its stack would be "
            "executable: "
            "make it a function of its own"
        )
    return ""


def undefined(symbols: str) -> list[str]:
    rows = [line.split() for line in symbols.splitlines()]
    return [row[0] for row in rows if len(row) > 1 and row[1] in "Uvw"]


def is_named(name: str, text: str) -> bool:
    """Does a preprocessed text name it, in code or as the label that a header gives a function?
    What it does not name is the compiler's: of its own library, or what it makes of several
    calls."""
    return re.search(rf"(?<!\w)(?:__builtin_)?{re.escape(name)}(?!\w)", text) is not None


def demangled(name: str) -> str:
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
    if re.fullmatch(
        r"_*(clock(_\w+)?|time|times|gettimeofday|timespec_get|getrusage|omp_get_wtime)", name
    ):
        return ": its time is taken outside: remove it before you hand in"
    if re.fullmatch(r"(secure_)?getenv", name):
        return ": what it may know stands in its parameters and in params.h"
    if re.match(r"cblas_|[sd]gemm_?$|dlopen|dlsym", name):
        return ": the product is to be computed here"
    return ""
