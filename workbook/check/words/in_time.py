# SPDX-License-Identifier: MIT
"""python3 -m workbook.check.words.in_time KERNEL: what its text tells. Of somebody else's kernel
that is asked in a process of its own, which can be ended: a text that is made for it takes the
patterns hours."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from workbook import TOP
from workbook.check.words.unshared import of_source
from workbook.core.process import run

SECONDS = 20.0


def of_source_in_time(kernel: Path, seconds: float = SECONDS) -> list[tuple[str, str]]:
    """Nothing, where it is not told in time."""
    command = [sys.executable, "-m", "workbook.check.words.in_time", str(kernel)]
    outcome = run(command, TOP, seconds)
    if outcome.status != 0:
        return []
    return [(kind, words) for kind, words in json.loads(outcome.out)]


if __name__ == "__main__":
    print(json.dumps(of_source(Path(sys.argv[1]))))
