# SPDX-License-Identifier: MIT
"""The tests work in copies of the workbook, which go away; nothing in this folder changes."""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.copies import copy_lab, copy_to, copy_with
from tests.support import allowed, make

pytest_plugins = ["tests.broken"]

Copy = Callable[[str], Path]
# What compilers make of the same sources, for every clone and run of this user.
KEPT = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gemm-workbook"
# Of Debian's packages: compilers, and a linker, by their own names.
CCACHE = Path("/usr/lib/ccache")
MOLD = Path("/usr/libexec/mold")

# Tests of what holds for all inputs try the same ones each time in CI, elsewhere new ones.
settings.register_profile(
    "workbook", deadline=None, database=None, derandomize="CI" in os.environ, max_examples=40
)
settings.load_profile("workbook")


def pytest_xdist_auto_num_workers() -> int:
    """Two for each core: many a test waits, for a limit, for ranks, for the end of a process."""
    return 2 * (os.cpu_count() or 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files with slow ones first: none of them is what a worker is left with in the end. A file
    is whole, as the fixtures of a module are made again for who comes back to it."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def beside_the_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of this run, which all workers share; without any it is theirs alone."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session", autouse=True)
def _signals() -> None:
    """In the background Ctrl-C may be ignored from the start, and so would all that the tests
    start."""
    for number in signal.SIGINT, signal.SIGQUIT, signal.SIGHUP:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(
                number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            )


@pytest.fixture(scope="session", autouse=True)
def _one_python(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The copies use the Python that runs the tests, which compiles no module for each command
    anew."""
    os.environ["PYTHON"] = sys.executable
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(tmp_path_factory.mktemp("hypothesis"))


@pytest.fixture(scope="session", autouse=True)
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same sources in many copies are compiled once, and that is kept for the next time: by
    ccache, and OpenCL by PoCL itself, in the folder that .ci/run has for make check, too. What mypy
    knows of modules is kept beside them."""
    os.environ["POCL_CACHE_DIR"] = str(KEPT / "pocl")
    os.environ["MYPY_CACHE_DIR"] = str(KEPT / "mypy")
    if not CCACHE.is_dir():
        return
    names = tmp_path_factory.mktemp("compilers")
    if shutil.which("nvcc"):  # which has no name there
        (names / "nvcc").symlink_to((CCACHE / "gcc").resolve())
    os.environ["PATH"] = f"{names}:{CCACHE}:{os.environ['PATH']}"
    os.environ["CCACHE_DIR"] = str(KEPT / "ccache")
    os.environ["CCACHE_MAXSIZE"] = "1G"
    # Where a copy lies does not matter, nor that it was made just now.
    os.environ["CCACHE_BASEDIR"] = str(beside_the_workers(tmp_path_factory))
    os.environ["CCACHE_NOHASHDIR"] = "1"
    os.environ["CCACHE_SLOPPINESS"] = "include_file_mtime,include_file_ctime"


@pytest.fixture(scope="session", autouse=True)
def _linked_sooner() -> None:
    """A program with debugging information and a sanitizer takes mold an eighth of the time. What
    the system's linker makes, .ci/run sees in make check and make race."""
    if MOLD.is_dir():
        os.environ["COMPILER_PATH"] = str(MOLD)


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all labs share, for make run, check and race: compiled once for all workers."""
    book = beside_the_workers(tmp_path_factory) / "book"
    with open(book.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not book.exists():
            copy_to(book)
            address = "SAN=address,undefined"
            for tool in (
                [],
                [address],
                ["SAN=thread"],
                ["GUARD_BYTES=0"],
                [address, "GUARD_BYTES=0"],
            ):
                for lab in "lab04_ocl_naive", "lab08_cuda_naive":
                    make(book / lab, f"-j{os.cpu_count()}", "shared_objects", *tool)
    return book / "build"


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory, objects: Path) -> Path:
    """A copy of the workbook, one for each worker: what a test builds in it may stay, no change
    may."""
    return copy_with(objects, tmp_path_factory.mktemp("book") / "tree")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A copy of the workbook for this test alone, in which nothing was built."""
    return copy_to(tmp_path / "clone")


@pytest.fixture
def clone(objects: Path, tmp_path: Path) -> Path:
    """A copy of the workbook for this test alone, with what all labs share."""
    return copy_with(objects, tmp_path / "clone")


_numbers = itertools.count(1)


@pytest.fixture
def lab(tree: Path) -> Iterator[Copy]:
    """lab(NAME): the folder of a copy of that lab, beside the others, for this test to change."""
    copies = []

    def copy(name: str) -> Path:
        folder = copy_lab(tree / name, tree / f"copy{next(_numbers)}_{name}")
        copies.append(folder)
        return folder

    yield copy
    for folder in copies:
        shutil.rmtree(folder)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI, ./setup selftest has installed all that it can: any other skip is a failure."""
    report = yield
    if os.environ.get("CI") and report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not allowed(reason):
            report.outcome = "failed"
            report.longrepr = (
                f"skipped, for a reason that tests/support.py does not allow in CI: {reason}"
            )
    return report
