# SPDX-License-Identifier: MIT
"""Ways to write a lab, in tests/ideas: one file for each lab, which WAY chooses from. Its comment
has a line for each: WAY, whether the idea of the lab is there, settings, and what it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tests.support import TOP

FOLDER = TOP / "tests/ideas"
LINE = re.compile(r"^// (\d+) (yes|no)((?: \w+=\d+)*): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Way:
    file: Path
    number: str
    has_idea: bool
    settings: list[str]

    @property
    def lab(self) -> str:
        return self.file.stem

    @property
    def text(self) -> str:
        return f"#define WAY {self.number}\n{self.file.read_text(encoding='utf-8')}"

    def __str__(self) -> str:
        return f"{self.lab[:5]}-{self.number}"


def ways() -> list[Way]:
    every = ((file, file.read_text(encoding="utf-8")) for file in sorted(FOLDER.iterdir()))
    return [
        Way(file, number, answer == "yes", settings.split())
        for file, text in every
        for number, answer, settings, _ in LINE.findall(text)
    ]
