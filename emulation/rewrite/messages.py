# SPDX-License-Identifier: MIT
"""What a compiler says of a rewritten file, for people: messages.py FOLDER <OUTPUT. An error in a
header of the emulation is one of the line that uses it; and a name that nobody declares may be
CUDA's."""

import os
import re
import sys

MESSAGE = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? *"
    r"(?P<kind>(?:fatal )?error|warning|note|  required)\b:?(?P<text>.*)"
)
UNKNOWN = re.compile(
    r"not declared|not been declared|not a member|no member named|has no member|undeclared|"
    r"does not name a type|unknown type name|no type named|No such file|not found|"
    r"no arguments to .* that depend|not a template|no template named|incomplete type|"
    r"is not a class, namespace|expected namespace name"
)
NAME = re.compile(
    r"[‘'](?:struct |class )?([^’']*)[’']|fatal error: ([^:]*)(?=: No such|file not found)"
)
ASSERTED = re.compile(
    r"""^static[ _]assert(ion)? failed( due to requirement '.*'(?=: | "))?:? *"?|"$"""
)
LIBRARY = (
    r"cublas|curand|cufft|cusolver|cusparse|cudnn|cutensor|"
    r"nvrtc|nvtx|nvml|nccl|npp|thrust|cub|cutlass|cute"
)
OF_CUDA = re.compile(
    rf"(?:__|cu[A-Z]|cuda|CU[A-Z_]|(?:{LIBRARY})|cooperative_groups|nvcuda|wmma|tex[A-Z123]|surf[A-Z123]|"
    r"atomic|clock64|NV|nv)\w*(?:[./].*)?$|cg$"
)
ADVICE = ": if this is CUDA that emulation/README.md does not name, it needs nvcc"


def messages(output, folder):
    """(place, kind, text, lines that show it) of each: the place is one in a file of the user's."""
    found, user, unplaced = [], None, None
    for line in output.splitlines():
        match = MESSAGE.match(line)
        if match is None:
            if found and re.match(r" +\d* \||[ ~^]+$| {2,}\S", line) and not found[-1]["ours"]:
                found[-1]["shown"].append(line)
            if re.match(r"\S.*: In ", line):
                user = None
            continue
        place = f"{match['file']}:{match['line']}" + (
            f":{match['column']}" if match["column"] else ""
        )
        ours = os.path.abspath(match["file"]).startswith(folder + os.sep)
        if (
            match["kind"].strip() == "required"
        ):  # gcc: before the error, and the last is the nearest
            user = user if ours else place
        elif match["kind"] == "note":  # clang: after it
            if unplaced and not ours:
                unplaced["place"], unplaced = place, None
        else:
            text = match["text"].strip()
            text = ASSERTED.sub("", text) if ours else text
            found.append(
                {
                    "place": user if ours and user else place,
                    "kind": match["kind"],
                    "text": text,
                    "shown": [],
                    "ours": ours,
                }
            )
            unplaced = found[-1] if ours and not user else None
            if not ours:
                user = None
    return found


def main():
    output = sys.stdin.read()
    found = messages(output, os.path.abspath(sys.argv[1]))
    errors = [one for one in found if "error" in one["kind"]]
    if not errors:
        print(output, end="")
    said = set()
    for one in errors:
        names = [
            (a or b).split("::")[-1] if "std" not in (a or b) else ""
            for a, b in NAME.findall(f"{one['kind']}: {one['text']}")
        ]
        missing = UNKNOWN.search(one["text"]) and any(OF_CUDA.match(name.strip()) for name in names)
        one["missing"] = missing
    # What follows from a missing name is not worth a line.
    for one in [one for one in errors if one["missing"]] or found:
        if (one["kind"], one["text"]) in said:
            continue
        said.add((one["kind"], one["text"]))
        print(f"{one['place']}: {one['kind']}: {one['text']}{ADVICE if one.get('missing') else ''}")
        if not one.get("missing"):
            print("".join(f"{line}\n" for line in one["shown"]), end="")


if __name__ == "__main__":
    main()
