# SPDX-License-Identifier: MIT
"""The page: what view/ has and the records of the labs, in one file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from workbook import TOP
from workbook.core.records import now
from workbook.core.typed import number_of
from workbook.page.gain import gain
from workbook.page.speed import sentence

VIEW = Path(__file__).parent / "view"
# Kernels that say the same in OpenCL and in CUDA.
PAIRS = [
    [("lab04_ocl_naive", "kernel.cl"), ("lab08_cuda_naive", "kernel.cu")],
    [("lab07_ocl_localmem", "kernel_square.cl"), ("lab09_cuda_shared", "kernel_no_prefetch.cu")],
]
IMPORT = re.compile(r'^import \{.*\} from "\./(.*)";\n', re.MULTILINE)


def page(found: list[dict[str, Any]]) -> str:
    own = {lab["lab"]: lab["recordings"][0] for lab in found}
    pairs = [pair for pair in PAIRS if all(lab in own for lab, _ in pair)]
    data = {
        "schema": "gemm-page/1",
        **now(),
        "labs": [shown(lab) for lab in found],
        "pairs": [[side(own[lab], file) for lab, file in pair] for pair in pairs],
    }
    # As text that ends no element of HTML.
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    parts = {
        "style": f"<style>\n{(VIEW / 'page.css').read_text(encoding='utf-8')}</style>",
        "data": f'<script type="application/json" id="data">{text}</script>',
        "script": f'<script type="module">\n{"".join(modules("main.js").values())}</script>',
    }
    html = (VIEW / "page.html").read_text(encoding="utf-8")
    for name, part in parts.items():
        html = html.replace(f"<!-- {name} -->", part, 1)
    return html


def shown(lab: dict[str, Any]) -> dict[str, Any]:
    """A lab with the sentences that the page has of its speed and of what it brings."""
    recordings = [one | {"speed": sentence(one)} for one in lab["recordings"]]
    both = len(recordings) == 2 and all(one["requests"] for one in recordings)
    return lab | {"recordings": recordings, "gain": gain(*reversed(recordings)) if both else None}


def side(own: dict[str, Any], file: str) -> dict[str, Any]:
    """Of a pair: as it was recorded, a variant from its file; where that is missing the lab's."""
    path = TOP / own["lab"] / file
    if file == own["file"] or not path.is_file():
        file, source = own["file"], own["source"]
    else:
        source = path.read_text(encoding="utf-8").splitlines()
    return {"number": number_of(own["lab"]), "file": file, "source": source}


def modules(name: str) -> dict[str, str]:
    """The text of a module behind those that it imports, by their names. In one script they need
    neither import nor export."""
    text = (VIEW / name).read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for other in IMPORT.findall(text):
        found |= {key: one for key, one in modules(other).items() if key not in found}
    return found | {name: re.sub(r"^export ", "", IMPORT.sub("", text), flags=re.MULTILINE)}
