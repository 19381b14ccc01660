# SPDX-License-Identifier: MIT
"""The pages of a handout: without the code of the kernels, and without what needs a lab, a variant
or a file that is not there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from workbook import TOP
from workbook.core.text import wrap
from workbook.core.typed import number_of
from workbook.lab.labs import Lab, describe, every, ladder
from workbook.teacher.handout.layout import sections, without_formulas, wrapped

YOURS = "```c\n// yours to write: make start, make hint\n```\n"
# Up to the next heading: what others measured comes after what a student does.
LEFT_OUT = ("## What you see\n", "## Advanced labs 10 to 23\n")
# Sections of the report, and what the kernels of their labs are written in.
BACKENDS = {"CPU": "c", "OpenCL": "cl", "CUDA": "cu"}
REPORT = "report.md"
SOURCES = "sources.md"  # its table has commands
# A table of the report that has lost all its rows.
EMPTY = re.compile(r"^<!-- fill [\w-]+ -->\n\|.*\n\|[-:| ]*\n<!-- end -->\n\n?", re.MULTILINE)
MEASURED = frozenset(("published", "one_per_item", "transpose"))  # docs/results.md has them
NINE = set(range(1, 10))
EXAMPLE = "lab05_ocl_coarsen"  # in the commands of README.md
NOT_THERE = ("make selftest", "make solution")  # in a handout
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)")
GIVEN = re.compile(r"""\b(LABS?=)["']?(\d\d(?: \d\d)*)""")  # LAB=05, LABS="01 02"
TUNABLE = "COLS_PER_ITEM=8 "  # of that example
STEP = re.compile(r"\(`make\s+run\s+VARIANT=(\w+)`\)")
STEP_BY_STEP = r"(step `\1`: `make start`, or `make next`; once it passes, `make run VARIANT=\1`)"


@dataclass(frozen=True)
class Absent:
    """What is not in a handout. A step is to be a student's own kernel, and comes back."""

    variants: frozenset[str]
    labs: frozenset[str]
    first: str  # the number of the first that is to be written

    def is_asked_for(self, text: str) -> bool:
        return self.is_run(text) or re.search(rf"`({'|'.join(self.variants)})`", text) is not None

    def is_run(self, text: str) -> bool:
        """By a command: a variant or a lab."""
        names = "|".join(self.variants)
        words = " ".join(numbers for _, numbers in GIVEN.findall(text)).split()
        return re.search(
            rf"VARIANT=({names})\b|kernel_({names})\.|ADVANCED=1", text
        ) is not None or not self.numbers.isdisjoint(map(int, words))

    @property
    def numbers(self) -> set[int]:
        return {int(number_of(name)) for name in self.labs}

    def with_a_lab_that_is_there(self, text: str) -> str:
        """LAB=02, as an example of a lab, where 02 is absent."""

        def there(found: re.Match[str]) -> str:
            is_example = found[1] == "LAB=" and int(found[2]) in self.numbers & NINE
            return found[1] + self.first if is_example else found[0]

        return GIVEN.sub(there, text)

    def labs_in(self, text: str) -> frozenset[str]:
        return self.labs.intersection(re.findall(r"\blab\d\d_\w+", text))

    def numbers_in(self, text: str) -> list[bool]:
        """Of each lab that is named by its number: is it absent?"""
        named = re.findall(r"(?i)\blabs? (\d\d?)(?:(?:,| and| to) (\d\d?))?", text)
        return [int(number) in self.numbers for pair in named for number in pair if number]


def variants_in(book: Path) -> set[str]:
    return {path.stem[len("kernel_") :] for path in book.glob("lab*/kernel_*")}


def absent(book: Path) -> Absent:
    steps = {step for path in ladder() for step in describe(str(path), []).stages}
    variants = variants_in(TOP) - variants_in(book) - steps
    labs = {path.name for path in every()}
    return Absent(
        frozenset(variants),
        frozenset(name for name in labs if not (book / name).is_dir()),
        number_of(min(path.parent.name for path in book.glob("lab*/start"))),
    )


def for_students(text: str, path: Path, solved: bool, absent: Absent) -> str:
    """The text of the page at that path; solved: of a lab whose kernel is there."""
    if not solved:
        text = re.sub(r"^```c\n.*?^```\n", lambda _: YOURS, text, flags=re.M | re.S)
    for begin in LEFT_OUT:
        text = re.sub(rf"^{begin}.*?(?=^## |\Z)", "", text, flags=re.M | re.S)
    if path.parent.name != "docs":
        text = absent.with_a_lab_that_is_there(text)
    if path.name == REPORT:
        text = "".join(
            part for part in sections(text, "#{2,3} ") if not is_of_absent_labs(part, absent)
        )
        text = "".join(
            part for part in sections(text, "## ") if not is_of_absent_backend(part, absent)
        )
    else:
        text = without_formulas(text)
    kept = ""
    for block in blocks(text):
        if not is_about_absent(block, path) and not needs(block, path, absent):
            kept += "".join(
                line for line in block.splitlines(keepends=True) if is_here(line, path, absent)
            )
        elif numbered := re.match(r"\d\d?\. ", block):  # the numbers of the answers stay right
            kept += f"{numbered[0]}(About a variant that is not in this copy.)\n"
        elif block.endswith("\n\n") and not kept.endswith("\n\n"):  # the last of a list
            kept += "\n"
    kept = STEP.sub(r"(step `\1`)" if solved else STEP_BY_STEP, kept)
    kept = LINK.sub(lambda link: linked(link, path), kept)
    return EMPTY.sub("", kept) if path.name == REPORT else wrapped(kept)


def about(readme: str, chosen: list[Lab], given: list[Lab], absent: Absent) -> str:
    """The first page: what this copy is, and examples of a lab that is in it."""
    names = {lab.name for lab in chosen}
    words = f"This is a copy for students. To be written: {', '.join(lab.name for lab in chosen)}."
    if given:
        words += (
            f" Solved, to begin from and to compare with: {', '.join(lab.name for lab in given)}."
        )
    if absent.variants & MEASURED:
        left_out = ", ".join(sorted(absent.variants & MEASURED))
        words += f" Variants that our figures are of ({left_out}) come with the answers."
    if EXAMPLE not in names:
        number = chosen[0].number
        readme = readme.replace(EXAMPLE, chosen[0].name).replace("LAB=05", f"LAB={number}")
        readme = readme.replace("may be 5, 05", f"may be {int(number)}, {number}")
        own = [f"{name}={value} " for name, value in chosen[0].defaults]
        readme = readme.replace(TUNABLE, own[0] if own else "")
    title, _, rest = without_gains(readme).partition("\n\n")
    return "\n".join([title, "", *wrap(words, "", ""), "", rest])


def without_gains(readme: str) -> str:
    """The table of labs, less its last column, and what is said of that: it is to be predicted."""
    readme = re.sub(r"^The gain is .*?\n\n", "", readme, flags=re.M | re.S)
    lines, inside = readme.splitlines(keepends=True), False
    for n, line in enumerate(lines):
        inside = line.startswith("|") and (inside or line.endswith("| gain |\n"))
        if inside:
            lines[n] = line.rsplit("|", 2)[0] + "|\n"
    return "".join(lines)


def blocks(text: str) -> list[str]:
    """Paragraphs and items of lists, with the line breaks after them."""
    found, fenced = [""], False
    for line in text.splitlines(keepends=True):
        begins = (
            found[-1].endswith("\n\n")
            and line != "(your answer)\n"
            or re.match(r"- |\d\d?\. |\*\*Question\.\*\*", line)
        )
        if begins and not fenced:
            found.append("")
        fenced ^= line.startswith("```")
        found[-1] += line
    return found


def needs(block: str, path: Path, absent: Absent) -> bool:
    """Does it ask for what a student cannot do? In docs/ it is told what the variants were made
    of."""
    if re.match(r"\||```|<!--|#", block) or path.parent.name == "docs":
        return False
    if block.startswith("**Question.**") and any(absent.numbers_in(block)):
        return True
    return (
        bool(absent.labs_in(block))
        or absent.is_asked_for(block)
        or any(f"`{target}" in block for target in NOT_THERE)
    )


def is_here(line: str, path: Path, absent: Absent) -> bool:
    """Of a row of a table, and a line of commands: can it be had?"""
    if line.startswith("make "):
        return not absent.is_asked_for(line) and not absent.labs_in(line)
    if not line.startswith("| "):
        return True
    row = re.match(r"\| (lab\d\d_\w+)(?:, (\w+))?", line)
    if row and (row[1] in absent.labs or row[2] in absent.variants):
        return False
    if path.parent.name == "docs":  # what can be looked up there stays
        return not absent.is_run(line) and not (path.name == SOURCES and absent.labs_in(line))
    return not absent.is_asked_for(line) and not is_about_absent(line[2:], path)


def is_of_absent_labs(section: str, absent: Absent) -> bool:
    """### Task 3 (lab 03), ### Lab 03: all that it names are."""
    named = absent.numbers_in(section.partition("\n")[0])
    return named != [] and all(named)


def is_of_absent_backend(section: str, absent: Absent) -> bool:
    ext = BACKENDS.get(section.partition("\n")[0][len("## ") :])
    return ext is not None and all(
        path.parent.name in absent.labs for path in TOP.glob(f"lab*/kernel.{ext}")
    )


def is_about_absent(block: str, path: Path) -> bool:
    """Does it begin with a link to a file that stays behind?"""
    link = LINK.match(block.removeprefix("- "))
    return link is not None and not (path.parent / link[2]).exists()


def linked(link: re.Match[str], path: Path) -> str:
    """A link to a file that stays behind becomes its words."""
    return link[0] if (path.parent / link[2]).exists() else link[1]
