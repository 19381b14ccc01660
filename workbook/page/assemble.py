# SPDX-License-Identifier: MIT
"""The page: what view/ has, the records of the labs, and the same in tables, in one file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from workbook import TOP
from workbook.core.records import now
from workbook.core.typed import number_of
from workbook.page.gain import gain
from workbook.page.tables import tables

VIEW = Path(__file__).parent / "view"
RULES = {"sector": 32, "banks": 32, "bank": 4, "line": 64, "lanes": 32}  # engine/count/rules.h
# Kernels that say the same in OpenCL and in CUDA.
PAIRS = [
    [("lab04_ocl_naive", "kernel.cl"), ("lab08_cuda_naive", "kernel.cu")],
    [("lab07_ocl_localmem", "kernel_square.cl"), ("lab09_cuda_shared", "kernel_no_prefetch.cu")],
]
IMPORT = re.compile(r'^import \{.*\} from "\./(.*)";\n', re.MULTILINE)


def page(found: list[dict[str, Any]]) -> str:
    own = {lab["lab"]: lab["recordings"][0] for lab in found}
    found = [lab | {"gain": gain_of(lab["recordings"])} for lab in found]
    data = {
        "schema": "gemm-page/1",
        **now(),
        "labs": found,
        "pairs": [
            [side(own[lab], file) for lab, file in pair]
            for pair in PAIRS
            if all(lab in own for lab, _ in pair)
        ],
        "rules": RULES,
    }
    parts = {
        "style": f"<style>\n{joined('*.css')}</style>",
        "tables": tables(found),
        "data": f'<script type="application/json" id="data">{embedded(data)}</script>',
        "script": f'<script type="module">\n{script()}</script>',
    }
    text = (VIEW / "page.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part, 1)
    return text


def side(own: dict[str, Any], file: str) -> dict[str, Any]:
    """Of a pair: as it was recorded, a variant from its file; where that is missing the lab's."""
    path = TOP / own["lab"] / file
    if file == own["file"] or not path.is_file():
        file, source = own["file"], own["source"]
    else:
        source = path.read_text(encoding="utf-8").splitlines()
    return {"number": number_of(own["lab"]), "file": file, "source": source}


def gain_of(recordings: list[dict[str, Any]]) -> dict[str, str] | None:
    if len(recordings) < 2 or not all(one["runs"] for one in recordings):
        return None
    after, before = recordings
    return gain(before, after)


def embedded(data: dict[str, Any]) -> str:
    """As text that ends no element of HTML."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def joined(pattern: str) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(VIEW.glob(pattern)))


def script() -> str:
    """The modules that main.js imports, and it, in one: each behind those that it imports."""
    done: dict[str, str] = {}

    def take(name: str) -> None:
        text = (VIEW / name).read_text(encoding="utf-8")
        done[name] = ""  # a circle ends here
        for other in IMPORT.findall(text):
            if other not in done:
                take(other)
        done[name] = re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.MULTILINE)
        order.append(name)

    order: list[str] = []
    take("main.js")
    return "".join(done[name] for name in order)
