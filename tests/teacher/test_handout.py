# SPDX-License-Identifier: MIT
"""make handout: a student's copy shows no solution, says honestly that nothing is done, and gives
full marks for what is right."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.stages import LABS
from tests.support import TOP, edit, make
from workbook.lab.labs import IN_PROGRAM

LEAST = 20  # letters of a line that shows something
SOME = ["lab01_cpu_naive", "lab02_avx", "lab05_ocl_coarsen"]


@pytest.fixture(scope="module")
def handout(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("course") / "a handout"
    said = make(tree, "handout", f"OUT={out}")
    assert said.status == 0, said.text
    return out


@pytest.fixture(scope="module")
def part(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("part") / "book"
    said = make(tree, "handout", f"OUT={out}", "LABS=01 lab02 5 05")
    assert said.status == 0, said.text
    assert "lab04_ocl_naive comes solved" in said.out
    return out


@pytest.fixture(scope="module")
def chosen(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With variants that who teaches has chosen."""
    out = tmp_path_factory.mktemp("chosen") / "book"
    said = make(tree, "handout", f"OUT={out}", "LABS=03 04 07", "VARIANTS=published padded")
    assert said.status == 0, said.text
    assert "lab04_ocl_naive has kernel_published.cl; lines of its solution in it: 1" in said.out
    assert "lab07_ocl_localmem has kernel_padded.cl; lines of its solution in it: 2" in said.out
    return out


@pytest.fixture(scope="module")
def cuda(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of one backend, and not the first."""
    out = tmp_path_factory.mktemp("cuda") / "book"
    said = make(tree, "handout", f"OUT={out}", "LABS=08 09")
    assert said.status == 0, said.text
    return out


def squeezed(text: str) -> str:
    return "".join(re.sub(r"//.*", "", text).split())


def texts(book: Path) -> dict[str, str]:
    return {
        str(path.relative_to(book)): path.read_text(encoding="utf-8", errors="replace")
        for path in book.rglob("*")
        if path.is_file()
    }


def secrets(lab: str) -> set[str]:
    """The lines of a lab's kernels that no starting point has: found anew, not by the code of
    handout."""
    kernels = [*TOP.glob(f"answers/{lab}/kernel.*"), *TOP.glob(f"{lab}/kernel*.*")]
    assert len(kernels) >= 2
    lines = {squeezed(line) for path in kernels for line in path.read_text().splitlines()}
    known = [*TOP.glob(f"{lab}/start/kernel*")]
    known += [path for folder in IN_PROGRAM for path in (TOP / folder).glob("*.c")]
    begin = "".join(squeezed(path.read_text()) for path in known)
    return {line for line in lines if len(line) >= LEAST and line[0] != "#" and line not in begin}


def lines_in(text: str, lines: set[str]) -> set[str]:
    """Each is looked for only where it begins like a part of the text: there are millions of
    others."""
    begins = {text[at : at + LEAST] for at in range(len(text))}
    return {line for line in lines if line[:LEAST] in begins and line in text}


def test_no_solution_is_in_it(handout: Path) -> None:
    every = {name: squeezed(text) for name, text in texts(handout).items()}
    whole = {squeezed(path.read_text()) for path in TOP.glob("answers/*/kernel.*")}
    assert [name for name, text in every.items() if any(kernel in text for kernel in whole)] == []
    lines = {line for lab in LABS for line in secrets(lab)}
    assert len(lines) > 100
    shown = [(name, line) for name, text in every.items() for line in lines_in(text, lines)]
    assert shown == []
    line = max(lines)
    assert lines_in(f"x{line}x", lines) >= {line}


def test_nothing_else_is_in_it_that_gives_it_away(handout: Path) -> None:
    names = list(texts(handout))
    unwanted = r"answers/|tests/|figures/|\.git/|.*kernel_(?!.*)|instructor.mk|CONTRIBUTING"
    assert [name for name in names if re.match(unwanted, name)] == []
    assert sorted(path.name for path in handout.glob("lab*/kernel*")) == sorted(
        path.name for path in TOP.glob("answers/*/kernel*")
    )
    assert not any("/mine/" in name or "/build/" in name for name in names)


def test_its_links_lead_somewhere(handout: Path) -> None:
    for path in handout.rglob("*.md"):
        links = re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
        missing = [link for link in links if ":" not in link and not (path.parent / link).exists()]
        assert missing == [], path


def test_its_pages_ask_for_nothing_that_is_not_there(handout: Path) -> None:
    readme = (handout / "README.md").read_text()
    assert "./setup && make demo" in readme
    assert (
        "instructors.md" not in readme and "CONTRIBUTING" not in readme and "install.md" in readme
    )
    for path in handout.glob("lab*/README.md"):
        text = path.read_text(encoding="utf-8")
        assert text.count("\n## Questions\n\n1. ") == 1
        ours, theirs = (questions_of(book / path.relative_to(handout)) for book in (TOP, handout))
        assert len(ours) == len(theirs) >= 5
        for one, other in zip(ours, theirs):
            gone = "(About a variant that is not in this copy.)"
            assert other == (
                gone
                if re.search("`(published|one_per_item|transpose)`|kernel_published", one)
                else one
            )
    report = (handout / "report_template/report.md").read_text(encoding="utf-8")
    asked = re.findall(r"^\*\*Question\.\*\* (?:.+\n)+", report, re.MULTILINE)
    assert len(asked) == report.count("\n(your answer)\n") > 30


def questions_of(page: Path) -> list[str]:
    asked = page.read_text(encoding="utf-8").partition("## Questions\n\n")[2].partition("\n## ")[0]
    return [" ".join(one.split()) for one in re.split(r"(?m)^\d+\. ", asked) if one]


GONE = (
    "(published|one_per_item|transpose|row_column|column_major|driver_group|pieces|padded|swapped)"
)
NOT_THERE = rf"`{GONE}`|VARIANT={GONE}\b|kernel_{GONE}\.|^\| lab\w+, {GONE} "
NOT_THERE += r"|ADVANCED|(?i:labs? (1\d|2[0-2]))\b|make (selftest|solution)"


@pytest.mark.parametrize("which", ["handout", "part", "cuda"])
def test_its_pages_name_nothing_that_is_not_there(
    request: pytest.FixtureRequest, which: str
) -> None:
    book: Path = request.getfixturevalue(which)
    pages = [*book.glob("*.md"), *book.glob("lab*/README.md"), *book.glob("report_template/*.md")]
    assert len(pages) >= 6
    for page in pages:
        text = page.read_text(encoding="utf-8").partition("## What it looks like")[0]  # transcripts
        assert [found[0] for found in re.finditer(NOT_THERE, text, re.MULTILINE)] == [], page
        if page.parent.name[:3] != "lab":  # which may be compared with another
            assert set(re.findall(r"\blab\d\d_\w+", text)) <= {
                lab.name for lab in book.glob("lab*")
            }, page


STEPS = {path.stem[len("kernel_") :] for path in TOP.glob("lab*/start/kernel_*")}
# In a line of its own, or in a sentence.
COMMAND = re.compile(r"`(make\s[^`]+)`|^(?: {4})?(make [a-z].*?)(?: +#.*)?$", re.MULTILINE)


@pytest.mark.parametrize("which", ["handout", "part", "chosen", "cuda"])
def test_every_command_of_its_pages_can_be_given_there(
    request: pytest.FixtureRequest, which: str
) -> None:
    """Its target, lab, variant and file are there; a step is, once its student has written it."""
    book: Path = request.getfixturevalue(which)
    targets = re.findall(r"^  (\w+)", make(book, "help").out, re.MULTILINE)
    labs = {path.name for path in book.glob("lab*")}
    pages = [*book.glob("*.md"), *book.glob("lab*/README.md"), *book.glob("report_template/*.md")]
    seen = 0
    for page in [*pages, book / "docs/sources.md", book / "baseline/README.md"]:
        at = page.parent.name if page.parent.name in labs else ""
        for found in COMMAND.findall(page.read_text(encoding="utf-8")):
            command = " ".join((found[0] or found[1]).split())
            words = re.sub('"[^"]*"', "", command).split()[1:]
            where = (re.findall(r"-C (lab\w+)", command) or [at])[0]
            assert not where or where in labs, f"{page}: {command}"
            target = [word for word in words if re.fullmatch("[a-z]+", word)]
            assert set(target[:1]) <= {*targets, "grade"}, f"{page}: {command}"
            for numbers in re.findall(r"\bLABS?=\"?(\d\d(?: \d\d)*)", command):
                assert {f"lab{n}" for n in numbers.split()} <= {name[:5] for name in labs}, command
            for variant in re.findall(r"VARIANT=(\w+)", command):
                there = {path.stem[len("kernel_") :] for path in (book / where).glob("**/kernel_*")}
                assert variant in there | {"NAME"}, f"{page}: {command}"
            seen += 1
    assert seen > 20


def test_what_needs_no_variant_stays_where_one_is_left_out(handout: Path) -> None:
    """Of "Look closer": an item that begins with a command that can be given."""
    for page in sorted(TOP.glob("lab0*/README.md")):
        kept = (handout / page.relative_to(TOP)).read_text(encoding="utf-8")
        items = page.read_text(encoding="utf-8").partition("## Look closer\n")[2]
        for item in re.split(r"(?m)^- ", items.partition("\n## ")[0])[1:]:
            first = (re.findall(r"`(make [^`]+)`", item) or [""])[0]
            if first and not re.search(f"VARIANT={GONE}", first):
                assert f"`{first}`" in " ".join(kept.split()) + kept, f"{page}: {first}"
                assert " ".join(item.split())[:40] in " ".join(kept.split()), f"{page}: {item}"
    rows = (handout / "docs/devices.md").read_text(encoding="utf-8")
    assert "\n| 04 | Coalescing" in rows
    sources = (handout / "docs/sources.md").read_text(encoding="utf-8")
    assert (
        len(re.findall(r"^\| the [\w ]+ \| [^|]*[\u0400-\u04ff\u4e00-\u9fff]", sources, re.M)) == 5
    )


def questions_in(report: str) -> list[str]:
    return re.findall(r"^\*\*Question\.\*\* (?:.+\n)+", report, re.MULTILINE)


def tables_of(report: str) -> dict[str, list[str]]:
    """The rows of each, less its head, by the name of its markers."""
    blocks = re.findall(r"(?ms)^<!-- fill ([\w-]+) -->\n(\|.*?)^<!-- end -->$", report)
    return {name: block.splitlines()[2:] for name, block in blocks}


@pytest.mark.parametrize("which", ["handout", "part", "chosen", "cuda"])
def test_its_report_asks_for_what_can_be_measured_there(
    request: pytest.FixtureRequest, which: str
) -> None:
    book: Path = request.getfixturevalue(which)
    report = (book / "report_template/report.md").read_text(encoding="utf-8")
    there = {path.stem[len("kernel_") :] for path in book.glob("lab*/kernel_*")}
    assert (there == set()) == (which != "chosen")
    there |= STEPS  # students' own
    tables = tables_of(report)
    assert len(tables) > 5
    assert [name for name, rows in tables.items() if not rows] == []
    rows = [row for rows in tables.values() for row in rows]
    labelled = {found for row in rows for found in re.findall(r"^\| lab\d\d_\w+, ([a-z]\w*)", row)}
    assert labelled - {"float", "double", "int"} <= there
    labs = {int(path.name[3:5]) for path in book.glob("lab*")}
    kinds = [
        ("CPU", {1, 2, 3}),
        ("OpenCL", {4, 5, 6, 7}),
        ("CUDA", {8, 9}),
    ]
    for kind, of_it in kinds:
        assert (f"\n## {kind}\n" in report) == bool(labs & of_it), kind
    if 7 in labs:  # the homework's tiles, by the step that each student writes
        assert any(row.startswith("| lab07_ocl_localmem, square") for row in tables["opencl-tiles"])
        assert "Is `square` faster than the simple kernel" in report
    named = re.findall(r"(?i)\blabs? (\d\d)\b", " ".join(questions_in(report)))
    assert {int(number) for number in named} <= labs
    assert "## Correctness" in report and not re.search("(?i)nine programs|three on a CPU", report)
    for question in questions_in(report):
        assert set(re.findall(rf"`{GONE}`", question)) <= there, question
        assert "three programs" not in question


def test_variants_that_were_chosen_are_there_with_what_is_asked_about_them(chosen: Path) -> None:
    names = {path.name for path in chosen.glob("lab*/*_p*")}
    assert {
        "kernel_published.c",
        "kernel_published.cl",
        "kernel_padded.cl",
        "main_padded.c",
    } <= names
    assert "kernel_one_per_item.cl" not in names and "kernel_pieces.cl" not in names
    report = (chosen / "report_template/report.md").read_text(encoding="utf-8")
    assert "`published` has the two dimensions of a group swapped" in report
    assert any(
        row.startswith("| lab04_ocl_naive, published") for row in tables_of(report)["ladder-opencl"]
    )
    said = json.loads(make(chosen / "lab07_ocl_localmem", "-s", "describe").out)
    assert {"padded", "published"} <= {program["variant"] for program in said["programs"]}
    readme = (chosen / "README.md").read_text(encoding="utf-8")
    assert "Variants that our figures are of (one_per_item, transpose) come" in " ".join(
        readme.split()
    )
    sources = (chosen / "docs/sources.md").read_text(encoding="utf-8")
    assert "VARIANT=padded" in sources
    assert not re.search("VARIANT=swapped|lab05_ocl_coarsen run|advanced/lab", sources)


def test_the_report_is_about_the_labs_that_are_there(part: Path) -> None:
    report = (part / "report_template/report.md").read_text(encoding="utf-8")
    headings = re.findall(r"^##.*", report, re.MULTILINE)
    assert {"### Task 2: AVX (lab 02)", "### Coarsening (lab 05)", "## OpenCL"} <= set(headings)
    assert [
        heading
        for heading in headings
        if re.search(r"CUDA|(lab|and) 0[36789]|(?i:lab) 03", heading)
    ] == []
    asked = re.findall(r"^\*\*Question\.\*\* (?:.+\n)+", report, re.MULTILINE)
    assert [question for question in asked if re.search(r"labs? 0?[36789]\b", question)] == []
    assert len(asked) == report.count("\n(your answer)\n") > 10


@pytest.mark.parametrize("which", ["handout", "part"])
def test_students_predict_and_measure_before_they_see_figures(
    request: pytest.FixtureRequest, which: str
) -> None:
    book: Path = request.getfixturevalue(which)
    for page in book.glob("lab*/README.md"):
        parts = re.split(r"(?m)^## ", page.read_text(encoding="utf-8"))
        names = [one.partition("\n")[0] for one in parts]
        assert names[names.index("Look closer") + 1] == "What we measured, and why"
        assert names.index("Predict first") < names.index("Run it") < names.index("Look closer")
        own = "".join(one for one in parts if not one.startswith("What we measured"))
        assert "| GFLOP/s |" not in own, page
        assert "ms median" not in own, page
        assert "    make run SIZE=" in parts[names.index("Run it")]
    front = (book / "README.md").read_text(encoding="utf-8")
    assert [
        words for words in ("PASS #", "| GFLOP/s |", "| gain |", "1.6×") if words in front
    ] == []
    report = (book / "report_template/report.md").read_text(encoding="utf-8")
    assert (
        report.index("## Predict, then measure")
        < report.index("## The machine")
        < report.index("## CPU")
    )


def test_its_pages_read_well_raw(handout: Path) -> None:
    for page in [handout / "README.md", *handout.glob("lab*/README.md")]:
        assert "<!--" not in page.read_text(encoding="utf-8")
        fenced = False
        for line in page.read_text(encoding="utf-8").splitlines():
            fenced ^= line.startswith("```")
            assert len(line) <= (106 if fenced else 100) or line.startswith("|"), f"{page}: {line}"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["start", "LAB=10"], "LAB=10: no such lab in this copy; there are lab01_cpu_naive"),
        (["check", "LAB=03"], "LAB=03: no such lab in this copy; there are lab01_cpu_naive"),
        (["check", "ADVANCED=1"], "ADVANCED=1: the advanced labs are not in this copy"),
        (["report", "ADVANCED=1"], "ADVANCED=1: the advanced labs are not in this copy"),
        (["check", "LABS=lab99"], "LABS=lab99: no such lab in this copy"),
        (["handout", "OUT=x"], "no target handout: "),
        (["rnu"], "no target rnu: the nearest is run"),
    ],
)
def test_what_is_not_in_a_copy_is_said_in_one_line(part: Path, words: list[str], says: str) -> None:
    said = make(part, *words)
    assert (said.status, said.out, said.err.count("\n")) == (2, "", 1)
    assert f"*** {says}" in said.err


def test_run_at_the_top_goes_on_and_says_what_is_not_begun(part: Path, tmp_path: Path) -> None:
    book = tmp_path / "book"
    shutil.copytree(part, book)
    make(book, "start", "LAB=01")
    edit(book / "lab01_cpu_naive/kernel.c", "void gemm(", "int unfinished;\nvoid gemm(")
    said = make(book, "run", "SIZE=16")
    assert said.status == 2
    assert "run: not begun: 02 05; next: make start LAB=02\n" in said.err
    assert "run: not right, or not done yet: lab01_cpu_naive\n" in said.err
    assert re.search(r"^lab04_ocl_naive .*\n(.*\n)*  verified +PASS", said.out, re.MULTILINE)
    for lab in SOME:
        for kernel in TOP.glob(f"answers/{lab}/kernel.*"):
            shutil.copy(kernel, book / lab)
    said = make(book, "run", "SIZE=16")
    assert (said.status, said.err) == (0, "")
    assert said.out.count("  verified       PASS") == 4


@pytest.mark.slow
def test_nothing_is_done_yet_in_it(handout: Path, tmp_path: Path) -> None:
    book = tmp_path / "book"  # what is built there stays out of the others' handout
    shutil.copytree(handout, book)
    said = make(book, "check")
    assert said.out.splitlines()[-1] == "0 passed, 9 failed, 0 skipped"
    labs = json.loads((book / "build/check.json").read_text())["labs"]
    assert {lab["verdict"] for lab in labs} == {"TODO"}
    assert all(
        re.match(r"not done yet: kernel\.\w+:\d+ still says TODO", lab["reason"]) for lab in labs
    )
    assert sum(lab["points"] for lab in labs) == 0
    said = make(book, "demo", "SIZE=16")
    assert said.status == 0
    assert said.out.count(" TODO") >= 9
    for lab in "04", "08":  # it builds there, and counts what an empty kernel does
        assert "asks for no memory" in make(book, "profile", f"LAB={lab}", "SIZE=16").out
        assert "asks for no memory" in " ".join(make(book, "page", f"LAB={lab}").out.split())
        assert (book / "build/page.html").is_file()


# ---- some labs ---------------------------------------------------------------------------------
@pytest.mark.slow
def test_with_the_references_it_has_full_marks(part: Path, tmp_path: Path) -> None:
    book = tmp_path / "book"
    shutil.copytree(part, book, ignore=shutil.ignore_patterns("build", "gemm"))
    for lab in SOME:
        for kernel in TOP.glob(f"answers/{lab}/kernel.*"):
            shutil.copy(kernel, book / lab)
    said = make(book, "check", env={"SIZE": "64"})
    assert said.out.splitlines()[-1] == "3 passed, 0 failed, 0 skipped"
    labs = json.loads((book / "build/check.json").read_text())["labs"]
    course = [
        line.split("\t")
        for line in (TOP / "course.tsv").read_text().splitlines()
        if line[:3] == "lab"
    ]
    correct = {row[0]: int(row[1]) + int(row[2]) for row in course}
    assert all(
        lab["points"] >= correct[lab["lab"]] for lab in labs
    )  # those for speed are the machine's


def test_some_labs_and_what_they_begin_from(part: Path) -> None:
    assert sorted(path.name for path in part.glob("lab*")) == sorted([*SOME, "lab04_ocl_naive"])
    rows = [
        line.split("\t")[0]
        for line in (part / "course.tsv").read_text().splitlines()
        if line[:3] == "lab"
    ]
    assert rows == SOME
    given = part / "lab04_ocl_naive"
    assert (given / "kernel.cl").read_bytes() == (
        TOP / "answers/lab04_ocl_naive/kernel.cl"
    ).read_bytes()
    assert not (given / "start").exists()
    assert not list(given.glob("kernel_*"))
    said = make(part, "check")
    assert "0 passed, 3 failed, 0 skipped" in said.out
    assert "not in course.tsv: lab04_ocl_naive" in said.out


def test_a_lab_begins_from_the_one_that_came_solved(part: Path) -> None:
    assert make(part, "start", "LAB=5").status == 0
    assert "A[row * K + k] * B[k * N + col]" in (part / "lab05_ocl_coarsen/kernel.cl").read_text()


def test_a_lab_begins_from_the_students_own(tree: Path, tmp_path: Path) -> None:
    book = tmp_path / "book"
    make(tree, "handout", f"OUT={book}", "LABS=1 2 3")
    assert "as lab01_cpu_naive is not done yet" in " ".join(
        make(book, "start", "LAB=2").out.split()
    )
    mine = "// mine\n" + (TOP / "answers/lab01_cpu_naive/kernel.c").read_text().replace(
        "sum", "total"
    )
    (book / "lab01_cpu_naive/kernel.c").write_text(mine)
    assert make(book, "start", "LAB=2").status == 0
    assert "total += A[i * K + k]" in (book / "lab02_avx/kernel.c").read_text()
    # A step that passes stays as a variant of the student's own.
    (book / "lab02_avx/kernel.c").write_text((TOP / "answers/lab02_avx/kernel.c").read_text())
    make(book, "start", "LAB=3")
    own = "// own\n" + (TOP / "lab03_avx_block/kernel_regtile.c").read_text()
    (book / "lab03_avx_block/kernel.c").write_text(own)
    assert make(book, "next", "LAB=3", "ANYWAY=1").status == 0
    assert (book / "lab03_avx_block/kernel_regtile.c").read_text() == own
    assert '"regtile"' in make(book / "lab03_avx_block", "describe").out


def test_a_lab_that_the_course_gives_threads_has_openmp(part: Path, tmp_path: Path) -> None:
    book = tmp_path / "book"
    shutil.copytree(part, book, ignore=shutil.ignore_patterns("gemm"))
    kernel = (TOP / "tests/honest/openmp.c").read_text()
    asks = "#include <omp.h>\nint asked(void) { return omp_get_max_threads(); }\n"
    (book / "lab01_cpu_naive/kernel.c").write_text(asks + kernel)
    run = ["-C", "lab01_cpu_naive", "run", "SIZE=64"]
    missing = r"undefined (reference to|symbol:) .?omp_get_max_threads"
    assert re.search(missing, make(book, *run).text)
    edit(book / "course.tsv", "8\t2\t-\t0\t1\t-", "8\t2\t-\t0\t2\t-")
    said = make(book, *run)
    assert said.status == 0, said.text
    assert "  verified       PASS" in said.out
    # A compiler without it builds what needs none.
    (tmp_path / "cc").write_text('#!/bin/sh\ncase "$*" in *openmp*) exit 1; esac\nexec cc "$@"\n')
    (tmp_path / "cc").chmod(0o755)
    (book / "lab01_cpu_naive/kernel.c").write_text(kernel.replace("#pragma", "// "))
    said = make(book, *run, f"CC={tmp_path}/cc")
    assert said.status == 0, said.text


def test_it_has_no_solutions_to_show(handout: Path) -> None:
    said = make(handout, "solution", "LAB=1")
    assert (said.status, said.out) == (2, "")
    assert "there are no solutions in this copy" in said.err


# ---- bad input ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "handout: where to? make handout OUT=../handout"),
        (["OUT=."], "is there already"),
        (["OUT=new", "LABS=01 99"], "LABS=99: no such lab"),
        (["OUT=new", "VARIANTS=best"], "VARIANTS=best: these labs have "),
        (["OUT=new", "LAB=05"], 'LAB=05: a handout has LABS="05 ..."'),
        (["OUT=common/lab.c/new"], "handout: "),
    ],
)
def test_bad_input_leaves_nothing(clone: Path, words: list[str], says: str) -> None:
    before = sorted(clone.rglob("*"))
    said = make(clone, "handout", *words)
    assert said.status == 2
    assert says in said.err
    assert sorted(clone.rglob("*")) == before


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("docs/records.md", "sum += A[i*K+k] * B[k*N+j];"),
        ("lab06_ocl_regtile/start/hints.md", "    const real a = A [(row+r*GROUP_Y)*K+k] ; and on"),
        ("lab02_avx/params.h", "// __m256 sum = _mm256_setzero_ps();"),
    ],
)
def test_what_would_show_a_solution_is_refused(
    clone: Path, tmp_path: Path, file: str, text: str
) -> None:
    with (clone / file).open("a") as page:
        page.write(f"\n{text}\n")
    said = make(clone, "handout", f"OUT={tmp_path}/out")
    assert said.status == 2
    assert f"{file} would show a line of lab0" in said.err
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".new*"))


def test_a_students_own_kernel_in_the_workbook_does_not_go_into_it(
    clone: Path, tmp_path: Path
) -> None:
    """Whoever makes it may have worked on a lab: what counts is the reference, and start/."""
    make(clone, "start", "LAB=1")
    edit(clone / "lab01_cpu_naive/kernel.c", "TODO", "MINE")
    assert make(clone, "handout", f"OUT={tmp_path}/out").status == 0
    assert "MINE" not in (tmp_path / "out/lab01_cpu_naive/kernel.c").read_text()
    assert not (tmp_path / "out/lab01_cpu_naive/mine").exists()
