# SPDX-License-Identifier: MIT
"""What CUDA's language has beside C++.

kernel<<<grid, block>>>(a)   emulation::kernel(...)
                             ->* emulation::__launch_configuration(grid, block)(a)
__shared__ real t[8], u;     struct shared_1 { real t[8], u; };
                             auto &t = emulation::__static_shared<shared_1>().t; ...
extern __shared__ real s[];  real *s = emulation::__dynamic_shared();
                             outside of functions: in each that uses it
__launch_bounds__(N)         emulation::__within_bounds(N); as the first statement of the kernel
__device__ int n;            int n; static const emulation::__device_variable device_1(n);
dim3 gridDim(2);             dim3 gridDim_of_host(2); and so on to the end of the block
old = *p; atomicCAS(p, old)  old = emulation::__first_read(*p); the same
asm("mov ...", : "=r"(x));   see assembly.py
#if __CUDA_ARCH__ >= 800     #if 800 >= 800
#ifdef __CUDA_ARCH__         #if 1 in kernels and functions that are __device__ alone
"""

import re

from assembly import ASM, rewrite_asm
from source import ALIGNMENT, Source

VARIABLES = ("__device__", "__constant__", "__managed__")
DEVICE = {"__global__", "__device__"}
OF_DEVICE = ("gridDim", "blockDim", "blockIdx", "threadIdx")
NO_TYPES = ("return", "else", "case", "throw", "sizeof", "do", "goto", "delete", "new")


def callee(s, i):
    """The first token of what is launched by the <<< at i: kernel<32>, (*kernel), kernels[i],
    a.b->kernel"""
    i -= 1
    while True:
        if s[i][:1] == ">":
            i = s.opening(i) - 1
        elif s[i] == "]":
            i = s.opening(i) - 1
            continue
        elif s[i] == ")":
            i = s.opening(i)
            if s.is_name(i - 1) and s[i - 1] not in NO_TYPES:
                i -= 1
        if s[i - 1] in (".", "->"):
            i -= 2
        elif (
            s[i - 1] == "::"
            and (s.is_name(i - 2) or s[i - 2][:1] == ">")
            and s[i - 2] not in NO_TYPES
        ):
            i -= 2
        else:
            return i - (s[i - 1] == "::")


def rewrite_launch(s, i):
    end, first = s.find(i + 1, ">>>"), callee(s, i)
    kernel = s.text(first, i - 1)
    name = kernel.replace(" ", "").replace('"', "")
    s.remove(first, i - 1)
    s.put(
        first,
        f'emulation::__launched("{name}", [=](auto... emulated) {{ {kernel}(emulated...); }}, '
        f"[=](auto emulated) -> decltype(emulated({kernel})) {{ return emulated({kernel}); }})",
    )
    s.put(i, " ->* emulation::__launch_configuration(")
    s.put(end, ")")
    if s[end + 1] == "(":
        for j in range(end + 2, s.closing(end + 1)):
            if s[j] == "NULL" and s[j - 1] in ("(", ",") and s[j + 1] in (",", ")"):
                s.put(j, "nullptr")  # which is a pointer in a tuple, too


def rewrite_shared(s, i, dynamic_of_file=None):
    """dynamic_of_file: what is outside of functions goes there, by its name."""
    first, last = s.start(i), s.find(i, ";")
    names = s.names(first, last)
    words = [j for j in range(first, last) if s[j] in ("extern", "static", "__shared__")]
    dynamic = any(s[j] == "extern" for j in words)
    s.remove(i, i)
    for j in words:
        s.put(j, "")
    if dynamic:  # name[] is a pointer to the memory that the launch asks for, where it is used
        used = s.tokens[last : s.find(last + 1, "}")]
        used += [word for place in s.directives for word in re.findall(r"\w+", s.pieces[place])]
        for j in range(first, last):
            if s[j] in ALIGNMENT:
                s.remove(j, s.closing(j + 1))
        for name in names:
            end = name
            if s[name + 1] == "[":
                end = s.closing(name + 1)
                s.remove(name + 1, end)
            s.put(name, f"(*{s[name]})" if s[end + 1] == "[" else f"*{s[name]}")
            while s[end + 1] == "[":
                end = s.closing(end + 1)
            needs = s.macro or s[name] in used
            s.append(end, f" = {'emulation::__dynamic_shared()' if needs else 'nullptr'}")
        if dynamic_of_file is not None:
            text = " ".join(s.pieces[s.places[j]] for j in range(first, last + 1))
            dynamic_of_file.update({s[name]: text for name in names})
            s.remove(first, last)
        return
    struct = f"shared_{s.number()}"
    if s.macro and names:  # which may declare several, each by another name
        struct += f"_##{s[names[0]]}"
    semicolon = ";" if s[last] == ";" else ""  # a macro may leave it to those who use it
    s.prepend(first, f"struct {struct} {{ ")
    references = "".join(
        f" auto &{s[j]} = emulation::__static_shared<{struct}>().{s[j]};" for j in names
    )
    s.append(
        last,
        f"{'' if semicolon else ';'} }};{references} static_assert(*__builtin_FUNCTION(), "
        f'"__shared__ outside a function: it needs nvcc"){semicolon}',
    )


def rewrite_variable(s, i):
    """__device__, __constant__, __managed__, of which only the first may be a function's."""
    first, last = s.start(i), s.find(i, ";")
    end = next(
        (
            j
            for j in range(i, last + 1)
            if s[j] in ("=", "[", "{", ";") or s[j] == "(" and s[j - 1] not in ALIGNMENT
        ),
        last,
    )
    words = s.tokens[first:end]
    if s[end] == "(" or s[last] != ";" or "operator" in words:  # as in operator+=
        return
    if s[i] != "__device__":
        s.put(i, "")
    if s[i - 1] in VARIABLES or "extern" in words or "typedef" in words or is_template(s, first):
        return
    managed = ", true" if "__managed__" in words else ""
    for name in s.names(first, last):
        s.append(
            last,
            f" static const emulation::__device_variable device_{s.number()}({s[name]}{managed});",
        )


def is_template(s, first):
    """Does template<...> stand before this token? What is made of it, on a device, nobody copies to
    by its name."""
    i, depth = first - 1, 0
    while s[i] in (">", ">>") or (depth > 0 and s[i]):
        depth += s[i].count(">") - s[i].count("<")
        i -= 1
    return s[i] == "template"


def rewrite_launch_bounds(s, i):
    end = s.closing(i + 1)
    body = s.find(end, "{", ";")
    s.remove(i, end)
    if s[body] == "{":
        s.append(
            body,
            f" emulation::__within_bounds({{__FILE__, {s.line(i)}}}, {s.text(i + 2, end - 1)});",
        )


def rewrite_first_read(s, i):
    """Before the atomicCAS at i, which asks whether what was read is still there: so that it is no
    race to read it."""
    end = s.find(i + 2, ",", ")")
    address = s.tokens[i + 2 : end]
    reads = [["*", *address], ["*", "(", *address, ")"], [*address, "[", "0", "]"]]
    reads += [address[1:]] * (address[:1] == ["&"])
    for j in range(i, 0, -1):
        if s[j] in ("__global__", "__device__", "__syncthreads"):
            return
        for read in reads:
            last = j + len(read)
            if s[j] == "=" and s.tokens[j + 1 : last + 1] == read and s[last + 1] in ",;":
                same = {s[j - 1]}
                same |= {s[k - 1] for k in range(j, i) if s[k] == "=" and s[k + 1] in same}
                if same & set(s.tokens[end + 1 : s.find(end + 1, ",", ")")]):
                    s.prepend(j + 1, "emulation::__first_read(")
                    s.append(last, ")")
                return


def end_of_scope(s, i):
    """Where that of a name ends that is declared at i."""
    depth = 0
    for j in range(i, len(s)):
        depth += (s[j] in "{(") - (s[j] in "})")
        if depth < 0 and s[j] == ")":  # a parameter: of the function's body
            return s.closing(j + 1) if s[j + 1] == "{" else j
        if depth < 0:
            return j
    return len(s) - 1


def rename_of_host(s):
    """A program may have variables called gridDim: CUDA's are macros here."""
    declared = [
        i
        for i in range(len(s))
        if s[i] in OF_DEVICE
        and (
            s.is_name(i - 1)
            and s[i - 1] not in NO_TYPES
            or s[i - 1] == ","
            and s[i + 1] in "(,;="
            and s[start_of_statement(s, i)] == "dim3"
        )
    ]
    renamed = {j for i in declared for j in range(i, end_of_scope(s, i)) if s[j] == s[i]}
    renamed |= {i for i in range(len(s)) if s[i] in OF_DEVICE and s[i - 1] in (".", "->")}
    for i in renamed:
        s.put(i, f"{s[i]}_of_host")


def start_of_statement(s, i):
    while i > 0 and s[i - 1] not in ("{", "}", ";"):
        i = s.opening(i - 1) if s[i - 1] in (")", "]") else i - 1
    return i + (s[i] in ("const", "static"))


def is_body(s, i):
    """Does the brace at i begin a function, or a block in one?"""
    return s[i - 1] in (")", "const", "noexcept", "override", "else", "do", "try")


def is_of_device(declaration):
    """Is what these words declare for the device alone?"""
    return not DEVICE.isdisjoint(declaration) and "__host__" not in declaration


ARCHITECTURE = re.compile(r"(def(?:ined)?[\s(]*)?\b__CUDA_ARCH__\b")
IS_DEFINED = (
    (re.compile(r"\b(if)(n?)def\s+__CUDA_ARCH__\b"), lambda found: f"if {int(not found[2])}"),
    (re.compile(r"\bdefined\s*(?:\(\s*__CUDA_ARCH__\s*\)|__CUDA_ARCH__\b)"), "1"),
)


def rewrite_architecture(s, i):
    """In the body that begins at i, if it is for the device alone: it is compiled for a GPU."""
    declaration = s.tokens[start_of_statement(s, i) : i]
    if not is_of_device(declaration):
        return
    for place in s.directives:
        if s.places[i] < place < s.places[s.closing(i)]:
            for pattern, value in IS_DEFINED:
                s.pieces[place] = pattern.sub(value, s.pieces[place])


def rewrite(s, dynamic, aliases):
    """The text as C++. dynamic: the dynamic shared memory that files so far declare outside of
    functions; aliases: macros of theirs that say __shared__, and the type that they say, too."""
    scopes = []  # the braces around a token: are they those of a namespace?
    bodies = []  # and of a function?
    asks = [place for place in s.directives if "__CUDA_ARCH__" in s.pieces[place]]
    for place in asks:  # which GPU, not whether it is one
        s.pieces[place] = ARCHITECTURE.sub(
            lambda found: found[0] if found[1] else "800", s.pieces[place]
        )
    rename_of_host(s)
    types = {i: aliases[token] for i, token in enumerate(s.tokens) if token in aliases}
    s.tokens = ["__shared__" if i in types else token for i, token in enumerate(s.tokens)]
    for i in range(len(s)):
        token = s[i]
        if token == "{":
            scopes.append(s[s.start(i)] == "namespace" or s[i - 2] == "extern")
            bodies.append(is_body(s, i))
            outermost = sum(bodies) == 1 and bodies[-1]
            if outermost and asks:
                rewrite_architecture(s, i)
            if outermost and dynamic:
                inside = range(i, s.closing(i))
                used = dict.fromkeys(
                    s[j] for j in inside if s[j] in dynamic and s[j - 1] not in (".", "->")
                )
                s.append(i, "".join(f" {dynamic[name]}" for name in used))
        elif token == "}" and scopes:
            scopes.pop()
            bodies.pop()
        elif token == "<<<" and s[i - 1] != "operator":
            rewrite_launch(s, i)
        elif token == "__shared__":
            outside = not s.macro and all(scopes) and "extern" in s.tokens[s.start(i) : i]
            rewrite_shared(s, i, dynamic if outside else None)
            s.append(i, types.get(i, ""))
        elif token in VARIABLES and all(scopes) and not s.macro:
            rewrite_variable(s, i)
        elif token == "__launch_bounds__":
            rewrite_launch_bounds(s, i)
        elif token == "atomicCAS":
            rewrite_first_read(s, i)
        elif token in ASM and (s[i + 1] == "(" or s[i + 2] == "("):
            rewrite_asm(s, i)
        elif (
            token == "__noinline__" and s[i - 1] != "("
        ):  # no macro: g++'s own headers use this name
            s.put(i, "__attribute__((noinline))")


def rewrite_macro(text, name, aliases):
    """What #define gives a name."""
    s = Source(text, name, macro=True)
    rewrite(s, {}, aliases)
    return str(s)
