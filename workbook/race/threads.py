# SPDX-License-Identifier: MIT
"""A variable that all threads of OpenMP share although each needs its own: a counter, a sum."""

from __future__ import annotations

import re

from workbook.lab.stages import uncommented

PARALLEL = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+omp[ \t]+parallel\b(.*)$", re.MULTILINE)
PRAGMA = re.compile(r"^[ \t]*#.*$", re.MULTILINE)
FOR = re.compile(r"\s*for\s*\((?:[^()]|\([^()]*\))*\)")
TYPE = re.compile(r"\b(?:int|long|unsigned|size_t|real|float|double|__m\d+i?)\b([^;{}]*)")
# A name, and no element of an array, nor what a pointer points to.
ASSIGNED = re.compile(
    r"(?<![\w.>*])(?<![\]\w.>*] )(\w+)\s*(?:[-+*/]?=(?!=)|\+\+|--)|(?:\+\+|--)(\w+)"
)


def shared_by_threads(text: str) -> str:
    """Of a kernel in C, in words; "" where none is seen."""
    text = uncommented(text).replace("\\\n", " ")
    for found in PARALLEL.finditer(text):
        region = statement(text, found.end())
        own = {*names(region), *re.findall(r"\w+", found[1])}
        for clauses in re.findall(r"#\s*pragma\s+omp\b(.*)", region):
            own |= set(re.findall(r"\w+", clauses))
        if re.search(r"\bfor\b", found[1]) and (loop := FOR.match(region)):
            own |= {name for pair in ASSIGNED.findall(loop[0])[:1] for name in pair}
        outside = names(text[: found.start()])
        assigned = [name or other for name, other in ASSIGNED.findall(PRAGMA.sub("", region))]
        shared = [one for one in dict.fromkeys(assigned) if one in outside and one not in own]
        if shared:
            listed = " and ".join([", ".join(shared[:-1]), shared[-1]] if shared[1:] else shared)
            verb = "are" if shared[1:] else "is"
            return (
                f"data race: {listed} {verb} shared by all threads: declare {listed} inside of the "
                "loop that has threads, or name them in private() or reduction()"
            )
    return ""


def names(code: str) -> set[str]:
    """Those that are declared in it."""
    found: set[str] = set()
    for declared in TYPE.finditer(PRAGMA.sub("", code)):
        rest = declared[1]
        while (flat := re.sub(r"\([^()]*\)", "", rest)) != rest:
            rest = flat
        parts = rest.partition(")")[0].split(",")
        found |= {name[1] for name in map(re.compile(r"\s*\**\s*(\w+)").match, parts) if name}
    return found


def statement(text: str, at: int) -> str:
    """The one that begins there: a block, or what a loop repeats."""
    begin = at
    while loop := FOR.match(text, at):
        at = loop.end()
    if not text[at:].lstrip().startswith("{"):
        return text[begin : text.find(";", at) + 1]
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if text[place] == "}" and depth == 0:
            return text[begin : place + 1]
    return text[begin:]
