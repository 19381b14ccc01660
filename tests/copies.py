# SPDX-License-Identifier: MIT
"""Copies of the workbook, and of its labs, for the tests to work in."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
REBUILDS = ("CUDA=", "TYPE=", "CC=", "SAN=")  # settings with which everything is built anew


def sources() -> list[str]:
    """The files of the workbook that git knows, or would."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    said = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, check=True)
    return sorted({name for name in said.stdout.decode().split("\0") if (TOP / name).is_file()})


@cache
def compiled() -> Path:
    """The sources, and what Python makes of them: a command of a copy would compile itself anew.
    That is known by its text, as a copy is younger."""
    folder = Path(tempfile.mkdtemp(prefix="workbook"))
    atexit.register(shutil.rmtree, folder)
    subprocess.run(["cp", "-R", "--parents", *sources(), folder], cwd=TOP, check=True)
    words = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash"]
    subprocess.run([sys.executable, *words, "workbook", "engine"], cwd=folder, check=True)
    return folder


def copy_to(folder: Path) -> Path:
    """The sources, as they are now: nothing that was built. Of tests/, a third of the files, in
    which no test changes any, there are links."""
    folder.mkdir(parents=True, exist_ok=True)
    others = [path for path in compiled().iterdir() if path.name != "tests"]
    subprocess.run(["cp", "-Rp", *others, folder], check=True)
    subprocess.run(["cp", "-Rpl", compiled() / "tests", folder], check=True)
    return folder


def copy_with(objects: Path, folder: Path) -> Path:
    """The same, with links to what was built of them elsewhere: make writes no object twice."""
    subprocess.run(["cp", "-Rpl", objects, copy_to(folder) / "build"], check=True)
    return folder


def copy_lab(lab: Path, folder: Path) -> Path:
    """Without what was built."""
    shutil.copytree(lab, folder, ignore=shutil.ignore_patterns("build", "gemm", "gemm_*"))
    return folder


def rebuilding(settings: Iterable[str]) -> tuple[str, ...]:
    """Those that change everything; where there is no GPU, CUDA=cpu says what holds without it."""
    same = () if shutil.which("nvidia-smi") else ("CUDA=cpu",)
    return tuple(s for s in settings if s.startswith(REBUILDS) and s not in same)


def workshop(tree: Path, lab: str, *settings: str) -> Path:
    """A copy of a lab to build with these settings, one in a tree for all tests. Who changes a file
    there puts it back. What another lab has built with them is taken along: make sees what of it is
    stale."""
    suffix = "".join("_" + setting.replace("=", "_") for setting in rebuilding(settings))
    folder = tree / f"copy_{lab}{suffix}"
    if folder.exists():
        return folder
    copy_lab(tree / lab, folder)
    backend = next(folder.glob("kernel.*")).suffix
    for other in sorted(tree.glob("lab*")):
        build = tree / f"copy_{other.name}{suffix}" / "build"
        if build.exists() and (other / f"kernel{backend}").exists():
            shutil.copytree(
                build, folder / "build", ignore=shutil.ignore_patterns("main*", "kernel*")
            )
            break
    return folder


def without(lab: Path, *variants: str) -> Path:
    """A lab of one's own has no use for these, which make check would look at as well."""
    for variant in variants:
        next(lab.glob(f"kernel_{variant}.*")).unlink()
    return lab


@contextmanager
def changed(file: Path, text: str) -> Iterator[None]:
    """The file has this text for a while."""
    before = file.read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(before, encoding="utf-8")
