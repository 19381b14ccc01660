# SPDX-License-Identifier: MIT
"""What nvcc refuses and a compiler for the host does not mind: device code that uses a function or
a variable of the host, or an array whose size is no constant.

__device__ int f() { ... }   { _Pragma(error -Wdeprecated-declarations) ... _Pragma(ignored ...) }
float at(int i) { ... }      __attribute__((deprecated(...))) float at(int i) { ... }
static int n;                __attribute__((deprecated(...))) static int n;
puts("here") in a kernel     emulation::puts_of_library("here")
std::swap(a, b) in a kernel  std::swap_of_library(a, b)

The compiler finds each use: what hides a name, what #if leaves out and which of several functions
is meant it knows. Of a name that some macro, header or other declaration may have given to the
device nothing is said; messages.py makes nvcc's words of the compiler's."""

import re

from language import DEVICE, NO_TYPES, VARIABLES, is_body, is_of_device
from source import ALIGNMENT

CONSTANT = {"const", "constexpr"}
STRUCTS = {"struct", "class", "union"}
ACCESS = ("public", "private", "protected")
NO_NAMES = {*ALIGNMENT, "decltype", "noexcept", "explicit", "__launch_bounds__"}
NO_VARIABLES = {
    *STRUCTS,
    *VARIABLES,
    *"__shared__ auto enum extern friend namespace operator template typedef using "
    "static_assert".split(),
}
# CUDA has its own, which is the better one of two for a call of the device.
OF_CUDA = re.compile(
    r"__\w+|make_\w+|(?:u?ll?)?(?:min|max|abs)|memcpy|memset|malloc|free|printf|clock|"
    r"f?(?:min|max|abs|ma|mod|dim)f?|(?:r?sqrt|cbrt|pow|exp2?|exp10|expm1|log2?|log10|log1p|"
    r"floor|ceil|round|trunc|rint|sin|cos|tan|asin|acos|atan2?|sinh|cosh|tanh|hypot|erf)f?"
)
# Of these names it has none. In std, in C++17, no constexpr.
OF_C = set(
    "fprintf sprintf snprintf puts fputs fputc putchar perror fflush fopen fclose fread fwrite "
    "fscanf sscanf scanf getchar exit _exit abort rand srand calloc realloc aligned_alloc "
    "posix_memalign memmove memcmp strcmp strcpy qsort getenv usleep nanosleep clock_gettime "
    "gettimeofday omp_get_thread_num omp_get_num_threads omp_get_wtime __builtin_prefetch "
    "__builtin_ctz __builtin_trap cudaDeviceSynchronize cudaMemcpy cudaMemset".split()
)
OF_STD = OF_C | set(
    "swap exchange fill fill_n copy copy_n transform for_each generate iota accumulate "
    "inner_product partial_sum reduce sort vector string function cout cerr endl".split()
)
MACRO = re.compile(r"[A-Z][A-Z0-9_]+$")  # as they are written: another header may have it
HIDDEN = re.compile(r"__|constexpr|[A-Z]{2}")  # what a macro stands for may be __device__
OTHERS = {*DEVICE, "constexpr", "consteval", "::"}  # of which a function of the host has none
ASK = {*CONSTANT, *"static_assert case enum using typedef alignas <".split()}  # for a constant
MARK = '__attribute__((deprecated("{} of host"))) '


class Function:
    """Its first token, behind a template's; its name; where its body begins, or its declaration
    ends; what is inside the body. local: of a struct in a function of the device; member: of that
    or another struct."""

    def __init__(self, s, first, end, member=False, local=False):
        self.first, self.end, self.local = first, end, local
        self.name = name_of(s, first, end)
        self.words = set(s.tokens[first : self.name])
        self.key = key(s, self.name), member
        self.is_defined = s[end] == "{"
        self.is_of_device = is_of_device(self.words)
        has_body = self.is_defined and (is_body(s, end) or s[end - 1] == "}")
        self.inside = range(end, s.closing(end) if has_body else end)


def name_of(s, first, end):
    """Where the name of a function stands that is declared between these; or the end."""
    i = first + 1
    while i < end:
        if s[i] == "operator":
            return i
        if s[i] == "(" and s.is_name(i - 1) and s[i - 1] not in NO_NAMES:
            return i - 1
        i = (s.closing(i) if s[i] == "(" else i) + 1
    return end


def is_initializer(s, first, brace):
    """As in View(float *p) : p{p} {}"""
    return s.is_name(brace - 1) and ":" in s.tokens[name_of(s, first, brace) : brace]


def key(s, name):
    """~name, or operator and the token behind it"""
    return "~" * (s[name - 1] == "~") + s[name] + s[name + 1] * (s[name] == "operator")


def is_function(s, first, brace):
    name = name_of(s, first, brace)
    return name < brace and s[brace - 1] != "=" and "=" not in s.tokens[first:name]


def declared_at(s, i):
    """Where a declaration begins, behind what no attribute may precede: public: template<...>
    extern "C" [[...]] alignas(...)"""
    while True:
        if s[i] in ACCESS and s[i + 1] == ":" or s[i] == "extern" and s[i + 1][:1] == '"':
            i += 2
        elif s[i] == "[" or s[i] == "alignas":
            i = s.closing(i + (s[i] == "alignas")) + 1
        elif s[i] == "template" and s[i + 1] == "<":
            depth, i = 1, i + 2
            while depth > 0 and i < len(s):
                depth += (s[i] == "<") - (s[i] == ">")
                i += 1
        else:
            return i


def declarations(s, i, end, local=False):
    """The functions from i on, and where the other statements begin and end, or have their =."""
    functions, statements = [], []
    around, first = [], i  # of each brace around: where its struct begins, or nothing
    while i < end:
        member = local or any(one is not None for one in around)
        if s[i] == "(":  # of a macro's arguments some have statements
            i = s.closing(i)
        elif s[i] == "{":
            begin = declared_at(s, first)
            words = set(s.tokens[begin:i])
            if "namespace" in words or s[i - 2] == "extern":
                around.append(None)
            elif is_function(s, begin, i) and is_initializer(s, begin, i):
                i = s.closing(i) + 1
                continue
            elif is_function(s, begin, i):
                one = Function(s, begin, i, member, local)
                functions += [one, *members(s, one)]
                i = s.closing(i)
            elif STRUCTS & words:
                around.append(first)
            else:  # an initial value, or an enum: its statement goes on
                i = s.closing(i) + 1
                continue
            first = i + 1
        elif s[i] == "}":
            begin = around.pop() if around else None
            first = i + 1 if begin is None else begin  # behind a struct there may be names
        elif s[i] == ";":
            begin = declared_at(s, first)
            stop = s.find(begin, "=", ";")
            if not member and name_of(s, begin, stop) < stop:
                functions.append(Function(s, begin, stop))
            elif not member:
                statements.append((begin, stop))
            first = i + 1
        i += 1
    return functions, statements


def members(s, function):
    """The functions of the structs in one of the device."""
    found = []
    for i in function.inside if function.is_of_device else ():
        brace = s.find(i, "{", ";", "(", ")") if s[i] in STRUCTS else i
        if brace > i and s[brace] == "{":
            found += declarations(s, brace + 1, s.closing(brace), True)[0]
    return found


def is_declared(s, i):
    return s.is_name(i) and s.is_name(i - 1) and s[i - 1] not in NO_TYPES


def is_at_run_time(s, i):
    """Is this an element of an array, in a statement that asks for no constant?"""
    begin = i
    while begin > 0 and s[begin] not in ("{", "}", ";"):
        begin -= 1
    sizes = (s[j] == "[" and is_declared(s, j - 1) for j in range(begin, i))
    return s[i + 1] == "[" and ASK.isdisjoint(s.tokens[begin:i]) and not any(sizes)


def is_variable(s, first, last, inside):
    """Does this statement declare what nvcc keeps from a device: a variable that can change, an
    array that is const, or one that is constexpr, of which it has the values in constants alone?"""
    words = s.tokens[first:last]
    if len(words) < 2 or NO_VARIABLES.intersection(words):
        return False
    pointer = len(words) - words[::-1].index("*") if "*" in words else 0
    if CONSTANT.isdisjoint(words[pointer:]) and "constexpr" not in words:
        return True
    arrays = {s[name] for name in s.names(first, s.find(last, ";")) if s[name + 1] == "["}
    if "constexpr" in words:
        return any(s[i] in arrays and is_at_run_time(s, i) for i in inside)
    return bool(arrays)


def is_of_library(s, i, own):
    """Is the name at i that of a function or a type of C or C++ which is of the host?"""
    if s[i - 1] == "::":
        return s[i - 2] == "std" and s[i] in OF_STD
    declared = s[i - 1] in (".", "->") or is_declared(s, i)
    return s[i] in OF_C and s[i + 1] == "(" and s[i] not in own and not declared


def mark(s, macros):
    """macros: those of the file and of what it includes, {name: what it stands for}."""
    if s.tokens.count("{") != s.tokens.count("}"):  # #if has a brace in one of two ways
        return

    def hides(word):
        text = macros[word]
        return HIDDEN.search(text) or not macros.keys().isdisjoint(re.findall(r"\w+", text))

    def unsure(words):
        return any(hides(word) if word in macros else MACRO.match(word) for word in words)

    functions, statements = declarations(s, 0, len(s))
    inside = [i for one in functions if one.is_of_device for i in one.inside]
    own = macros.keys() | {one.key[0] for one in functions}
    others = {
        one.key
        for one in functions
        if OTHERS & one.words
        or OF_CUDA.fullmatch(one.key[0])
        or one.key[0] in macros
        or unsure({*one.words, s[one.name]})
    }
    host = {one.key for one in functions if one.is_defined} - others
    for one in functions:
        if one.key in host and (s.is_name(one.first) or s[one.first] == "~"):
            s.prepend(one.first, MARK.format("function"))
        if DEVICE & one.words and one.inside and not one.local:
            options = ("-Wvla", "-Wdeprecated-declarations")[: 1 + one.is_of_device]
            s.append(one.end, pragmas("error", options))
            s.prepend(one.inside.stop, pragmas("ignored", options))
    for first, last in statements:
        sure = s.is_name(first) and not unsure(s.tokens[first:last])
        if sure and is_variable(s, first, last, inside):
            s.prepend(first, MARK.format("variable"))
    for i in inside:
        if is_of_library(s, i, own):
            s.put(i, f"{'emulation::' * (s[i - 1] != '::')}{s[i]}_of_library")


def pragmas(kind, options):
    return " ".join(f'_Pragma("GCC diagnostic {kind} \\"{option}\\"")' for option in options)
