# SPDX-License-Identifier: MIT
"""The search through the settings of one lab, and what comes of it."""

from __future__ import annotations

from workbook.core.progress_bar import ProgressBar
from workbook.core.text import wrap
from workbook.lab import labs
from workbook.lab.labs import Lab
from workbook.lab.program import SKIP
from workbook.tune import results, table
from workbook.tune.bench import Bench, judged, rank
from workbook.tune.space import Point, space_of
from workbook.tune.study import REFUSED, WRONG, Study, Tried

FINALISTS = 3  # and the defaults
# Of make's settings, those that make no other program of the same sources.
NO_CHANGE = ("SIZE", "TYPE", "VARIANT", "TRIALS", "TUNE", "TUNED", "LIMIT", "V", "SWEEP")


class Search:
    """Of one lab, in a copy of it."""

    def __init__(
        self, lab: Lab, copy: Lab, settings: list[str], wanted: int, progress: ProgressBar
    ) -> None:
        self.lab, self.wanted, self.progress = lab, wanted, progress
        self.given = [word for word in settings if changes_the_program(word.partition("=")[0])]
        program = labs.chosen(copy, settings)
        self.space = space_of(copy, program, settings)
        self.bench = Bench(copy, program, settings)

    def tell(self, lines: list[str]) -> None:
        self.progress.print("\n".join(lines))

    def first(self) -> Point | None:
        """The defaults, or what else params.h takes."""
        self.progress.show_only(f"{self.lab.name}: what is it to run on?")
        points = self.space.points()
        return next(
            (point for point in points if not self.bench.refuses(self.space.words(point))), None
        )

    def run(self) -> bool:
        """Did nothing go wrong?"""
        lab, program = self.lab, self.bench.program
        if not self.space.names:
            why = f"every tunable is given, or {program.name}'s own"
            self.tell([f"{lab.name}: nothing to search: {why}"])
            return True
        first = self.first()
        if first is None:
            self.tell(wrap(f"{lab.name}: params.h refuses every setting", "", "  "))
            return True
        taste = self.bench.taste(self.space.words(first))
        if taste.verdict == SKIP:
            self.tell(wrap(f"{lab.name} skipped: {taste.why}", "", "  "))
            return True
        device = taste.record.get("device")
        if not device:
            self.tell(wrap(f"{lab.name} {program.name}: {taste.summary}", "", "  "))
            return False
        what = f"{lab.name} {program.name}, {lab.type}, N={lab.size}"
        self.tell([what, *wrap(f"on {device}", "  ", "    ")])
        digest = self.bench.digest(self.space, self.given)
        name = " ".join([lab.name, program.name, lab.type, device, lab.size, digest])
        study = Study(results.FOLDER / "studies.db", name, self.space)
        try:
            self.try_all(study)
            return self.conclude(study, device)
        except KeyboardInterrupt:
            self.tell([table.so_far(self.space, study)])
            raise

    def try_all(self, study: Study) -> None:
        """Until there are as many trials as wanted, or none is left. Where the defaults are wrong,
        so is the kernel."""
        if study.built:
            self.tell(wrap(f"{len(study.built)} settings were tried before", "  "))
        for tried in study.having(WRONG):
            self.tell([table.wrong(self.space, tried)])
        while len(study.built) < self.wanted and not is_wrong(study) and (point := study.next()):
            self.try_one(study, point)

    def try_one(self, study: Study, point: Point) -> None:
        words = self.space.words(point)
        setting = table.in_words(self.space, words)
        self.progress.show_only(
            f"{self.lab.name} {len(study.built) + 1} of {self.wanted}: {setting}"
        )
        if self.bench.refuses(words):
            study.add(Tried(point, REFUSED, why="params.h refuses it", built=False))
            return
        tried = judged(point, self.bench.measure(words))
        study.add(tried)
        if tried.state == WRONG:
            self.tell([table.wrong(self.space, tried)])

    def conclude(self, study: Study, device: str) -> bool:
        """The winner: the one that is kept, if nothing was tried since."""
        lab, program = self.lab, self.bench.program
        about = {"device": device, "variant": program.variant, "type": lab.type}
        state = {"study": study.name, "trials": len(study.built), "wrong": len(study.having(WRONG))}
        winner = next(
            (one for one in results.winners(lab) if {**one, **about, **state} == one), None
        )
        if winner is None and study.best and not is_wrong(study):
            winner = self.crown(study, {**about, **state, "size": lab.size})
            if winner is not None and not self.given:
                results.save(lab, winner)
        if winner is not None:
            self.tell(table.rows(self.space, winner))
        self.tell(table.counts(study))
        if winner is None:
            why = "the kernel is wrong" if study.having(WRONG) else "nothing runs here"
            self.tell([f"  no winner: {why}"])
            return False
        self.tell(table.command(self.space, winner, self.for_run()))
        self.hand_over(device)
        return not study.having(WRONG)

    def crown(self, study: Study, about: results.Winner) -> results.Winner | None:
        points = [tried.point for tried in study.best[:FINALISTS]]
        if self.space.defaults in study.tried and self.space.defaults not in points:
            points += [tried.point for tried in study.best if tried.point == self.space.defaults]
        known = study.having(WRONG)
        ranked = rank(self.bench, study, points, self.progress)
        for tried in study.having(WRONG)[len(known) :]:
            self.tell([table.wrong(self.space, tried)])
        if not ranked or is_wrong(study):
            return None
        measured = [
            {"settings": self.space.words(point), "gflops": speed} for point, speed in ranked
        ]
        found = {"defaults": dict(ranked).get(self.space.defaults), "measured": measured}
        return {**about, "wrong": len(study.having(WRONG)), **measured[0], **found}

    def for_run(self) -> list[str]:
        """What make run needs beside the tunables."""
        chosen = ("SIZE=", "TYPE=", "VARIANT=")
        asked = [*self.given, *(word for word in self.bench.settings if word.startswith(chosen))]
        return [word for word in asked if not word.endswith("=")]

    def hand_over(self, device: str) -> None:
        if self.given:
            said = f"with {' '.join(self.given)} given, it is not kept as the lab's best"
            self.tell(wrap(said, "  "))
        elif self.lab.tuned:
            results.hand_over(self.lab, device)
            self.tell(["  make run does so by itself now"])


def changes_the_program(name: str) -> bool:
    return name not in NO_CHANGE and not name.startswith(("TUNE_", "SWEEP_"))


def is_wrong(study: Study) -> bool:
    """The kernel, as it is written."""
    tried = study.tried.get(study.space.defaults)
    return tried is not None and tried.state == WRONG
