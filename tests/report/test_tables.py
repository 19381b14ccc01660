# SPDX-License-Identifier: MIT
"""The tables of a report, from made-up times whose medians, spreads and ratios were worked out by
hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import TOP
from workbook.lab.labs import describe, ladder
from workbook.report.data import measurements
from workbook.report.data.text import table
from workbook.report.measure.plan import plan
from workbook.report.tables.data_warnings import doubts
from workbook.report.tables.values import values

pytestmark = pytest.mark.report

EMULATED = "no CUDA device here: an emulated run has no times"
LABS = sorted(path.name for path in TOP.glob("lab0*"))


def timed(
    lab: str, variant: str, backend: str, kind: str, N: int, settings: str, *ms: float
) -> list[measurements.Row]:
    """A row for each time; all copies take 2 and 3 ms."""
    row: dict[str, object] = dict.fromkeys("MNK", N)
    row.update(lab=lab, variant=variant, backend=backend, type=kind, stamp=1)
    row.update(device="Some, device", settings=settings, verified="full", gflops=1)
    row.update(h2d_ms=2, d2h_ms=3, alloc_ms=0.5, build_ms=7, context_ms=300)
    row.update(peak_gflops=1000, peak_gbs=50)
    each = [{**row, "rep": n, "kernel_ms": x} for n, x in enumerate(ms, 1)]
    return [{name: str(x) for name, x in one.items()} for one in each]


def empty(
    lab: str, variant: str, backend: str, N: int, settings: str, why: str
) -> list[measurements.Row]:
    row: dict[str, object] = dict.fromkeys("MNK", N)
    row.update(lab=lab, variant=variant, backend=backend, type="float")
    row.update(verified="skipped", settings=settings, why=why)
    return [{name: str(x) for name, x in row.items()}]


# Medians 2000, 20 and 4; quartiles of 18 19 20 22 30 are 19 and 22, 15 % of 20.
ROWS = [
    *timed("lab01_cpu_naive", "", "cpu", "float", 1000, "", 2000, 2000, 2000),
    *timed("lab01_cpu_naive", "", "cpu", "float", 2000, "", 16000),
    *timed("lab02_avx", "", "cpu", "float", 1000, "", 30, 18, 22, 19, 20),
    *empty("lab02_avx", "", "cpu", 2000, "", "about 90 s a run: longer than the limit of 60 s"),
    *timed("lab03_avx_block", "", "cpu", "float", 1000, "", 4, 4, 4, 4),
    *timed("lab03_avx_block", "published", "cpu", "float", 1000, "", 8, 10),
    *timed("lab03_avx_block", "", "cpu", "float", 1000, "BLOCK_KN=16", 5),
    *timed("lab03_avx_block", "", "cpu", "float", 1000, "BLOCK_KN=64", 7),
    *timed("lab03_avx_block", "published", "cpu", "float", 1000, "BLOCK_KN=8", 9),
    *timed("lab04_ocl_naive", "", "opencl", "float", 512, "", 0.5),
    *timed("lab04_ocl_naive", "", "opencl", "double", 512, "", 1.5),
    *timed("lab04_ocl_naive", "", "opencl", "int", 512, "", 1),
    *empty("lab07_ocl_localmem", "", "opencl", 512, "", "the device <has> no | room for `it`"),
    *timed("lab07_ocl_localmem", "one_per_item", "opencl", "float", 512, "TILE=4", 100),
    *empty("lab07_ocl_localmem", "one_per_item", "opencl", 512, "TILE=32", "work-group limit 256"),
    *timed("lab08_cuda_naive", "", "cuda", "float", 1000, "BLOCK=16", 12),
    *timed("lab08_cuda_naive", "", "cuda", "float", 1024, "BLOCK=16", 13),
    *empty("lab08_cuda_naive", "", "cuda", 1000, "", EMULATED),
    *timed("lab09_cuda_shared", "", "cuda", "float", 1000, "BLOCK=16", 3),
]
PROVENANCE = (
    "cpu: Some, device (CPU, 4 cores, 100 MiB of memory)\ncaches: L1 32 KiB\ncompiler: cc 1\n"
)
PEAK = "cpu\tSome, device\tfloat\t1234.4\t55.5\n"


def made_up(report: Path, rows: list[measurements.Row], ceilings: str = PEAK) -> Path:
    (report / "data").mkdir()
    (report / "plots").mkdir()
    for lab in LABS:
        own = [row for row in rows if row["lab"] == lab]
        measurements.write(report / f"data/{lab}.csv", measurements.frame(own))
    (report / "data/provenance.txt").write_text(PROVENANCE)
    (report / "data/ceilings.tsv").write_text(ceilings)
    (report / "data/defaults.txt").write_text("lab03_avx_block: BLOCK_KN=64\n")
    (report / "plots/time-cpu.svg").write_text("<svg/>")
    return report


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return values(made_up(tmp_path_factory.mktemp("report"), ROWS))


LINES = {
    "median-and-spread": ("cpu-sizes", "| lab02_avx | 20.0 (15 %) | (a) |"),
    "reason-below-the-table": ("cpu-sizes", "(a) about 90 s a run: longer than the limit of 60 s"),
    "gflops-peak-and-times-the-lab-before": (
        "ladder-cpu",
        "| lab02_avx | 20.0 | 100 | 15 % | 10.0 % | 100 |",
    ),
    "a-variant-is-compared-with-the-lab-before": (
        "ladder-cpu",
        "| lab03_avx_block, published | 9.00 | 222 | 11 % | 22.2 % | 2.22 |",
    ),
    "ladder-where-most-labs-have-times": (
        "ladder-cpu",
        "| lab, N=1000 | ms | GFLOP/s | spread | % of peak | x lab before |",
    ),
    "blocks": ("cpu-blocks", "| lab03_avx_block, N=1000 | - | 5.00 (0 %) | 7.00 (0 %) |"),
    "integers-in-GOP": ("opencl-types", "| lab04_ocl_naive, int | GOP/s | 268 (0 %) |"),
    "reasons-are-text": ("opencl-sizes", r"(a) the device \<has> no \| room for \`it\`"),
    "sweeps": (
        "opencl-sweeps",
        "| lab07_ocl_localmem, one_per_item | 512 | TILE=4 | 100 | 2.68 | 0 % |",
    ),
    "copies-allocation-and-build": (
        "opencl-parts",
        "| lab04_ocl_naive | 512 | 0.500 | 2.00 | 3.00 | 0.500 | 7.00 | 300 |",
    ),
    "no-parts-of-what-has-no-time": (
        "opencl-parts",
        "| lab07_ocl_localmem | 512 | (a) | - | - | - | - | - |",
    ),
    "blocks-side-by-side": (
        "cuda-blocks",
        "| 1000 | 16 | 63 x 63 | 12.0 (0 %) | 3.00 (0 %) | 4.00 |",
    ),
    "cuda-parts": (
        "cuda-parts",
        "| lab09_cuda_shared | 1000 | 16 | 3.00 | 2.00 | 3.00 | 0.500 | 300 |",
    ),
    "emulated-says-so": ("cuda-sizes", f"(a) {EMULATED}"),
    "timed-twice": ("twice", "| CPU | 1 | 75 % | 75 % |"),
    "device": ("device", "| measured peak, float, GFLOP/s | 1234 (one core) | - | - |"),
    "predicted-work": ("predict-lab02-work", "2.00 (N=1000)"),
    "predicted-speed": ("predict-lab02-gflops", "100 (15 %)"),
    "predicted-speedup": ("predict-lab03-speedup", "5.00"),
    "not-measured": ("predict-lab08-gflops", f"not measured: {EMULATED}"),
    "plot": (
        "plot-time-cpu",
        "![CPU labs: time of a kernel over the size. Both axes are logarithmic, so N³ is a "
        "straight line, as "
        "steep as the dotted one.](plots/time-cpu.svg)",
    ),
}


@pytest.mark.parametrize(("name", "line"), LINES.values(), ids=LINES.keys())
def test_a_table_has(tables: dict[str, str], name: str, line: str) -> None:
    assert line in tables[name].splitlines()


def test_what_is_predicted_for_another_n_is_held_against_that_where_it_was_measured(
    tmp_path: Path,
) -> None:
    rows = [
        *timed("lab01_cpu_naive", "", "cpu", "float", 512, "", 30),
        *timed("lab01_cpu_naive", "", "cpu", "float", 1000, "", 100),
        *timed("lab02_avx", "", "cpu", "float", 512, "", 5),
        *timed("lab02_avx", "", "cpu", "float", 1000, "", 10),
    ]
    asked = "| N | {} | <!-- fill predict-lab0{}-size --> ____ <!-- end --> |   |\n"
    report = made_up(tmp_path, rows)
    (report / "report.md").write_text(asked.format(256, 1) + asked.format(512, 2))
    made = values(report)
    assert [made[f"predict-lab0{lab}-size"] for lab in (1, 2)] == ["1000\n", "512\n"]
    assert made["predict-lab02-work"] == "0.268 (N=512)\n"
    assert made["predict-lab02-speedup"] == "6.00\n"


def names(document: Path) -> list[str]:
    return re.findall("<!-- fill ([a-z0-9-]+) -->", document.read_text("utf-8"))


def test_every_marker_of_the_template_has_a_value_and_every_value_a_marker(tmp_path: Path) -> None:
    every_lab = [
        row
        for lab in LABS
        for row in timed(
            lab, "", {"o": "opencl", "u": "cuda"}.get(lab[7], "cpu"), "float", 512, "", 1
        )
    ]
    made = values(made_up(tmp_path, every_lab))
    assert sorted(made) == sorted(names(TOP / "report_template/report.md"))


def first_cells(text: str) -> list[tuple[str, str]]:
    """Of each block, the name and what begins each row, whatever its N."""
    blocks = re.findall(r"(?ms)^<!-- fill ([a-z0-9-]+) -->\n(.*?)^<!-- end -->$", text)
    rows = [
        (name, line.split("|")[1])
        for name, block in blocks
        for line in block.splitlines()
        if line[:1] == "|"
    ]
    return [(name, re.sub("N=[_0-9]+", "N", first)) for name, first in rows]


def settings_in(text: str) -> set[tuple[str, str]]:
    """Of each row of the table of all settings, the program and its tunables."""
    block = re.findall(r"(?ms)^<!-- fill opencl-sweeps -->\n(.*?)^<!-- end -->$", text)[0]
    return {(cells[1], cells[3]) for cells in (row.split("|") for row in block.splitlines()[2:])}


def test_filled_in_by_hand_the_template_asks_for_what_is_measured_where_there_is_everything(
    tmp_path: Path,
) -> None:
    """The steps are missing there, as they come and go; but not the tiles of square."""
    cells = [
        cell for path in ladder() for cell in plan(describe(str(path), ["CUDA=cpu"]), True, False)
    ]
    report = made_up(
        tmp_path,
        [
            row
            for cell in cells
            if not cell.program.step or (cell.program.variant == "square" and cell.settings)
            for row in timed(
                *(cell.lab.name, cell.program.variant, cell.lab.backend or "", cell.type),
                *(cell.N, cell.settings, 1),
            )
        ],
    )
    made = "".join(
        f"<!-- fill {name} -->\n{text}<!-- end -->\n" for name, text in values(report).items()
    )
    by_hand = (TOP / "report_template/report.md").read_text("utf-8")
    of_facts = ("provenance", "device", "twice", "defaults")  # of the machine that was measured
    asked, there = (
        [row for row in first_cells(text) if row[0] not in of_facts] for text in (by_hand, made)
    )
    there = [row for row in there if row[0] == "opencl-tiles" or ", square" not in row[1]]
    assert len(asked) > 100
    assert sorted(set(asked) ^ set(there)) == []
    assert settings_in(by_hand) == {row for row in settings_in(made) if ", square" not in row[0]}


def test_a_time_with_a_wide_spread_is_in_parentheses_and_not_compared(tmp_path: Path) -> None:
    rows = [
        *timed("lab01_cpu_naive", "", "cpu", "float", 1000, "", 100),
        *timed("lab02_avx", "", "cpu", "float", 1000, "", 10, 20, 30),  # 50 %
        *timed("lab03_avx_block", "", "cpu", "float", 1000, "", 5, 4.5, 5.5),  # 10 %
        *timed("lab04_ocl_naive", "", "opencl", "float", 512, "", 1, 2, 3),
        *timed("lab04_ocl_naive", "", "opencl", "float", 512, "GROUP_X=8 GROUP_Y=8", 1, 2, 3),
        *timed("lab08_cuda_naive", "", "cuda", "float", 1000, "BLOCK=16", 8, 12, 16),
        *timed("lab09_cuda_shared", "", "cuda", "float", 1000, "BLOCK=16", 3),
    ]
    made = values(made_up(tmp_path, rows))
    wanted = [
        ("cpu-sizes", "| lab02_avx | (20.0, 50 %) |"),
        ("ladder-cpu", "| lab02_avx | (20.0) | (100) | 50 % | - | - |"),
        ("ladder-cpu", "| lab03_avx_block | 5.00 | 400 | 10 % | 40.0 % | - |"),
        ("predict-lab02-gflops", "(100, 50 %)"),
        ("predict-lab02-speedup", "-"),
        ("predict-lab03-speedup", "-"),
        (
            "opencl-sweeps",
            "| lab04_ocl_naive | 512 | GROUP_X=8 GROUP_Y=8 | (2.00) | (134) | 50 % |",
        ),
        ("opencl-parts", "| lab04_ocl_naive | 512 | (2.00) | 2.00 | 3.00 | 0.500 | 7.00 | 300 |"),
        ("cuda-blocks", "| 1000 | 16 | 63 x 63 | (12.0, 33 %) | 3.00 (0 %) | - |"),
    ]
    assert [line for name, line in wanted if line not in made[name].splitlines()] == []


def test_a_wide_table_is_split_and_each_part_has_its_keys() -> None:
    head = ["lab", "N", *(f"COLUMN={n}" for n in range(11))]
    rows = [["lab07_ocl_localmem, one_per_item", str(N), *["12345 (12 %)"] * 11] for N in (1, 2)]
    parts = table(head, rows, keys=2).split("\n\n")
    columns = [re.findall(r"COLUMN=(\d+)", part) for part in parts]
    assert sum(columns, []) == [str(n) for n in range(11)]
    assert max(map(len, columns)) - min(map(len, columns)) <= 2
    for part in parts:
        assert re.match(r"\| lab \| N \| COLUMN=\d+ \|.*\n\|---\|---:\|---:\|", part)
        assert part.count("| lab07_ocl_localmem, one_per_item | 1 | 12345 (12 %) |") == 1
    assert table(head[:4], [row[:4] for row in rows], keys=2).count("\n\n") == 0


def test_a_report_leads_to_the_page_that_lies_beside_it(tmp_path: Path) -> None:
    assert "make page" in values(tmp_path)["steps"]
    (tmp_path / "page.html").write_text("", encoding="utf-8")
    assert "](page.html)" in values(tmp_path)["steps"]


# ---- what is said of the data as a whole ---------------------------------------------------------
@pytest.mark.parametrize(
    ("ceilings", "said"),
    [
        ("cpu float 1234", ""),
        ("cpu float 1234, cpu double 600", ""),
        (
            "cpu float 499, cpu double 600",
            "1 times are faster than the measured peak: on a quiet machine, make ceilings report "
            "QUICK=1",
        ),
        (
            "cpu float 1234, cpu double 1235",
            "a peak is higher in double than in float: on a quiet machine, .*",
        ),
    ],
    ids=["nothing-to-doubt", "double-below-float", "a-peak-below-a-kernel", "double-above-float"],
)
def test_a_peak_is_doubted(tmp_path: Path, ceilings: str, said: str) -> None:
    lines = [
        f"{b}\tSome, device\t{t}\t{top}\t1\n"
        for b, t, top in (each.split() for each in ceilings.split(", "))
    ]
    assert re.fullmatch(
        said, "\n".join(doubts(made_up(tmp_path, ROWS, "".join(lines)), quick=True))
    )


def test_times_that_scatter_are_doubted(tmp_path: Path) -> None:
    wide = timed("lab02_avx", "", "cpu", "float", 64, "", 10, 20, 30)
    said = list(doubts(made_up(tmp_path, [*ROWS, *wide]), quick=False))
    assert said == ["1 of 16 times spread by over 20 %: on a quiet machine, make report FRESH=1"]


def test_what_failed_is_told_once(tmp_path: Path) -> None:
    rows = [
        *empty("lab02_avx", "", "cpu", 64, "", "wrong"),
        *empty("lab02_avx", "", "cpu", 128, "", "wrong"),
    ]
    failed = [{**row, "verified": "failed"} for row in rows]
    assert list(doubts(made_up(tmp_path, failed), quick=False)) == ["lab02_avx has no times: wrong"]
