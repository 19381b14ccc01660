# SPDX-License-Identifier: MIT
"""editor LAB ...: writes compile_commands.json, by which clangd, and any editor that uses it,
completes intrinsics, OpenCL and CUDA and marks mistakes as they are typed."""

from __future__ import annotations

import json
import os

from workbook import TOP
from workbook.core.files import put
from workbook.lab.arguments import labs_and_settings

FILE = TOP / "compile_commands.json"


def main(words: list[str]) -> int:
    does = "Writes compile_commands.json for clangd."
    described, _ = labs_and_settings("editor", words, does, "")
    # A file of common/ has one entry, though many labs are made of it.
    entries: dict[str, dict[str, str]] = {}
    for lab in described:
        for name, command in lab.commands:
            path = os.path.normpath(lab.path / name)
            entries.setdefault(path, {"directory": str(lab.path), "file": path, "command": command})
    put(FILE, f"{json.dumps(list(entries.values()), indent=1)}\n".encode())
    print(f"compile_commands.json: {len(entries)} files; clangd reads it when it starts next")
    return 0
