# SPDX-License-Identifier: MIT
"""tests/fresh needs root, debootstrap and minutes. Here it is only refused, or ended early."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support import Result, run


def fresh(tree: Path, folder: Path, *words: str, user: int = 0, **programs: str) -> Result:
    """On a machine with these programs and few others."""
    programs = {"id": f"echo {user}", **programs}
    for name in "sh", "dirname", "mkdir", "mktemp", "rm":
        (folder / name).symlink_to(shutil.which(name) or name)
    for name, script in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    cache = str(folder / "cache")
    return run(
        [tree / "tests/fresh", *words], folder, env={"PATH": str(folder), "XDG_CACHE_HOME": cache}
    )


@pytest.mark.parametrize("words", [(), ("trixie", "sid"), ("../trixie",), ("",), ("-h",)])
def test_what_is_no_suite_is_refused(tree: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    said = fresh(tree, tmp_path, *words)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith("fresh: ") and said.err.count("\n") == 1


def test_without_root(tree: Path, tmp_path: Path) -> None:
    said = fresh(tree, tmp_path, "trixie", user=1000)
    assert (said.status, said.err) == (
        2,
        "fresh: debootstrap and chroot need root: run this as root\n",
    )


def test_half_a_debian_is_not_kept(tree: Path, tmp_path: Path) -> None:
    said = fresh(tree, tmp_path, "trixie", debootstrap="exit 1", unshare='shift; exec "$@"')
    assert said.status == 2
    assert "fresh: debootstrap failed: see " in said.err
    assert list((tmp_path / "cache/gemm-workbook/fresh").iterdir()) == []
