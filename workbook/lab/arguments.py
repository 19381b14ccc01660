# SPDX-License-Identifier: MIT
"""The command line and the environment of the commands that take labs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from workbook import UserError
from workbook.core.typed import number_of
from workbook.lab.labs import Lab, describe, given, ladder, without_variant
from workbook.lab.limits import limit, shape_of


def of_some(settings: list[str], names: Sequence[str], folder: Path) -> list[str]:
    """Without those of these tunables that the lab in the folder does not have: make would refuse
    them."""
    text = b"".join(path.read_bytes() for path in folder.glob("params.h"))
    lacking = [name for name in names if f"\n#ifndef {name}\n".encode() not in text]
    return [setting for setting in settings if setting.partition("=")[0] not in lacking]


def labs_and_settings(
    command: str,
    words: list[str],
    does: str,
    more: str,
    all_variants: bool = False,
    of_few: Sequence[str] = (),
    libraries: bool = True,
) -> tuple[list[Lab], list[str]]:
    """The labs that are named, and what was set on the command line of make: TYPE=double. With
    all variants, VARIANT is nothing to them; a tunable of few is told to those alone. Some have no
    use for libraries. A mistake in LIMIT or SIZE is told before anything is built."""
    epilog = f"exit status: 0 no lab failed, 1 one did, 2 bad usage. {more}"
    parser = argparse.ArgumentParser(prog=command, description=does, epilog=epilog)
    parser.add_argument("lab", nargs="*", help="its folder: lab05_ocl_coarsen")
    folders: list[str] = parser.parse_args(words).lab
    if not folders:
        raise UserError(
            f"which lab? python3 -m workbook {command} lab05_ocl_coarsen, or make {command} for all"
        )
    limit()
    if size := os.environ.get("SIZE"):
        shape_of(size)
    settings = given()
    if all_variants:
        settings = without_variant(settings)
    described = [describe(folder, of_some(settings, of_few, Path(folder))) for folder in folders]
    for lab in described:
        if lab.is_library and not libraries:
            raise UserError(f"{lab.name} is a library to compare with: make {command} is for labs")
    return described, settings


def one_lab(command: str, words: list[str], does: str, more: str = "") -> Lab:
    """For the commands of a student, who works on one."""
    parser = argparse.ArgumentParser(prog=command, description=does, epilog=more or None)
    parser.add_argument("lab", nargs="*", help="its folder: lab05_ocl_coarsen")
    folders: list[str] = parser.parse_args(words).lab
    if len(folders) != 1:
        raise UserError(
            f"which lab? make {command} LAB={number_of(ladder()[0].name)}, or make {command} in "
            "its folder"
        )
    lab = describe(folders[0], [])
    if not Path(lab.path, "start").is_dir():
        raise UserError(f"{lab.name} has no starting points: there is no start/ in it")
    return lab
