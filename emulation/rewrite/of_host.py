# SPDX-License-Identifier: MIT
"""What nvcc refuses and a compiler for the host does not mind: device code that uses a function or
a variable of the host, or an array whose size is no constant. Seen is what a file has outside of
#if, by a name that is nothing else there: where that is not certain, nothing is said."""

import re
from bisect import bisect
from itertools import accumulate

from language import NO_TYPES, VARIABLES
from source import ALIGNMENT

DEVICE = {"__global__", "__device__"}
CONSTANT = {"const", "constexpr"}
NO_NAMES = {*ALIGNMENT, "decltype", "noexcept", "explicit", "__launch_bounds__"}
OPERATORS = {*NO_TYPES, "and", "or", "not", "xor"}  # before a name that is not declared there
NO_VARIABLES = {
    *VARIABLES,
    *"__shared__ typedef using extern template namespace struct class union enum operator".split(),
}
OF_STD = {"swap", "fill", "fill_n", "copy", "copy_n", "accumulate", "inner_product"}  # in C++17
INDICES = {"int", "unsigned", "long", "short", "size_t"}
# CUDA has its own, which is the better one of two for a call of the device.
OF_CUDA = re.compile(
    r"__\w+|make_\w+|(?:u?ll?)?(?:min|max|abs)|memcpy|memset|malloc|free|printf|clock|"
    r"f?(?:min|max|abs|ma|mod|dim)f?|(?:r?sqrt|cbrt|pow|exp2?|exp10|expm1|log2?|log10|log1p|"
    r"floor|ceil|round|trunc|rint|sin|cos|tan|asin|acos|atan2?|sinh|cosh|tanh|hypot|erf)f?"
)
MACRO = re.compile(r"[A-Z][A-Z0-9_]+$")  # as they are written: a header may have defined it
DEFINE = re.compile(r"\s*#\s*define\s+(\w+)")
CONDITION = re.compile(r"\s*#\s*(if|endif)")


class Conditionals:
    """The #if of a text, but for one around a whole header."""

    def __init__(self, s):
        lines = [s.pieces[place] for place in s.directives]
        words = [found[1] if (found := CONDITION.match(line)) else "" for line in lines]
        self.depths = [0, *accumulate((word == "if") - (word == "endif") for word in words)]
        self.around = words[:1] == ["if"] and len(lines) > 1 and bool(DEFINE.match(lines[1]))
        self.directives, self.places = s.directives, s.places

    def has(self, i):
        return self.depths[bisect(self.directives, self.places[i])] > self.around


class Function:
    """Where it begins, its name, and the braces of its body; of a struct, perhaps."""

    def __init__(self, s, first, opens, member):
        self.first, self.opens, self.closes = first, opens, s.closing(opens)
        self.name, self.member = name_of(s, first, opens), member
        self.words = set(s.tokens[first : self.name])
        inside = range(self.name + 1, self.closes)
        # What may be a parameter or a variable of its own, and indices that change.
        self.own = {s[i] for i in inside if is_declared(s, i)}
        self.indices = {
            s[i] for i in inside if s.is_name(i) and s[i - 1] in INDICES and not is_constant(s, i)
        }

    def alone_has(self, s, index):
        """Does this name stand nowhere else in the file, and for no constant here?"""
        elsewhere = index in s.tokens[: self.first] or index in s.tokens[self.closes :]
        inside = (i for i in range(self.name, self.closes) if s[i] == index)
        return not elsewhere and not any(is_constant(s, i) for i in inside)

    def is_of_device(self):
        return bool(DEVICE & self.words) and "__host__" not in self.words


def is_constant(s, i):
    """Is the name at i declared as one there?"""
    return not CONSTANT.isdisjoint(s.tokens[s.start(i) : i])


def is_declared(s, i):
    """Or may be: int i; int a, *i = &a; float *i, ...); auto [i, j]"""
    after = ("=", ",", ")", ";", "]", ":")
    return (
        s.is_name(i - 1)
        and s[i - 1] not in OPERATORS
        or s[i - 1] in ("*", "&", ",", ">")
        and s[i + 1] in after
        or s[i - 1] == "["
        and s[i - 2] in ("auto", "&")
    )


def name_of(s, first, end):
    """Where the name of a function stands that is declared between these; or the end."""
    i = first + 1
    while i < end:
        if s[i] == "(" and s.is_name(i - 1) and s[i - 1] not in NO_NAMES:
            return i - 1
        i = (s.closing(i) if s[i] == "(" else i) + 1
    return end


def after_template(s, i):
    """The first token of what template<...> declares."""
    while s[i] == "template" and s[i + 1] == "<":
        depth, i = 1, i + 2
        while depth > 0 and i < len(s):
            depth += (s[i] == "<") - (s[i] == ">")
            i += 1
    return i


def declarations(s):
    """The functions with a body, and where the other statements of the file begin and end."""
    functions, statements = [], []
    around, first, i = [], 0, 0  # of each brace around: where its struct begins, or nothing
    while i < len(s):
        if s[i] == "{":
            begin = after_template(s, first)
            words = set(s.tokens[begin:i])
            if "namespace" in words or s[i - 2] == "extern":
                around.append(None)
            elif name_of(s, begin, i) < i and s[i - 1] != "=":
                functions.append(Function(s, begin, i, any(one is not None for one in around)))
                i = s.closing(i)
            elif {"struct", "class", "union"} & words:
                around.append(first)
            else:  # an initial value, or an enum: its statement goes on
                i = s.closing(i) + 1
                continue
            first = i + 1
        elif s[i] == "}":
            begin = around.pop() if around else None
            first = i + 1 if begin is None else begin  # behind a struct there may be names
        elif s[i] == ";":
            if all(one is None for one in around):
                statements.append((first, i))
            first = i + 1
        i += 1
    return functions, statements


def functions_of_host(s, functions, statements, unsure):
    """Their names, each beside whether it is a member's."""
    host, others = set(), set()
    for one in functions:
        other = (DEVICE | CONSTANT | {"::", "operator"}) & one.words or OF_CUDA.fullmatch(
            s[one.name]
        )
        name = s[one.name], one.member
        (others if other or unsure(one.first, one.name) else host).add(name)
    for first, last in statements:
        if not DEVICE.isdisjoint(s.tokens[first:last]) or unsure(first, last):
            others.add((s[name_of(s, first, last)], False))
    return host - others


def variables_of_host(s, statements, unsure):
    """The names of those that can change, and of arrays that cannot."""
    variables, arrays = set(), set()
    for first, last in statements:
        words = set(s.tokens[first:last])
        if NO_VARIABLES & words or name_of(s, first, last) < last or unsure(first, last):
            continue
        for name in s.names(first, last):
            if not CONSTANT & words:
                variables.add(s[name])
            elif s[name + 1] == "[":
                arrays.add(s[name])
    return variables, arrays


def uses_of_host(s):
    """(line, what nvcc says of it) for each use in device code."""
    conditionals = Conditionals(s)
    macros = {found[1] for place in s.directives if (found := DEFINE.match(s.pieces[place]))}

    def unsure(first, last):
        words = s.tokens[first : last + 1]
        return conditionals.has(first) or any(word in macros or MACRO.match(word) for word in words)

    functions, statements = declarations(s)
    host = functions_of_host(s, functions, statements, unsure)
    variables, arrays = variables_of_host(s, statements, unsure)
    return [
        (s.line(i), said)
        for one in functions
        if one.is_of_device()
        for i in range(one.opens, one.closes)
        if not conditionals.has(i) and (said := refusal(s, one, i, host, variables, arrays))
    ]


def refusal(s, one, i, host, variables, arrays):
    """What nvcc says of the name at i, in a function of the device; or nothing."""
    name, before, member = s[i], s[i - 1], s[i - 1] in (".", "->")
    of_std = before == "::" and s[i - 2] == "std"
    called = of_std and name in OF_STD or before != "::" and (name, member) in host
    if called and s[i + 1] == "(" and (member or of_std or name not in one.own):
        kind = "__global__" if "__global__" in one.words else "__device__"
        return (
            f'calling a __host__ function("{"std::" * of_std}{name}") from a {kind} function'
            f'("{s[one.name]}") is not allowed: a function for a kernel is __device__'
        )
    inside = set(s.tokens[i + 2 : s.closing(i + 1)]) & one.indices if s[i + 1] == "[" else set()
    declared = s.is_name(i) and s.is_name(i - 1) and before not in OPERATORS
    if declared and not MACRO.match(before) and any(one.alone_has(s, word) for word in inside):
        return f"expression must have a constant value: the size of {name} is known too late"
    changes = name in variables or name in arrays and inside
    if changes and not member and before != "::" and name not in one.own:
        return (
            f'identifier "{name}" is undefined in device code: a variable for a kernel is '
            "__device__ or __constant__"
        )
    return ""
