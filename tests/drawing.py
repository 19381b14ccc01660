# SPDX-License-Identifier: MIT
"""An SVG as who looks at it has it: its texts with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Bbox

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Drawing:
    width: float
    height: float
    title: str
    texts: list[tuple[str, Bbox]]  # y grows downwards

    @property
    def words(self) -> set[str]:
        return {words for words, _ in self.texts}


def read(file: Path) -> Drawing:
    root = ElementTree.parse(file).getroot()
    _, _, width, height = map(float, root.get("viewBox", "").split())
    texts = [(element.text or "", place(element)) for element in root.iter(f"{SVG}text")]
    return Drawing(width, height, root.findtext(f"{SVG}title", ""), texts)


def place(text: ElementTree.Element) -> Bbox:
    style = text.get("style", "")
    size = float(re.findall(r"([\d.]+)px", style)[0])
    moved = re.findall(r"translate\(([\d.-]+) ([\d.-]+)\)", text.get("transform", ""))
    x, y = map(float, moved[0] if moved else (text.get("x", 0), text.get("y", 0)))
    font = FontProperties(family="DejaVu Sans", size=size)
    width, height, descent = text_to_path.get_text_width_height_descent(
        text.text or "", font, ismath=False
    )
    left = x - {"middle": width / 2, "end": width}.get(
        "".join(re.findall(r"anchor: (\w+)", style)), 0
    )
    return Bbox.from_extents(left, y - height + descent, left + width, y + descent)


def meet(a: Bbox, b: Bbox, air: float = 0) -> bool:
    return bool(a.x0 - air < b.x1 and b.x0 - air < a.x1 and a.y0 - air < b.y1 and b.y0 - air < a.y1)
