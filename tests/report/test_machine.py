# SPDX-License-Identifier: MIT
"""What a report says of the caches of the machine."""

from __future__ import annotations

from pathlib import Path

from workbook.report.measure.machine import caches


def test_a_cache_is_what_one_group_of_cores_has(tmp_path: Path) -> None:
    """As lscpu says it: getconf adds up all that there are of the last one."""
    for index, (level, kind, size) in enumerate(
        [
            ("1", "Data", "48K"),
            ("1", "Instruction", "32K"),
            ("2", "Unified", "1280K"),
            ("3", "Unified", "32768K"),
        ]
    ):
        folder = tmp_path / f"index{index}"
        folder.mkdir()
        for name, value in {"level": level, "type": kind, "size": size}.items():
            (folder / name).write_text(f"{value}\n")
    assert caches(tmp_path) == "L1 48 KiB, L2 1.25 MiB, L3 32 MiB"
    assert caches(tmp_path / "none") == ""
