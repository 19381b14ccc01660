# SPDX-License-Identifier: MIT
"""Whether a broken kernel of tests/mutants is caught, and for its own reason.

    python3 -m tests.mutant [WORD ...]      those whose names have one of the words, without pytest

tests/mutants/cpu says what the lines of a paragraph mean."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.copies import TOP, changed, copy_lab, copy_to, rebuilding, workshop
from tests.support import gemm, make

CAUGHT, MISSED, SKIPPED = "caught", "missed", "skipped"
VERDICT = {1: "fail", 2: "error"}  # of the record, by exit status


@dataclass(frozen=True)
class Mutant:
    name: str
    lab: str
    file: str  # kernel_one_per_item.cl, say
    edits: tuple[tuple[str, str], ...]  # a line, and what stands there instead
    settings: tuple[str, ...]
    arguments: tuple[str, ...]
    by: str
    exit: int
    cause: tuple[str, ...]
    says: tuple[str, ...]
    emulated: tuple[str, ...]

    @property
    def variant(self) -> str:
        return Path(self.file).stem.partition("_")[2]

    @property
    def as_variant(self) -> str:
        return f"kernel_{self.name}{Path(self.file).suffix}"

    @property
    def workshop(self) -> tuple[str, ...]:
        """A lab, and settings: mutants for which they are the same are built in one place."""
        return (self.lab, *rebuilding(self.settings))


@dataclass(frozen=True)
class Verdict:
    result: str
    why: str = ""


def read(table: Path) -> list[Mutant]:
    paragraphs = table.read_text(encoding="utf-8").strip().split("\n\n")
    return [parse(table.name, paragraph) for paragraph in paragraphs if paragraph[0] != "#"]


def parse(table: str, paragraph: str) -> Mutant:
    said: dict[str, list[str]] = {}
    for line in paragraph.splitlines():
        key, value = (line[0], line[1:]) if line[0] in "-+" else (line[:10].rstrip(), line[10:])
        said.setdefault(key, []).append(value)

    def one(key: str, default: str = "") -> str:
        return said.pop(key, [default])[0]

    def several(key: str) -> tuple[str, ...]:
        return tuple(said.pop(key, []))

    lab, file = one("file").split("/")
    mutant = Mutant(
        name=f"{table}-{one('mutant')}",
        lab=lab,
        file=file,
        edits=tuple(zip(several("-"), several("+"))),
        settings=tuple(one("settings").split()),
        arguments=tuple(one("arguments", "--check").split()),
        by=one("by"),
        exit=int(one("exit", "1")),
        cause=several("cause"),
        says=several("says"),
        emulated=several("emulated"),
    )
    said.pop("breaks")  # for the reader
    if said:
        raise ValueError(f"tests/mutants/{table}, {mutant.name}: what is {', '.join(said)}?")
    return mutant


def all_mutants() -> list[Mutant]:
    return [mutant for table in sorted((TOP / "tests/mutants").iterdir()) for mutant in read(table)]


def broken(mutant: Mutant, text: str) -> str:
    lines = text.split("\n")
    for old, new in mutant.edits:
        if old not in lines:
            raise ValueError(
                f"{mutant.lab}/{mutant.file} has no line '{old}' any more: adapt {mutant.name}"
            )
        lines[len(lines) - 1 - lines[::-1].index(old)] = new
    return "\n".join(lines)


def judge(mutant: Mutant, tree: Path) -> Verdict:
    """Of a mutant that the verification, or make check, is to catch."""
    folder = workshop(tree, *mutant.workshop)
    file = folder / mutant.file
    text = file.read_text(encoding="utf-8")
    with changed(file, broken(mutant, text)):
        return by_check(mutant, folder) if mutant.by == "check" else by_verification(mutant, folder)


def by_verification(mutant: Mutant, folder: Path) -> Verdict:
    program = "gemm" + (f"_{mutant.variant}" if mutant.variant else "")
    record: dict[str, Any] = {}
    ended = make(folder, program, *mutant.settings)
    if ended.status == 0:
        ended, record = gemm(folder, *mutant.arguments, program=program)
    if ended.status == 77:
        return Verdict(SKIPPED, record["reason"] if record else ended.err)
    text = " ".join(ended.text.split())  # lines are broken where they would be too long
    short = text[-500:]
    if ended.status != mutant.exit:
        return Verdict(MISSED, f"status {ended.status} instead of {mutant.exit}: {short}")
    crashed_later = record and record["verdict"] == "incomplete" and record["finding"]
    if record and record["verdict"] != VERDICT[mutant.exit] and not crashed_later:
        return Verdict(MISSED, f"records the verdict {record['verdict']}")
    emulated = mutant.emulated and record["backend"] == "emulated"
    for words in mutant.emulated if emulated else mutant.says:
        if " ".join(words.split()) not in text:
            return Verdict(MISSED, f"does not say '{words}' but: {short}")
    return by_cause(mutant, (record.get("finding") or {}).get("cause"), ended.text)


def by_cause(mutant: Mutant, cause: str | None, text: str) -> Verdict:
    """The cause that the record names, as one of the lines `cause`; and people are told the
    same."""
    expected = mutant.cause or (("none",) if mutant.exit == 2 else ())
    if not any(words == "none" if cause is None else words in cause for words in expected):
        return Verdict(MISSED, f"names the cause '{cause or 'none'}' instead of {expected}")
    if cause is not None and f"likely cause: {cause}" not in " ".join(
        text.split()
    ):  # in lines of 80 columns
        return Verdict(MISSED, f"does not print the cause that it records: {cause}")
    return Verdict(CAUGHT)


def by_check(mutant: Mutant, folder: Path) -> Verdict:
    ended = make(folder, "check", *mutant.settings)
    lab = json.loads((folder.parent / "build/check.json").read_text(encoding="utf-8"))["labs"][0]
    if ended.status == 0 or lab["verdict"] != "FAIL":
        return Verdict(MISSED, f"status {ended.status}, {lab['verdict']}")
    missing = [words for words in mutant.says if words not in lab["programs"][0]["reason"]]
    return (
        Verdict(MISSED, f"does not say {missing} but: {lab['programs'][0]['reason']}")
        if missing
        else Verdict(CAUGHT)
    )


def race(mutants: Sequence[Mutant], tree: Path) -> str:
    """What make race prints of mutants with the same workshop. Each is a variant of one copy of the
    lab, so that what they share is built once; the lab's own kernel is not looked at."""
    lab = mutants[0].lab
    settings = [s for s in mutants[0].settings if all(s in mutant.settings for mutant in mutants)]
    folder = copy_lab(tree / lab, tree / f"race_{mutants[0].name}")
    for kernel in folder.glob("kernel*"):
        kernel.write_text("#error not looked at\n") if kernel.stem == "kernel" else kernel.unlink()
    makefile = (folder / "Makefile").read_text(encoding="utf-8")
    for mutant in mutants:
        text = (tree / lab / mutant.file).read_text(encoding="utf-8")
        (folder / mutant.as_variant).write_text(broken(mutant, text), encoding="utf-8")
        own = " ".join(s for s in mutant.settings if s not in (*mutant.workshop, *settings))
        makefile = f"DEFS_{mutant.name} = $(call merge,{own},$(DEFS_{mutant.variant}))\n{makefile}"
    (folder / "Makefile").write_text(makefile, encoding="utf-8")
    ended = make(folder, "race", *settings, seconds=1000)
    shutil.rmtree(folder)
    return ended.out or f"status {ended.status}: {ended.err}"


def judge_race(mutant: Mutant, printed: str) -> Verdict:
    said = [
        " ".join(part.split()).partition(f"/{mutant.as_variant}")[2]
        for part in printed.split("\n    race_")
    ]
    found = [f"{mutant.file}{part}" for part in said if part]
    lacking = re.search(r"not run: (\S+ is not installed)", printed)
    if found and all(any(one in found[0] for one in words.split(" | ")) for words in mutant.says):
        return Verdict(CAUGHT)
    if lacking:
        return Verdict(SKIPPED, lacking[1])
    return Verdict(MISSED, f"does not say {mutant.says} but: {found[0] if found else printed}")


def judge_together(mutants: Sequence[Mutant], tree: Path) -> list[tuple[Mutant, Verdict]]:
    """Mutants of one workshop."""
    raced = [mutant for mutant in mutants if mutant.by == "race"]
    printed = race(raced, tree) if raced else ""
    return [(m, judge_race(m, printed) if m in raced else judge(m, tree)) for m in mutants]


def main(words: Sequence[str]) -> int:
    groups: dict[tuple[str, ...], list[Mutant]] = {}
    for mutant in all_mutants():
        if not words or any(word in mutant.name for word in words):
            groups.setdefault(mutant.workshop, []).append(mutant)
    count = {CAUGHT: 0, MISSED: 0, SKIPPED: 0}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        os.environ["POCL_CACHE_DIR"] = folder
        # A tree for each, as make check and make race lock theirs.
        trees = [copy_to(Path(folder, f"tree{number}")) for number in range(len(groups))]
        for verdicts in pool.map(judge_together, groups.values(), trees):
            for mutant, verdict in verdicts:
                count[verdict.result] += 1
                print(f"{verdict.result:8}{mutant.name} {verdict.why}".rstrip(), flush=True)
    print("{caught} caught, {missed} missed, {skipped} skipped".format(**count))
    return 1 if count[MISSED] or not any(count.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
