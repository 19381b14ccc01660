# SPDX-License-Identifier: MIT
"""./setup on machines that lack something: apt-get, sudo, pip and the rest are stubs that say what
they were asked, and nothing is installed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import TOP, Result, await_file, environment, needs, run

Machine = Callable[..., Path]
TOOLS = (
    "sh dirname uname head grep sed ls cat cp mv rm cmp mkdir env tail tr sleep chmod".split()
)  # of any system
THERE = "make g++ objdump clang valgrind apt-get".split()
PYTHON = """#!/bin/sh
case "$*" in
*"-m venv"*) mkdir -p "$3/bin" && cp "$0" "$3/bin" ;;
esac
"""
LOCKS = [f"requirements-{part}.txt" for part in ("report", "tune", "selftest")]
CC = "#!/bin/sh\ncat >/dev/null\n"
# It compiles what asks the OpenCL loader, which is then this script.
LOADER = """case "$*" in *build/opencl_devices*)
    printf '#!/bin/sh\\n%s\\n' '{}' >build/opencl_devices
    chmod +x build/opencl_devices ;;
esac
"""
CC += LOADER.format("echo a GPU")
REAL_CC = f'#!/bin/sh\nPATH={os.environ["PATH"]} exec {shutil.which("cc")} "$@"\n'


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """machine(NAME=SCRIPT): a folder with setup, whose bin/ has all that the labs need, or what is
    given in its place; None: that one is missing. What is asked of stubs is in the file asked."""

    def make(folder: str = "workbook", **scripts: str | None) -> Path:
        top = tmp_path / folder
        (top / "bin").mkdir(parents=True)
        for name in ("setup", *LOCKS):
            shutil.copy(TOP / name, top / name)
        for name in TOOLS:
            (top / "bin" / name).symlink_to(shutil.which(name) or name)
        says = '#!/bin/sh\necho "${0##*/} $*" >>"${0%/*}/../asked"\n'
        stubs: dict[str, str | None] = dict.fromkeys(THERE, says)
        stubs.update({"python3": PYTHON, "cc": CC, "id": "#!/bin/sh\necho 0\n"})
        stubs.update({name.replace("_", "-"): script for name, script in scripts.items()})
        for name, script in stubs.items():
            if script is not None:
                (top / "bin" / name).write_text(script or says)
                (top / "bin" / name).chmod(0o755)
        return top

    return make


def setup(top: Path, *parts: str, **variables: str) -> Result:
    return run([top / "setup", *parts], Path("/"), env={"PATH": str(top / "bin"), **variables})


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help_says_what_there_is_and_installs_nothing(machine: Machine, word: str) -> None:
    top = machine(make=None)  # something is missing
    said = setup(top, "report", word)
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("setup [report] [tune] [grade]")
    assert "#" not in said.out and "neither network nor root" in " ".join(said.out.split())
    assert not (top / "asked").exists()


SHARED = "make -s -C lab01_cpu_naive shared_objects"  # at the end of each


def asked(top: Path) -> list[str]:
    file = top / "asked"
    every = file.read_text().splitlines() if file.exists() else []
    return [line for line in every if line != SHARED]


def test_what_all_labs_share_is_compiled_in_advance(machine: Machine) -> None:
    top = machine()
    setup(top)
    assert (top / "asked").read_text() == f"{SHARED}\n"


def test_an_unknown_part(machine: Machine) -> None:
    top = machine()
    said = setup(top, "report", "al")
    assert (said.status, said.out) == (2, "")
    parts = "./setup report, tune, grade, baseline, mpi, selftest or editor"
    assert said.err == f"setup: no part 'al': ./setup for the labs, {parts}\n"
    assert asked(top) == []


@pytest.mark.parametrize("folder", ["workbook", "with space"])
def test_with_nothing_missing_it_installs_nothing(machine: Machine, folder: str) -> None:
    top = machine(folder)
    said = setup(top)
    assert (said.status, said.err) == (0, "")
    assert said.out.splitlines()[-1] == "setup: ready: make demo"
    assert asked(top) == []
    assert not (top / ".venv").exists()


def test_root_installs_what_is_missing(machine: Machine) -> None:
    top = machine(valgrind=None, clang=None)
    said = setup(top)
    assert said.status == 0
    assert "setup: missing: clang valgrind" in said.out
    assert asked(top) == [
        "apt-get update -q",
        "apt-get install -q -y --no-install-recommends clang valgrind",
    ]


# ---- OpenCL ------------------------------------------------------------------------------------
def test_the_loader_is_asked_for_devices(machine: Machine) -> None:
    assert "setup: OpenCL devices: a GPU\n" in setup(machine()).out


def with_loader(machine: Machine) -> Path:
    """The loader of this machine is asked."""
    if not Path("/usr/include/CL/cl.h").is_file():
        pytest.skip("OpenCL headers are not installed")
    needs("cc")
    top = machine(cc=REAL_CC)
    for name in ("common", "session"):
        (top / name).symlink_to(TOP / name)
    return top


@pytest.mark.parametrize("driver", ["libnone.so.7\n", ""])
def test_a_driver_that_does_not_load_is_named(
    machine: Machine, tmp_path: Path, driver: str
) -> None:
    top = with_loader(machine)
    icd = tmp_path / "vendors/x.icd"
    icd.parent.mkdir()
    icd.write_text(driver)
    said = setup(top, OCL_ICD_VENDORS=str(icd.parent))
    assert said.err.startswith(f"setup: OpenCL: the driver of {icd} cannot be loaded (")
    assert ("libnone.so.7" if driver else "it names no library") in said.err
    assert said.err.endswith("): reinstall it or delete this file\n")
    assert said.out.splitlines()[-1] == "setup: ready, but without an OpenCL device: make demo"


# ---- how it installs ---------------------------------------------------------------------------


def test_without_root_and_sudo_it_says_what_to_ask_for(machine: Machine) -> None:
    top = machine(valgrind=None, id="#!/bin/sh\necho 1000\n")
    said = setup(top)
    assert said.status == 1
    assert (
        said.err
        == "setup: not root and no sudo; ask an administrator for: apt-get install valgrind\n"
    )
    assert asked(top) == []


# ---- baseline ---------------------------------------------------------------------------------


# ---- mpi --------------------------------------------------------------------------------------


PARTS = {
    "mpi": "libopenmpi-dev openmpi-bin",
    "grade": "icu-devtools",
    "baseline": "libopenblas0-pthread libblis4-pthread libclblast1 clblast-utils "
    "libscalapack-openmpi2.2 libopenmpi-dev openmpi-bin",
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_installs_what_it_lacks(machine: Machine, part: str) -> None:
    no_icu = PYTHON.replace("esac", "*icui18n*) exit 1 ;;\nesac")
    top = machine(bwrap="#!/bin/sh\n", python3=no_icu)
    assert setup(top, part).status == 0
    install = f"apt-get install -q -y --no-install-recommends {PARTS[part]}"
    assert asked(top) == ["apt-get update -q", install]


# ---- .venv ------------------------------------------------------------------------------------
SAID_TO_PIP = '#!/bin/sh\ncase "$*" in *"-m pip"*) echo "$*" >>"${0%/*}/../../asked" ;; esac\n'


def is_made(top: Path, *parts: str) -> bool:
    """.venv has the packages of these parts, and counts."""
    wanted = "".join(f"-r requirements-{part}.txt\n" for part in parts)
    files = [f"requirements-{part}.txt" for part in parts]
    venv = top / ".venv"
    return (venv / "requirements.txt").read_text() == wanted and all(
        (venv / file).read_bytes() == (top / file).read_bytes() for file in files
    )


@pytest.mark.parametrize("folder", ["workbook", "with space"])
def test_a_part_makes_the_venv_once(machine: Machine, folder: str) -> None:
    top = machine(folder, python3=SAID_TO_PIP + PYTHON)
    first = setup(top, "report")
    assert first.status == 0, first.text
    assert is_made(top, "report")
    assert not (top / ".venv.old").exists()
    (install,) = (line for line in asked(top) if "pip install" in line)
    assert "--require-hashes" in install and install.endswith(" -r requirements-report.txt")
    second = setup(top, "report")  # now it needs no network
    assert second.status == 0
    assert "installing" not in second.out
    assert "".join(asked(top)).count("pip install") == 1


@pytest.mark.parametrize(
    ("first", "second", "made", "again"),
    [
        (["report"], ["tune"], ["report", "tune"], True),
        (["tune"], ["report"], ["report", "tune"], True),
        (["tune", "report"], ["tune"], ["report", "tune"], False),
        (["report"], ["selftest"], ["selftest"], True),  # has all of the others
        (["selftest", "report"], ["tune"], ["selftest"], False),
    ],
)
def test_a_part_stays_when_another_comes(
    machine: Machine, first: list[str], second: list[str], made: list[str], again: bool
) -> None:
    top = machine(python3=SAID_TO_PIP + PYTHON)
    for parts in first, second:
        said = setup(top, *parts)
        assert (said.status, said.out.splitlines()[-1]) == (0, f"setup: ready: make {parts[-1]}")
    assert is_made(top, *made)
    installed = [line for line in asked(top) if "pip install" in line]
    assert len(installed) == 1 + again
    assert installed[-1].endswith("".join(f" -r requirements-{part}.txt" for part in made))


def test_a_copy_without_its_packages(machine: Machine) -> None:
    top = machine()
    (top / "requirements-selftest.txt").unlink()  # as in a handout
    said = setup(top, "selftest")
    assert (said.status, said.out) == (2, "")
    assert said.err == "setup: selftest: there is no requirements-selftest.txt in this copy\n"


def test_the_parts_agree() -> None:
    """One .venv can have both."""
    pins = [
        {line for line in (TOP / lock).read_text("utf-8").splitlines() if "==" in line}
        for lock in LOCKS
    ]
    names = [{re.split("[= ]", pin)[0] for pin in of} for of in pins]
    versions = [{re.split("[; ]", pin)[0] for pin in of} for of in pins]
    assert versions[0] | versions[1] <= versions[2]
    assert not names[0] & {"optuna", "mypy", "pytest", "ipykernel", "scipy", "weasyprint"}
    assert not names[1] & {"pandas", "matplotlib", "mypy", "pytest"}


@pytest.mark.parametrize("reason", ["requirements", "python"])
def test_a_stale_venv_is_made_anew(machine: Machine, reason: str) -> None:
    top = machine()
    assert setup(top, "report").status == 0
    if reason == "python":  # as after an upgrade of the system
        (top / ".venv/bin/python3").unlink()
    else:
        (top / LOCKS[0]).write_text("pandas==3\n")
    assert "installing" in setup(top, "report").out
    assert (top / ".venv/bin/python3").exists()
    assert is_made(top, "report")


def test_packages_that_pip_cannot_have_leave_the_venv_as_it_was(machine: Machine) -> None:
    top = machine()
    assert setup(top, "report").status == 0
    (top / LOCKS[0]).write_text("pandas==3\n")
    broken = '#!/bin/sh\ncase "$*" in *"-m pip"*) exit 1 ;; esac\n'
    (top / "bin/python3").write_text(broken + PYTHON)
    said = setup(top, "report")
    assert said.status == 1
    assert "setup: cannot make .venv" in said.err
    assert (top / ".venv/bin/python3").exists()
    assert (top / ".venv" / LOCKS[0]).read_bytes() == (TOP / LOCKS[0]).read_bytes()
    assert not (top / ".venv.old").exists()


@pytest.mark.parametrize("former", [False, True], ids=["none before", "one before"])
def test_interrupted_it_leaves_no_half_of_a_venv(machine: Machine, former: bool) -> None:
    # exec: what reaches dash while it starts a program with vfork is lost in both of them.
    slow = (
        '#!/bin/sh\ncase "$*" in *"-m pip"*) echo >>"${0%/*}/../../asked" now; '
        "exec sleep 60 ;; esac\n"
    )
    top = machine()
    if former:
        assert setup(top, "report").status == 0
        (top / LOCKS[0]).write_text("pandas==3\n")
    (top / "bin/python3").write_text(slow + PYTHON)
    process = subprocess.Popen(
        [top / "setup", "report"],
        env=environment(PATH=str(top / "bin")),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    await_file(top / "asked")
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(timeout=60) != 0
    assert (top / ".venv/requirements.txt").exists() == former
    (top / "bin/python3").write_text(PYTHON)
    assert setup(top, "report").status == 0
    assert sorted(path.name for path in top.glob(".venv*")) == [".venv"]
