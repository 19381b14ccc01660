# SPDX-License-Identifier: MIT
"""What the tests share: running a command, editing a file, and skipping for a reason that is allowed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
LIMIT = 300.0  # seconds for a command that should end by itself
TIMED_OUT = 124

# What a machine may lack, and CI does: a skip for anything else fails there, as ./setup selftest installs it.
MAY_LACK = {
    "nvcc": "the CUDA Toolkit is not in Debian's main section",
    "nvidia-smi": "CI has no NVIDIA GPU",
    "compute-sanitizer": "part of the CUDA Toolkit",
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


def sources() -> list[str]:
    """The files of the workbook that git knows, or would."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    said = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, check=True)
    return sorted({name for name in said.stdout.decode().split("\0") if (TOP / name).is_file()})


def environment(**more: str) -> dict[str, str]:
    """That of the tests, with more. What a make above us, or a user, has set does not reach them."""
    unwanted = {"MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "SIZE", "LIMIT", "CI"}
    return {**{name: value for name, value in os.environ.items() if name not in unwanted}, **more}


def run(
    command: str | Sequence[str | Path],
    folder: Path,
    seconds: float = LIMIT,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
) -> Result:
    """Runs a command, or a line of shell, in a folder, with these environment variables besides. Its whole
    process group ends with it. Whatever goes wrong, no user sees a traceback."""
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
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        status = TIMED_OUT
    assert "Traceback (most recent call last)" not in out + err, out + err
    return Result(status, out, err)


def make(folder: Path, *words: str, env: Mapping[str, str] | None = None, seconds: float = LIMIT) -> Result:
    """make without a word of its own."""
    return run(["make", "-s", "--no-print-directory", *words], folder, seconds, env)


def edit(file: Path, old: str, new: str) -> None:
    """Replaces a text that is there, wherever it is."""
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file} has no '{old}' any more: adapt the test"
    file.write_text(text.replace(old, new), encoding="utf-8")


def needs(tool: str) -> None:
    """Skips the test where a program is not installed."""
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")


def allowed(reason: str) -> bool:
    """Whether CI takes this for the reason of a skip."""
    return any(reason.startswith(f"{tool} is not installed") for tool in MAY_LACK)
