# SPDX-License-Identifier: MIT
"""What AddressSanitizer, LeakSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer say."""

from __future__ import annotations

import re

from workbook.race.findings import Draft, Finding
from workbook.race.say.source_line import in_kernel

ACCESS = re.compile(r"(READ|WRITE) of size")
LEAK = re.compile(r"Direct leak of (\d+)")
GROWTH = re.compile(r"gemm: memory growth: (.*)")  # session/growth.c
STACK = re.compile(r"  (Previous )?(atomic )?(read|write) of size", re.IGNORECASE)
MEMORY = re.compile(r"engine: the address is in (\w+) memory")
FAULT = re.compile(r"The signal is caused by a (READ|WRITE) memory access")
FRAME = re.compile(r" *#\d+ ")
VERBS = {"READ": "reads", "WRITE": "writes"}
AN_ARRAY = "an array"  # where nothing says which
# What engine/ says of memory that nobody wrote, where a kernel computes with it.
STACK_OVERFLOW = "stack overflow: does a function call itself, or are private arrays large?"
COMPUTES = " computes with memory that nobody wrote"
HOLDS = " is what memory holds here that nobody wrote"
GLOBAL = re.compile(r"global variable '(\w+)' defined in '(.*)'")
# Of more memory than a kernel has: what follows is what it does with NULL.
REFUSED = re.compile(r"WARNING: AddressSanitizer failed to allocate|exceeds maximum supported size")
# A fault of an aligned instruction, which UndefinedBehaviorSanitizer has told before.
NO_ADDRESS = "ERROR: AddressSanitizer: SEGV on unknown address (pc"
# In gcc's headers a double is read as C has it, and the instruction takes any address: two floats.
# Of clang, in OpenCL.
VECTOR = re.compile(r"misaligned address \S+ for type '[^']*' \(vector of (\d+) ")
ANY_ADDRESS = re.compile(r"intrin\.h:.*misaligned address \S+ for type '(const )?double'")


def findings(said: str, kernel: str) -> list[Finding]:
    drafts: list[Draft] = []
    begun = None  # an asynchronous copy, of which engine/ says so before the report
    allocated = False  # the frames say where
    refused = False
    memory = AN_ARRAY  # or what the engine says before the report
    of_unwritten = HOLDS in said  # what overflows, then
    for line in said.splitlines():
        at = in_kernel(line, kernel)
        allocated = allocated and line != ""
        if ": runtime error: " in line:  # in an intrinsic, the frames say for whom
            what = line.partition("error: ")[2]
            if vector := VECTOR.search(line):
                what = (
                    "misaligned address: a vector must begin at a multiple of its size; "
                    f"vload{vector[1]} and vstore{vector[1]} take any address"
                )
            drafts.append(Draft("bounds" if "out of bounds" in what else "undefined", what))
            if of_unwritten and "signed integer overflow" in what:
                drafts[-1].kind = "unwritten"
            if ANY_ADDRESS.search(line):
                drafts[-1].kind = ""
            if at is not None:
                drafts[-1].place(at)
        elif COMPUTES in line and at is not None:
            drafts.append(Draft("unwritten"))
            drafts[-1].place(at)
        elif named := MEMORY.match(line):
            memory = f"{named[1]} memory"
        elif "asynchronous copy: on its way" in line:
            begun = at
        elif "ERROR: AddressSanitizer: " in line and begun is not None:
            drafts.append(
                Draft(
                    "copy", "an asynchronous copy is not waited for before its destination is used"
                )
            )
            drafts[-1].place(begun)
            drafts[-1].searching = True
            begun = None
        elif REFUSED.search(line):
            refused = True
        elif "ERROR: AddressSanitizer: SEGV" in line and refused:
            drafts.append(Draft("memory", "malloc gave NULL: a kernel has 2 GiB of memory"))
        elif NO_ADDRESS in line and drafts and "misaligned address" in drafts[-1].text:
            continue  # the same instruction
        elif "ERROR: AddressSanitizer: stack-overflow" in line:
            drafts.append(Draft("memory", STACK_OVERFLOW))
        elif "ERROR: AddressSanitizer: " in line and "of FakeStack" not in line:
            drafts.append(Draft("bounds", "touches memory that is not there"))
        elif leak := LEAK.match(line):
            drafts.append(Draft("leak", f"{leak[1]} bytes"))
        elif growth := GROWTH.match(line):
            drafts.append(Draft("growth", growth[1], searching=False))
        elif "WARNING: ThreadSanitizer: data race" in line:
            drafts.append(Draft("race", searching=False))
        elif drafts and (stack := STACK.match(line)):
            drafts[-1].searching = True
            drafts[-1].writes = stack[3].lower() == "write"
        elif drafts and drafts[-1].kind == "bounds" and (access := ACCESS.match(line)):
            drafts[-1].text = f"{VERBS[access[1]]} outside {memory}"
            memory = AN_ARRAY
        elif drafts and drafts[-1].kind == "bounds" and (fault := FAULT.search(line)):
            drafts[-1].text = f"{VERBS[fault[1]]} memory that is not there"
        elif drafts and (named := GLOBAL.search(line)) and in_kernel(named[2], kernel):
            size = f"{named[1]}, of {line.rpartition(' ')[2]} bytes"
            drafts[-1].text = drafts[-1].text.replace(AN_ARRAY, size)
        elif drafts and line.startswith("allocated by thread"):
            allocated = True
        elif drafts and allocated and at is not None:
            drafts[-1].text = drafts[-1].text.replace(AN_ARRAY, f"what line {at} allocates")
            allocated = False
        elif drafts and "is located in stack" in line:
            drafts[-1].text = drafts[-1].text.replace(AN_ARRAY, f"{AN_ARRAY} on the stack")
        elif drafts and at is not None and FRAME.match(line):
            drafts[-1].place(at)
    return [draft.finding() for draft in drafts if draft.kind]
