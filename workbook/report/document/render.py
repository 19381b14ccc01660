# SPDX-License-Identifier: MIT
"""FOLDER/report.html from FOLDER/report.md: one file with all styles and images in it. Nothing is
fetched from a network, neither now nor by a reader's browser."""

from __future__ import annotations

import sys
from pathlib import Path

from workbook import UserError
from workbook.report.data.files import put, read
from workbook.report.document.html import page

PAGE = "report.html"


def write(report: Path) -> None:
    """Replaces the page whole, or not at all. Prints on stderr what it leaves out."""
    try:
        text = read(report / "report.md").decode("utf-8-sig")
    except UnicodeDecodeError as error:
        old = f"; the {PAGE} there is an old one" if (report / PAGE).is_file() else ""
        raise UserError(
            f"no {PAGE}: report.md is not UTF-8: save it as UTF-8, then make report{old}"
        ) from error
    said: list[str] = []
    put(report / PAGE, page(text, report, said.append))
    for line in dict.fromkeys(said):
        print(f"report: in report.md, {line}", file=sys.stderr)
