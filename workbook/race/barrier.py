# SPDX-License-Identifier: MIT
"""Which barrier is missing: told by the two lines of a race in memory that a work-group shares, and
by the barriers that stand between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from workbook.race.findings import Finding

SHARED = re.compile(r"\b(?:__local|local|__shared__)\s+([^;()]*);")  # a declaration
ARRAY = re.compile(r"(\w+)\s*\[")
BARRIER = re.compile(r"\b(?:barrier|work_group_barrier|__syncthreads|__syncwarp)\s*\(|[.]sync\(")
OTHER_FENCE = re.compile(r"\b(?:work_group_)?barrier\s*\(0\)")
LOCAL = "CLK_LOCAL_MEM_FENCE"
FLAGS = re.compile(r"\b((?:work_group_)?barrier)\s*\(([^;{}]*)\)(?=\s*;)")
DEFINED = re.compile(r"^\s*#\s*define\s+(\w+)(?:\(\))?[ \t]+(\S.*)$")
FUNCTION = re.compile(r"\b(\w+)\s*\([^;{}()]*\)\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
LOOP = re.compile(r"^\s*(?:for|while|do)\b")


def with_remedy(finding: Finding, source: Sequence[str]) -> Finding:
    """The finding; where both of its lines use an array that is shared, with the barrier that is
    missing."""
    code = [re.sub(r"//.*", "", line) for line in source]
    lines = [
        line for line in (finding.line, finding.other) if line is not None and line <= len(code)
    ]
    shared = set(ARRAY.findall(" ".join(SHARED.findall("\n".join(code)))))
    uses = [bool(shared & set(re.findall(r"\w+", code[line - 1]))) for line in lines]
    if finding.kind != "race" or not uses or not all(uses):
        return finding
    if len(lines) == 1:
        said = (
            f"line {lines[0]} uses what others still write or read: is a barrier missing beside it?"
        )
    elif finding.writer in lines:
        reader = sum(lines) - finding.writer
        calls = as_called(finding.writer, reader, code)
        said = between(*calls, in_place(code))
        for line, call in zip((finding.writer, reader), calls):
            said = re.sub(rf"\bline {call}\b", f"line {line}", said) if line != call else said
    else:
        return finding
    return replace(finding, text=f"data race: {said}")


def in_place(code: Sequence[str]) -> list[str]:
    """With the values of macros, and the barriers of functions, where their names are; and of the
    flags of a fence the one that counts."""
    macros = {rf"{one[1]}\b(?:\(\))?": one[2] for one in map(DEFINED.match, code) if one}
    lines = replaced(replaced(code, macros), macros)  # one may be the value of another
    waiting = {
        rf"{name}\s*\([^;{{}}]*\)(?=\s*;)": body[found.start() :].partition(";")[0]
        for name, body in FUNCTION.findall("\n".join(lines))
        if name not in ("for", "while", "if", "switch") and (found := BARRIER.search(body))
    }
    return [
        FLAGS.sub(lambda call: f"{call[1]}({LOCAL if LOCAL in call[2] else 0})", line)
        for line in replaced(lines, waiting)
    ]


def replaced(lines: Sequence[str], values: dict[str, str]) -> list[str]:
    for name, value in values.items():
        text = value.replace("\\", r"\\")
        lines = [one if DEFINED.match(one) else re.sub(rf"\b{name}", text, one) for one in lines]
    return [*lines]


def as_called(writer: int, reader: int, code: Sequence[str]) -> tuple[int, int]:
    """The two lines; where one is in a function that the other's calls, the line of the call."""
    text, lines = "\n".join(code), [writer, reader]
    for found in FUNCTION.finditer(text):
        name = found[1]
        first, last = (text.count("\n", 0, at) + 1 for at in found.span())
        inside = [first <= line <= last for line in lines]
        calls = (n for n, line in enumerate(code, 1) if re.search(rf"\b{name}\s*\(", line))
        call = next((n for n in calls if not first <= n <= last), 0)
        if any(inside) and not all(inside) and call:
            lines[inside.index(True)] = call
    return lines[0], lines[1]


def between(writer: int, reader: int, code: Sequence[str]) -> str:
    first, last = min(writer, reader), max(writer, reader)
    verbs = "reads", "has just read"
    here = range(first + 1, last)
    around = [line for line in loop(first, last, code) if line < first or line > last]
    for lines, verb in (here, verbs[writer > reader]), (around, verbs[writer < reader]):
        fences = [line for line in lines if OTHER_FENCE.search(code[line - 1])]
        if fences and not any(is_barrier(code[line - 1]) for line in lines):
            return (
                f"line {reader} {verb} what line {writer} writes: the barrier in line {fences[0]} "
                "has no CLK_LOCAL_MEM_FENCE, which the memory of a work-group needs"
            )
    if not any(is_barrier(code[line - 1]) for line in here):
        verb = verbs[writer > reader]
        return f"line {reader} {verb} what line {writer} writes: a barrier between them"
    # One waits for the other on the way down the loop, but not on the way back up.
    if writer < reader:
        said = f"line {reader} reads what line {writer} writes in the next iteration"
    else:
        said = f"line {reader} reads in the next iteration what line {writer} writes"
    return f"{said}: a barrier between them, after line {last}"


def is_barrier(line: str) -> bool:
    """One that orders what is done to the memory of a work-group."""
    return BARRIER.search(OTHER_FENCE.sub("", line)) is not None


def loop(first: int, last: int, code: Sequence[str]) -> range:
    """The lines of the innermost loop in braces around both lines."""
    opened: list[int] = []
    found = range(0)
    for number, line in enumerate(code, 1):
        for brace in re.findall("[{}]", line):
            if brace == "{":
                opened.append(number)
                continue
            begin = opened.pop() if opened else 0
            if begin > 1 and code[begin - 1].strip() == "{":
                begin -= 1  # the loop's head is the line above
            is_loop = begin > 0 and LOOP.search(code[begin - 1]) is not None
            if is_loop and begin <= first and last <= number and not found:
                found = range(begin, number + 1)
    return found
