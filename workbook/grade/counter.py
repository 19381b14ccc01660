# SPDX-License-Identifier: MIT
"""counter PATH RECORD: reads one submission in a process of its own, as there are archives over which a
library takes hours, or all memory. Who asks gives it a minute."""

from __future__ import annotations

import sys
import tempfile
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from workbook import TOP
from workbook.grade.intake import Handed, Submission, take
from workbook.process import run
from workbook.records import NoRecord, read, write

SECONDS = 60.0
MEMORY = 1 << 30  # bytes
INTAKE = {"schema": "gemm-intake/1", "refused": str, "almost": dict, "labs": dict}


def hand_over(name: str, folder: str, path: Path) -> Submission:
    """What is in it; or that it cannot be read, and why."""
    with tempfile.TemporaryDirectory(prefix="gemm-intake.") as place:
        record = Path(place, "record.json")
        command = [sys.executable, "-m", "workbook.grade.counter", str(path), str(record)]
        outcome = run(command, TOP, SECONDS, memory=MEMORY)
        try:
            said = read(record, INTAKE)
        except NoRecord:
            why = f"not within {SECONDS:g} s" if outcome.timed_out else "it takes too much memory"
            return Submission(name, folder, refused=f"cannot be read: {why}: hand it in again")
    labs = {lab: Handed(decoded(one["files"]), one["refused"]) for lab, one in said["labs"].items()}
    return Submission(name, folder, labs, said["refused"], said["almost"])


def decoded(files: dict[str, str]) -> dict[str, bytes]:
    return {name: b64decode(text) for name, text in files.items()}


def as_record(submission: Submission) -> dict[str, Any]:
    return {
        "schema": INTAKE["schema"],
        "refused": submission.refused,
        "almost": submission.almost,
        "labs": {
            lab: {
                "refused": handed.refused,
                "files": {name: b64encode(text).decode() for name, text in handed.files.items()},
            }
            for lab, handed in submission.labs.items()
        },
    }


if __name__ == "__main__":
    write(Path(sys.argv[2]), as_record(take("", "", Path(sys.argv[1]))))
