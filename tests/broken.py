# SPDX-License-Identifier: MIT
"""Labs that are not as they should be: lab01 with another line in its kernel, one of each for a
module."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Copy
from tests.support import edit, make

LAB = "lab01_cpu_naive"
TYPES = ("float", "double", "int")
FOR_EVER = "for (volatile int forever = 1; forever;) {}"
KINDS = {
    "right": "",
    "hangs": FOR_EVER,
    "crashes": "*(volatile real *)(long)K = 1;",
    "is_wrong": "if (i == 0) A++;",
    "ends": "_exit(0);",
    "talks": f'puts("here"); fflush(stdout); {FOR_EVER}',
    "skips": "_exit(77);",
    "does_not_build": "no such thing;",
}


def spare_the_ceilings(tree: Path) -> None:
    """Known, of another machine: then nobody measures them, nor goes by them."""
    table = tree / "build/ceilings.tsv"
    table.parent.mkdir(exist_ok=True)
    rows = [
        f"{backend}\tanother\t{type_}\t1\t1\tsse2=1\n"
        for backend in ("cpu", "opencl")
        for type_ in TYPES
    ]
    table.write_text("".join(rows), encoding="utf-8")


@pytest.fixture(scope="module")
def broken(tree: Path) -> Iterator[Copy]:
    """broken("hangs"): the folder of a lab whose kernel does that. It stays for the other tests."""
    spare_the_ceilings(tree)
    assert make(tree / LAB, "gemm").status == 0
    folders: dict[str, Path] = {}

    def lab(kind: str) -> Path:
        if kind not in folders:
            folders[kind] = tree / f"{kind}_{LAB}"
            shutil.copytree(tree / LAB, folders[kind])  # with what is built: most of it may stay
            kernel = folders[kind] / "kernel.c"
            edit(kernel, "real sum = 0;", f"{KINDS[kind]} real sum = 0;")
            edit(
                kernel,
                '#include "params.h"',
                '#include "params.h"\n#include <stdio.h>\n#include <unistd.h>',
            )
        return folders[kind]

    yield lab
    for folder in folders.values():
        shutil.rmtree(folder)
