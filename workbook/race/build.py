# SPDX-License-Identifier: MIT
"""Builds copies of labs for the tools, and leaves the labs alone. What was compiled of common/ and emulation/
is kept in build/race for the next lab and the next time; make sees what of it is still good."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import threading
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from workbook import TOP, labs
from workbook.labs import Lab, Program

KEPT = TOP / "build/race"
OWN = ("kernel*", "main*", "flags")  # of the lab

_guard = threading.Lock()
_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def build(lab: Lab, program: Program, settings: list[str], work: Path) -> tuple[Path, str | None]:
    """The folder in which the program is, and what went wrong. Of those with the same flags one is built at a
    time, and the next finds what it left."""
    key = hashlib.sha256("\0".join([*labs.of_others(settings, lab), lab.type]).encode()).hexdigest()[:16]
    with _guard:
        turn = _turns[key]
    with turn:
        mine = "\0".join([str(lab.path), *settings])  # another lab may have the same name
        own = work / hashlib.sha256(mine.encode()).hexdigest()[:16]
        copy = own / lab.place
        if not copy.exists():
            labs.copy_to(lab, own)
            take(KEPT / key, copy / "build")
        problem = labs.build(replace(lab, path=copy), [program.name], settings)
        if problem is None:
            keep(copy / "build", KEPT / key)
    return copy, problem


def take(kept: Path, build: Path) -> None:
    try:
        shutil.copytree(kept, build)
    except OSError:  # there is none, or another race run exchanges it just now
        shutil.rmtree(build, ignore_errors=True)


def keep(build: Path, kept: Path) -> None:
    """Whole: a new folder takes the place of the old one."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=kept.parent, prefix="new."))
    try:
        shutil.copytree(build, new / "objects", ignore=shutil.ignore_patterns(*OWN))
        if kept.exists():
            os.rename(kept, new / "old")
        os.rename(new / "objects", kept)
    except OSError:  # another one was faster, or there is no room: it is compiled again
        pass
    finally:
        shutil.rmtree(new, ignore_errors=True)
