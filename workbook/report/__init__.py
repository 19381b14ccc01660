# SPDX-License-Identifier: MIT
"""report FOLDER: measures what FOLDER/data lacks, and fills the tables and plots of
FOLDER/report.md, which begins as a copy of report_template/report.md. All else in report.md is the
student's.

data/       the measurements and the files of a report
measure/    missing measures what a report lacks, by plan and rounds; store keeps data/LAB.csv
tables/     values makes what stands between the markers; data_warnings says what to doubt
plots/      draw, and for it bars, lines, roofline; style
document/   write fills report.md, by fill; html makes its page, with what raw_html lets pass
predict     what a student expects"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

from workbook import TOP, UserError, flag
from workbook.core.lock import lock
from workbook.lab.labs import given

OURS = ("QUICK", "FRESH", "ADVANCED")
THEIRS = ("CC", "CXX", "CFLAGS", "CUDA")  # the compilers', on their way to the labs


def arguments_of(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="report",
        description="Measures what a report lacks, and makes its tables, plots and page.",
        epilog="FRESH=1 measures everything again, QUICK=1 at few sizes, ADVANCED=1 also the "
        "advanced labs: make report QUICK=1.",
    )
    parser.add_argument("folder", type=Path, help="of the report; it may be new")
    parser.add_argument("--beside", type=Path, help="another report, for ratios: ../eve/report")
    return parser.parse_args(words)


def settings_of_labs() -> list[str]:
    """Tunables, types and sanitizers would end in the wrong cells."""
    words = given()
    for word in words:
        if word.partition("=")[0] not in OURS + THEIRS:
            why = "leave it out: a report goes through sizes, types, variants and tunables itself"
            raise UserError(f"{word}: {why}")
    return [word for word in words if word.partition("=")[0] in THEIRS]


def begin(report: Path) -> None:
    """Says what is in the way before anything is done."""
    document = report / "report.md"
    if document.is_symlink() and not document.exists():
        target = os.readlink(document)
        raise UserError(f"{document} is a link to {target}, which is not there: bring it back")
    if document.exists() and not os.access(document, os.W_OK):
        raise UserError(f"{document} is read-only: chmod u+w it first")
    for csv in sorted((report / "data").glob("lab*.csv")):
        if csv.exists() and not (csv.is_file() and os.access(csv, os.R_OK | os.W_OK)):
            what = "is not a file that may be read and written: take it from a copy, or remove it"
            raise UserError(f"{csv} {what}")


def tidy_up(report: Path) -> None:
    """What one that was killed, or a full disk, left behind."""
    for pattern in (".fill.*", ".new.*", "plots/.new.*", "data/.new.*", "data/old/.new.*"):
        for path in report.glob(pattern):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


def main(words: list[str]) -> int:
    arguments = arguments_of(words)
    settings = settings_of_labs()
    quick, fresh, advanced = map(flag, OURS)
    # Only now, as they need what ./setup report installs.
    from workbook.report.data.files import put
    from workbook.report.document.write import write
    from workbook.report.measure.missing import Asked, measure
    from workbook.report.tables.beside import require
    from workbook.report.tables.values import PAGE

    if arguments.beside:
        require(arguments.beside)
    for folder in (arguments.folder / "data", arguments.folder / "plots", TOP / "build"):
        folder.mkdir(parents=True, exist_ok=True)
    report = arguments.folder.resolve()
    begin(report)
    with lock(report / ".lock"):
        tidy_up(report)
        if not (report / "report.md").exists():
            template = TOP / "report_template/report.md"
            put(report / "report.md", template.read_bytes())
        try:
            with lock(TOP / "build/report.lock"):
                measure(report, Asked(settings, quick, fresh, advanced))
            if (page := TOP / "build" / PAGE).is_file():
                put(report / PAGE, page.read_bytes())
            return write(report, quick, arguments.beside)
        except KeyboardInterrupt:
            kept = f"what was measured is kept in {report}/data"
            print(f"report: interrupted: {kept}", file=sys.stderr)
            raise
        finally:
            tidy_up(report)
