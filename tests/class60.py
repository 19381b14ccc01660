# SPDX-License-Identifier: MIT
"""A class of 60 submissions of nine labs, in which every cheat and every honest kernel of the tests
is handed in once, beside references and nothing at all.

    python3 -m tests.class60 SUBMISSIONS       makes it, and SUBMISSIONS.json: what each row must be
    python3 -m tests.class60 SUBMISSIONS OUT   looks at OUT/grades.csv: status 1 if a row differs
    python3 -m tests.class60 SUBMISSIONS OUT OTHER   compares what both have graded, with one SEED:
                                               verdicts, and points within 0.2, busy or not
"""

from __future__ import annotations

import json
import random
import re
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.cheating import FIRST, Kernel, kernels
from tests.classes import answer, rows
from tests.stages import LABS
from workbook.teacher.grade.grade_lab import read_case

STUDENTS = 60
ALIKE = 0.2  # points
HOSTILE_NAMES = ("=1+1", "<b>bold</b>", "semi;colon", "über länge", "a'quote\"", "-rf", "new\nline")
OTHERS = ("lab03_avx_block", "lab02_avx")  # in C, whose shapes are others than lab 01's


def expected(kernel: Kernel) -> str:
    """What it comes to where no defence is taken to be overcome; or two that both are right."""
    ends = kernel.says.get("class") or kernel.says.get("ends", "PASS")
    return " or ".join(re.findall("^(?:NOT YET|[A-Z]+)|(?<= or )[A-Z]+", ends))


def usable(kernel: Kernel) -> bool:
    """Threads are not what this course allows; what needs a place to be filled in is tried by the
    tests."""
    return "threads" not in kernel.says and "THE_" not in kernel.path.read_text(encoding="utf-8")


def deal() -> Iterator[dict[str, tuple[Path | None, str]]]:
    """What each student hands in for each lab, and its verdict: an odd kernel where there is one
    left for the lab, else the reference, or nothing."""
    draw = random.Random(60)
    odd: dict[str, list[Kernel]] = {lab: [] for lab in LABS}
    for kernel in (*kernels("cheats"), *kernels("honest")):
        if usable(kernel):
            odd[kernel.lab].append(kernel)
    spread(odd)
    for _ in range(STUDENTS):
        hand: dict[str, tuple[Path | None, str]] = {}
        for lab in LABS:
            if odd[lab]:
                kernel = odd[lab].pop()
                right = "PASS" if lab == FIRST[".c"] else "PASS or NOT YET"  # which has no limits
                hand[lab] = kernel.path, expected(kernel).replace("PASS", right)
            elif draw.random() < 0.4:
                hand[lab] = None, "MISSING"
            else:
                hand[lab] = answer(lab), "PASS"
        yield hand


def spread(odd: dict[str, list[Kernel]]) -> None:
    """What is too much for lab 01 goes to other labs in C: not what is right for some shapes."""
    first = odd[FIRST[".c"]]
    movable = [kernel for kernel in first if expected(kernel) != "PARTIAL"]
    for kernel in movable[: max(len(first) - STUDENTS, 0)]:
        first.remove(kernel)
        next(odd[lab] for lab in OTHERS if len(odd[lab]) < STUDENTS).append(kernel)


def names() -> list[str]:
    return [*HOSTILE_NAMES, *(f"student{n:02}" for n in range(STUDENTS - len(HOSTILE_NAMES)))]


def make(folder: Path) -> dict[str, dict[str, str]]:
    folder.mkdir(parents=True)
    verdicts: dict[str, dict[str, str]] = {}
    for number, (name, hand) in enumerate(zip(names(), deal())):
        top = folder / name.replace("/", "|")
        top.mkdir()
        for lab, (kernel, _) in hand.items():
            if kernel is not None:
                (top / lab).mkdir()
                shutil.copy(kernel, top / lab / f"kernel{kernel.suffix}")
        pack(top, number % 3)
        verdicts[top.name] = {lab: verdict for lab, (_, verdict) in hand.items()}
    return verdicts


def pack(top: Path, how: int) -> None:
    """As a folder, an archive, or one with a folder around all."""
    if how == 1:
        with tarfile.open(f"{top}.tar.gz", "w:gz") as archive:
            archive.add(top, "solution")
    elif how == 2:
        with zipfile.ZipFile(f"{top}.zip", "w") as zipped:
            for path in sorted(top.rglob("*")):
                zipped.write(path, path.relative_to(top))
    if how:
        shutil.rmtree(top)


def differences(verdicts: dict[str, dict[str, str]], out: Path) -> list[str]:
    found = rows(out)
    wanted = [(name, lab) for name in verdicts for lab in LABS]
    if len(found) != len(wanted):
        return [f"{len(found)} rows for {len(wanted)}"]
    said = []
    for (name, lab), row in zip(sorted(wanted), found):
        verdict = verdicts[name][lab]
        if row["lab"] != lab or row["verdict"] not in verdict.split(" or "):
            said.append(f"{name!r} {lab}: {row['verdict']}, not {verdict}: {row['reason']}")
    return said


def records(out: Path) -> dict[str, dict[str, Any]]:
    """Of a run that was interrupted, too."""
    return {str(path.relative_to(out)): read_case(path) for path in out.glob("*/lab*.json")}


def apart(out: Path, other: Path) -> list[str]:
    ours, theirs = records(out), records(other)
    said = []
    for name in sorted(ours.keys() & theirs.keys()):
        one, two = ours[name], theirs[name]
        if one["verdict"] != two["verdict"] or abs(one["points"] - two["points"]) > ALIKE:
            said.append(f"{name}: {told(one)}; {told(two)}")
    return [*said, f"{len(said)} of {len(ours.keys() & theirs.keys())} are not alike"]


def told(record: dict[str, Any]) -> str:
    return f"{record['verdict']} {record['points']} of {record['possible']} {record['reason']}"


def main(words: list[str]) -> int:
    folder = Path(words[0])
    if len(words) == 3:
        said = apart(Path(words[1]), Path(words[2]))
        print("\n".join(said))
        return 1 if said[1:] else 0
    record = folder.with_name(f"{folder.name}.json")
    if len(words) == 1:
        record.write_text(json.dumps(make(folder), indent=1))
        print(f"{folder}: {STUDENTS} submissions")
        return 0
    said = differences(json.loads(record.read_text()), Path(words[1]))
    print(
        "\n".join([*said, f"{len(said)} of {STUDENTS * len(LABS)} rows are not as they should be"])
    )
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
