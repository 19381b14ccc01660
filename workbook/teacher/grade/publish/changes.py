# SPDX-License-Identifier: MIT
"""What is otherwise in a gradebook than in the one before, and why. The same kernel on the same
terms has the same points, but for its speed."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from pathlib import Path

from workbook.teacher.grade.judge.scoring import INCONCLUSIVE
from workbook.teacher.grade.judge.speed import NEARLY

Row = dict[str, str]
COUNTS = (
    "verdict",
    "points",
    "possible",
)  # of a row; how its speed and its reason are put does not
ERRORS = 3  # standard errors, of the difference of two


def read_rows(path: Path) -> list[Row] | None:
    """The gradebook before; None where there was none, or nobody knows any more what it said."""
    try:
        return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    except (OSError, UnicodeDecodeError, csv.Error):
        return None


def changed(before: list[Row], now: list[Row]) -> str:
    """One line: how many, and of what."""
    old = {(row.get("submission"), row.get("lab")): row for row in before}
    reasons: Counter[str] = Counter()
    for row in now:
        former = old.get((row["submission"], row["lab"]))
        if former is None:
            reasons["new"] += 1
        elif any(former.get(name) != row[name] for name in COUNTS):
            reasons[why(former, row)] += 1
    said = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    return f"{sum(reasons.values())} of {len(now)} rows changed{': ' + said if said else ''}"


def why(old: Row, new: Row) -> str:
    if not old.get("terms"):
        return "graded by an older workbook"
    if old["digest"] != new["digest"]:
        return "handed in again"
    if old["terms"] != new["terms"]:
        return "on other terms"
    if (old["verdict"], old["measured"], old["possible"]) == (
        new["verdict"],
        new["measured"],
        new["possible"],
    ):
        return "decided"
    if INCONCLUSIVE in (old["verdict"], new["verdict"]):
        return "too noisy, then or now"
    if old["verdict"] == new["verdict"] and old["speedup"] and new["speedup"]:
        return f"speed {'within' if is_within(old, new) else 'beyond'} its error"
    return "not the same twice"


def is_within(old: Row, new: Row) -> bool:
    """Could the errors of both be all the difference? Two runs of a kernel differ by some in any
    case."""
    try:
        apart = abs(math.log(float(new["speedup"]) / float(old["speedup"])))
        error = ERRORS * math.hypot(float(old["error"] or 0), float(new["error"] or 0))
    except ValueError:  # somebody has written there
        return False
    return apart <= max(error, -math.log(NEARLY))
