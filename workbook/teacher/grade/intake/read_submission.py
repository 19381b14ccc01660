# SPDX-License-Identifier: MIT
"""Takes in what was handed in, several submissions at a time. A folder is read here, no link of it
followed; an archive, over which a library could take hours or be deceived, in a sandbox of its own,
by somebody who is not root. What was read is kept in OUT/intake, and read again only where a time,
size or inode is another."""

from __future__ import annotations

import inspect
import os
import stat
import time
from base64 import b64decode, b64encode
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from workbook import UserError
from workbook.core.parallel import run_all
from workbook.core.progress_bar import ProgressBar
from workbook.core.records import LARGEST as OF_A_RECORD
from workbook.core.records import NoRecord, parse, read, write
from workbook.core.text import plain, printable
from workbook.handin import file
from workbook.handin.file import LARGEST
from workbook.teacher.grade.compiling.sandbox import Box, run_inside
from workbook.teacher.grade.intake import accepted, archives
from workbook.teacher.grade.intake.accepted import (
    ARCHIVES,
    PACKED,
    Handed,
    Submission,
    choose,
    left_packed,
)
from workbook.teacher.grade.intake.archives import Found, Read, Refused, entries, kind
from workbook.teacher.grade.log import Settings

UNPACKED = 1 << 30  # bytes of an archive that are gone through: a handout with .venv has 0.7 GB
ENTRIES = 20000  # files of a submission
SECONDS = 300.0  # for one of them, of which two minutes are the processor's
PROGRAM = inspect.getsource(archives)
RULES = "".join(inspect.getsource(module) for module in (accepted, file))
LIBRARIES = tuple((path, path) for path in ("/usr", "/lib", "/lib64") if os.path.exists(path))
BOX = Box("tool", LIBRARIES, memory=1 << 30, cpu=120)  # it starts no process, and has no /proc
DEEPEST = 8  # folders of a submission that are gone down into
RECENT = 2_000_000_000  # ns in which a file may change twice and have the same times
TOLD = 400  # characters of a reason
A_SUBMISSION = 0.1  # seconds, about
SAID = {
    "schema": archives.SCHEMA,
    "refused": str,
    "entries": [{"name": str, "is": str, "text": (str, None)}],
}
KEPT = {
    "schema": "gemm-intake/2",
    "rules": sha256(
        (PROGRAM + inspect.getsource(accepted) + inspect.getsource(file)).encode()
    ).hexdigest(),
    "path": str,
    "seen": dict,
    "refused": str,
    "almost": dict,
    "labs": [{"lab": str, "refused": str, "files": [{"name": str, "text": str}]}],
}

Seen = dict[str, list[int]]  # of each path that was read: when it was changed, its size, its inode


def take_all(found: list[tuple[str, str, Path]], settings: Settings) -> list[Submission]:
    """In the order in which they were found. What we may not read is nobody's fault who handed it
    in."""
    taken: dict[int, Submission] = {}
    failed: list[OSError] = []
    progress = ProgressBar("grade", len(found) * A_SUBMISSION / settings.jobs)

    def one(number: int) -> None:
        with progress.at(f"{found[number][1]}, taken in"):
            try:
                taken[number] = hand_over(*found[number], settings)
            except OSError as error:
                if not str(error.filename).startswith(str(settings.submissions)):
                    raise
                failed.append(error)
        progress.done((len(taken) + len(failed)) / len(found))

    with progress:
        run_all([partial(one, number) for number in range(len(found))], progress, settings.jobs)
    if failed:
        first = failed[0]
        more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
        raise UserError(
            f"{first.filename}: {first.strerror}{more}: nothing is graded before all can be read: "
            f"chmod -R u+rX {settings.submissions}"
        )
    return [taken[number] for number in range(len(found))]


def hand_over(name: str, folder: str, path: Path, settings: Settings) -> Submission:
    """As it was taken before, where nothing of it has changed."""
    record = settings.out / "intake" / f"{folder}.json"
    try:
        return remembered(name, folder, path, record)
    except (NoRecord, OSError):
        pass
    submission, seen = take(name, folder, path)
    if settings.part is None and seen:  # one of an array of jobs leaves it to who submitted them
        write(record, as_record(submission, path, seen))
    return submission


def remembered(name: str, folder: str, path: Path, record: Path) -> Submission:
    said = read(record, {**KEPT, "path": path.name})
    for inner, stamp in said["seen"].items():
        if stamp_of((path / inner).lstat()) != stamp:
            raise NoRecord("has changed")
    labs = {
        one["lab"]: Handed(
            {file["name"]: b64decode(file["text"]) for file in one["files"]}, one["refused"]
        )
        for one in said["labs"]
    }
    return Submission(name, folder, labs, said["refused"], said["almost"])


def as_record(submission: Submission, path: Path, seen: Seen) -> dict[str, Any]:
    return {
        "schema": KEPT["schema"],
        "rules": KEPT["rules"],
        "path": path.name,
        "seen": seen,
        "refused": submission.refused,
        "almost": submission.almost,
        "labs": [
            {
                "lab": lab,
                "refused": handed.refused,
                "files": [
                    {"name": name, "text": b64encode(text).decode()}
                    for name, text in handed.files.items()
                ],
            }
            for lab, handed in submission.labs.items()
        ],
    }


def stamp_of(status: os.stat_result) -> list[int]:
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino]


# ---- one submission ------------------------------------------------------------------------------
def take(name: str, folder: str, path: Path) -> tuple[Submission, Seen]:
    """What is in it, or why not; and what was read, or nothing where it is to be read again."""
    submission, seen, start = Submission(name, folder), Seen(), time.time_ns()
    try:
        if path.is_dir() and not path.is_symlink():
            choose(submission, entries(of_folder(path, seen), LARGEST, ENTRIES))
            inner = [
                one
                for one in submission.packed
                if "/" not in one and one.lower().endswith(ARCHIVES)
            ]
            if not submission.labs and len(inner) == 1:  # as Moodle exports them
                submission = Submission(name, folder)
                choose(submission, of_archive(path / inner[0], inner[0], seen))
        else:
            choose(submission, of_archive(path, "", seen))
        left_packed(submission)
    except Refused as why:
        submission = Submission(name, folder, refused=printable(str(why))[:TOLD])
    recent = any(changed > start - RECENT for _, changed, *_ in seen.values())
    return submission, Seen() if recent else seen


def of_folder(top: Path, seen: Seen) -> Found:
    """As deep as labs may lie; of what is below, the names, to say why it does not count."""
    waiting = [""]
    while waiting:
        prefix = waiting.pop(0)
        seen[prefix] = stamp_of((top / prefix).lstat())
        for one in sorted(os.scandir(top / prefix), key=lambda each: each.name):
            entry = prefix + one.name
            if one.is_dir(follow_symlinks=False):
                yield f"{entry}/", "a folder"
                if entry.count("/") < DEEPEST:
                    waiting.append(f"{entry}/")
            elif one.is_symlink() and one.is_dir():  # of whose contents nothing is known
                yield f"{entry}/kernel.c", "behind a link"
            elif stat.S_ISREG(mode := one.stat(follow_symlinks=False).st_mode):
                yield entry, of_file(Path(one.path), entry, seen)
            else:
                yield entry, kind(mode)


def of_file(path: Path, entry: str, seen: Seen) -> Read:
    def read(size: int) -> bytes:
        with opened(path, entry, seen) as file:
            return file.read(size)

    return read


def opened(path: Path, entry: str, seen: Seen) -> IO[bytes]:
    """It may have been exchanged since it was looked at: what was opened is what counts."""
    file = open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb")
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        file.close()
        raise Refused("is no regular file any more")
    seen[entry] = stamp_of(status)
    return file


def of_archive(path: Path, entry: str, seen: Seen) -> list[dict[str, Any]]:
    """What the sandbox says of it, in which no path of ours is known."""
    name, mode = path.name.lower(), path.lstat().st_mode
    seen[entry] = stamp_of(path.lstat())
    if stat.S_ISLNK(mode):
        raise Refused("is a link: hand in the files themselves")
    if not stat.S_ISREG(mode):
        raise Refused("is no regular file")
    if not name.endswith(ARCHIVES):
        if PACKED.fullmatch(path.name):
            raise Refused("is packed in a way that is not opened: make it a .tar.gz or .zip")
        raise Refused("is no folder, .tar.gz or .zip: make it one of these")
    bounds = [str(bound) for bound in (LARGEST, ENTRIES, UNPACKED)]
    command = ["/usr/bin/python3", "-I", "-S", "-c", PROGRAM, *bounds]
    with opened(path, entry, seen) as file:
        outcome = run_inside(command, BOX, SECONDS, given=file, read=OF_A_RECORD)
    if outcome.timed_out or outcome.crashed:
        seen.clear()
        raise Refused("cannot be read: it takes too long, or too much memory: hand it in again")
    try:
        said = parse(outcome.out, SAID)
    except NoRecord as error:  # what was handed in has no part in it
        lines = outcome.err.strip().splitlines() or [str(error)]
        raise UserError(f"archives cannot be read in a sandbox here: {plain(lines[-1])}") from error
    if said["refused"]:
        raise Refused(said["refused"])
    for one in said["entries"]:
        one["text"] = None if one["text"] is None else b64decode(one["text"])
    return list(said["entries"])
