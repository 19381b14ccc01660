# SPDX-License-Identifier: MIT
"""Programs that are to be compared take turns: a round runs each once, so that a machine that
becomes slower meanwhile does so for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

ROUNDS = 5  # where a command has no reason for another number
Program = TypeVar("Program")


def take_turns(programs: list[Program], rounds: int) -> Iterator[tuple[int, Program]]:
    """The round, from 0 on, and whose turn it is. Who is removed from the list has none any
    more."""
    for turn in range(rounds):
        for program in list(programs):
            yield turn, program
