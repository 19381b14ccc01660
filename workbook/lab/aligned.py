# SPDX-License-Identifier: MIT
"""Why a kernel with intrinsics may crash: a load or store that takes aligned addresses alone."""

from __future__ import annotations

import re
from pathlib import Path

INTRINSIC = re.compile(r"\b(_mm(256|512)?_(load|store|stream)_p[sd])\s*\(")
BYTES = {None: 16, "256": 32, "512": 64}


def alignment(kernel: Path) -> str:
    """What the first of them asks for; "" where there is none."""
    if not kernel.is_file():
        return ""
    for number, line in enumerate(kernel.read_text(errors="replace").splitlines(), 1):
        if found := INTRINSIC.search(line.partition("//")[0]):
            name, register, what = found.groups()
            any_address = name.replace(what, f"{what}u" if what != "stream" else "storeu")
            needs = f"{name}, which needs {BYTES[register]}-byte alignment"
            return f"{kernel.name}:{number} has {needs}: {any_address} takes any address"
    return ""
