# SPDX-License-Identifier: MIT
"""Where what others wrote is compiled and run: bubblewrap. No network, processes, users and IPC of
its own, no file but those that are named, /tmp of a limited size, an empty environment, limits on
time and memory, and a filter of system calls (grading/filter.c). Started as root, all of it runs as
nobody, whom limits bind."""

from __future__ import annotations

import atexit
import fcntl
import os
import resource
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO

from workbook import TOP, UserError
from workbook.core.process import READ, STACK, Outcome, run
from workbook.handin.bench import OURS, translate

PREFIX = "gemm-grade."  # of what is built among the temporary files
held: list[IO[str]] = []  # the locks of our own
SHOWN = ("grading/build", *OURS)  # what of the workbook those who are confined need
NOBODY = 65534
NEEDED = {"bwrap": "bubblewrap", "prlimit": "util-linux", "setpriv": "util-linux"}
MIB = 1 << 20
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/alternatives", "/etc/ld.so.cache")
OPEN = (
    'filter=$1 result=$2 report=$3; shift 3; [ -z "$report" ] || exec 2>>"$report"; '
    'exec 9<"$filter" 8>"$result" && exec "$@"'
)
# GEMM_GUEST: the file by which a guest of the judge's hears and answers (grading/worker.c).
INSIDE = ("PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/tmp", "TMPDIR=/tmp", "GEMM_GUEST=3")


@dataclass(frozen=True)
class Box:
    """What is in a sandbox, and what it may use."""

    filter: str  # of system calls: kernel, threads, files, tool or compiler
    files: tuple[
        tuple[str, str], ...
    ] = ()  # a path outside, and where it is inside: to be read alone
    devices: tuple[str, ...] = ()  # files of /dev
    result: Path | None = None  # the file outside that is written to: file 8 inside
    report: Path | None = (
        None  # another one, behind what it has: stderr; None: as that of who starts it
    )
    loose: Path | None = None  # a folder that is /out, for a test that leaves the sandbox out
    system: bool = False  # compilers, tools and their libraries
    environment: tuple[str, ...] = ()
    memory: int | None = (
        2048 * MIB
    )  # bytes of address space; None: of a tool that reserves all of it
    disk: int = 64 * MIB  # bytes of /tmp, and of each file
    cpu: int = (
        1000  # seconds of the processor, of all threads of a process; the wall clock is others'
    )
    processes: int = 0  # 0: its filter allows none but the first
    without: frozenset[str] = field(default_factory=frozenset)  # defences that a test switches off


def require_programs() -> None:
    for program, package in NEEDED.items():
        if shutil.which(program) is None:
            raise UserError(
                f"needs {program}, and runs nothing without it: ./setup grade ({package})"
            )


def require_sandbox() -> None:
    """Nothing that was handed in runs without one, nor with less of the stack than it is to have:
    what needs that would be wrong."""
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    if 0 <= most < STACK:
        raise UserError(
            f"the stack is limited to {most >> 10} KiB here, and a kernel has {STACK >> 10}: "
            "nothing is graded before that is lifted (ulimit -Hs, limits.conf)"
        )
    outcome = run_inside(["/bin/true"], Box("compiler", system=True), 20)
    if outcome.status != 0:
        raise UserError(
            "bwrap cannot make a sandbox here, and nothing runs without it: "
            f"{outcome.err.strip()}: "
            "are user namespaces forbidden? By sysctl kernel.unprivileged_userns_clone, a "
            "container, a chroot"
        )


def place() -> Path:
    """A new folder among the temporary ones, which those who are confined can reach; or which
    folder on the way bars them."""
    made = Path(tempfile.mkdtemp(prefix=PREFIX))
    clear(made.parent)
    hold(made)
    made.chmod(0o755)
    if run([*unprivileged(), "/usr/bin/test", "-x", str(made)], TOP, 20).status == 0:
        return made
    shutil.rmtree(made)
    bars = next((f for f in reversed(made.parents) if not f.stat().st_mode & 0o001), made.parent)
    raise UserError(
        f"TMPDIR={made.parent}: kernels are built there by nobody, as root must not, and {bars} "
        "lets nobody "
        f"through: chmod o+x {bars}, or TMPDIR=/tmp"
    )


def hold(folder: Path) -> None:
    """As long as we live its file .lock is locked. It comes with its lock: nobody sees it
    without."""
    file = open(folder / ".new", "w")
    fcntl.flock(file, fcntl.LOCK_EX)
    os.rename(file.name, folder / ".lock")
    held.append(file)


def clear(temporary: Path) -> None:
    """Removes what those of us left whom a signal killed: ours, and nobody holds it."""
    for folder in temporary.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            with open(os.open(folder / ".lock", os.O_RDWR | os.O_NOFOLLOW), "w") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)


@cache
def shown() -> Path:
    """The workbook as far as those who are confined need it. Root's own may lie where nobody else
    can go, or be for nobody else to read: a copy then, which is removed when we end."""
    if os.geteuid() != 0:
        return TOP
    copy = place()
    atexit.register(shutil.rmtree, copy, ignore_errors=True)
    for part in SHOWN:
        shutil.copytree(TOP / part, copy / part)
    for path in copy.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    return copy


def grading() -> Path:
    """The judge, and our part of the workers."""
    return shown() / "grading/build"


def own(path: Path) -> None:
    """Lets those who run in the sandbox write there."""
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)


def unprivileged() -> list[str]:
    """What comes before a command that root must not run as itself."""
    if os.geteuid() != 0:
        return []
    words = (
        f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups --no-new-privs --inh-caps=-all"
    )
    return words.split()


def enclose(command: Sequence[str], box: Box) -> list[str]:
    """The command line that runs a command, which knows only paths inside, in its sandbox; not as
    root."""
    inside = (*INSIDE, *box.environment)
    if "sandbox" in box.without:
        words = ["env", "-i", *inside, *(translate(word, outside(box)) for word in command)]
    else:
        words = [
            "bwrap",
            *rooms(box),
            *(word for one in inside for word in ("--setenv", *one.split("=", 1))),
        ]
        words += ["--chdir", "/tmp", "--remount-ro", "/"]
        words += [] if "filter" in box.without else ["--seccomp", "9"]
        words += [*counted(box), *command]
    opened = [
        str(grading() / f"{box.filter}.bpf"),
        str(box.result or "/dev/null"),
        str(box.report or ""),
    ]
    return [*limits(box), "/bin/sh", "-c", OPEN, "sh", *opened, *words]


def rooms(box: Box) -> list[str]:
    """What there is inside. Its first process is bubblewrap's own, with which all others end."""
    words = [
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--cap-drop",
        "ALL",
        "--die-with-parent",
    ]
    words += ["--new-session", "--clearenv", "--hostname", "sandbox", "--dir", "/dev"]
    for folder in "/tmp", "/out":
        words += [] if "limits" in box.without else ["--size", str(box.disk)]
        words += ["--tmpfs", folder]
    for name in "null", "zero", "urandom":
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for device in box.devices:
        words += ["--dev-bind", device, device]
    if box.system:
        words += [word for path in SYSTEM for word in system_path(Path(path))]
        words += ["--proc", "/proc"]
    for there, here in box.files:
        words += ["--ro-bind", there, here]
    return words


def outside(box: Box) -> list[tuple[str, str]]:
    """For a test that leaves the sandbox out: where its paths are."""
    return [*box.files, *([(str(box.loose), "/out")] if box.loose is not None else [])]


def system_path(path: Path) -> list[str]:
    if path.is_symlink():  # /lib, of a system where it is part of /usr
        return ["--symlink", os.readlink(path), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.exists() else []


def limits(box: Box) -> list[str]:
    if "limits" in box.without:
        return []
    bounds = [f"--cpu={box.cpu}:{box.cpu + 5}", f"--fsize={box.disk}", "--core=0", "--nofile=256"]
    bounds.append(f"--stack={STACK}")
    if box.memory is not None:
        bounds.append(f"--as={box.memory}")
    return ["prlimit", *bounds]


def counted(box: Box) -> list[str]:
    """Inside: there the limit counts those of the sandbox, and not the user's others."""
    return ["/usr/bin/prlimit", f"--nproc={box.processes}"] if box.processes and box.system else []


def run_inside(
    command: Sequence[str],
    box: Box,
    seconds: float,
    given: IO[bytes] | None = None,
    read: int = READ,
) -> Outcome:
    """What it is given is its input; of its output so many bytes are read."""
    words, environment = [*unprivileged(), *enclose(command, box)], {"PATH": os.environ["PATH"]}
    return run(words, TOP, seconds, environment, given=given, read=read)
