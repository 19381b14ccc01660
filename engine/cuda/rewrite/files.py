# SPDX-License-Identifier: MIT
"""A file and what it includes, as far as there is CUDA in it: a header's copy lies beside the
rewritten file."""

import os
import re
from functools import lru_cache

from language import rewrite, rewrite_macro
from of_host import mark
from source import Source

WORDS = re.compile(
    r"<<<|<<\s+<|\b(?:__shared__|__device__|__constant__|__managed__|__launch_bounds__|asm|__asm|__asm__|"
    r"gridDim|blockDim|__CUDA_ARCH__|__reduce_\w+|__\w+_r[zdu])\b"
)
# What few files need is included where they do.
ON_DEMAND = (
    ("tensor/ptx.h", "emulation::ptx::"),
    ("../core/rounding.h", "_r[zdu]\\("),
    ("../core/reductions.h", "__reduce_"),
)
ALIAS = re.compile(r"\s*#\s*define\s+(\w+)\s+__shared__((?:\s+\w+)*)\s*(?://.*|/\*.*)?", re.DOTALL)
INCLUDE = re.compile(r'(\s*#\s*include\s*)(?:"([^"\n]*)"|<([^>\n]*)>)')
INCLUDES = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]*)"|<([^>\n]*)>)', re.MULTILINE)
DEFINES = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?((?:\\\r?\n|[^\n])*)", re.MULTILINE
)
UNROLL = re.compile(r"\s*#\s*pragma\s+unroll\b(.*)", re.DOTALL)
NAME = re.compile(r"\w+")
DEFINE = re.compile(r"(\s*#\s*define\s+\w+(?:\([^)]*\))?)(.*)", re.DOTALL)
# Of the toolkit, and not in include/. Who uses what they declare is told its name by the compiler.
LIBRARIES = tuple(
    """
    cublas cuComplex cufft cupti curand cusolver cusparse cudnn cudart_ cudaGL cudaEGL cudaProfiler
    cudaTypedefs nccl npp nvblas nvJitLink nvjpeg nvml nvrtc nvToolsExt nvtx3/ nv/ builtin_types
    channel_descriptor common_functions device_ driver_ host_config math_functions sm_ surface_
    texture_ vector_functions cuda_awbarrier cuda_device_runtime cuda_egl_ cuda_fp4 cuda_fp6
    cuda_fp8 cuda_gl_ cuda_occupancy cuda_profiler_api cuda_stdint cuda_surface_ cuda_texture_
    cuda_vdpau_ cooperative_groups/ crt/ cub/ cute/ cutlass/ thrust/
    """.split()
)
OURS = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "include")


class Files:
    """Those of one compilation: copies go to `folder`; `quoted` and `others` are where the compiler
    looks."""

    def __init__(self, folder=None, quoted=(), others=()):
        self.folder, self.quoted, self.others = folder, quoted, others
        self.copies, self.texts, self.dynamic, self.aliases = {}, {}, {}, {}
        self.macros, self.searched = {}, set()  # what each stands for, by any #if; in which files

    def rewrite(self, path, shown):
        """The text that stands for this file, which messages call `shown`."""
        text = read(path)
        number = len(self.copies)
        source = Source(text, f"{number}_" if number else "")
        self.find_macros(path)
        for place in source.directives:  # from above: what a header declares is there
            source.pieces[place] = self.directive(
                source.pieces[place], path, shown, f"m{place}_{source.name}"
            )
        rewrite(source, self.dynamic, self.aliases)
        mark(source, self.macros)
        name = shown.replace("\\", r"\\").replace('"', r"\"")
        text = str(source)
        needed = [header for header, use in ON_DEMAND if re.search(use, text)]
        begin = "".join(f'#include "../{header}"\n' for header in needed)
        return f'{begin}#line 1 "{name}"\n{text}'

    def directive(self, text, path, shown, name):
        include = INCLUDE.match(text)
        if include:
            return self.include(include, text[include.end() :], path, shown)
        if unroll := UNROLL.match(text):
            return self.unroll(text, unroll[1])
        if alias := ALIAS.fullmatch(text):
            self.aliases[alias[1]] = alias[2]
            return text
        define = DEFINE.match(text)
        if define and (WORDS.search(define[2]) or self.aliases.keys() & {*NAME.findall(define[2])}):
            return define[1] + rewrite_macro(define[2], name, self.aliases)
        return text

    def unroll(self, text, count):
        """nvcc puts nothing in the place of a macro there, and does not know its name."""
        tokens = Source(count, macro=True).tokens
        macro = next((name for name in tokens if name in self.macros), None)
        if macro is None:
            return text
        said = rf"identifier \"{macro}\" is undefined: #pragma unroll takes a constant, no macro"
        return f'#pragma GCC error "{said}"' + "\n" * text.count("\n")

    def include(self, include, rest, path, shown):
        name = include[2] or include[3] or ""
        found = self.find(name, include[2] is not None, path)
        if found is None:
            ours = os.path.exists(os.path.join(OURS, name))
            return rest.lstrip(" \t") if is_of_library(name) and not ours else include[0] + rest
        if self.folder is not None and self.has_cuda(found):
            inside = os.path.join(os.path.dirname(shown), name)
            copy = self.copy(found, os.path.normpath(inside) if os.path.exists(inside) else found)
            here = "" if path in self.copies else f"{os.path.basename(self.folder)}/"
            return f'{include[1]}"{here}{copy}"{rest}'
        if path in self.copies:  # which lies elsewhere
            return f'{include[1]}"{os.path.abspath(found)}"{rest}'
        return include[0] + rest

    def copy(self, path, shown):
        if path not in self.copies:
            self.copies[path] = f"{len(self.copies) + 1}_{os.path.basename(path)}"
            os.makedirs(self.folder, exist_ok=True)
            text = self.rewrite(path, shown)
            with open(os.path.join(self.folder, self.copies[path]), "wb") as file:
                file.write(os.fsencode(text))
        return self.copies[path]

    def find_macros(self, path):
        """In it, and in what it includes."""
        if path in self.searched:
            return
        self.searched.add(path)
        text = read(path)
        for name, what in DEFINES.findall(text):
            self.macros[name] = f"{self.macros.get(name, '')} {what}"
        for quoted, other in INCLUDES.findall(text):
            header = self.find(quoted or other, bool(quoted), path)
            if header is not None:
                self.find_macros(header)

    def find(self, name, quoted, path):
        """Where the compiler finds it, if that is no folder of the system's."""
        if os.path.isabs(name):
            return name if os.path.isfile(name) else None
        places = (os.path.dirname(path), *self.quoted, *self.others) if quoted else self.others
        for place in places:
            found = os.path.normpath(os.path.join(place, name))
            if os.path.isfile(found):
                return found
        return None

    def has_cuda(self, path):
        """Is there something to rewrite in it, or in what it includes?"""
        if path not in self.texts:
            self.texts[path] = False  # where it includes itself
            text = read(path)
            self.texts[path] = WORDS.search(text) is not None or any(
                self.includes_cuda(path, *names) for names in INCLUDES.findall(text)
            )
        return self.texts[path]

    def includes_cuda(self, path, quoted, other):
        found = self.find(quoted or other, bool(quoted), path)
        return self.has_cuda(found) if found else is_of_library(quoted or other)


def is_of_library(name):
    return name.startswith(LIBRARIES) or name.startswith("cuda/") and not name.endswith(".h")


@lru_cache(None)  # for its macros, for the CUDA in it, and to be rewritten
def read(path):
    """As paths are, some of which come in: each byte is written again as it was."""
    with open(path, "rb") as file:
        return os.fsdecode(file.read().removeprefix(b"\xef\xbb\xbf"))  # the mark of some editors
