# SPDX-License-Identifier: MIT
"""What was found: tuned/LAB.json has the fastest settings of each device, program and type; a lab
that is built with them has its tuned.mk."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from workbook import TOP, UserError
from workbook.core.files import put
from workbook.core.records import NUMBER, NoRecord, now, read, write
from workbook.lab.labs import Lab

FOLDER = TOP / "tuned"
KEY = ("device", "variant", "type")  # one winner each
WINNER = {
    **{"device": str, "variant": str, "type": str, "size": str, "study": str, "trials": int},
    **{"settings": [str], "gflops": NUMBER, "defaults": (*NUMBER, None), "wrong": int},
    **{"measured": [{"settings": [str], "gflops": NUMBER}]},
    **{"date": str, "commit": (str, None)},
}
TUNED = {"schema": "gemm-tuned/1", "lab": str, "winners": [WINNER]}
Winner = dict[str, Any]


def winners(lab: Lab) -> list[Winner]:
    path = place(lab)
    if not path.exists():
        return []
    try:
        return list(read(path, TUNED)["winners"])
    except NoRecord as error:
        raise UserError(f"{path} {error}: move it away, and make tune begins anew") from error


def place(lab: Lab) -> Path:
    return FOLDER / f"{lab.name}.json"


def key(winner: Winner) -> tuple[str, ...]:
    return tuple(winner[name] for name in KEY)


def save(lab: Lab, winner: Winner) -> None:
    """In the place of the one before."""
    others = [one for one in winners(lab) if key(one) != key(winner)]
    record = {"schema": TUNED["schema"], "lab": lab.name, "winners": [*others, {**winner, **now()}]}
    write(place(lab), record)


def hand_over(lab: Lab, device: str) -> None:
    """To the lab: all that was found on this device."""
    lines = [
        "# Written by make tune, from what it keeps in tuned/ for this device.",
        f"tuned_for = {harmless(device)}",
        *(
            f"tuned_{winner['variant']}_{winner['type']} = {' '.join(winner['settings'])}"
            for winner in winners(lab)
            if winner["device"] == device
        ),
    ]
    put(lab.path / "tuned.mk", "".join(f"{line}\n" for line in lines).encode())


def harmless(device: str) -> str:
    """make, the shell and C take it as it is: a program compares letters and digits."""
    return re.sub(r"[^A-Za-z0-9 ()@.,:/_+-]", "?", device)
