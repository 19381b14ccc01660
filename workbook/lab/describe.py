# SPDX-License-Identifier: MIT
"""describe LAB: what a lab is, as the record gemm-lab/1. make describe calls it, and tells it in
the environment what make alone knows, a word and its values a line; the rest is in the files. The
tools ask make for those lines alone, and make the record themselves."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

from workbook import UserError

SAID = "said_by_make"
LIMIT = 60  # seconds, to read params.h
BACKENDS = {"c": "cpu", "cl": "opencl", "cu": "cuda"}
HOST = {"c": "c", "cl": "c", "cu": "cu"}
# How an editor is to read it: clang, as clangd knows no other; what it is built with may be
# another.
READ_CL = "clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -I. {defines}"
READ_CU = (
    "clang -x cuda -std=c++17 --cuda-host-only -nocudainc -nocudalib -Wno-unknown-cuda-version "
    "-include {top}/engine/cuda/editor.h {flags} -I{top}/engine/cuda/include"
)
TILE = "TILE_M,TILE_N,TILE_K"
# The compiler puts numbers behind @, and the shell multiplies, unless a name is left: of an enum.
COMPUTE = (
    """exec 2>/dev/null; sizes=$(echo "@$0" | "$@" -) && IFS=, && set -- ${sizes##*@} && """
    """case "$*" in *[A-Za-z_]*) ;; *) echo "$(($1)) $(($2)) $(($3))" ;; esac"""
)

Words = dict[str, str]


def parse(text: str) -> tuple[Words, list[Words]]:
    """Of the lab, and of each program."""
    lab: Words = {}
    programs: list[Words] = []
    here = lab
    for line in text.splitlines():
        name, _, values = line.strip().partition(" ")
        if name == "program":
            here = {}
            programs.append(here)
        if name:
            here[name] = values.strip()
    return lab, programs


class Description:
    """A lab's folder, and what make said of it."""

    def __init__(self, folder: Path, said: str) -> None:
        self.folder = folder
        self.lab, self.programs = parse(said)
        self.suffix = self.lab["suffix"]
        self.host = HOST.get(self.suffix, "")
        # Without comments, and blanks behind a #.
        text = re.sub(r"[ \t]*(?://.*|/\*.*?\*/)", "", self.read("params.h"))
        self.lines = re.sub(r"^[ \t]*#[ \t]*", "#", text, flags=re.MULTILINE).splitlines()

    def read(self, name: str) -> str:
        path = self.folder / name
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""

    def names(self, *patterns: str) -> list[str]:
        return [path.name for pattern in patterns for path in sorted(self.folder.glob(pattern))]

    def record(self) -> dict[str, Any]:
        lab = self.lab
        tiles = self.tiles()
        return {
            "schema": "gemm-lab/1",
            "lab": lab["lab"],
            "before": lab["before"] or None,
            "base": lab["base"] or None,
            "backend": lab["backend"] or BACKENDS.get(self.suffix),
            "emulated": lab["emulated"] != "",
            "skip": lab["skip"] or None,
            "type": lab["type"],
            "types": lab["types"].split(),
            "size": lab["size"],
            "tuned": lab.get("tuned", "") != "",
            "threads": lab.get("threads", "") != "",
            "ranks": lab.get("ranks", "") != "",
            **{
                name: lab[name].split()
                for name in ("race", "page", "beside", "other", "pays", "steps", "stages")
            },
            "unfinished": lab["unfinished"] or None,
            "programs": [self.program(one, tile) for one, tile in zip(self.programs, tiles)],
            "tunables": [self.tunable(name) for name in lab["tunables"].split()],
            "files": self.files(),
            "commands": [
                {"file": file, "command": f"{how} -c {file}"} for file, how in self.commands()
            ]
            if self.suffix
            else [],
        }

    # ---- programs -----------------------------------------------------------------------------
    def program(self, said: Words, tile: list[int] | None) -> dict[str, Any]:
        variant, steps = said["program"], self.lab["steps"].split()
        return {
            "name": named("gemm", variant),
            "variant": variant,
            "step": steps.index(variant) + 1 if variant in steps else None,
            "experiment": variant in self.lab["experiments"].split(),
            "skip": said["skip"] or None,
            "capability": said.get("capability") or None,
            "kernel": named("kernel", variant, self.suffix) if self.suffix else None,
            "tile": tile,
            **{name: said[name].split() for name in ("settings", "sweep", "tune")},
        }

    def tiles(self) -> list[list[int] | None]:
        """Of each program, what params.h makes of TILE_M, TILE_N and TILE_K; None where it refuses
        the settings. A compiler for those with the same; they run side by side."""
        compiler = [*shlex.split(self.lab["compiler"]), "-E", "-P", "-include"]
        asked = []
        for said in self.programs:
            own = named("params", said["program"], "h")
            params = own if (self.folder / own).is_file() else "params.h"
            asked.append((params, self.defines(said)))
        running = {
            (params, defines): subprocess.Popen(
                ["sh", "-c", COMPUTE, TILE, *compiler, params, *defines.split()],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            for params, defines in set(asked)
        }
        try:
            sizes = {
                one: process.communicate(timeout=LIMIT)[0].split()
                for one, process in running.items()
            }
        except subprocess.TimeoutExpired as late:
            what = f"{self.folder.name}: params.h keeps the compiler busy for more than {LIMIT} s"
            raise UserError(what) from late
        finally:
            for process in running.values():
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        return [list(map(int, sizes[one])) if sizes[one] else None for one in asked]

    def defines(self, said: Words) -> str:
        return " ".join(
            f"-D{setting}" for setting in (f"real={self.lab['type']}", *said["settings"].split())
        )

    # ---- params.h -----------------------------------------------------------------------------
    def tunable(self, name: str) -> dict[str, Any]:
        """#ifndef NAME, and #define NAME VALUE after it; and what it refuses, as in BLOCK<16
        BLOCK>4096 BLOCK%16!=0."""
        after = zip(self.lines, self.lines[1:])
        default = next((line for first, line in after if first.split() == ["#ifndef", name]), "")

        def bound(pattern: str) -> int | None:
            found = (re.fullmatch(name + pattern, condition) for condition in self.refused())
            return next((int(one[1]) for one in found if one), None)

        return {
            "name": name,
            "default": re.sub(r"^#define\s+\S+\s*", "", default),
            "least": bound(r"<(\d+)"),
            "most": bound(r">(\d+)"),
            "multiple_of": bound(r"%(\d+)!=0"),
        }

    def refused(self) -> list[str]:
        """What each #if before an #error asks for."""
        pairs = zip(self.lines, self.lines[1:])
        asked = [
            first for first, line in pairs if first.startswith("#if ") and line.startswith("#error")
        ]
        return [one for line in asked for one in line[len("#if") :].replace(" ", "").split("||")]

    # ---- files --------------------------------------------------------------------------------
    def config(self) -> tuple[str, str]:
        """config.c, and the flags that say what is in it."""
        path, _, flags = self.lab["config"].partition(" ")
        return path, flags

    def files(self) -> list[str]:
        """Beside its own kernel, what a program is made of."""
        shared = [*self.lab["headers"].split(), *self.lab["sources"].split(), self.config()[0]]
        shared += [path for path in self.lab["emulation"].split() if not path.endswith(".md")]
        files = [
            "Makefile",
            *self.names("main.*", f"main_*.{self.host}"),
            *sorted(self.names("*.h")),
            *sorted(map(os.path.normpath, [*self.lab["makefiles"].split(), *shared])),
            *self.lab["files"].split(),
        ]
        return list(dict.fromkeys(files))

    def commands(self) -> list[tuple[str, str]]:
        """Of each file, how an editor is to read it. Of what one GPU alone can, engine/ has no
        headers."""
        for_editor = [one for one in self.programs if not one.get("capability")]
        plain = self.programs[0]
        own = [
            (named("kernel", one["program"], self.suffix), self.suffix, one) for one in for_editor
        ]
        names = self.names("main.*") if plain in for_editor else []
        mains = [(name, name.partition(".")[2], plain) for name in names]
        of_variants = [
            (named("main", one["program"], self.host), one)
            for one in for_editor
            if one is not plain
        ]
        mains += [
            (name, self.host, one) for name, one in of_variants if (self.folder / name).is_file()
        ]
        shared = [(path, "c", plain) for path in self.lab["sources"].split()]
        every = [
            (file, self.command(suffix, said)) for file, suffix, said in [*own, *mains, *shared]
        ]
        path, flags = self.config()
        return [*every, (path, f"{self.command('c', plain)} {flags}")]

    def command(self, suffix: str, said: Words) -> str:
        lab, defines = self.lab, self.defines(said)
        flags = f"{lab['basics']} {defines}"
        if self.suffix == "cl":
            kernel = named("kernel", said["program"], "cl")
            flags += f""" -DKERNEL_FILE='"{kernel}"' -DDEFINES='"{defines}"'"""
        if suffix == "cl":
            return READ_CL.format(defines=defines)
        if suffix == "cu":
            return READ_CU.format(top=lab["top"], flags=flags)
        return f"{lab['compiler']} {lab['flags']} {flags}"


def named(stem: str, variant: str, suffix: str = "") -> str:
    """kernel_published.cl"""
    return stem + (variant and f"_{variant}") + (suffix and f".{suffix}")


def main(words: list[str]) -> int:
    if SAID not in os.environ:
        raise UserError("knows of a lab what make says of it: make describe, in the lab's folder")
    record = Description(Path(words[0]), os.environ[SAID]).record()
    print(json.dumps(record, indent=2, ensure_ascii=False))
    return 0
