# SPDX-License-Identifier: MIT
"""The tests' own helpers: they notice what they are there for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import TIMED_OUT, TOP, edit, run

pytest_plugins = ["pytester"]


def test_a_command_that_hangs_ends_with_its_children(tmp_path: Path) -> None:
    result = run("sleep 60 & echo $! >child; wait", tmp_path, seconds=1)
    assert result.status == TIMED_OUT
    child = (tmp_path / "child").read_text().strip()
    assert run(f"kill -0 {child}", tmp_path).status != 0 or zombie(child)


def zombie(process: str) -> bool:
    stat = Path("/proc", process, "stat")
    return not stat.exists() or ") Z " in stat.read_text()


def test_a_traceback_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run(["python3", "-c", "1 / 0"], tmp_path)


def test_an_edit_that_changes_nothing_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "kernel.c"
    file.write_text("sum = 0;")
    with pytest.raises(AssertionError, match="adapt the test"):
        edit(file, "sum = 1;", "")


@pytest.mark.parametrize(
    ("ci", "outcomes"), [("", {"skipped": 2}), ("true", {"skipped": 1, "failed": 1})]
)
def test_in_ci_a_skip_has_an_allowed_reason(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, outcomes: dict[str, int]
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PYTHONPATH", str(TOP))
    pytester.makeconftest(
        f"pytest_plugins = ['tests.conftest']\nimport sys; sys.path.insert(0, {str(TOP)!r})"
    )
    pytester.makepyfile(
        """
        import pytest
        def test_allowed(): pytest.skip("nvcc is not installed")
        def test_other(): pytest.skip("no time")
        """
    )
    pytester.runpytest_subprocess().assert_outcomes(**outcomes)
