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
# What of_host.py has the compiler find, and nvcc's words for it.
CALLED = r'calling a __host__ function("\1") from device code is not allowed'
OF_HOST = (
    (r"['‘](.*)['’] is deprecated: function of host .*", f"{CALLED}: it is not __device__"),
    (r".*['‘](?:.*::)?(\w+)_of_library['’].*", CALLED),
    (
        r"['‘](.*)['’] is deprecated: variable of host .*",
        r'identifier "\1" is undefined in device code: it is neither __device__ nor __constant__',
    ),
    (
        r".*variable length array(?: ['‘](.*)['’])?.*",
        r"expression must have a constant value: the size of an array \1",
    ),
)
LIBRARY = (
    r"cublas|curand|cufft|cusolver|cusparse|cudnn|cutensor|"
    r"nvrtc|nvtx|nvml|nccl|npp|thrust|cub|cutlass|cute"
)
OF_CUDA = re.compile(
    rf"(?:__|cu[A-Z]|cuda|CU[A-Z_]|(?:{LIBRARY})|cooperative_groups|nvcuda|wmma|tex[A-Z123]|surf[A-Z123]|"
    r"atomic|clock64|NV|nv)\w*(?:[./].*)?$|cg$"
)
ADVICE = ": if this is CUDA that engine/README.md does not name, it needs nvcc"


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
        ours = os.path.realpath(match["file"]).startswith(folder)
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


def of_host(text):
    """In nvcc's words; or nothing."""
    for pattern, words in OF_HOST:
        if match := re.fullmatch(pattern, text):
            return match.expand(words)
    return ""


def main():
    output = sys.stdin.read()
    found = messages(output, os.path.join(os.path.dirname(os.path.realpath(sys.argv[1])), ""))
    errors = [one for one in found if "error" in one["kind"]]
    if not errors:
        print(output, end="")
    for one in errors:
        names = [
            (a or b).split("::")[-1] if "std" not in (a or b) else ""
            for a, b in NAME.findall(f"{one['kind']}: {one['text']}")
        ]
        if said := of_host(one["text"]):
            one |= {"text": said, "shown": [], "first": True}
        elif UNKNOWN.search(one["text"]) and any(OF_CUDA.match(name.strip()) for name in names):
            one |= {"text": one["text"] + ADVICE, "shown": [], "first": True}
    printed = set()
    # What follows from a missing name is not worth a line.
    for one in [one for one in errors if "first" in one] or found:
        said = f"{one['kind']}: {one['text']}"
        if said not in printed:
            printed.add(said)
            print(f"{one['place']}: {said}", *one["shown"], sep="\n")


if __name__ == "__main__":
    main()
