# SPDX-License-Identifier: MIT
"""Files of the tools' own, which are replaced whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def put(path: Path, content: bytes) -> None:
    """A file has this content; its folder may be new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".new.{path.name}")
    new.write_bytes(content)
    os.replace(new, path)
