# SPDX-License-Identifier: MIT
"""make report: what it measures, what it measures again, what it leaves alone, and how it ends.
Labs 01 and 08 at tiny sizes, without plots and pages, which have tests of their own. No time
decides anything."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from tests.copies import copy_to
from tests.support import Result, edit, environment, make, run
from workbook.report.data import measurements

pytestmark = [pytest.mark.report, pytest.mark.slow]

SIZES = (32, 64, 96)
EMULATED = "no CUDA device here: an emulated run has no times"
ENV = {"QUICK": "1", "CUDA": "cpu"}
LAB, CUDA_LAB = "lab01_cpu_naive", "lab08_cuda_naive"
WORDS = "Моя машина 我的机器\r\n"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbook with two labs."""
    tree = copy_to(tmp_path_factory.mktemp("book"))
    for lab in tree.glob("lab0*"):
        if lab.name not in (LAB, CUDA_LAB):
            shutil.rmtree(lab)
    (tree / "workbook/report/plots/draw.py").write_text("def draw(report): pass\n")
    (tree / "workbook/report/document/html.py").write_text(
        "PAGE = 'report.html'\n\n\ndef write(report): pass\n"
    )
    edit(
        tree / "workbook/report/measure/plan.py",
        "(128, 256, 512), (1024, 2048)",
        f"{SIZES}, (1024, 2048)",
    )
    (tree / "build").mkdir()
    ceilings = "".join(
        f"{b}\tSome device\t{t}\t1000\t50\n" for b in ("cpu", "cuda") for t in ("float", "double")
    )
    (tree / "build/ceilings.tsv").write_text(ceilings)
    with (tree / "workbook/measure/ceilings.py").open(
        "a"
    ) as ceilings_py:  # half a minute each time
        ceilings_py.write("\n\ndef measure(*_):\n    pass\n")
    return tree


def bring(book: Path, report: Path, **env: str) -> Result:
    """Up to date."""
    return run([sys.executable, "-m", "workbook", "report", report], book, env={**ENV, **env})


def times_to_measure(result: Result) -> int:
    said = re.search("report: (?:([0-9]+) times to measure|all is measured)", result.err)
    assert said, result.text
    return int(said[1] or 0)


@pytest.fixture(scope="module")
def complete(book: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A report that a student began, and in which all is measured."""
    report = tmp_path_factory.mktemp("complete") / "report"
    report.mkdir()
    text = (book / "report_template/report.md").read_text("utf-8")
    text = text.replace("<!-- fill ", f"{WORDS}<!-- fill ", 1)
    (report / "report.md").write_bytes(text.encode())
    shutil.copy(report / "report.md", report.parent / "begun.md")
    return report, bring(book, report)


@pytest.fixture
def report(complete: tuple[Path, Result], tmp_path: Path) -> Path:
    shutil.copytree(complete[0], tmp_path / "report")
    return tmp_path / "report"


@pytest.fixture
def kernel(book: Path) -> Iterator[Path]:
    """Lab 01's, which this test may change."""
    yield from restored(book / LAB / "kernel.c")


@pytest.fixture
def cuda_kernel(book: Path) -> Iterator[Path]:
    yield from restored(book / CUDA_LAB / "kernel.cu")


def restored(path: Path) -> Iterator[Path]:
    was = path.read_bytes()
    yield path
    path.write_bytes(was)


def rows(report: Path, lab: str = LAB) -> pd.DataFrame:
    return measurements.read(report / f"data/{lab}.csv")[0]


def timed(report: Path, lab: str = LAB) -> pd.DataFrame:
    return measurements.timed(rows(report, lab))


def csv(report: Path) -> Path:
    return report / f"data/{LAB}.csv"


def old(report: Path) -> list[str]:
    return (report / f"data/old/{LAB}.csv").read_text("utf-8").splitlines()[1:]


def change(path: Path, how: Callable[[list[str]], list[str]]) -> None:
    """The lines of a CSV behind its header."""
    header, *lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join([header, *how(lines)]), "utf-8")


def left_over(book: Path, report: Path) -> list[str]:
    names = [*report.rglob(".new.*"), *report.glob(".*"), *(book / "build").glob("report.*")]
    return [str(path) for path in names]


def outside(text: str) -> str:
    text = re.sub(r"(?ms)^(<!-- fill [a-z0-9-]+ -->\n).*?(?=^<!-- end -->$)", r"\1", text)
    return re.sub(r"(?<=-->)[^<>\n]*(?=<!-- end -->)", "", text)


# ---- the first time ------------------------------------------------------------------------------
@pytest.mark.slow
def test_the_first_run_measures_every_cell_in_rounds(
    book: Path, complete: tuple[Path, Result]
) -> None:
    report, result = complete
    assert result.status == 0
    assert times_to_measure(result) == len(SIZES) + len(rows(report, CUDA_LAB))
    found = timed(report)
    assert list(found["N"].unique()) == list(SIZES)
    for N in SIZES:
        assert list(found["round"][found["N"] == N]) == [1, 1, 2, 2]
        assert list(found["rep"][found["N"] == N]) == [1, 2, 3, 4]
    assert set(found["verified"]) == {"full"}
    assert left_over(book, report) == []


def test_emulated_labs_have_no_times_and_say_why(complete: tuple[Path, Result]) -> None:
    found = rows(complete[0], CUDA_LAB)
    assert len(found) == 10
    assert set(found["why"]) == {EMULATED}
    assert found["kernel_ms"].isna().all()
    assert set(found["backend"]) == {"cuda"}


def test_tables_are_filled_and_the_words_of_a_student_stay(complete: tuple[Path, Result]) -> None:
    report = complete[0]
    before = (report.parent / "begun.md").read_bytes().decode()
    after = (report / "report.md").read_bytes().decode()
    assert re.search(r"^\| lab01_cpu_naive \| [0-9.]+ \([0-9]+ %\) \|", after, re.M)
    assert re.search(r"^\| compiler \| .*[0-9]", after, re.M)
    assert WORDS in after
    assert outside(after) == outside(before)


@pytest.mark.parametrize("fresh", ["", "0"])
def test_what_is_measured_is_not_measured_again(book: Path, report: Path, fresh: str) -> None:
    before = {path.name: path.read_bytes() for path in (report / "data").glob("*")}
    result = bring(book, report, FRESH=fresh)
    assert (result.status, times_to_measure(result)) == (0, 0)
    assert {path.name: path.read_bytes() for path in (report / "data").glob("*")} == before


def test_settings_that_would_end_in_wrong_cells_are_refused(book: Path) -> None:
    result = make(book, "report", "BLOCK=8")
    assert (result.status, result.text.count("BLOCK=8: leave it out")) == (2, 1)
    assert not (book / "report").exists()


# ---- what is measured again ----------------------------------------------------------------------
def test_a_kernel_that_changed_is_measured_again_and_its_former_times_are_kept(
    book: Path, report: Path, kernel: Path
) -> None:
    former = csv(report).read_text("utf-8").splitlines()[1:]
    kernel.write_text(kernel.read_text() + "// changed\n")
    assert times_to_measure(bring(book, report)) == len(SIZES)
    assert sorted(old(report)) == sorted(former)
    assert set(timed(report)["stamp"]).isdisjoint(line.split(",")[21] for line in former)


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("skipped", "about 9 s a run: longer than the limit of 2 s"),
        ("failed", "does not compile: no space"),
    ],
    ids=["another-limit", "a-failure-that-may-have-passed"],
)
def test_a_cell_without_a_time_is_tried_again(
    book: Path, report: Path, state: str, why: str
) -> None:
    stamp = rows(report)["stamp"][0]
    row = {"lab": LAB, "backend": "cpu", "type": "float", "M": 64, "N": 64, "K": 64, "stamp": stamp}
    empty = measurements.text(
        measurements.frame([{**row, "verified": state, "why": why}])
    ).splitlines(keepends=True)[1]
    change(
        csv(report), lambda lines: [*(line for line in lines if ",64,64,64," not in line), empty]
    )
    assert times_to_measure(bring(book, report)) == 1
    assert times_to_measure(bring(book, report)) == 0


def test_a_run_that_would_take_too_long_is_left_out(book: Path, report: Path, kernel: Path) -> None:
    slow = [
        re.sub(r"(,32,32,32,\d+),[0-9.]+", r"\1,900", line)
        for line in csv(report).read_text().splitlines()
    ]
    csv(report).write_text(
        "\n".join(line for line in slow if ",96,96,96," not in line and ",64," not in line) + "\n"
    )
    bring(book, report)
    assert set(rows(report)["why"][rows(report)["N"] > 32]) == {
        "about 7 s a run: longer than the limit of 3 s",
        "about 24 s a run: longer than the limit of 3 s",
    }


# ---- wrong kernels -------------------------------------------------------------------------------
BROKEN = {
    "a-wrong-sum": ("real sum = 0", "real sum = 1", "wrong result"),
    "no-c": (
        "real sum = 0",
        "real sum = nothing",
        r"does not compile: kernel.c:10: '?nothing'? undeclared",
    ),
}


@pytest.mark.parametrize(("good", "bad", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_kernel_has_no_time_but_a_reason(
    book: Path, report: Path, kernel: Path, good: str, bad: str, why: str
) -> None:
    edit(kernel, good, bad)
    result = bring(book, report)
    assert re.search(f"^report: {LAB} has no times: {why}", result.err, re.M)
    assert timed(report).empty
    assert all(re.match(why, said) for said in rows(report)["why"]) and len(rows(report)) == len(
        SIZES
    )
    assert re.search(rf"^\(a\) {why}", (report / "report.md").read_text("utf-8"), re.M)


def test_a_broken_cuda_kernel_is_found_without_a_device(
    book: Path, report: Path, cuda_kernel: Path
) -> None:
    for variant in cuda_kernel.parent.glob("kernel_*"):
        os.utime(variant)
    edit(cuda_kernel, "k < K", "k < K - 1")
    why = f"^report: {CUDA_LAB} has no times: wrong result"
    assert re.search(why, bring(book, report).err, re.M)


# ---- damaged tables: none of it is run -----------------------------------------------------------
def field(n: int, value: str) -> Callable[[str], str]:
    return lambda line: ",".join([*line.split(",")[:n], value, *line.split(",")[n + 1 :]])


DAMAGE = {
    "no-number": ('3 has no time in kernel_ms but "nan"', 1, field(9, "nan")),
    "a-command": ("2 is of no lab", 0, field(0, "lab01|;e touch pwned #/")),
    "a-lost-field": ("4 has 23 fields instead of 24", 2, lambda line: line.partition(",")[2]),
}


@pytest.mark.parametrize(("words", "n", "damage"), DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_row_is_named_kept_and_its_cell_measured_again(
    book: Path, report: Path, words: str, n: int, damage: Callable[[str], str]
) -> None:
    change(
        csv(report),
        lambda lines: [*lines[:n], damage(lines[n].rstrip("\n")) + "\n", *lines[n + 1 :]],
    )
    was = csv(report).read_bytes()
    told = f"{csv(report)} line {words}"
    result = bring(book, report)
    assert result.status == 0 and told in result.err
    assert times_to_measure(result) == 1
    assert len(timed(report)) == 4 * len(SIZES)
    assert (report / f"data/old/{LAB}.damaged.csv").read_bytes() == was
    assert not list(book.rglob("pwned")) and not list(report.rglob("pwned"))


# ---- a student's words ---------------------------------------------------------------------------
def copies(report: Path) -> list[Path]:
    return list(report.glob("report.2*.md"))


def test_words_between_markers_make_way_and_stay_in_a_copy(book: Path, report: Path) -> None:
    document = report / "report.md"
    was = re.sub(r"(\| lab01_cpu_naive \| )(?=[0-9])", r"\1(mine) ", document.read_bytes().decode())
    document.write_bytes(was.encode())
    result = bring(book, report)
    assert "what you wrote between the markers of" in result.err
    assert [copy.read_bytes().decode() for copy in copies(report)] == [was]
    assert "(mine)" not in document.read_text("utf-8")


def test_a_marker_with_a_mistake_is_left_alone_and_words_in_it_stay_when_it_is_mended(
    book: Path, report: Path
) -> None:
    document = report / "report.md"
    edit(document, "<!-- fill device -->\n", "See: <!-- fill device -->\n\nMY WORDS\n")
    result = bring(book, report)
    assert "share lines with other text" in result.err
    assert "MY WORDS" in document.read_text("utf-8") and copies(report) == []
    edit(document, "See: <!-- fill device -->", "<!-- fill device -->")
    bring(book, report)
    assert ["MY WORDS" in copy.read_text("utf-8") for copy in copies(report)] == [True]


# ---- what is in the way --------------------------------------------------------------------------
def test_a_link_to_nowhere_is_told_and_stays(book: Path, report: Path) -> None:
    (report / "report.md").unlink()
    (report / "report.md").symlink_to("nowhere.md")
    result = bring(book, report)
    assert result.status == 2 and "is a link to nowhere.md, which is not there" in result.err
    assert (report / "report.md").is_symlink()


def test_a_full_disk_is_told_and_what_was_measured_stays(book: Path, report: Path) -> None:
    """No file may become longer than half a MiB, and the table with a new cell would."""
    (report / ".lock").symlink_to("999999999")  # of one that was killed
    sound = [
        line for line in csv(report).read_text("utf-8").splitlines() if ",64,64,64," not in line
    ]
    one = [line for line in sound if ",32,32,32," in line]
    more = [line.replace(",32,32,32,", f",{N},{N},{N},") for N in range(1000, 2400) for line in one]
    csv(report).write_text("\n".join([*sound, *more]) + "\n")
    was = csv(report).read_bytes()
    assert len(was) > 600_000
    command = f"ulimit -f 1000; exec '{sys.executable}' -m workbook report '{report}'"
    result = run(command, book, env={**ENV, "PYTHONDONTWRITEBYTECODE": "1"})
    assert result.status == 2
    assert f"cannot write {csv(report)}: is the disk full" in result.err
    assert csv(report).read_bytes() == was
    assert left_over(book, report) == []


def interruptible() -> None:
    """Also where the tests run in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminated"])
def test_interrupted_it_keeps_what_was_measured_and_leaves_nothing(
    book: Path, report: Path, kernel: Path, tmp_path: Path, number: int
) -> None:
    begun = tmp_path / "begun"
    was, document = len(timed(report)), (report / "report.md").read_bytes()
    source = kernel.read_text()
    forever = (
        f'fclose(fopen("{begun}", "w")); for (volatile int forever = 1; forever;) {{}} real sum = 0'
    )
    kernel.write_text("#include <stdio.h>\n" + source.replace("real sum = 0", forever))
    command = [sys.executable, "-m", "workbook", "report", str(report)]
    process = subprocess.Popen(
        command,
        cwd=book,
        env=environment(**ENV, FRESH="1"),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=interruptible,
    )
    while not begun.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "interrupted: what was measured is kept in" in said and "Traceback" not in said
    assert len(timed(report)) == was and (report / "report.md").read_bytes() == document
    assert left_over(book, report) == []
    assert subprocess.run(["pgrep", "-f", str(tmp_path)], stdout=subprocess.PIPE).stdout == b""
    kernel.write_text(source)
    # All was to be measured, and still is.
    assert times_to_measure(bring(book, report)) == len(SIZES) + 10


@pytest.mark.parametrize("lacking", ["pandas", "matplotlib", "markdown_it"])
def test_what_it_lacks_is_told_before_anything_is_measured(
    tree: Path, tmp_path: Path, lacking: str
) -> None:
    (tmp_path / f"{lacking}.py").write_text(
        f"raise ModuleNotFoundError('gone', name={lacking!r})\n"
    )
    command = [sys.executable, "-m", "workbook", "report", str(tmp_path / "report")]
    result = run(command, tree, env={"PYTHONPATH": str(tmp_path)})
    assert (result.status, result.out) == (2, "")
    assert result.err == f"report: needs {lacking}: run ./setup report\n"


def test_a_table_that_is_no_file_is_told(book: Path, report: Path) -> None:
    csv(report).unlink()
    csv(report).mkdir()
    result = bring(book, report)
    assert result.status == 2
    assert f"{csv(report)} is not a file that may be read and written" in result.err
