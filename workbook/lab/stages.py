# SPDX-License-Identifier: MIT
"""The stages in which a student writes a lab's kernel: its steps, and then the kernel. Each begins
at a starting point: what is to be done, from start/kernel*, above the kernel of the stage
before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from workbook import TOP, UserError
from workbook.lab import labs
from workbook.lab.labs import Lab

LAST = "kernel"  # the name of the last stage: its kernel is the lab's own
ANSWERS = TOP / "answers"
BEGIN = '#include "params.h"\n'  # what is above it in a kernel is about its lab


@dataclass(frozen=True)
class Stage:
    lab: Lab
    name: str

    @property
    def file(self) -> str:
        """Of its finished kernel among those of the lab."""
        return kernel_name(self.lab, "" if self.name == LAST else self.name)

    @property
    def reference(self) -> Path | None:
        """Its solution; None in a student's copy of the workbook."""
        if not ANSWERS.is_dir():
            return None
        return (
            ANSWERS / self.lab.name / self.file if self.name == LAST else self.lab.path / self.file
        )

    @property
    def goal(self) -> str:
        """The text of its file in start/."""
        return text_of(self.lab.path / "start" / self.file)

    @property
    def label(self) -> str:
        return self.lab.name if self.name == LAST else f"{self.lab.name} {self.name}"


def kernel_name(lab: Lab, variant: str = "") -> str:
    """kernel.cl, kernel_rows.cl; also where a student has removed the file."""
    skeletons = sorted((lab.path / "start").glob("kernel.*"))
    name = skeletons[0].name if skeletons else lab.programs[0].kernel  # of one that came solved
    return f"kernel_{variant}{Path(name).suffix}" if variant else name


def stages(lab: Lab) -> list[Stage]:
    return [Stage(lab, name) for name in (*lab.stages, LAST)]


def stage_of(lab: Lab, name: str) -> Stage:
    found = next((stage for stage in stages(lab) if stage.name == name), None)
    if found is None:
        names = ", ".join(stage.name for stage in stages(lab))
        raise UserError(f"STEP={name}: {lab.name} has the steps {names}")
    return found


def text_of(path: Path) -> str:
    """Of a kernel, whatever its bytes are."""
    return decoded(path.read_bytes())


def decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


# ---- the starting point ------------------------------------------------------------------------
def starting_point(stage: Stage, base: Path | None, whose: str) -> str:
    """The goal above the code of a kernel, or above an empty one."""
    if base is None:
        return stage.goal
    return f"{stage.goal.partition(BEGIN)[0]}//\n// Below is {whose}.\n{code(text_of(base))}"


def before(stage: Stage) -> Stage | None:
    """The step before, or the kernel of the lab that the first begins from; None where its backend
    begins."""
    steps = stages(stage.lab)
    at = [one.name for one in steps].index(stage.name)
    if at > 0:
        return steps[at - 1]
    path = labs.base(stage.lab)
    lab = labs.describe(str(path), []) if path else None
    return Stage(lab, LAST) if lab and suffix(lab) == suffix(stage.lab) else None


def base_of(stage: Stage) -> tuple[Path | None, str]:
    """The kernel of the stage before, or none; in words."""
    former = before(stage)
    if former is None:
        return None, "an empty kernel, as its backend begins here"
    if former.reference is not None:
        return former.reference, f"the kernel of {former.label}"
    path = former.lab.path / former.file
    if not path.is_file() or (former.name == LAST and former.lab.unfinished):
        return (
            None,
            f"an empty kernel, as {former.label} is not done yet: it would begin from that one",
        )
    return path, f"the kernel of {former.label}"


def bare(text: str) -> str:
    """Code without line comments and white space."""
    return re.sub(r"\s+", "", re.sub(r"//.*", "", text))


def codes(kernel: str) -> frozenset[str]:
    """The code of a kernel, and what of it make start hands on to the next lab."""
    return frozenset({bare(kernel), bare(code(kernel))})


def borrowed(lab: Lab) -> str:
    """The lab before, if its code is this one's: what a student has to begin from, and has not
    changed. Of a class class_setup.beginnings() and grade_lab.unfinished() say the same."""
    path = labs.before(lab)
    kernel = lab.path / lab.programs[0].kernel
    others = [ANSWERS / path.name / kernel.name, path / kernel.name] if path else []
    code_here = bare(text_of(kernel)) if kernel.is_file() else ""
    same = [other for other in others if other.is_file() and code_here in codes(text_of(other))]
    return path.name if path and same else ""


def uncommented(text: str) -> str:
    return re.sub(r"//.*|/\*[\s\S]*?\*/", "", text)


def words_of(kernel: str) -> list[str]:
    """Of its code, with a number for each name that it gives itself, in small letters: other names,
    spaces and comments make no other code."""
    own: dict[str, str] = {}
    words = re.findall(r"\w+|[^\w\s]", uncommented(kernel))
    return [
        own.setdefault(word, f"name{len(own)}") if re.match("[a-z]", word) else word
        for word in words
    ]


def repeated(stage: Stage) -> str:
    """The step before, or the lab before, if this is its code in other words."""
    try:
        former = before(stage)
    except UserError:  # the lab before is not the one that is asked about
        return ""
    kernel = stage.lab.path / kernel_name(stage.lab)
    path = former.lab.path / former.file if former else None
    if former is None or path is None or not path.is_file() or not kernel.is_file():
        return ""
    return former.label if words_of(text_of(kernel)) == words_of(text_of(path)) else ""


def suffix(lab: Lab) -> str:
    return Path(kernel_name(lab)).suffix


def code(text: str) -> str:
    """A kernel without what it says of its lab before its code."""
    if BEGIN in text:
        return BEGIN + text.partition(BEGIN)[2]
    lines = text.splitlines(keepends=True)
    first = next((n for n, line in enumerate(lines) if not line.startswith("//")), 0)
    return "".join(lines[first:])
