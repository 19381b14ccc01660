# SPDX-License-Identifier: MIT
"""report.html of documents of all sorts: what is shown, what is left out and told, what stays as it
was when the page cannot be made; and the page of a full report in a browser, on a phone, on a large
screen, by night and on paper."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pages import browse, listener
from tests.reports import full_report
from tests.support import TOP, needs, run
from workbook import UserError
from workbook.report.data.text import table
from workbook.report.document import html
from workbook.report.document.write import write

pytestmark = pytest.mark.report

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
BOX = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>'
# What nobody may find in a page.
DANGER = re.compile(
    r"<script|<style|<iframe|<link |<meta|<base|<object|<form|<svg|srcset|\son\w+=|href=.javascript"
    r"|style=\"(?!text-align)|url\(http|<!--|src=\"[^d]"
)


@pytest.fixture
def doc(tmp_path: Path) -> Path:
    folder = tmp_path / "doc"
    folder.mkdir()
    (folder / "my 图.png").write_bytes(base64.b64decode(PIXEL))
    (folder / "box.svg").write_text(BOX)
    (folder / "false.png").write_text("no image\n")
    return folder


def shown(folder: Path, text: str) -> tuple[str, list[str]]:
    """The body of the page of a text, and what is said."""
    said: list[str] = []
    page = html.page(text, folder, said.append)
    return page[page.index("<header>") :], said


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# Отчёт: 矩阵\n\nПривет, $5 && a < b", "Привет, $5 &amp;&amp; a &lt; b"),
        ("a `<script>` in code", "<code>&lt;script&gt;</code>"),
        ("vector<float> x", "vector x"),  # GitHub shows no unknown element either
        ("H<sub class=x>2</sub>O <kbd>C</kbd>", "H<sub>2</sub>O <kbd>C</kbd>"),
        ("<details><summary>more</summary>\n\n*text*\n</details>", "<em>text</em>"),
        ("a <title> in the middle\n\nb", "b</p>"),
        ("~~gone~~", "<s>gone</s>"),
        ("| a |\n|--:|\n| 1 |", '<td style="text-align:right">1</td>'),
        ("| a |\n|---|\n| 1 |", '<div class="table short" tabindex="0"><table>'),
        ("| a |\n|---|\n" + "| 1 |\n" * 20, '<div class="table long" tabindex="0"><table>'),
        ("a[^1]\n\n[^1]: the note", "the note"),
        ("[x](#part)\n\n## Part", '<h2 id="part">Part</h2>'),
        ("<https://example.org/a>", '<a href="https://example.org/a">https://example.org/a</a>'),
        ("$O(N^{2.8}) < 2 \\cdot N_k^3$", "O(N<sup>2.8</sup>) &lt; 2 · N<sub>k</sub><sup>3</sup>"),
        ("a $\\sqrt{x}$ and $5 and $6", ">\\sqrt{x}</span> and $5 and $6"),
        ("$x^<b>y</b>$ b", "x^&lt;b&gt;y&lt;/b&gt;"),
        ("**Question.** Why?", '<p class="question"><strong>Question.</strong> Why?</p>'),
        ("![A](box.svg)", '<figcaption aria-hidden="true">A</figcaption></figure>'),
        ("![*A* `B`](box.svg) and text", 'alt="A B"> and text</p>'),
        ("![](my%20图.png)", f"data:image/png;base64,{PIXEL}"),
        ('<img src="box.svg" width="50" style="x">', 'alt="" width="50">'),
        ("x <!-- fill a --> 3.25 <!-- end -->", "<p>x  3.25 </p>"),
    ],
)
def test_what_is_text_stays(doc: Path, text: str, wanted: str) -> None:
    page, said = shown(doc, text)
    assert wanted in page
    assert said == [] or "<" in text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("b ![](plots/nosuch.svg)", "image plots/nosuch.svg is not there"),
        ("b ![](false.png)", "image false.png is no image"),
        ("b ![](http://127.0.0.1/1.png)", "image http://127.0.0.1/1.png is elsewhere"),
        ("b <img src='//x/2.png' srcset='//x/3.png' onerror=x()>", "image //x/2.png is elsewhere"),
        ("b\n\n<script>\ndocument.title = 'onclick=' </script>", "<script> is left out"),
        ("<style>\nb { background: url(http://x) }\n</style>\n\nb", "<style> is left out"),
        ("b <object data='x'></object><embed src='x'>", "<object> is left out"),
        ("b <form action='x'><button>go</button></form>", "<form> is left out"),
        ("b <meta http-equiv='refresh' content='0; url=http://x'>", "<meta> is left out"),
        ("b <math><mtext><img src=x onerror=x()></mtext></math>", "<math> is left out"),
        ("b <noscript><p title='</noscript><img src=x onerror=x()>'></noscript>", "<noscript> is"),
        ("b <svg><script>x()</script></svg>", "<svg> is left out"),
        ("<b onmouseover=x()>b</b>", ""),
        ("<a href='JaVaScRiPt:x()'>b</a>", ""),
        ("<a href='\x01 javascript:x()'>b</a>", ""),
        ("<a href='java\tscript:x()'>b</a> <a href='&#106;avascript:x()'>b</a>", ""),
        ("[b](vbscript:x) [b](data:text/html,x) [b](javascript:alert(1))", ""),
        ("<td style='text-align:left;background:url(http://x)'>b", ""),
        ("<p id='a\"><script>x()</script>'>b</p>", ""),
        ("b <!-- a comment --> c <?php x() ?> <!DOCTYPE x>", ""),
    ],
)
def test_what_could_do_or_fetch_something_goes(doc: Path, text: str, told: str) -> None:
    page, said = shown(doc, f"{text}\n\nafter\n")
    assert DANGER.findall(page) == []
    assert "b" in page and "<p>after</p>" in page
    assert told in "\n".join(said)


PIECES = st.sampled_from(
    [
        *("\n", "\n\n", "# ", "### ", "- ", "> ", "    ", "```\n", "`", "**", "*", "\\"),
        *(
            "|a|\n|-|\n|",
            "![x](box.svg)",
            "![",
            "](",
            ")",
            "[x](javascript:x())",
            "$x_1$",
            "[^1]: a",
        ),
        *("<script>", "</script>", "<svg>", "<b onclick=x()>", "</b>", "<img src=//x onerror=x()>"),
        *("<a href='javascript:x()'>", "<!--", "-->", "<?", "<![CDATA[", "<div style='x", "'>"),
    ]
)


@given(text=st.lists(PIECES | st.text(max_size=3), max_size=15).map("".join))
def test_whatever_the_text_its_page_is_harmless(text: str) -> None:
    page = html.page(text, Path("/nowhere"), lambda _: None)
    shown = re.sub(r"<p>[^<]*|<code.*?</code>", "", page[page.index("<header>") :])
    assert DANGER.findall(shown) == []


def test_the_contents_are_the_headings(doc: Path) -> None:
    text = "# Top\n\nabove\n\n## One & *two*\n\n### Deep\n\n## One & *two*\n\n#### Deeper\n"
    page, _ = shown(doc, text)
    nav = page[page.index("<nav") : page.index("</nav>")]
    links = [("one--two", "One &amp; two"), ("deep", "Deep"), ("one--two-1", "One &amp; two")]
    assert re.findall(r'<a href="#([^"]*)">([^<]*)<', nav) == links
    assert nav.count("<ul>") == nav.count("</ul>") == 2
    assert all(f'id="{name}"' in page for name, _ in links)
    assert page.index("above") < page.index("<nav")
    assert "<title>Top</title>" in html.page(text, doc, print)
    assert "<title>Report</title>" in html.page("only text", doc, print)


# ---- the file ------------------------------------------------------------------------------------
def refuse_to_write(doc: Path, *words: str) -> None:
    (doc / "report.html").write_text("old page")
    with pytest.raises(UserError) as mistake:
        html.write(doc)
    assert [word for word in words if word not in str(mistake.value)] == []
    assert (doc / "report.html").read_text() == "old page"
    assert list(doc.glob(".new*")) == []


def test_a_page_that_cannot_be_made_leaves_the_old_one(doc: Path) -> None:
    refuse_to_write(doc, "report.md: cannot be read")
    (doc / "report.md").write_bytes(b"# Title\n\n\316\345\n")
    refuse_to_write(doc, "save it as UTF-8", "; the report.html there is an old one")


def test_a_full_disk(doc: Path) -> None:
    (doc / "report.md").write_text("word " * 20000)
    (doc / "report.html").write_text("old page")
    program = """import sys, pathlib
from workbook import UserError
from workbook.report.document import html
try:
    html.write(pathlib.Path(sys.argv[1]))
except UserError as mistake:
    sys.exit(str(mistake))
"""
    # -B: Python's cache would keep a module that the limit has cut.
    limited = ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", sys.executable, "-B", "-c"]
    result = run([*limited, program, doc], TOP)
    assert "report.html: is the disk full" in result.text
    assert (doc / "report.html").read_text() == "old page"


# ---- in a browser --------------------------------------------------------------------------------
PLOTS = 18
WIDTHS = (360, 800, 1280, 1920)
PAPER = 657  # pixels of A4 paper between its margins
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
        wide: wide.length,
        scroll: wide.filter(frame => style(frame, 'overflowX') == 'auto'
            && style(frame, 'backgroundImage').includes('gradient')).length,
        colors: [style(root, 'backgroundColor'), style(root, 'color')].join(' '),
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
    folder = full_report(tmp_path_factory.mktemp("example"))
    assert write(folder, quick=False) == 0
    return folder


@pytest.fixture(scope="module")
def page(report: Path) -> str:
    return (report / "report.html").read_text(encoding="utf-8")


def see(page: str, folder: Path, widths: tuple[int, ...], *flags: str) -> list[dict[str, str]]:
    """What a browser says of a page, at each width."""
    page = re.sub(r"<meta http-equiv[^>]*>", "", page)
    (folder / "copy.html").write_text(page + MEASURE, encoding="utf-8")
    frames = [
        f'<iframe src="copy.html" style="width: {w}px; height: 700px"></iframe>' for w in widths
    ]
    (folder / "frames.html").write_text(FRAMES + "\n".join(frames), encoding="utf-8")
    dom = browse(folder / "frames.html", folder / "profile", 9, *flags).out
    lines = re.findall(r"<p>([^<]*)</p>", dom)
    said = [dict(word.split("=", 1) for word in line.split(";")) for line in lines]
    assert sorted(int(one["width"]) for one in said) == list(widths)
    return sorted(said, key=lambda one: int(one["width"]))


def brightness(colors: str) -> list[bool]:
    """Of the paper and the ink: whether it is light."""
    return [min(map(int, re.findall(r"\d+", color))) > 200 for color in colors.split()]


@pytest.mark.slow
def test_the_page_fits_every_screen(page: str, tmp_path: Path) -> None:
    by_day = see(page, tmp_path, WIDTHS)
    assert [(one["overflow"], one["plots"]) for one in by_day] == [("0", str(PLOTS))] * len(WIDTHS)
    phone, *_, desktop, large = by_day
    assert int(phone["wide"]) > 5 and phone["scroll"] == phone["wide"]  # tables scroll, and show it
    assert desktop["wide"] == large["wide"] == "0"
    assert brightness(phone["colors"]) == [True, False]
    assert brightness(see(page, tmp_path, (800,), NIGHT)[0]["colors"]) == [False, True]
    too_wide = page.replace("</main>", '<p style="width: 1000px">x</p></main>')
    assert see(too_wide, tmp_path, (800,))[0]["overflow"] != "0"  # it would be seen


def on_paper(page: str) -> str:
    """As a screen of that width shows it."""
    return page.replace("@media print", "@media all").replace("@media screen", "@media tv")


@pytest.mark.slow
def test_no_table_is_wider_than_a_sheet_of_paper(page: str, tmp_path: Path) -> None:
    rows = [["lab07_ocl_localmem, one_per_item, N=1024", *["(12345, 4 %)"] * 9]]
    widest = table(["ms (spread)", *(f"BLOCK_KN={8 << n}" for n in range(9))], rows)
    for text in (page, html.page(widest, tmp_path, print)):
        (seen,) = see(on_paper(text), tmp_path, (PAPER,))
        assert (seen["wide"], seen["overflow"]) == ("0", "0")


@pytest.mark.slow
def test_a_browser_fetches_nothing_for_it(report: Path, page: str, tmp_path: Path) -> None:
    with listener() as network:
        seen = browse(report / "report.html", tmp_path / "profile", network.port)
        assert "</html>" in seen.out and "CONSOLE" not in seen.err
        assert network.asked() == []
        # It would be heard: a page without the rule that it fetch nothing does ask for an image.
        page = re.sub(r"<meta http-equiv[^>]*>", "", page)
        image = f'<img src="http://127.0.0.1:{network.port}/7.png"></main>'
        (tmp_path / "asks.html").write_text(page.replace("</main>", image), encoding="utf-8")
        browse(tmp_path / "asks.html", tmp_path / "profile", network.port)
        assert network.asked() != []


@pytest.mark.slow
def test_a_print_has_all_headings_and_times(report: Path, tmp_path: Path) -> None:
    needs("pdftotext")
    made = f"--print-to-pdf={tmp_path}/report.pdf"
    browse(report / "report.html", tmp_path / "profile", 9, "--no-pdf-header-footer", made)
    paper = "".join(run(["pdftotext", "-layout", "report.pdf", "-"], tmp_path).out.split())
    text = (report / "report.md").read_text(encoding="utf-8")
    wanted = re.findall(r"^#+ (.*)$", text, re.M)
    for row in re.findall(r"^\| lab.*$", text, re.M):
        wanted += re.findall(r"\| ([\d.]+ \()", row)
    assert len(wanted) > 150
    assert [words for words in wanted if "".join(words.split()) not in paper] == []
