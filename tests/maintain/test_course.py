# SPDX-License-Identifier: MIT
"""What a course needs: a version to name, a syllabus of all labs, terms in the sources' languages,
and what differs on the devices that students have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import TOP, edit, make

LABS = sorted(path.name[3:5] for path in TOP.glob("lab[0-9]*"))


def read(name: str) -> str:
    return (TOP / name).read_text(encoding="utf-8")


def test_the_version_is_that_of_the_latest_change(clone: Path) -> None:
    version, date = (
        re.search(rf"^{key}: (\S+)$", read("CITATION.cff"), re.MULTILINE)
        for key in ("version", "date-released")
    )
    assert version and date
    assert re.fullmatch(r"\d+\.\d+\.\d+", version[1])
    changes = re.findall(r"^## (\S+), (\S+)$", read("CHANGELOG.md"), re.MULTILINE)
    assert changes[0] == (version[1], date[1])
    said = make(clone, "version")
    assert (said.status, said.out.split()[0]) == (0, version[1])
    edit(clone / "CITATION.cff", f"\nversion: {version[1]}", "\nversion: 9.8.7")
    assert make(clone, "version").out.split()[0] == "9.8.7"


def test_a_hosted_runner_does_what_ci_does() -> None:
    assert "      - run: .ci/run\n" in read(".github/workflows/ci.yml")


def test_the_syllabus_has_goal_and_hours_of_each_lab() -> None:
    rows = re.findall(
        r"^\| (\d\d) [\w ]+ \| [^|]{20,} \| [^|]+ \| (\d+) \|$", read("docs/syllabus.md"), re.M
    )
    assert [number for number, _ in rows] == LABS
    for plan in "Six", "Twelve":
        text = read("docs/syllabus.md").partition(f"## {plan} weeks")[2].partition("\n## ")[0]
        weeks = {"Six": 6, "Twelve": 12}[plan]
        assert re.findall(r"^\| (\d+) \|", text, re.M) == [str(n + 1) for n in range(weeks)]
        named = {
            number
            for row in re.findall(r"^\| \d+ \| ([^|]+)\|", text, re.M)
            for number in re.findall(r"\d\d", row)
        }
        assert named == set(LABS), plan


@pytest.mark.parametrize(
    "lab", [path.name for path in TOP.glob("lab*") if not list(path.glob("kernel.c"))]
)
def test_a_gpu_lab_says_where_other_devices_differ(lab: str) -> None:
    assert "](../docs/devices.md)" in read(f"{lab}/README.md")
    assert re.search(rf"^\| {lab[3:5]} \| ", read("docs/devices.md"), re.MULTILINE)


def test_every_term_is_there_in_the_languages_of_the_sources() -> None:
    ours, theirs = read("docs/glossary.md").split("## In Chinese and Russian\n")
    terms = set(re.findall(r"^\| \*\*([^|*]+)\*\* \| [^|]+ \| \d\d \|", ours, re.MULTILINE))
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", theirs, re.MULTILINE)[1:]
    assert terms - {term for term, *_ in rows} == set()
    for term, chinese, russian in rows:
        assert re.search("[\u4e00-\u9fff]", chinese), term
        assert re.search("[\u0400-\u04ff]", russian) or russian == term, term


def test_figures_are_of_a_machine_with_a_name(clone: Path) -> None:
    said = make(clone, "figures")
    assert (said.status, said.err.count("\n")) == (2, 1)
    assert "figures: of which machine? make figures NAME=t4" in said.err
    assert make(clone, "-n", "figures", "NAME=t4", "LAB=01", "SIZES=64").out.endswith(
        'figures measure "t4" "64" lab01_cpu_naive\n'
    )
