# SPDX-License-Identifier: MIT
"""python3 -m workbook figures: what stands between markers in the READMEs is replaced, all else
stays, and a README that has lost a marker loses nothing more."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.schemas import complaints
from tests.support import TOP, run
from workbook import UserError
from workbook.core import records
from workbook.maintain import figures

pytestmark = pytest.mark.report

LAB = "lab02_avx"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """The READMEs, and what they are filled with."""
    for readme in [TOP / "README.md", TOP / "docs/results.md", *TOP.glob("lab*/README.md")]:
        copy = tmp_path / readme.relative_to(TOP)
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(readme, copy)
    shutil.copytree(TOP / "figures", tmp_path / "figures")
    return tmp_path


def texts(top: Path) -> dict[Path, bytes]:
    return {
        readme: readme.read_bytes() for readme in [top / "README.md", *top.glob("lab*/README.md")]
    }


def test_what_stands_between_markers_is_made_anew(top: Path) -> None:
    before = texts(top)
    readme = top / LAB / "README.md"
    readme.write_text(
        re.sub(
            r"(<!-- (?:figures .*?-->|transcript .*?-->\n```)\n).*\n",
            r"\1old\n",
            readme.read_text("utf-8"),
        )
    )
    assert readme.read_bytes() != before[readme]
    figures.fill(top)
    assert texts(top) == before
    assert not list(top.rglob(".new.*")) and not list(top.rglob(".fill*"))


def without(pattern: str, which: int) -> Callable[[str], str]:
    """A text without one of the lines that match: 0 the first, -1 the last."""

    def edit(text: str) -> str:
        line = [line for line in text.splitlines(keepends=True) if re.match(pattern, line)][which]
        head, _, tail = text.rpartition(line) if which < 0 else text.partition(line)
        return head + tail

    return edit


BEGINNING = "<!-- (figures|transcript) "
DAMAGES = {
    "lost-last-end": (without("<!-- end -->", -1), r"figures lab02_avx xeon xeon2048 has no end"),
    "lost-beginning": (without(BEGINNING, 0), "end without a beginning"),
    "no-such-figures": (
        lambda text: text.replace("xeon2048", "nosuch", 1),
        "there is no figures/nosuch.json",
    ),
}


@pytest.mark.parametrize(("damage", "said"), DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_readme_is_named_and_none_changes(
    top: Path, damage: Callable[[str], str], said: str
) -> None:
    readme = top / LAB / "README.md"
    text = readme.read_text("utf-8")
    assert damage(text) != text
    readme.write_text(damage(text), "utf-8")
    other = top / "lab01_cpu_naive/README.md"
    other.write_text(other.read_text("utf-8").replace("| lab01", "| old", 1), "utf-8")
    before = texts(top)
    with pytest.raises(UserError, match=rf"{LAB}/README.md:[0-9]+: .*{said}.*; nothing was filled"):
        figures.fill(top)
    assert texts(top) == before


def test_measuring_keeps_a_row_for_each_program_and_size_and_a_transcript(bare: Path) -> None:
    """At a size at which a transcript does not take long; no ceilings are measured."""
    (bare / "build").mkdir()
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    assert cpu
    known = f"cpu\t{cpu[1].strip()}\tfloat\t1000\t50\tsse2=1000\tavx2=1000\n"
    (bare / "build/ceilings.tsv").write_text(known)
    result = run(
        [
            sys.executable,
            "-m",
            "workbook",
            "figures",
            "measure",
            "mine",
            "32 64",
            "lab03_avx_block",
        ],
        bare,
    )
    assert result.status == 0, result.text
    record = json.loads((bare / "figures/mine.json").read_text())
    assert complaints(record, "gemm-figures") == [] and record["machine"] == "mine"
    [ceiling] = record["ceilings"]
    assert (ceiling["lab"], ceiling["gbs"]) == ("lab03_avx_block", 50)
    assert ceiling["gflops"] in (1000, 2000)  # of so short a run a busy clock may see two cores
    rows = record["figures"]
    programs = ["regtile", "block", "", "published", "transpose"]
    assert [(row["lab"], row["variant"], row["size"]) for row in rows] == [
        ("lab03_avx_block", program, size) for program in programs for size in ("32", "64")
    ]
    assert all(row["right"] and row["ms"] > 0 and row["gflops"] > 0 for row in rows)
    said = (bare / "figures/mine.lab03_avx_block.txt").read_text()
    assert (
        said.startswith("$ make run SIZE=1024\nlab03_avx_block") and "verified       PASS" in said
    )


RECORDS = sorted((TOP / "figures").glob("*.json"))


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_has_its_form_and_a_line_for_each_figure(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    record = records.read(path, records.FIGURES)
    assert complaints(record, "gemm-figures") == []
    assert figures.text_of(record) == text


def test_a_transcript_says_what_the_record_beside_it_does() -> None:
    """How far the peak and the memory's bandwidth are, on which device; four digits are printed."""
    for path in RECORDS:
        record = records.read(path, records.FIGURES)
        beside = sorted(path.parent.glob(f"{path.stem}.lab*.txt"))
        assert [one.name.split(".")[1] for one in beside] == [c["lab"] for c in record["ceilings"]]
        for transcript, ceiling in zip(beside, record["ceilings"]):
            text = transcript.read_text(encoding="utf-8")
            devices = {row["device"] for row in record["figures"] if row["lab"] == ceiling["lab"]}
            assert {f"device         {device}" in text for device in devices} == {True}
            assert f"% of {ceiling['gflops']:.4g}, the peak of" in text, transcript
            assert f" the {ceiling['gbs']:.4g} of memory" in text
