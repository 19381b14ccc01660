# SPDX-License-Identifier: MIT
"""What a message says to type, as it is typed where it is read: in a lab's folder, as its Makefile
tells in TYPED_IN, or at the top."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from workbook import TOP


def number_of(name: str) -> str:
    """05 of lab05_ocl_coarsen."""
    return name[len("lab") :].partition("_")[0]


def is_here(folder: Path) -> bool:
    """Is it read in this lab's folder?"""
    return os.environ.get("TYPED_IN") == str(folder)


def command(folder: Path, words: str) -> str:
    """make hint; make hint LAB=05 at the top; make -C ../lab05_ocl_coarsen hint in another lab's
    folder."""
    if is_here(folder):
        return f"make {words}"
    if elsewhere := os.environ.get("TYPED_IN"):
        return f"make -C {shlex.quote(os.path.relpath(folder, elsewhere))} {words}"
    return f"make {words} LAB={number_of(folder.name)}"


def at_top(words: str) -> str:
    """make ceilings; make -C .. ceilings in a lab's folder."""
    if elsewhere := os.environ.get("TYPED_IN"):
        return f"make -C {shlex.quote(os.path.relpath(TOP, elsewhere))} {words}"
    return f"make {words}"


def into(folder: Path) -> str:
    """What comes before a command that only its folder has."""
    if is_here(folder):
        return ""
    return (
        f"cd {shlex.quote(os.path.relpath(folder, os.environ.get('TYPED_IN') or Path.cwd()))} && "
    )
