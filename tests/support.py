# SPDX-License-Identifier: MIT
"""What the tests share: running a command, editing a file, and skipping for a reason that is
allowed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.copies import TOP as TOP
from tests.copies import changed, workshop
from workbook.core.clang import clang
from workbook.core.records import RUN, read

LIMIT = 300.0  # seconds for a command that should end by itself
GRACE = 10.0  # seconds to end in, after a first polite signal
TIMED_OUT = 124

# What a machine may lack, and CI does: a skip for anything else fails there, as ./setup selftest
# installs it.
MAY_LACK = {
    "nvcc": "the CUDA Toolkit is not in Debian's main section",
    "nvidia-smi": "CI has no NVIDIA GPU",
    "compute-sanitizer": "part of the CUDA Toolkit",
    "AVX-512": "a CPU has it or has it not; make race and test_needs_no_avx512 do without",
    **dict.fromkeys(
        [f"clang-{version}" for version in (14, 15, 16, 18, 19, 21)],
        "each release of Debian has other versions",
    ),
    "tsc": "TypeScript comes with 100 packages of Node in Debian",
    **dict.fromkeys(
        [
            f"baseline/{name}"
            for name in (
                *("openblas", "blis", "mkl", "clblast", "scalapack"),
                *("cublas", "cublas_tf32", "cublas_bf16"),
            )
        ],
        "./setup baseline installs it, and fakes take its place",
    ),
}


@dataclass(frozen=True)
class Result:
    """How a command ended; the status is negative for a signal."""

    status: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err


def environment(**more: str) -> dict[str, str]:
    """That of the tests, with more. What a make above us, or a user, has set does not reach
    them."""
    unwanted = {
        "MAKEFLAGS",
        "MFLAGS",
        "GNUMAKEFLAGS",
        "MAKELEVEL",
        "MAKEOVERRIDES",
        "SIZE",
        "LIMIT",
        "CI",
    }
    return {**{name: value for name, value in os.environ.items() if name not in unwanted}, **more}


def run(
    command: str | Sequence[str | Path],
    folder: Path,
    seconds: float = LIMIT,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
) -> Result:
    """Runs a command, or a line of shell, in a folder, with these environment variables besides.
    Its whole process group ends with it. Whatever goes wrong, no user sees a traceback."""
    process = subprocess.Popen(
        ["sh", "-c", command] if isinstance(command, str) else [str(word) for word in command],
        cwd=folder,
        env=environment(**(env or {})),
        stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(stdin, timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(
            process.pid, signal.SIGTERM
        )  # so that it can end what runs in groups of their own
        try:
            out, err = process.communicate(timeout=GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        status = TIMED_OUT
    assert "Traceback (most recent call last)" not in out + err, out + err
    return Result(status, out, err)


def make(
    folder: Path, *words: str, env: Mapping[str, str] | None = None, seconds: float = LIMIT
) -> Result:
    """make without a word of its own."""
    return run(["make", "-s", "--no-print-directory", *words], folder, seconds, env)


def emulation(compiler: str, folder: Path, *more: Path) -> list[Path]:
    """The objects of engine/, and of more, compiled as make does it: for ccache the same."""
    flags = "-std=c++17 -O2 -g -Wall -Wextra -Wshadow -pthread -c -o".split()
    objects: list[Path] = []
    sources = [*TOP.glob("engine/core/*.cpp"), *TOP.glob("engine/cuda/*/*.cpp")]
    for source in [*sorted(sources), *more]:
        objects.append(folder / f"{source.stem}.o")
        if not objects[-1].exists():
            ended = run([compiler, *flags, objects[-1], source.relative_to(TOP)], TOP)
            assert (ended.status, ended.text) == (0, "")
    return objects


def await_file(file: Path) -> str:
    """What is in a file, once something is."""
    end = time.monotonic() + 60
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < end, f"{file} does not come"
        time.sleep(0.05)
    return file.read_text()


def gemm(
    folder: Path, *arguments: str, program: str = "gemm", env: Mapping[str, str] | None = None
) -> tuple[Result, dict[str, Any]]:
    """Runs a program of a lab: how it ended, and its record; an empty one where there is none."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "record.json")
        ended = run([f"./{program}", *arguments, "--json", path], folder, env=env)
        return ended, read(path, RUN) if path.exists() else {}


@contextmanager
def kernel(tree: Path, lab: str, old: str, new: str, *settings: str) -> Iterator[Path]:
    """The folder of a lab whose kernel has another text in place of the old one, and is built with
    these settings. What they share with other tests is built once."""
    folder = workshop(tree, lab, *settings)
    file = next(folder.glob("kernel.*"))
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{lab} has no '{old}' any more: adapt the test"
    with changed(file, text.replace(old, new)):
        built = make(folder, "gemm", *settings)
        assert built.status == 0, built.text
        yield folder


def lead_on(folder: Path, settings: str) -> None:
    """A lab of the nine has what those of advanced/ have."""
    own = "include ../make/lab.mk"
    edit(folder / "Makefile", own, f"{settings}\ninclude ../advanced/common/advanced.mk")


def edit(file: Path, old: str, new: str) -> None:
    """Replaces a text that is there, wherever it is."""
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file} has no '{old}' any more: adapt the test"
    file.write_text(text.replace(old, new), encoding="utf-8")


def without(tool: str, folder: Path) -> dict[str, str]:
    """A PATH with all programs but this one, of any version."""
    folder.mkdir()
    for place in "/usr/local/bin", "/usr/bin", "/bin":
        for program in Path(place).iterdir() if Path(place).is_dir() else []:
            if program.name.partition("-")[0] != tool and not (folder / program.name).is_symlink():
                (folder / program.name).symlink_to(program)
    return {"PATH": str(folder)}


def needs(tool: str) -> None:
    """Skips the test if a program is not installed; of clang, any version."""
    import pytest  # not needed by tests/mutant.py, which runs where it is not installed

    if not (clang() if tool == "clang" else shutil.which(tool)):
        pytest.skip(f"{tool} is not installed")


def needs_avx512(said: Result) -> None:
    """Skips the test of a program that was skipped for that."""
    import pytest

    if "skipped: this CPU has no AVX-512" in said.text:
        pytest.skip("AVX-512 is not installed")


def allowed(reason: str) -> bool:
    """Whether CI takes this for the reason of a skip."""
    return any(reason.startswith(f"{tool} is not installed") for tool in MAY_LACK)
