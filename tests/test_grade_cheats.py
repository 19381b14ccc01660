# SPDX-License-Identifier: MIT
"""make grade cannot be fooled: each cheat of tests/cheats ends as it says, and succeeds without the one
defence that it names, so that this one is seen to be needed. Honest kernels pass."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cheating import Kernel, grade, kernels
from workbook.grade.build import build_tools
from workbook.grade.sandbox import require_sandbox

CHEATS = kernels("cheats")
HONEST = kernels("honest")
NEEDED = [kernel for kernel in CHEATS if "off" in kernel.says]


def name(kernel: Kernel) -> str:
    return kernel.name


@pytest.fixture(scope="module", autouse=True)
def _tools() -> None:
    build_tools()
    require_sandbox()


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One that nobody can reach, as pytest's own belong to their user."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="gemm-test.") as made:
        Path(made).chmod(0o777)
        yield Path(made)


@contextmanager
def listening() -> Iterator[int]:
    """Somebody whom a kernel may call."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(16)
        yield server.getsockname()[1]


def test_there_are_enough() -> None:
    assert len(CHEATS) >= 40
    assert len(HONEST) >= 12


@pytest.mark.parametrize("kernel", CHEATS, ids=name)
def test_a_cheat_ends_as_it_says(kernel: Kernel, folder: Path) -> None:
    victim = folder / "victim"
    victim.write_text("still here")
    victim.chmod(0o666)
    with listening() as port:
        record, _ = grade(kernel, folder, VICTIM=victim, PORT=port)
    verdict, _, reason = kernel.says["ends"].partition(" ")
    assert (record["verdict"], reason in told(record)) == (verdict, True), told(record)
    assert victim.read_text() == "still here"
    if verdict in ("FAIL", "REFUSED"):
        assert record["points"] == 0
        assert record["reason"] != ""


def told(record: dict[str, object]) -> str:
    return f"{record['verdict']} {record['reason']} {record['finding']}"


@pytest.mark.parametrize("kernel", NEEDED, ids=name)
def test_without_its_defence_it_succeeds(kernel: Kernel, folder: Path) -> None:
    victim = folder / "victim"
    victim.write_text("still here")
    victim.chmod(0o666)
    with listening() as port:
        record, _ = grade(kernel, folder, frozenset({kernel.says["off"]}), VICTIM=victim, PORT=port)
    assert record["verdict"] == "PASS", told(record)
    assert record["points"] == record["possible"]
    assert victim.exists() == (kernel.name != "deletes_files")


@pytest.mark.parametrize("kernel", HONEST, ids=name)
def test_an_honest_kernel_passes(kernel: Kernel, folder: Path) -> None:
    record, _ = grade(kernel, folder)
    assert record["verdict"] == "PASS", told(record)
    assert [part["reason"] for part in record["parts"][:2]] == [
        "",
        "",
    ]  # what it has for speed is the machine's


def test_what_is_printed_is_capped(folder: Path) -> None:
    flood = next(kernel for kernel in CHEATS if kernel.name == "log_flood")
    record, case = grade(flood, folder)
    assert 0 < len(case.printed) <= 64 << 10
    assert len(record["printed"]) <= 4000
