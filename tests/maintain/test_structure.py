# SPDX-License-Identifier: MIT
"""The sources keep the workbook's promises: labs can be diffed, no lab knows its own name, links
lead on."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

from tests.copies import sources
from tests.support import TOP, run

LABS = sorted(path.name for path in TOP.glob("lab[0-9]*"))
SOURCE = (".c", ".h", ".cl", ".cpp", ".cu", ".mk", ".py", ".sh")


def kernel_of(lab: str) -> Path:
    return next((TOP / lab).glob("kernel.c*"))


def words_of(lab: str, name: str) -> list[str]:
    """What its Makefile says."""
    said = re.search(
        rf"^{name} *= *(.*)", (TOP / lab / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    return said[1].split() if said else []


def steps_of(lab: str) -> list[str]:
    """Those that its Makefile names, whether they are there or not."""
    return words_of(lab, "STEPS")


def launches(lab: str) -> int:
    """Steps that are launched in another way."""
    return sum(bool(words_of(lab, f"OTHER_{step}")) for step in steps_of(lab))


@pytest.mark.parametrize("kernel", ["kernel.c", "kernel.cl", "kernel.cu"])
def test_main_is_the_same_throughout_a_backend(kernel: str) -> None:
    labs = [lab for lab in LABS if (TOP / lab / kernel).exists()]
    mains = {next((TOP / lab).glob("main.c*")).read_bytes() for lab in labs}
    assert len(labs) >= 2
    assert len(mains) == 1, f"diff -u {labs[0]} {labs[1]} and the others: main differs"


@pytest.mark.parametrize("lab", LABS)
def test_a_lab_does_not_name_itself(lab: str) -> None:
    name = re.compile(rf"lab[ _-]?0*{int(lab[3:5])}([^0-9]|$)", re.IGNORECASE)
    named = [
        f"{file}:{number}: {line}"
        for file in sources()
        if file.startswith(f"{lab}/") and not file.endswith("README.md")
        for number, line in enumerate((TOP / file).read_text(encoding="utf-8").splitlines(), 1)
        if name.search(line)
    ]
    assert named == []


@pytest.mark.parametrize("lab", LABS)
def test_a_lab_has_a_readme_and_a_row_of_its_own(lab: str) -> None:
    """Not those of the lab that it was copied from."""
    assert (TOP / lab / "README.md").read_text(encoding="utf-8").startswith(f"# Lab {lab[3:5]}: ")
    assert f"\n| [{lab[3:5]} " in (TOP / "README.md").read_text(encoding="utf-8")
    assert f"\n{lab}\t" in (TOP / "course.tsv").read_text(encoding="utf-8")
    assert f"\n{lab}\t-\t" in (TOP / "workbook/measure/intensity.tsv").read_text(encoding="utf-8")


def changed(before: Path, after: Path) -> int:
    """How many lines differ."""
    return len(re.findall(r"^[<>]", run(["diff", before, after], TOP).out, re.MULTILINE))


@pytest.mark.parametrize(("before", "lab"), list(zip(LABS, LABS[1:])))
def test_a_lab_is_a_small_change_of_the_one_before(before: str, lab: str) -> None:
    if kernel_of(before).name != kernel_of(lab).name:
        return  # another language begins
    assert changed(TOP / before / "params.h", TOP / lab / "params.h") <= 25
    # With PAYS, BESIDE and EXPERIMENTS, a line each; TUNE may take two. A step with another launch
    # has one for each of BASE, DEFS, OTHER, RACE, PAGE, SWEEP and TUNE.
    assert changed(TOP / before / "Makefile", TOP / lab / "Makefile") <= 19 + 7 * launches(lab)


def one_idea_each() -> list[tuple[Path, Path]]:
    """From the kernel of the lab before, or that of BASE, through the steps that a Makefile lists,
    to the lab's own."""
    pairs: list[tuple[Path, Path]] = []
    for before, lab in zip(LABS, LABS[1:]):
        here, there = kernel_of(lab), kernel_of((words_of(lab, "BASE") or [before])[0])
        if here.name == there.name:
            chain = [
                there,
                *(TOP / lab / f"kernel_{step}{here.suffix}" for step in steps_of(lab)),
                here,
            ]
            pairs += zip(chain, chain[1:])
    return pairs


@pytest.mark.parametrize(
    ("before", "after"), one_idea_each(), ids=lambda path: f"{path.parent.name[:5]}-{path.name}"
)
def test_a_step_is_one_idea(before: Path, after: Path) -> None:
    assert after.is_file(), f"edit STEPS in {after.parent.name}/Makefile"
    assert 0 < changed(before, after) <= 60, f"diff -u {before} {after}"


# The words of OpenCL, in CUDA.
DICTIONARY = [
    (r"__kernel.*void\n", ""),
    (r"^gemm\(", "__global__ void gemm("),
    (r"__kernel", "__global__"),
    (r"__global const", "const"),
    (r"__global real", "real"),
    (r"__local", "__shared__"),
    (r"barrier\(CLK_LOCAL_MEM_FENCE\)", "__syncthreads()"),
    (r"get_global_id\(0\)", "blockIdx.x * blockDim.x + threadIdx.x"),
    (r"get_global_id\(1\)", "blockIdx.y * blockDim.y + threadIdx.y"),
    (r"get_group_id\(0\)", "blockIdx.x"),
    (r"get_group_id\(1\)", "blockIdx.y"),
    (r"get_local_id\(0\)", "threadIdx.x"),
    (r"get_local_id\(1\)", "threadIdx.y"),
    (r"TILE", "BLOCK"),
    (r"^#if[^\n]*\n.*?^#endif", ""),
]
UNSEEN = [
    (r"//.*", ""),
    (r"^ *#pragma.*", ""),
    (r"[\n ]", ""),
    (r"([;{}])", r"\1\n"),
]  # comments, hints, blanks


def replaced(text: str, pairs: list[tuple[str, str]]) -> str:
    for pattern, words in pairs:
        whole = re.DOTALL if "#endif" in pattern else re.RegexFlag(0)
        text = re.sub(pattern, words, text, flags=re.MULTILINE | whole)
    return text


@pytest.mark.parametrize(
    ("opencl", "cuda"),
    [
        ("lab04_ocl_naive/kernel.cl", "lab08_cuda_naive/kernel.cu"),
        ("lab07_ocl_localmem/kernel_square.cl", "lab09_cuda_shared/kernel_no_prefetch.cu"),
        ("lab07_ocl_localmem/kernel_one_per_item.cl", "lab09_cuda_shared/kernel.cu"),
    ],
)
def test_opencl_and_cuda_are_alike_line_by_line(opencl: str, cuda: str) -> None:
    there = replaced(replaced((TOP / opencl).read_text(encoding="utf-8"), DICTIONARY), UNSEEN)
    here = replaced((TOP / cuda).read_text(encoding="utf-8"), UNSEEN)
    assert (
        list(difflib.unified_diff(there.splitlines(), here.splitlines(), opencl, cuda, n=0)) == []
    )


@pytest.mark.parametrize("document", [name for name in sources() if name.endswith(".md")])
def test_links_lead_somewhere(document: str) -> None:
    text = (TOP / document).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if not re.match(r"[a-z]+:", link)]
    assert [link for link in links if not ((TOP / document).parent / link).exists()] == []


def anchors(page: Path) -> set[str]:
    """What its headings are called in a link, as GitHub makes it."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", [name for name in sources() if name.endswith(".md")])
def test_links_lead_to_a_heading(document: str) -> None:
    page = TOP / document
    links = re.findall(r"\]\(([^):\s#]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))
    lost = [
        link for link in links if link[1] not in anchors(page.parent / link[0] if link[0] else page)
    ]
    assert lost == []


def test_the_front_page_is_short() -> None:
    lines = (TOP / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 150
    assert [line for line in lines if len(line) > 100 and not line.startswith("|")] == []


def test_the_licence_comes_first() -> None:
    """In the first line, or the one after #!."""
    unlicensed = []
    for name in sources():
        lines = (TOP / name).read_bytes().splitlines()[:2]
        code = name.endswith(SOURCE) or b"".join(lines).startswith(b"#!")
        if lines and code and not any(b"SPDX-License-Identifier: MIT" in line for line in lines):
            unlicensed.append(name)
    assert unlicensed == []
