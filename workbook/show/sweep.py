# SPDX-License-Identifier: MIT
"""sweep LAB ...: builds and times a lab with each setting of its SWEEP, GROUP_X=8,GROUP_Y=8 say,
and names the best of those whose times can be compared. It does so in a copy: the lab's own folder
is left alone."""

from __future__ import annotations

import re

from workbook import UserError
from workbook.core.files import temp_folder
from workbook.core.progress_bar import ProgressBar
from workbook.core.records import WIDE_SPREAD
from workbook.core.text import unit, wrap
from workbook.lab import labs
from workbook.lab.arguments import labs_and_settings
from workbook.lab.labs import Lab, Program
from workbook.lab.program import FAIL, PASS, SKIP, Result, time_program
from workbook.lab.whole import no_kernel

A_SETTING = 5.0  # seconds, about
ROW = "  {:<36}{:>12}{:>12}{:>9}"


def measure(lab: Lab, program: Program, setting: list[str], settings: list[str]) -> Result:
    words = [*settings, f"VARIANT={program.variant}", *setting]
    if unbuilt := labs.build(lab, [program.name], words, anew=False):
        said = re.sub(r"^.*?error: *(#error *)?", "", unbuilt)
        return Result(program.name, FAIL, f"does not build: {said}")
    return time_program(lab.path, program.name, lab.size.split())


def rows(setting: str, result: Result) -> list[str]:
    if result.verdict != PASS:
        return [
            f"  {setting:<36}{'skip' if result.verdict == SKIP else result.verdict:>12}",
            *wrap(result.summary),
        ]
    if not result.gflops:
        return [f"  {setting:<36}{'right':>12}", *wrap(result.summary)]
    spread = f"{100 * result.record['spread']:.0f} %"
    return [ROW.format(setting, f"{result.kernel_ms:.3f}", f"{result.gflops:.4g}", spread)]


def sweep(lab: Lab, program: Program, settings: list[str], progress: ProgressBar) -> bool:
    """Prints the table of a program; did nothing go wrong?"""
    progress.print(
        f"{lab.name} {program.name}, "
        f"N={lab.size}\n{ROW.format('setting', 'ms', unit(lab.type), 'spread')}"
    )
    results: dict[str, Result] = {}
    with temp_folder("sweep") as work:
        copy = labs.copy_to(lab, work)
        for words in program.sweep:
            setting = words.replace(",", " ")
            progress.show_only(f"{lab.name} {setting}")
            results[setting] = measure(copy, program, setting.split(), settings)
            progress.print("\n".join(rows(setting, results[setting])))
            if results[setting].verdict == SKIP:
                break
    if said := best(results, unit(lab.type)):
        progress.print(said)
    return all(result.verdict in (PASS, SKIP) or not result.record for result in results.values())


def best(results: dict[str, Result], unit: str) -> str:
    """The fastest setting, but none whose spread is too wide; nothing without a speed."""
    timed = {setting: result for setting, result in results.items() if result.gflops}
    sound = {setting: result.gflops for setting, result in timed.items() if not result.is_wide}
    if not timed:
        return ""
    wide = len(timed) - len(sound)
    left_out = f"{wide} of {len(timed)} settings have a spread over {100 * WIDE_SPREAD:.0f} %"
    if not sound:
        said = [f"best: unknown, {left_out}: run it again on a quiet machine"]
    else:
        fastest = max(sound, key=lambda setting: sound[setting])
        said = [f"best: {fastest}, {sound[fastest]:.4g} {unit}"]
        said += [f"not compared: {left_out}"] if wide else []
    return "\n".join(line for text in said for line in wrap(text, "", "  "))


def main(words: list[str]) -> int:
    described, settings = labs_and_settings(
        "sweep",
        words,
        "Builds and times a lab with each setting of its SWEEP, and names the best.",
        "make sweep SIZE=512 VARIANT=one_per_item SWEEP='TILE=8 TILE=16'; LIMIT: seconds for one "
        "run.",
        libraries=False,
    )
    wanted = []
    for lab in described:
        if lab.backend is None:
            raise UserError(no_kernel(lab.path))
        program = labs.chosen(lab, settings)
        name = f"{lab.name} {program.variant}".rstrip()
        if program.skip is not None:
            print("\n".join(wrap(f"{name} skipped: {program.skip}", "", "")))
        elif not program.sweep:
            print(f"{name}: nothing to sweep")
        else:
            wanted.append((lab, program))
    many = sum(len(program.sweep) for _, program in wanted)
    with ProgressBar("sweep", A_SETTING * many) as progress:
        right = [sweep(lab, program, settings, progress) for lab, program in wanted]
    return 0 if all(right) else 1
