# SPDX-License-Identifier: MIT
"""One at a time: a link that points to the process at work."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbook import UserError

TRIES = 20


class Busy(UserError):
    """Another one lives."""


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Says that we are at work, or raises Busy if another one lives. One whose process has ended by
    force is taken over. Its folder may be new."""
    path.parent.mkdir(exist_ok=True)
    me = f"{os.getpid()}.{_began(os.getpid())}@{os.uname().nodename}"
    _take(path, me)
    try:
        yield
    finally:
        if _owner(path) == me:
            path.unlink(missing_ok=True)


def _take(path: Path, me: str) -> None:
    tries = 0
    while not _link(path, me):
        owner = _owner(path)
        tries += 1
        if owner is not None and _holds(owner, path):
            raise Busy(
                f"another one is at work in {path.parent}: wait for it, process {_number(owner)}"
            )
        if tries > TRIES:
            if _turn(path).exists():
                raise UserError(
                    f"{_turn(path)} is left of one that was ended by force: remove it: rmdir"
                )
            raise UserError(
                f"cannot make {path}: is the folder yours, with room? Or something else of that "
                "name is there"
            )
        if owner is None or not _take_over(path, owner):
            time.sleep(0.1)


def _link(path: Path, me: str) -> bool:
    """A link comes to be whole, with its target, or not at all."""
    try:
        path.symlink_to(me)
    except OSError:
        return False
    return True


def _take_over(path: Path, owner: str) -> bool:
    """Only one at a time does, or one would remove what another has just made."""
    turn = _turn(path)
    try:
        turn.mkdir()
    except OSError:
        return False
    if _owner(path) == owner:
        path.unlink(missing_ok=True)
    turn.rmdir()
    return True


def _turn(path: Path) -> Path:
    return Path(f"{path}.old")


def _number(owner: str) -> str:
    return owner.partition("@")[0].partition(".")[0]


def _holds(owner: str, path: Path) -> bool:
    """Is it at work? A later process may have its number; what runs on another machine is not to be
    seen."""
    process, _, machine = owner.partition("@")
    number, _, began = process.partition(".")
    if machine not in ("", os.uname().nodename):
        raise Busy(
            f"process {number} of {machine} is at work in {path.parent}: wait for it; "
            f"if it is not there any more, remove {path}"
        )
    return lives(number) and (not began or _began(int(number)) in ("", began))


def _began(number: int) -> str:
    """When, in ticks since the machine was started; "" where /proc does not say."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(") ")[2].split()[19]
    except (OSError, IndexError):
        return ""


def _owner(path: Path) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None


def lives(number: str) -> bool:
    """Is there a process of this number, and not just its exit status, which nobody fetched?"""
    if not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
        state = Path(f"/proc/{number}/stat").read_text().rpartition(") ")[2]
    except (PermissionError, FileNotFoundError):  # another user's; no such file, as on macOS
        return True
    except (OSError, OverflowError):
        return False
    return not state.startswith("Z")
