# SPDX-License-Identifier: MIT
"""workbook/profile/reference.tsv is what is counted, and the tables of "Predict first" have these
numbers. Bytes that are requested are those of workbook/page/formulas.tsv (tests/page)."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests import predictions
from tests.stages import LABS
from tests.support import TOP, needs
from workbook.check.counters import machine_code
from workbook.core.files import temp_folder
from workbook.lab import labs
from workbook.profile.asked import SHAPE_OF_C, per_fma, references, shape
from workbook.profile.run_counted import profile

TOOL = {"cpu": "objdump", "opencl": "clang", "cuda": "g++"}


def test_the_course_and_predict_have_the_labs_that_they_need() -> None:
    assert {lab for lab, _ in references() if (lab, "") in references()} >= set(LABS[1:])


@pytest.mark.slow
@pytest.mark.parametrize(("lab", "variant"), references())
def test_the_reference_is_counted(lab: str, variant: str) -> None:
    settings = [variant] if "=" in variant else []
    [folder] = [path for path in (TOP / lab, TOP / "advanced" / lab) if path.is_dir()]
    described = labs.describe(str(folder), settings)
    needs(TOOL[described.backend or ""])
    name = "" if settings else variant
    program = next(one for one in described.programs if one.variant == name)
    in_c = described.backend == "cpu"
    size = SHAPE_OF_C if in_c else shape(program.tile or ())
    with temp_folder("profile") as work:
        words = [str(number) for number in size]
        one = profile(described, program, settings, words, work, by_engine=True)
    assert one.wrong == "", one.wrong
    found = per_fma(one.counts, size)
    if in_c:
        assert labs.build(described, [program.name], settings) is None
        found |= machine_code(replace(described, programs=(program,)))[0]
    loads = [count for count in one.counts if count.space == "global" and not count.writes]
    for array in "AB":
        counts = [count for count in loads if count.array == array]
        requests = sum(count.requests for count in counts)
        found[array] = round(sum(count.units for count in counts) / max(requests, 1), 4)
    expected = references()[lab, variant]
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-6)


# By the beginning of a row: what reference.tsv makes of it.
ROWS = {
    "loads per multiply-add": lambda own: [own["loads"]],
    "arithmetic intensity, as requested": lambda own: [2 / (4 * own["loads"])],
    "arithmetic intensity, global": lambda own: [2 / (4 * own["loads"])],
    "arithmetic intensity, local": lambda own: [2 / (4 * own["shared"])],
    "arithmetic intensity, shared": lambda own: [2 / (4 * own["shared"])],
    "sectors (32 bytes)": lambda own: [own["A"], own["B"]],
}


@pytest.mark.parametrize("lab", LABS[3:])
def test_a_number_of_a_readme_is_that_of_the_reference(lab: str) -> None:
    own = references()[lab, ""]
    page = (TOP / Path(lab) / "README.md").read_text(encoding="utf-8")
    rows = [row for _, row in predictions.rows(page)]
    found = [(label, row) for row in rows for label in ROWS if row[0].startswith(label)]
    assert len(found) >= 2
    for label, row in found:
        shown = re.findall(r"[\d.]+", row[2].replace(",", ""))
        for value, text in zip(ROWS[label](own), shown):
            step = 10.0 ** -len(text.partition(".")[2])
            assert abs(value - float(text)) <= 0.51 * step, row
