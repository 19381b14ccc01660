# SPDX-License-Identifier: MIT
"""report.html of documents of all sorts: what is shown, what is left out and told, and what stays
as it was when the page cannot be made."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.pages import Written, browse, listener, write
from tests.support import TOP, run

pytestmark = pytest.mark.report

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
BOX = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" '
    'height="9"/></svg>'
)
SPY = BOX.replace(
    "<rect", '<image href="http://127.0.0.1:{port}/9.png" width="5" height="5"/><rect'
)
DOCUMENT = r"""# Отчёт: 矩阵乘法

- Имя: Иван

## Первый раздел

Привет, мир. 快速矩阵乘法。 The price is $5, $x$ is $\frac{a}{b}$, a < b && c.

<!-- fill plot-time-cpu -->
![Mine, with a caption](my%20图.png)
<!-- end -->

| a | b |
|---|---:|
| <!-- fill predict-lab01-work --> 3.25 <!-- end --> | x |

![](box.svg) ![gone](plots/nosuch.svg) ![text](false.png) ![far](http://127.0.0.1:{port}/1.png)
![](spy.svg)

<img src="http://127.0.0.1:{port}/2.png" srcset="http://127.0.0.1:{port}/3.png">
<img src="box.svg" width="50" onerror="x()">

<script src="http://127.0.0.1:{port}/4.js"></script>

<script>
document.title = 'stolen'
</script>

<iframe src="http://127.0.0.1:{port}/5.html"></iframe>
<link rel="stylesheet" href="http://127.0.0.1:{port}/6.css">

[a script](javascript:alert(1)) [another](data:text/html,x) <a href="&#106;avascript:x()">third</a>

<div onclick="x()" style="background: url(http://127.0.0.1:{port}/7.png)">a box</div>

<svg><script>x()</script></svg> <p style="background: url(http://127.0.0.1:{port}/8.png)">styled</p>

<details><summary>more</summary>

*hidden* text, [a link](data/lab.csv), H<sub>2</sub>O, <https://example.org/> and https://example.org/bare.

</details>

```c
for (;;) x = a<b && c; // <script> 注释
```
"""
DANGER = re.compile(
    r"<script|<iframe|<link "
    r"rel=\"s[^>]*|srcset|onerror|onclick|javascript:|data:text|url\(http|<svg"
    r"|<!-- (?:fill|end)|stolen|src=\"[^d][^>]*"
)


@pytest.fixture
def doc(tmp_path: Path) -> Path:
    folder = tmp_path / "doc"
    folder.mkdir()
    (folder / "my 图.png").write_bytes(base64.b64decode(PIXEL))
    (folder / "box.svg").write_text(BOX)
    (folder / "false.png").write_text("no image\n")
    return folder


@pytest.fixture
def old(doc: Path) -> Path:
    """A folder with a page of an earlier time."""
    (doc / "report.md").write_text("# Short\n\n## Part\n\nText.\n")
    (doc / "report.html").write_text("old page")
    return doc


def document(folder: Path, text: str) -> None:
    (folder / "report.md").write_text(text, encoding="utf-8")


def html(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What becomes of a text in the page."""
    document(folder, text)
    assert write(folder, capsys).status == 0
    return main(folder)


def main(folder: Path) -> str:
    page = (folder / "report.html").read_text(encoding="utf-8")
    return page[page.index("<header>") :]


def test_a_document_with_everything_in_it(doc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with listener() as network:
        text = DOCUMENT.replace("{port}", str(network.port))
        (doc / "spy.svg").write_text(SPY.replace("{port}", str(network.port)))
        (doc / "report.md").write_bytes(text.replace("\n", "\r\n").encode())
        written = write(doc, capsys)
        assert written.status == 0, written
        assert network.asked() == []
    page = (doc / "report.html").read_text(encoding="utf-8")
    shown = [
        *(
            "<title>Отчёт: 矩阵乘法</title>",
            "Имя: Иван",
            "Первый",
            "快速矩阵乘法。",
            "注释",
            "hidden",
            "a box",
        ),
        *(
            "a &lt; b &amp;&amp; c",
            "price is $5",
            r"\frac{a}{b}",
            "3.25",
            "a&lt;b &amp;&amp; c",
            "styled",
        ),
        *(
            f"data:image/png;base64,{PIXEL}",
            "data:image/svg+xml",
            'alt="Mine, with a caption"',
            "<figcaption",
        ),
        *(
            'width="50"',
            "gone",
            "no image here: false.png",
            'href="https://example.org/bare">',
            "<sub>2</sub>",
        ),
    ]
    assert [text for text in shown if text not in page] == []
    told = "\n".join(written.said)
    wanted = [
        "image plots/nosuch.svg is not there",
        "image false.png is no image",
        f"image http://127.0.0.1:{network.port}/1.png is elsewhere",
        f"image http://127.0.0.1:{network.port}/2.png is elsewhere",
        "<script> is left",
        "<iframe> is left",
        "link to javascript: is left",
        "link to data: is left",
    ]
    assert [text for text in wanted if text not in told] == []
    assert len(set(written.said)) == len(written.said)
    assert DANGER.findall(page[page.index("<body>") :]) == []


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("<b onmouseover=x()>b</b>", "onmouseover"),
        ("<a href='JaVaScRiPt:x()'>b</a>", "JaVa"),
        ("<a href='\x01 javascript:x()'>b</a>", "javascript:"),
        ("<a href='java\tscript:x()'>b</a>", "script:"),
        ("[b](vbscript:x)", "href"),
        ("b <style>* { background: url(http://x) }</style>", "<style>* "),
        ("<style>\nb { color: red }\n</style>\n\nb", "color: red"),
        ("b <object data='x'></object><embed src='x'>", "<object"),
        ("b <form action='x'><button>go</button></form>", "<form"),
        ("b <meta http-equiv='refresh' content='0; url=http://x'>", "refresh"),
        ("b <base href='http://x'>", "<base"),
        ("b <math><mtext><img src=x onerror=x()></mtext></math>", "onerror"),
        ("b <noscript><p title='</noscript><img src=x onerror=x()>'></noscript>", "<img"),
        ("<td style='text-align:left;background:url(http://x)'>b", "background"),
        ("<div style='position:fixed'>b</div>", "position"),
        ("<p id='a\"><script>x()</script>'>b</p>", "<script"),
        ("b <!-- a comment --> c", "comment"),
        ("b <?php x() ?> <!DOCTYPE x> <![CDATA[ x ]]>", "php"),
    ],
)
def test_what_could_do_or_fetch_something_goes(
    doc: Path, capsys: pytest.CaptureFixture[str], text: str, gone: str
) -> None:
    page = html(doc, f"{text}\n\nafter\n", capsys)
    assert gone not in page
    assert "b" in page
    assert "after" in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a `<script>` in code", "<code>&lt;script&gt;</code>"),
        ("vector<float> x", "vector x"),  # GitHub shows no unknown element either
        ("H<sub>2</sub>O <kbd>C</kbd>", "H<sub>2</sub>O <kbd>C</kbd>"),
        ("1 < 2 > 0", "1 &lt; 2 &gt; 0"),
        ("a <title> in the middle\n\nb", "b</p>"),
        ("a <textarea> in the middle\n\nb", "b</p>"),
        ("~~gone~~", "<s>gone</s>"),
        ("| a |\n|--:|\n| 1 |", '<td style="text-align:right">1</td>'),
        ("a[^1]\n\n[^1]: the note", "the note"),
        ("[x](#part)\n\n## Part", '<h2 id="part">Part</h2>'),
        (
            "see https://example.org/a_b.",
            'href="https://example.org/a_b">https://example.org/a_b</a>.',
        ),
        ("[https://example.org](data/x)", '<a href="data/x">https://example.org</a>'),
        ("$O(N^{2.8}) < 2 \\cdot N_k^3$", "O(N<sup>2.8</sup>) &lt; 2 · N<sub>k</sub><sup>3</sup>"),
        ("a $\\sqrt{x}$ and $5 and $6", ">\\sqrt{x}</span> and $5 and $6"),
        ("$x^<b>y</b>$ b", "x^&lt;b&gt;y&lt;/b&gt;"),
        ("**Question.** Why?", '<p class="question"><strong>Question.</strong> Why?</p>'),
        ("![A plot](box.svg)", '<figcaption aria-hidden="true">A plot</figcaption></figure>'),
        ("![A plot](box.svg) and text", 'alt="A plot"> and text</p>'),
        ('<img src="box.svg" width="50" style="x">', 'width="50"'),
    ],
)
def test_what_is_text_stays(
    doc: Path, capsys: pytest.CaptureFixture[str], text: str, shown: str
) -> None:
    assert shown in html(doc, text, capsys)


def test_the_contents_are_the_headings(doc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = html(
        doc,
        "# Top\n\nabove\n\n## One & *two*\n\n### Deep\n\n## One & *two*\n\n#### Deeper\n",
        capsys,
    )
    nav = page[page.index("<nav") : page.index("</nav>")]
    assert re.findall(r'<a href="#([^"]*)">([^<]*)<', nav) == [
        ("one--two", "One &amp; two"),
        ("deep", "Deep"),
        ("one--two-1", "One &amp; two"),
    ]
    assert nav.count("<ul>") == 2
    assert all(f'id="{name}"' in page for name in ("one--two", "deep", "one--two-1"))
    assert page.index("above") < page.index("<nav")


def test_a_document_without_a_title(doc: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "only text" in html(doc, "only text\n", capsys)
    assert "<title>Report</title>" in (doc / "report.html").read_text()


def test_a_browser_fetches_nothing_for_it(
    doc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with listener() as network:
        text = DOCUMENT.replace("{port}", str(network.port))
        (doc / "spy.svg").write_text(SPY.replace("{port}", str(network.port)))
        html(doc, text, capsys)
        dom = browse(doc / "report.html", tmp_path / "profile", network.port).out
        assert "<title>Отчёт" in dom
        assert network.asked() == []
        # It would be heard: a page without the rule that it fetch nothing does ask for an image.
        page = re.sub(
            r"<meta http-equiv[^>]*>", "", (doc / "report.html").read_text(encoding="utf-8")
        )
        image = f'<img src="http://127.0.0.1:{network.port}/7.png"></main>'
        (doc / "asks.html").write_text(page.replace("</main>", image), encoding="utf-8")
        browse(doc / "asks.html", tmp_path / "profile", network.port)
        assert network.asked() != []


def refused(written: Written, folder: Path, *words: str) -> None:
    """One line says all this, the old page is as it was, and nothing lies beside it."""
    assert written.status == 2
    assert len(written.said) == 1
    assert [word for word in words if word not in written.said[0]] == []
    unchanged(folder)


def unchanged(folder: Path) -> None:
    assert (folder / "report.html").read_text() == "old page"
    assert list(folder.glob(".new*")) == []


def test_a_folder_without_a_report(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (old / "report.md").unlink()
    refused(write(old, capsys), old, "report.md: cannot be read")


def test_a_text_that_is_not_utf_8(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (old / "report.md").write_bytes(b"# Title\n\n\316\345\n")
    refused(write(old, capsys), old, "save it as UTF-8", "; the report.html there is an old one")


def test_a_full_disk(old: Path) -> None:
    document(old, "word " * 20000)
    program = """
        import sys
        from pathlib import Path
        from workbook import UserError
        from workbook.report.document import render
        try:
            render.write(Path(sys.argv[1]))
        except UserError as mistake:
            sys.exit(str(mistake))
    """
    # -B: Python's cache would keep a module that the limit has cut.
    limited = ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", sys.executable, "-B", "-c"]
    result = run([*limited, dedent(program), old], TOP)
    assert result.status == 1
    assert "report.html: is the disk full" in result.text
    unchanged(old)


def test_a_folder_in_the_place_of_the_page(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (old / "report.html").unlink()
    (old / "report.html").mkdir()
    written = write(old, capsys)
    assert (written.status, len(written.said)) == (2, 1)
    assert "cannot write" in written.said[0] and "report.html" in written.said[0]
    assert list(old.glob(".new*")) == []
