# SPDX-License-Identifier: MIT
"""rewrite FILE.cu: prints it as C++ for include/cuda_runtime.h. Lines stay where they are.
rewrite FILE.cu OUT.cpp FLAG ...: with what it includes, which goes to OUT.cpp.d; flags as -I say
where that is."""

import os
import sys

from files import Files


def folders(flags, option):
    """-Ifolder, -I folder"""
    joined = [flag[len(option) :] for flag in flags if flag.startswith(option) and flag != option]
    return joined + [after for flag, after in zip(flags, flags[1:]) if flag == option]


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: rewrite FILE.cu [OUT.cpp FLAG ...]")
    path, flags = sys.argv[1], sys.argv[3:]
    folder = f"{sys.argv[2]}.d" if len(sys.argv) > 2 else None
    try:
        files = Files(folder, folders(flags, "-iquote"), folders(flags, "-I"))
        text = files.rewrite(path, path)
        out = open(sys.argv[2], "wb") if folder else sys.stdout.buffer
        out.write(os.fsencode(text))
    except OSError as error:
        sys.exit(f"{error.filename or path}: {error.strerror}")


if __name__ == "__main__":
    main()
