# SPDX-License-Identifier: MIT
"""The notebook for a borrowed GPU runs from its first cell to its last, here on the emulation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode, validate

from tests.copies import without
from tests.support import TOP, run

read: Any = nbformat.read  # which has no types


def notebook() -> NotebookNode:
    pages: NotebookNode = read(TOP / "docs/gpu.ipynb", as_version=4)
    return pages


def execute(pages: NotebookNode, folder: Path) -> None:
    NotebookClient(pages, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()


@pytest.mark.slow
def test_it_runs_as_in_jupyter(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(clone / "lab08_cuda_naive", "published")
    without(clone / "lab09_cuda_shared", "no_prefetch")
    run("git init -q && git add . && git -c user.name=n -c user.email=e commit -qm all", clone)
    monkeypatch.setenv("WORKBOOK", str(clone))
    pages = notebook()
    execute(pages, tmp_path)
    said = [
        "".join(output.get("text", "") for output in cell.get("outputs", []))
        for cell in pages.cells
    ]
    assert "setup: ready" in said[3]
    assert "verified       PASS" in said[5]
    assert "verified       PASS" in said[7]
    assert "2 passed, 0 failed" in said[10]
    assert "not done yet" in said[13]
    assert "hint 1 of" in said[13]


def test_a_cell_that_fails_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBOOK", str(tmp_path / "nowhere"))
    with pytest.raises(Exception, match="no workbook here"):
        execute(notebook(), tmp_path)


def test_it_is_sound_and_has_nothing_of_a_run() -> None:
    validate(notebook())
    assert all(not cell.outputs for cell in notebook().cells if cell.cell_type == "code")
