# SPDX-License-Identifier: MIT
"""tune LAB ...: searches the tunables of a lab for the fastest settings, with Optuna. Every trial
is kept in tuned/studies.db, what is best on each device in tuned/LAB.json. It works in a copy: of
the lab's own folder it writes tuned.mk alone, where the lab takes what was found."""

from __future__ import annotations

import os
import re

from workbook import UserError
from workbook.core.files import temp_folder
from workbook.core.lock import lock
from workbook.core.progress_bar import ProgressBar
from workbook.core.text import wrap
from workbook.lab import labs
from workbook.lab.arguments import labs_and_settings
from workbook.lab.labs import Lab
from workbook.lab.whole import no_kernel
from workbook.show.sweep import A_SETTING
from workbook.tune import results
from workbook.tune.search import Search

TRIALS = 40


def trials() -> int:
    """How many settings are to be tried in all: TRIALS."""
    said = os.environ.get("TRIALS") or str(TRIALS)
    if not re.fullmatch("0*[1-9][0-9]{0,5}", said):
        raise UserError(
            f"TRIALS={said}: give how many settings are to be tried in all, as TRIALS={TRIALS}"
        )
    return int(said)


def reason_to_skip(lab: Lab, settings: list[str]) -> str | None:
    if (skip := labs.chosen(lab, settings).skip) is not None:
        return f"skipped: {skip}"
    if lab.emulated:
        return "skipped: emulated on a CPU, it has no speed"
    if lab.unfinished is not None and not labs.variant(settings):
        return f"skipped: not done yet: {lab.unfinished}"
    return None if lab.tunables else "has no tunables"


def tune(lab: Lab, settings: list[str], wanted: int, progress: ProgressBar) -> bool:
    results.winners(lab)  # what cannot be read is told before, not after
    with temp_folder("tune") as work:
        copy = labs.copy_to(lab, work)
        (copy.path / "tuned.mk").unlink(missing_ok=True)
        copy = labs.describe(str(copy.path), settings)
        return Search(lab, copy, settings, wanted, progress).run()


def main(words: list[str]) -> int:
    described, settings = labs_and_settings(
        "tune",
        words,
        "Searches the tunables of a lab for the fastest settings, and keeps the best of each "
        "device.",
        f"make tune SIZE=1024 VARIANT=one_per_item TYPE=int TRIALS={TRIALS} TUNE='TILE=8,16 "
        "PAD=0,4'; what "
        "is given, as GROUP_X=8, is not searched; LIMIT: seconds for one run.",
        libraries=False,
    )
    wanted = trials()
    to_search = []
    for lab in described:
        if lab.backend is None:
            raise UserError(no_kernel(lab.path))
        if why := reason_to_skip(lab, settings):
            print("\n".join(wrap(f"{lab.name} {why}", "", "  ")))
        else:
            to_search.append(lab)
    progress = ProgressBar("tune", A_SETTING * wanted * len(to_search))
    with progress, lock(results.FOLDER / "lock"):
        right = [tune(lab, settings, wanted, progress) for lab in to_search]
    return 0 if all(right) else 1
