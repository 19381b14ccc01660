# SPDX-License-Identifier: MIT
"""compile.py CLANG [FLAG ...] -o FILE.o KERNEL.cl: compiles OpenCL C for the engine.

clang turns the kernel into LLVM's text, which is changed. Each __local array becomes thread-local:
with emulated TLS, every access then asks __emutls_get_address() (device.cpp) where the array of
this work-group is. A variable that is not set holds a signalling NaN. Accesses that the sanitizer
has no call for get one. And each kernel gets what host.cpp looks up by its name:

  engine_call_NAME    calls it with arguments that lie in memory
  engine_about_NAME   the bytes of its __local arrays, its reqd_work_group_size or zeros, the number
                      of its parameters, and of each the memory that it points to and its bytes
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from families import macros  # noqa: E402

HERE = os.path.dirname(sys.argv[0])  # as it was called: common/.. may be a link
FRONT = [
    *"-x cl -cl-std=CL1.2 -gdwarf-4 -fno-omit-frame-pointer -fno-discard-value-names".split(),
    # An `inline` function needs no other definition, as with OpenCL's drivers.
    *"-fgnu89-inline -ftrivial-auto-var-init=pattern -S -emit-llvm".split(),
    *"-Xclang -disable-llvm-passes".split(),
    "-Wno-psabi",  # float16 as an argument
    *("-include", os.path.join(HERE, "prelude.cl")),
]
BACK = "-x ir -gdwarf-4 -fno-omit-frame-pointer -femulated-tls -Wno-override-module -c".split()
OF_FRONT = ("-D", "-I", "-W", "-cl-", "-std=")  # flags that the second step has no use for
MOST = 48 << 10  # bytes of private arrays: fiber.cpp gives a work-item a stack of 64 KiB

KERNEL = re.compile(r"^define .*@(\w+)\((.*?)\)( [^()]*!kernel_arg_addr_space .*)$", re.MULTILINE)
LOCAL = re.compile(
    r"^(@(\w+)[.]\S+ = internal )global (.+?) (?:undef|poison|zeroinitializer)(,.*)$", re.MULTILINE
)
# OpenCL 1.2 has no atomic load: a volatile one before atomic_cmpxchg() is no race with others' one.
VOLATILE = re.compile(r"\bload volatile ((?:i8|i16|i32|i64|float|double), [^,]+)(, align )")
# Functions and constants of a kernel may be called as those of common/: they become local.
OWN = re.compile(r"^(define |@\w+ = )(?!internal|private|ext|avail|linkonce|weak)", re.MULTILINE)
VECTOR = re.compile(
    r"^(  (?:%\S+ = )?)(load|store)( (?:volatile )?<(\d+) x (i8|i16|i32|i64|half|float|double)>"
    r"(?: (?:%\S+?|<.*?>|\w+(?: \(.*?\))?))?, )(<[^>]*>\*|ptr) (.+), align (\d+)(.*)$",
    re.MULTILINE,
)
COPY = re.compile(
    r"^  call void @llvm[.]mem(?:cpy|move)[.]\S+?\((i8\*|ptr) (?:\S+ )*?([%@]\S+), "
    r"(?:i8\*|ptr) (?:\S+ )*?([%@]\S+), i64 (\d+), .*$",
    re.MULTILINE,
)
RANGES = """
declare void @__tsan_read_range(i64, i64)
declare void @__tsan_write_range(i64, i64)
"""
# What clang puts into a variable that the kernel does not set: a quiet NaN. A signalling one is
# trapped, so the line that computes with it is known (crash.cpp).
UNSET = re.compile(r"^(?:@__const[.]|.*!annotation ).*$", re.MULTILINE)
QUIET = {"0xFFFFFFFFE0000000": "0x7FF4B4B4A0000000", "0xFFFFFFFFFFFFFFFF": "0x7FF5A5A57FA5A5A5"}
UNSET_ARRAY = re.compile(
    r"^  call void @llvm[.]memset[.]\S+?\((i8\*|ptr) (?:\S+ )*?(%\S+), i8 -1, i64 (\d+), "
    r".*?(, !dbg !\d+)?, !annotation .*$",
    re.MULTILINE,
)
CALLED = re.compile(r"\bcall .*?@([\w.]+)\(")
NOTE = re.compile(r"^(!\d+) = !\{(.*)\}$", re.MULTILINE)  # of metadata
FUNCTION = re.compile(r"^define .*?@(\S+)\(.*?\n\}$", re.MULTILINE | re.DOTALL)
PRIVATE = re.compile(r"^  %(\S+) = alloca (\[.+\]),", re.MULTILINE)
DECLARED = re.compile(r"^declare .*@_Z(\d+)(\w+)\(", re.MULTILINE)  # as C++ mangles names
HARDWARE = re.compile(r'^!\d+ = !\{.*!"(image\w+_t|sampler_t|pipe)', re.MULTILINE)
WORK_ITEM = {
    *"get_work_dim get_global_size get_global_id get_local_size get_local_id".split(),
    *"get_num_groups get_group_id get_global_offset".split(),
}
BYTES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "half": 2, "float": 4, "double": 8}


def main() -> int:
    clang, *flags, _, target, source = [word for word in sys.argv[1:] if word != "-c"]
    text = target[: -len("o")] + "ll"
    try:
        command = [clang, *FRONT, *flags, "-o", text, source]
        module = run(command, text)
        if module and (named := macros(" ".join(called(module)))):
            module = run([*command, "-w", *named], text)  # the warnings are printed
        if not module:
            return 1
        if problem := not_emulated(module, source) or recursion(module) or too_large(module):
            print(f"{source}:{problem}", file=sys.stderr)
            return 1
        module = unset(module)
        with open(text, "w", encoding="utf-8") as file:
            if "-fsanitize=thread" in flags:
                module = for_thread(module, counted="-fno-sanitize-recover=all" not in flags)
            module = OWN.sub(r"\1internal ", module)
            file.write(LOCAL.sub(r"\1thread_local global \3 undef\4", module) + kernels(module))
        rest = [flag for flag in flags if not flag.startswith(OF_FRONT)]
        return subprocess.run([clang, *BACK, *rest, "-o", target, text], check=False).returncode
    finally:
        if os.path.exists(text):
            os.remove(text)


def run(command: list[str], result: str) -> str:
    """The text that it makes; nothing if it fails, which it explains itself."""
    if subprocess.run(command, check=False).returncode != 0:
        return ""
    with open(result, encoding="utf-8") as file:
        return file.read().replace(" spir_kernel ", " ")  # which LLVM 21 does not let others call


def called(module: str) -> list[str]:
    """The functions that nothing in the module defines, but for those of the work-item."""
    names = [rest[: int(size)] for size, rest in DECLARED.findall(module)]
    return [name for name in names if name not in WORK_ITEM]


# ---- kernels -----------------------------------------------------------------------------------
def kernels(module: str) -> str:
    notes = dict(NOTE.findall(module))
    opaque = re.search(r"[ (]ptr[ ,)]", module) is not None  # pointers of LLVM 15 and later
    local: dict[str, list[tuple[str, str]]] = {}  # of each kernel: the arrays' names and types
    for begin, kernel, kind, _ in LOCAL.findall(module):
        local.setdefault(kernel, []).append((begin.partition(" ")[0], kind))

    def numbers(note: str, about: str) -> list[str]:
        number = re.search(rf"!{note} (!\d+)", about)
        return re.findall(r"i32 (\d+)", notes[number[1]]) if number else []

    return "\n".join(
        kernel_text(
            name,
            split(parameters),
            numbers("kernel_arg_addr_space", about),
            local.get(name, []),
            numbers("reqd_work_group_size", about) or ["0", "0", "0"],
            opaque,
        )
        for name, parameters, about in KERNEL.findall(module)
        if not name.startswith("__clang_ocl_kern_imp_")
    )


def kernel_text(
    name: str,
    parameters: list[str],
    spaces: list[str],
    local: list[tuple[str, str]],
    group: list[str],
    opaque: bool,
) -> str:
    body, arguments, about = [], [], []
    for i, (parameter, space) in enumerate(zip(parameters, spaces)):
        attributes = parameter.rpartition(" ")[0]
        by_value = re.search(r"byval\((.*?)\)", parameter)  # a struct: a pointer to it
        kind = by_value[1] if by_value else re.match(r"<[^>]*>\**|\S+", parameter)[0]  # type: ignore[index]
        body += [
            f"  %at{i} = add i64 %all, {8 * i}",
            f"  %where{i} = inttoptr i64 %at{i} to {to('i64', opaque)}",
            f"  %number{i} = load i64, {to('i64', opaque)} %where{i}",
            f"  %pointer{i} = inttoptr i64 %number{i} to {to(kind, opaque)}",
        ]
        if not by_value:
            body.append(f"  %value{i} = load {kind}, {to(kind, opaque)} %pointer{i}, align 1")
        arguments.append(f"{attributes} %{'pointer' if by_value else 'value'}{i}")
        about += [space, size_of(kind, opaque)]
    total = "0"
    for i, (array, kind) in enumerate(local):  # profile/source.py: they are counted in this order
        body.append(f"  %local{i} = ptrtoint {to(kind, opaque)} {array} to i64")
        body.append(f'  call void asm sideeffect "", "r"(i64 %local{i})')
        total = f"add (i64 {total}, i64 {size_of(kind, opaque)})"
    words = [total, *group, str(len(parameters)), *about]
    return "\n".join(
        [
            f"\ndefine void @engine_call_{name}(i64 %all) {{",
            *body,
            f"  call void @{name}({', '.join(arguments)}) noinline",
            "  ret void\n}",
            f"@engine_about_{name} = constant [{len(words)} x i64] "
            f"[{', '.join(f'i64 {word}' for word in words)}]\n",
        ]
    )


def to(kind: str, opaque: bool) -> str:
    return "ptr" if opaque else f"{kind}*"


def size_of(kind: str, opaque: bool) -> str:
    """As a constant that LLVM works out."""
    pointer = to(kind, opaque)
    return f"ptrtoint ({pointer} getelementptr ({kind}, {pointer} null, i32 1) to i64)"


def split(parameters: str) -> list[str]:
    """At the commas that are in no brackets."""
    parts, depth = [""], 0
    for character in parameters:
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


# ---- variables that are not set ----------------------------------------------------------------
def unset(module: str) -> str:
    def signalling(line: re.Match[str]) -> str:
        return re.sub("0xF{8}(?:E0{7}|F{8})", lambda found: QUIET[found[0]], line[0])

    def array(found: re.Match[str]) -> str:
        kind, place, size, line = found.groups()
        return (
            f"  %unset{found.start()} = ptrtoint {kind} {place} to i64\n"
            f"  call void @emulated_forget(i64 %unset{found.start()}, i64 {size}){line or ''}"
        )

    declared = "\ndeclare void @emulated_forget(i64, i64)\n"
    return UNSET_ARRAY.sub(array, UNSET.sub(signalling, module)) + declared


# ---- ThreadSanitizer, and make profile, which has its functions ----------------------------------
def for_thread(module: str, counted: bool) -> str:
    """Reports accesses that the sanitizer's pass leaves out: vectors of more than 16 bytes, and, if
    they are counted, copies of structures."""
    if not counted:  # which takes an atomic load for no access
        module = VOLATILE.sub(r"load atomic volatile \1 monotonic\2", module)
    return FUNCTION.sub(lambda found: in_function(found[0], counted), module) + RANGES


def in_function(text: str, counted: bool) -> str:
    # Through a number goes what vload4() and vstore4() access. Another vector is as aligned as its
    # type, whatever array it is cast from: one access to count.
    numbers = set(re.findall(r"^  (%\S+) = inttoptr ", text, re.MULTILINE))

    def vector(found: re.Match[str]) -> str:
        begin, verb, middle, count, kind, pointer, place, align, rest = found.groups()
        size = BYTES[kind] * (4 if count == "3" else int(count))
        if counted and size > 4 and place not in numbers:
            align = str(max(int(align), 8))
        line = f"{begin}{verb}{middle}{pointer} {place}, align {align}{rest}"
        verb = "read" if verb == "load" else "write"
        return (ranged(verb, pointer, place, str(size), found) if size > 16 else "") + line

    def copy(found: re.Match[str]) -> str:
        kind, to, source, size = found.groups()
        reads = ranged("read", kind, source, size, found, "from")
        return reads + ranged("write", kind, to, size, found, "into") + found[0]

    text = VECTOR.sub(vector, text)
    return COPY.sub(copy, text) if counted else text


def ranged(
    verb: str, kind: str, place: str, size: str, found: re.Match[str], name: str = "to"
) -> str:
    line = re.search(r", !dbg !\d+", found[0])
    return (
        f"  %{name}{found.start()} = ptrtoint {kind} {place} to i64\n"
        f"  call void @__tsan_{verb}_range(i64 %{name}{found.start()}, i64 {size})"
        f"{line[0] if line else ''}\n"
    )


# ---- what the engine lacks ---------------------------------------------------------------------
def not_emulated(module: str, source: str) -> str:
    """A function that neither prelude.cl nor device.cpp defines, or a type that a GPU alone has."""
    name = next(iter(called(module)), "")
    kind = HARDWARE.search(module)
    if not name and not kind:
        return ""
    name = name or kind[1]  # type: ignore[index]
    with open(source, encoding="utf-8", errors="replace") as file:
        lines = [i for i, line in enumerate(file, 1) if re.search(rf"\b{name}\b", line)]
    return f"{(lines or [0])[0]}: error: {name} is not emulated: it needs an OpenCL driver"


def recursion(module: str) -> str:
    """A function that calls itself, or one that leads back to it."""
    calls = {found[1]: set(CALLED.findall(found[0])) for found in FUNCTION.finditer(module)}
    for name in calls:
        reached, new = set(), calls[name]
        while new:
            reached |= new
            new = set().union(*(calls.get(one, set()) for one in new)) - reached
        if name in reached:
            line = re.search(rf'!DISubprogram\(name: "{name}".* line: (\d+)', module)
            return (
                f"{line[1] if line else 0}: error: {name} calls itself, which OpenCL C forbids: "
                "a GPU has no stack for it"
            )
    return ""


# ---- private arrays ----------------------------------------------------------------------------
def too_large(module: str) -> str:
    """Of a function whose private arrays do not fit on a work-item's stack, the largest."""
    for function in FUNCTION.finditer(module):
        arrays = [(bytes_of(kind), name) for name, kind in PRIVATE.findall(function[0])]
        if sum(size for size, _ in arrays) <= MOST:
            continue
        size, name = max(arrays)
        variable = name.rstrip("0123456789")
        line = re.search(rf'!DILocalVariable\(name: "{variable}".* line: (\d+)', module)
        return (
            f"{line[1] if line else 0}: error: the private array {name} has {size:,} bytes: a "
            f"work-item of the engine has {MOST:,}; a GPU keeps so much in slow memory, not in "
            "registers"
        )
    return ""


def bytes_of(kind: str) -> int:
    """Of an array of LLVM's; a struct counts as nothing."""
    if inner := re.fullmatch(r"[\[<](\d+) x (.*)[\]>]", kind):
        return int(inner[1]) * bytes_of(inner[2])
    return BYTES.get(kind, 0)


if __name__ == "__main__":
    sys.exit(main())
