# SPDX-License-Identifier: MIT
"""What nvcc does not compile for a GPU, the emulation does not, either; and what nvcc takes, it
takes: the parts of host.cu. nvcc itself is asked if it is installed, with the flags of
make/cu.mk."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import TOP, Result, needs, run

TEXT = (TOP / "tests/emulation/host.cu").read_text(encoding="utf-8")
PARTS = dict(part.split("\n", 1) for part in TEXT.split("// ---- ")[1:])
STANDS_FOR = {
    "KERNEL": "__global__ void gemm(int M, int N, int K, const float *A, const float *B, float *C)",
    "AT": "float at(const float *m, int i) { return m[i]; }",
}
MARK = re.compile(r"// (HOST|UNDEFINED|SIZE)$", re.MULTILINE)
SAID = {
    "HOST": r'calling a __host__ function\("[^"]+"\) from device code is not allowed',
    "UNDEFINED": 'identifier "[^"]+" is undefined',
    "SIZE": "expression must have a constant value: the size of an array",
}


def written(folder: Path, name: str) -> Path:
    path = folder / "kernel.cu"
    path.write_text(re.sub(r"\b(KERNEL|AT)\b", lambda word: STANDS_FOR[word[0]], PARTS[name]))
    return path


def compiled(compiler: str, path: Path) -> Result:
    needs(compiler)
    command = ["engine/cuda/compile", compiler, "-std=c++17", "-O2", "-c", "-o"]
    return run([*command, path.with_suffix(".o"), path], TOP)


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_refused_at_its_mark_or_taken(name: str, compiler: str, tmp_path: Path) -> None:
    path = written(tmp_path, name)
    said = compiled(compiler, path)
    if mark := MARK.search(PARTS[name]):
        number = PARTS[name].count("\n", 0, mark.start()) + 1
        first = rf"{path}:{number}:\d+: error: {SAID[mark[1]]}"
        assert (said.status, said.out) == (1, "")
        assert re.match(first, said.err), said.err
    else:
        assert (said.status, said.err) == (0, "")


def test_a_variable_called_gridDim_is_no_function(tmp_path: Path) -> None:
    """It is gridDim_of_host here (language.py)."""
    path = tmp_path / "kernel.cu"
    path.write_text("void host() {\n    int gridDim = 1;\n    gridDim();\n}\n")
    said = compiled("g++", path).err
    assert "cannot be used as a function" in said
    assert "__host__" not in said


@pytest.mark.parametrize("name", PARTS)
def test_nvcc_says_the_same(name: str, tmp_path: Path) -> None:
    needs("nvcc")
    path = written(tmp_path, name)
    settings = (TOP / "make/cu.mk").read_text()
    flags = ["-std=c++17", *re.findall("^as_emulated = (.*)", settings, re.MULTILINE)[0].split()]
    result = run(["nvcc", "-cubin", *flags, "-o", tmp_path / "cubin", path], tmp_path)
    assert (result.status != 0) == (MARK.search(PARTS[name]) is not None)
