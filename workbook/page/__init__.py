# SPDX-License-Identifier: MIT
"""page LAB ...: records each access of a small problem, and draws the steps: build/page.html, one
file that needs nothing else. Writes each lab's build/steps.json."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from workbook import TOP, UserError
from workbook.core.files import put, temp_folder
from workbook.core.progress_bar import ProgressBar
from workbook.core.records import now, write
from workbook.core.text import wrap
from workbook.core.typed import number_of
from workbook.lab import labs
from workbook.lab.arguments import labs_and_settings
from workbook.lab.labs import Lab
from workbook.lab.stages import text_of
from workbook.page.assemble import page
from workbook.page.changed import changed
from workbook.page.record import record, size_for

SCHEMA = "gemm-steps/2"
PAGE = TOP / "build/page.html"
A_LAB = 8.0  # seconds, about


def name_of(setting: str) -> str:
    return setting.partition("=")[0]


def added(settings: list[str], more: list[str]) -> list[str]:
    """The others where they do not say it already."""
    said = {name_of(setting) for setting in settings}
    return [*settings, *(one for one in more if name_of(one) not in said)]


def here(lab: Lab, settings: list[str]) -> list[str]:
    """Those that this lab has, and what it is recorded with."""
    own = [one for one in settings if name_of(one) in lab.tunables | {"VARIANT"}]
    return added([*labs.of_others(settings, lab), *own], list(lab.page))


def beside(lab: Lab, settings: list[str]) -> tuple[Lab, list[str], str] | None:
    """With what its page compares it, and what that is called: another setting, a variant, or the
    lab before; of what somebody has chosen by VARIANT the lab's own kernel."""
    if labs.variant(settings):
        return lab, labs.without_variant(settings), f"lab {lab.number}"
    variant = labs.variant(list(lab.beside))
    if lab.beside and variant in {program.variant for program in lab.programs}:
        return lab, added(list(lab.beside), settings), variant or " ".join(lab.beside)
    path = labs.before(lab)
    before = labs.describe(str(path), []) if path else None
    if before is None or before.backend != lab.backend:
        return None
    return before, here(before, labs.of_others(settings, lab)), f"lab {before.number}"


def recorded(lab: Lab, settings: list[str], work: Path) -> dict[str, Any]:
    """gemm-steps/2 of a lab: its kernel, and what that is compared with, with one problem."""
    own = labs.describe(str(lab.path), settings)
    program = labs.chosen(own, settings)
    size = size_for(program)
    about = {"beside": None, **since(own, program.kernel)}
    recordings = [record(own, program, settings, size, work / "own") | about]
    if found := beside(own, settings):
        other, others, name = found
        there = labs.describe(str(other.path), others)
        about = {"beside": name, "changed": [], "since": None}
        made = record(there, labs.chosen(there, others), others, size, work / "other")
        recordings.append(made | about)
    before = labs.before(lab)
    return {
        "schema": SCHEMA,
        **now(),
        "lab": lab.name,
        "number": lab.number,
        "title": title(lab),
        "backend": lab.backend,
        "type": lab.type,
        "before": before.name if before else None,
        "recordings": recordings,
    }


def title(lab: Lab) -> str:
    readme = lab.path / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.is_file() else f"# {lab.name}"
    return text.partition("\n")[0].removeprefix("# ")


def since(lab: Lab, kernel: str) -> dict[str, Any]:
    """Which lines the kernel of the lab before has not, if it is written in the same language."""
    path = labs.before(lab)
    files = [path / f"kernel{Path(kernel).suffix}", lab.path / kernel] if path else []
    if not path or not all(file.is_file() for file in files):
        return {"changed": [], "since": None}
    lines = [text_of(file).splitlines() for file in files]
    return {"changed": changed(*lines), "since": f"lab {number_of(path.name)}"}


def unrecorded(one: dict[str, Any]) -> list[str]:
    """A line for what is not on the page, or not as it should be."""
    kinds = {
        "not recorded": one["skip"] or one["failure"],
        "result wrong": one["wrong"],
        "cut": one["cut"],
    }
    for kind, why in kinds.items():
        if why:
            return wrap(f"{one['lab']} {one['program']} {kind}: {why}", "", "  ")
    return []


def main(words: list[str]) -> int:
    described, settings = labs_and_settings(
        "page",
        words,
        "Draws step by step what each line of a kernel reads and writes. Counts, no times.",
        "make page LAB=09 BLOCK=4 VARIANT=no_prefetch; the page is build/page.html.",
        libraries=False,
    )
    if (warp := os.environ.get("WARP", "32")) != "32":
        raise UserError(f"WARP={warp}: make page draws warps of 32 lanes; leave WARP out")
    found = []
    with ProgressBar("page", A_LAB * len(described)) as progress:
        for n, lab in enumerate(described):
            progress.show_only(lab.name)
            with temp_folder("page") as work:
                found.append(recorded(lab, here(lab, settings), work))
            write(lab.path / "build/steps.json", found[-1])
            for line in [line for one in found[-1]["recordings"] for line in unrecorded(one)]:
                progress.print(line)
            progress.done((n + 1) / len(described))
    put(PAGE, page(found).encode())
    print(f"page: {PAGE}")
    return 1 if any(lab["recordings"][0]["failure"] for lab in found) else 0
