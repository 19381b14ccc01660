# SPDX-License-Identifier: MIT
"""FOLDER/report.html from FOLDER/report.md, one file with all styles and images in it, and
report.pdf from that. Nothing is fetched from a network, now or by who reads them."""

from __future__ import annotations

import io
import logging
import os
import re
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from workbook import UserError
from workbook.report.document.html import page

PAGES = ("report.html", "report.pdf")
UNSUPPORTED = re.compile(r'unsupported by fonts: "(.)')


def write(report: Path) -> list[str]:
    """Makes the pages, and returns which: there may be no PDF. Each is replaced whole, or not at
    all. What a page lacks is said on stderr."""
    text = read(report)
    try:
        work = tempfile.TemporaryDirectory(prefix=".pages.", dir=report)
    except OSError as error:
        raise mistake(
            report, PAGES, f"nothing can be written to {report}: {error.strerror}"
        ) from error
    with work:
        said: list[str] = []
        html = page(text, report, said.append)
        publish(report, Path(work.name), PAGES, html.encode("utf-8"))
        for line in dict.fromkeys(said):
            say(f"in report.md, {line}")
        pdf = on_paper(report, html)
        if pdf is None:
            return [*PAGES[:1]]
        publish(report, Path(work.name), PAGES[1:], pdf)
    return [*PAGES]


def say(line: str) -> None:
    print(f"report: {line}", file=sys.stderr)


def mistake(report: Path, unmade: tuple[str, ...], why: str) -> UserError:
    old = "".join(
        f"; the {name} there is an old one" for name in unmade if (report / name).is_file()
    )
    return UserError(f"no {' and no '.join(unmade)}: {why}{old}")


def read(report: Path) -> str:
    try:
        return (report / "report.md").read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise mistake(
            report, PAGES, f"{report / 'report.md'} cannot be read: {error.strerror}"
        ) from error
    except UnicodeDecodeError as error:
        raise mistake(report, PAGES, "report.md is not UTF-8: save it as UTF-8") from error


def publish(report: Path, work: Path, unmade: tuple[str, ...], content: bytes) -> None:
    """The first of the pages that are not made yet."""
    new, name = work / unmade[0], unmade[0]
    try:
        new.write_bytes(content)
    except OSError as error:
        raise mistake(
            report, unmade, f"{name} cannot be written: {error.strerror}: free some space"
        ) from error
    try:
        os.replace(new, report / name)
    except OSError as error:
        why = f"{name} cannot be replaced: is it a folder, or may you not write it?"
        raise mistake(report, unmade, why) from error


def on_paper(report: Path, html: str) -> bytes | None:
    """The page as a PDF; None where weasyprint, or a library that it needs, is missing."""
    try:
        with redirect_stdout(io.StringIO()):  # it prints what to install, and where to read on
            import weasyprint
    except (ImportError, OSError):  # Pango is not Python's
        why = "weasyprint or its libraries are missing: run ./setup report"
        say(f"{mistake(report, PAGES[1:], why)}")
        return None
    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    weasyprint.LOGGER.handlers = [handler]
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    try:
        # With a base of its own, links in the PDF lead beside it, and not into folders of this
        # machine.
        document = weasyprint.HTML(
            string=html, base_url="about:blank", url_fetcher=fetcher(weasyprint)
        )
        pdf: bytes = document.write_pdf()
    except Exception as error:  # whatever a student's page makes of it
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise mistake(report, PAGES[1:], f"weasyprint says {why}") from error
    lacking = dict.fromkeys(found[1] for line in said if (found := UNSUPPORTED.search(line)))
    if lacking:
        letters = "".join(lacking)[:8]
        say(f"no font here has {letters}, which report.pdf lacks: install one, say fonts-noto-cjk")
    if any("load image at 'data:" in line for line in said):
        say(
            "report.pdf lacks an image that weasyprint cannot read: look which, and save it anew, "
            "as PNG"
        )
    return pdf


def fetcher(weasyprint: Any) -> Any:
    """Of what is in the page, and of nothing else."""
    if hasattr(weasyprint, "URLFetcher"):
        return weasyprint.URLFetcher(allowed_protocols=["data"])

    def fetch(url: str) -> Any:  # as versions for Python 3.9 have it
        if not url.startswith("data:"):
            raise ValueError(f"not in the page: {url}")
        return weasyprint.default_url_fetcher(url)

    return fetch
