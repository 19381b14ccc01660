# SPDX-License-Identifier: MIT
"""The page of a full report in a real browser, on a phone and on a large screen, by day and by
night; and on paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.pages import browse, example, listener
from tests.support import needs, run
from workbook.report.data.text import table
from workbook.report.document import html

pytestmark = [pytest.mark.report, pytest.mark.slow]

PLOTS = 18
WIDTHS = (360, 800, 1280, 1920)
DESKTOP, PAPER = 1280, 657  # pixels; of A4 paper between its margins
NIGHT = "--blink-settings=preferredColorScheme=0"
# What a browser makes of a page, told by a copy without the rule that no program may run in it.
MEASURE = """
<script>addEventListener('load', () => {
    const all = what => [...document.querySelectorAll(what)]
    const style = (element, what) => getComputedStyle(element)[what].replaceAll(' ', '')
    const root = document.documentElement
    const wide = all('.table').filter(frame => frame.scrollWidth > frame.clientWidth)
    const say = {
        width: innerWidth,
        overflow: root.scrollWidth - innerWidth,
        plots: all('figure > img[alt]')
            .filter(p => p.naturalWidth && p.width > innerWidth / 5).length,
        tables: all('main table').filter(table => [...table.querySelectorAll('td + td')]
            .some(cell => /[0-9]/.test(cell.innerText))).length,
        wide: wide.length,
        scroll: wide.filter(frame => style(frame, 'overflowX') == 'auto'
            && style(frame, 'backgroundImage').includes('gradient')).length,
        colors: [style(root, 'backgroundColor'), style(root, 'color'),
            style(all('figure > img')[0] || root, 'backgroundColor')].join(' '),
    }
    parent.postMessage(Object.entries(say).map(entry => entry.join('=')).join(';'), '*')
})</script>
"""
FRAMES = """<body>
<script>addEventListener('message', said => {
    const line = document.createElement('p')
    line.append(said.data)
    document.body.append(line)
})</script>
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return example(tmp_path_factory.mktemp("example"))


def see(
    page: str, folder: Path, *flags: str, widths: Sequence[int] = WIDTHS
) -> list[dict[str, str]]:
    """What a browser says of a page, at each width."""
    page = re.sub(r"<meta http-equiv[^>]*>", "", page)
    (folder / "copy.html").write_text(page + MEASURE, encoding="utf-8")
    frames = [
        f'<iframe src="copy.html" style="width: {width}px; height: 700px"></iframe>'
        for width in widths
    ]
    (folder / "frames.html").write_text(FRAMES + "\n".join(frames), encoding="utf-8")
    dom = browse(folder / "frames.html", folder / "profile", 9, *flags).out
    said = [
        dict(word.split("=", 1) for word in line.split(";"))
        for line in re.findall(r"<p>([^<]*)</p>", dom)
    ]
    assert sorted(int(one["width"]) for one in said) == list(widths)
    return said


def light(color: str) -> bool:
    return min(map(int, re.findall(r"\d+", color))) > 200


def dark(color: str) -> bool:
    return max(map(int, re.findall(r"\d+", color))) < 100


@pytest.fixture(scope="module")
def page(report: Path) -> str:
    return (report / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def by_day(page: str, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    return see(page, tmp_path_factory.mktemp("day"))


def test_the_page_asks_for_nothing_and_the_console_is_empty(report: Path, tmp_path: Path) -> None:
    with listener() as network:
        seen = browse(report / "report.html", tmp_path / "profile", network.port)
        assert "</html>" in seen.out
        assert "CONSOLE" not in seen.err
        assert network.asked() == []


def test_no_page_is_wider_than_its_screen(by_day: list[dict[str, str]]) -> None:
    assert [seen["overflow"] for seen in by_day] == ["0"] * len(WIDTHS)


def test_every_plot_is_shown_at_every_width(by_day: list[dict[str, str]]) -> None:
    assert [seen["plots"] for seen in by_day] == [str(PLOTS)] * len(WIDTHS)


def test_every_table_but_the_list_of_files_has_numbers(
    report: Path, by_day: list[dict[str, str]]
) -> None:
    tables = re.findall(r"^\|-", (report / "report.md").read_text(encoding="utf-8"), re.M)
    assert [seen["tables"] for seen in by_day] == [str(len(tables) - 1)] * len(WIDTHS)


def test_on_a_phone_wide_tables_scroll_and_show_it(by_day: list[dict[str, str]]) -> None:
    phone = next(seen for seen in by_day if seen["width"] == "360")
    assert int(phone["wide"]) > 5
    assert phone["scroll"] == phone["wide"]


def test_it_is_light_by_day(by_day: list[dict[str, str]]) -> None:
    for paper, ink, plots in (seen["colors"].split() for seen in by_day):
        assert light(paper) and dark(ink) and light(plots)


def test_it_is_dark_by_night_but_for_the_plots(page: str, tmp_path: Path) -> None:
    for paper, ink, plots in (seen["colors"].split() for seen in see(page, tmp_path, NIGHT)):
        assert dark(paper) and light(ink) and plots == "rgb(255,255,255)"


def test_a_page_that_is_too_wide_would_be_seen(page: str, tmp_path: Path) -> None:
    wide = page.replace("</main>", '<p style="width: 1000px">x</p></main>')
    assert {seen["width"] for seen in see(wide, tmp_path) if seen["overflow"] != "0"} == {
        "360",
        "800",
        "1280",
    }


def test_no_table_is_wider_than_a_desktop(by_day: list[dict[str, str]]) -> None:
    assert [seen["wide"] for seen in by_day if int(seen["width"]) >= DESKTOP] == ["0", "0"]


WIDEST = table(
    ["ms (spread)", *(f"BLOCK_KN={8 << n}" for n in range(9))],
    [["lab07_ocl_localmem, one_per_item, N=1024", *["(12345, 4 %)"] * 9]],
)


@pytest.mark.parametrize("width", [DESKTOP, PAPER])
def test_a_table_as_wide_as_one_may_be_fits(tmp_path: Path, width: int) -> None:
    page = html.page(WIDEST, tmp_path, print)
    (seen,) = see(on_paper(page) if width == PAPER else page, tmp_path, widths=[width])
    assert WIDEST.count("\n\n") == 1
    assert (seen["wide"], seen["overflow"]) == ("0", "0")


def on_paper(page: str) -> str:
    """As a screen of that width shows it."""
    return page.replace("@media print", "@media all").replace("@media screen", "@media tv")


def test_no_table_is_wider_than_a_sheet_of_paper(page: str, tmp_path: Path) -> None:
    (seen,) = see(on_paper(page), tmp_path, widths=[PAPER])
    assert (seen["wide"], seen["overflow"]) == ("0", "0")


def test_a_print_has_all_headings_and_times_and_numbered_pages(
    report: Path, tmp_path: Path
) -> None:
    needs("pdftotext")
    made = f"--print-to-pdf={tmp_path}/report.pdf"
    browse(report / "report.html", tmp_path / "profile", 9, "--no-pdf-header-footer", made)
    paper = run(["pdftotext", "-layout", "report.pdf", "-"], tmp_path).out
    text = re.sub(
        r"^```.*?^```", "", (report / "report.md").read_text(encoding="utf-8"), flags=re.M | re.S
    )
    wanted = re.findall(r"^#+ (.*)$", text, re.M)
    for row in re.findall(r"^\| lab.*$", text, re.M):
        wanted += re.findall(r"\| ([\d.]+ \()", row)
    assert len(wanted) > 150
    flat = squeezed(paper)
    assert [words for words in wanted if squeezed(words) not in flat] == []


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)
