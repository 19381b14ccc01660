# SPDX-License-Identifier: MIT
"""Is it the machine, or what was handed in? Room, memory and a sandbox are ours to see to: where
they lack, nobody has a record of it, and the run ends with one line. The evidence is what the
machine does now, and what the system has counted; not words, which a kernel could print as well."""

from __future__ import annotations

import os
import re
from pathlib import Path

from workbook import TOP, UserError
from workbook.core.process import run
from workbook.core.text import plain
from workbook.teacher.grade.compiling.sandbox import MIB, own, require_sandbox, unprivileged

RESULT = 64 * MIB  # bytes that a step of the compiler may leave, in the worst case
CASE = 4 * MIB  # that one submission's programs take until they are timed; emulated CUDA, 8
CASE_FILES = 32
ROW = 32 << 10  # bytes of the records and pages of one lab of one submission
ROW_FILES = 5
REMEDY = {"TMPDIR": "make room, or set TMPDIR to where there is some", "OUT": "make room there"}
NO_MEMORY = "the system ended it for want of memory, twice: fewer at a time, JOBS=1"
COUNTED = Path("/proc/vmstat")  # what the system says that it did


def require_room(folder: Path, size: int, files: int, name: str) -> None:
    """For who is not root, whom file systems give less."""
    has = os.statvfs(folder)
    free = has.f_bavail * has.f_frsize
    if free < size:
        lacks = f"{free / MIB:.1f} MiB are free, and it may take {size / MIB:.1f}"
    elif has.f_files and has.f_favail < files:
        lacks = f"there is room for {has.f_favail} files, and it may take {files}"
    elif name == "TMPDIR" and has.f_flag & os.ST_NOEXEC:
        lacks = "it is mounted noexec, and programs are to run there"
    else:
        return
    raise UserError(f"{name}={folder}: {lacks}: {REMEDY[name]}")


def memory_kills() -> int:
    """How often the system has ended a process for want of memory, since it was started."""
    try:
        found = re.search(r"^oom_kill (\d+)$", COUNTED.read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) if found else 0


def require_machine(folder: Path) -> None:
    """Something went wrong, and not by what a compiler said or a kernel did: can a sandbox be made
    now, and a result be kept? Whoever is confined would write it, so it is tried as they would."""
    require_sandbox()
    trial = folder / "trial"
    trial.touch()
    own(trial)
    words = ["sh", "-c", f'head -c {RESULT} /dev/zero >"$1"', "sh", str(trial)]
    tried = run([*unprivileged(), *words], TOP, 60)
    trial.unlink()
    if tried.status != 0:
        why = "not within 60 s" if tried.timed_out else plain(tried.err)
        raise UserError(f"cannot write to {folder.parent}: {why}: {REMEDY['TMPDIR']}")
