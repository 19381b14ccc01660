# SPDX-License-Identifier: MIT
"""The page in a browser: keys alone, a phone, a hall, the dark; and its counts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.browser import Browser, Page, chromium, opened
from tests.page.conftest import Recorded
from workbook.page import assemble

pytestmark = pytest.mark.slow

LABS = ["lab02_avx", "lab04_ocl_naive", "lab05_ocl_coarsen", "lab07_ocl_localmem"]
LABS += ["lab08_cuda_naive"]
BROKEN = "does not build: kernel.cl:17: error: expected ';'"
PHONE, TABLE, HALL, WALL = (390, 844), (1280, 900), (1280, 720), (1920, 1080)
FITS_ACROSS = "document.documentElement.scrollWidth <= innerWidth"
# Each text that is seen: what it says, its size in pixels, its contrast.
TEXTS = """(() => {
    const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true})
    const color = text => {
        canvas.fillStyle = text
        canvas.fillRect(0, 0, 1, 1)
        return [...canvas.getImageData(0, 0, 1, 1).data]
    }
    const known = new Map()
    const light = text => {
        if (!known.has(text)) known.set(text, color(text).slice(0, 3).map(c => c / 255)
            .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0))
        return known.get(text)
    }
    const behind = element => {
        const own = element ? getComputedStyle(element).backgroundColor : 'white'
        return own === 'rgba(0, 0, 0, 0)' ? behind(element.parentElement) : own
    }
    const seen = []
    for (const e of document.querySelectorAll('body *')) {
        const own = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join('')
        if (!own || e.closest('script, style, noscript')) continue
        if (!e.checkVisibility({visibilityProperty: true})) continue
        if (e.closest('details:not([open])') && !e.closest('summary')) continue
        const style = getComputedStyle(e)
        const [a, b] = [light(style.color), light(behind(e))].sort((x, y) => y - x)
        seen.push([own.slice(0, 40), parseFloat(style.fontSize), (a + 0.05) / (b + 0.05)])
    }
    return seen
})()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def labs(recorded: Recorded) -> list[dict[str, Any]]:
    """Five, one of which does not build."""
    found = [json.loads(json.dumps(recorded(lab))) for lab in LABS]
    for one in found[2]["recordings"]:
        one |= {"requests": [], "sites": [], "arrays": [], "patterns": [], "failure": BROKEN}
    return found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, labs: list[dict[str, Any]]) -> str:
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(assemble.page(labs), encoding="utf-8")
    return file.as_uri()


def views(page: Page) -> list[str]:
    links = page.value("[...document.querySelectorAll('.views a')].map(e => e.hash)")
    return [link.removeprefix("#view=") for link in links]


# ---- people ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (TABLE, "light"), (WALL, "dark")])
def test_every_view_fits_and_can_be_read(
    browser: Browser, address: str, size: tuple[int, int], scheme: str
) -> None:
    """Nothing went wrong, and nothing was asked of anybody but the file."""
    with opened(browser, address, size, prefers_color_scheme=scheme) as page:
        assert len(views(page)) >= 13
        for view in views(page):
            for show in ("", "&show=1&step=9"):
                page.go(f"#view={view}{show}")
                assert page.text("h1"), view
                assert page.value(FITS_ACROSS), (view, show)
                faint = [text for text in page.value(TEXTS) if text[2] < 4.5]
                assert faint == [], (view, show)
        assert page.mistakes() == []
        assert [one for one in page.requests() if not one.startswith(("file:", "data:"))] == []


FITS = """(() => {
    const panel = document.querySelector('.panel.front')
    return panel.scrollHeight <= panel.clientHeight + 1 &&
        document.documentElement.scrollHeight <= innerHeight
})()"""
SEEN = """(() => {
    const [line, panel] = ['.dictionary .chosen', '.panel.front']
        .map(what => document.querySelector(what).getBoundingClientRect())
    return line.top >= panel.top && line.bottom <= panel.bottom
})()"""
CLIPPED = "[...document.querySelectorAll('.half .word')].filter(e => e.scrollWidth > e.clientWidth)"
LONG = {"source", "words"}  # parts that may scroll: sources, and a table


def test_in_a_hall_text_has_24_pixels_and_nothing_needs_scrolling(
    browser: Browser, address: str
) -> None:
    named = "[...document.querySelectorAll('.panel')].map(e => e.dataset.panel)"
    with opened(browser, address, HALL) as page:
        for view in views(page):
            page.go(f"#view={view}&hall=1")
            for panel in page.value(named):
                page.go(f"#view={view}&hall=1&show=1&step=16&panel={panel}")
                assert [text for text in page.value(TEXTS) if text[1] < 24] == [], (view, panel)
                assert page.value(FITS_ACROSS), (view, panel)
                assert page.value("document.querySelectorAll('.panel.front').length") == 1
                assert panel in LONG or page.value(FITS), (view, panel)
                assert page.value(f"{CLIPPED}.length") == 0, (view, panel)
                if view.endswith("pair"):
                    assert "→" in page.text("main > .verdict")


def test_each_line_of_the_dictionary_comes_into_view(browser: Browser, address: str) -> None:
    cells = "[...document.querySelectorAll('.dictionary td')].map(e => e.getBoundingClientRect())"
    with opened(browser, address, (1280, 500)) as page:
        page.go("#view=04-08&hall=1")
        count = page.value("document.querySelectorAll('.dictionary tbody tr').length")
        for _ in range(count):
            page.press("ArrowRight")
            assert page.value(SEEN)
        assert f"{count} of {count}" in page.text(".player")
    with opened(browser, address, PHONE) as page:  # CUDA is below OpenCL
        page.go("#view=04-08")
        a, b = page.value(f"{cells}.slice(0, 2).map(box => [box.left, box.top])")
        assert a[0] == b[0] and a[1] < b[1]
        assert not page.value("document.querySelector('.menu').open")


def test_keys_are_enough(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=04-beside")
        assert "?" in page.text(".badge") and "16" not in page.text(".badge")
        for _ in range(60):
            page.press("Tab")
            if page.value("document.activeElement.id") == "guess":
                break
        page.write("2")
        page.press("Enter")
        assert "You said 2: 8 times too few. 16 sectors." in page.text(".answer")
        assert "A 16 sectors" in page.text(".badge")
        page.value("document.activeElement.blur()")
        page.press("ArrowRight", 3)
        page.press("ArrowLeft")
        assert "step=2" in page.value("location.hash")
        said = "Step 2 of 1,056: line 20 reads A, 32 lanes, 16 sectors"
        assert page.text(".live").startswith(said)
        page.press("End")
        assert "1,056 of 1,056" in page.text(".player")
        page.press("Home")
        assert "0 of 1,056" in page.text(".player")
        page.press(" ")
        assert "Pause" in page.text(".player")
        page.value("new Promise(done => setTimeout(done, 700))")
        page.press(" ")
        assert "Play" in page.text(".player")
        assert page.value("Number(document.querySelector('#step').value)") > 0
        assert page.mistakes() == []


def test_each_control_is_a_button_a_range_or_a_link_with_a_name(
    browser: Browser, address: str
) -> None:
    every = "[...document.querySelectorAll('a, button, input, select, summary, [onclick]')]"
    known = "a[href], button, input[type=range], input[type=number], summary"
    named = "(e.innerText || e.labels?.[0]?.innerText || e.getAttribute('aria-label') || '').trim()"
    with opened(browser, address) as page:
        for view in views(page):
            page.go(f"#view={view}")
            assert page.value(f"{every}.length") > 5
            assert page.value(f"{every}.every(e => e.matches({json.dumps(known)}))"), view
            assert page.value(f"{every}.every(e => !e.checkVisibility() || {named})"), view


def test_nothing_plays_by_itself_and_less_motion_has_none(browser: Browser, address: str) -> None:
    moving = "getComputedStyle(document.querySelector('.grid rect')).transitionDuration"
    with opened(browser, address, prefers_reduced_motion="reduce") as page:
        page.go("#view=04&show=1")
        page.value("new Promise(done => setTimeout(done, 600))")
        assert "0 of 1,056" in page.text(".player") and "Play" not in page.text(".player")
        page.press(" ")
        page.value("new Promise(done => setTimeout(done, 600))")
        assert "1 of 1,056" in page.text(".player")
        assert page.value(moving) == "0s"
    with opened(browser, address, prefers_reduced_motion="no-preference") as page:
        page.go("#view=04&show=1")
        assert page.value(moving) != "0s"


# ---- what it says ------------------------------------------------------------------------------
def shown(labs: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """The views of one kernel, and its recording."""
    return [
        (lab["number"] + ("-beside" if one["beside"] else ""), one)
        for lab in labs
        for one in lab["recordings"]
        if one["lab"] == lab["lab"] and one["requests"]
    ]


def units(row: dict[str, Any]) -> int:
    return int(row.get("sectors") or row.get("wavefronts") or row["lines"])


def test_the_counts_are_those_of_the_record(
    browser: Browser, address: str, labs: list[dict[str, Any]]
) -> None:
    with opened(browser, address) as page:
        for view, one in shown(labs):
            page.go(f"#view={view}&show=1&step={len(one['requests'])}")
            each = [f"{round(units(row) / row['requests'], 2):g}" for row in one["lines"]]
            assert re.findall(r"[\d.]+(?= \w+$)", page.text(".badge"), re.M) == each
            said = " ".join(page.text(".counters").split())
            for total in one["totals"].values():
                if total["requests"]:
                    count = f"{units(total):,}"
                    assert f"so far {count} whole run {count}, ideal {total['ideal']:,}" in said
            for formula in one["formulas"]:
                count = f"{formula['counted']:,}"
                assert f"so far {count} whole run {count} bytes" in said
                assert f"= {formula['value']:,} bytes: the same" in said


def test_what_is_drawn_of_a_request_is_what_was_recorded(
    browser: Browser, address: str, labs: list[dict[str, Any]]
) -> None:
    count = "document.querySelectorAll({}).length".format
    with opened(browser, address) as page:
        for view, one in shown(labs):
            for step in (1, 2, 9, 40, len(one["requests"])):
                page.go(f"#view={view}&show=1&step={step}")
                site, block, _, warp, _, _, _, cost, _, used = one["requests"][step - 1]
                verdict = page.text(".verdict")
                assert verdict.startswith(f"{cost:,} "), (view, step)
                who = f", step {step}:" if view == "02" else f"warp {warp} of block {block}, "
                assert who in page.text("[data-panel=warp]")
                if one["arrays"][one["sites"][site]["array"]]["space"] == "shared":
                    assert page.value(count("'.half .asked'")) == used // 4
                    assert page.value(count("'.half:first-child .turn'")) == cost
                else:
                    assert f"used {used:,}" in verdict
                    assert page.value(count("'.sector'")) == cost
                    assert page.value(count("'.scale i'")) == cost
                    assert page.value(count("'.sectors .asked'")) == used // 4


def test_a_number_stays_hidden_until_it_is_guessed(
    browser: Browser, address: str, labs: list[dict[str, Any]]
) -> None:
    with opened(browser, address) as page:
        for view, _ in shown(labs):
            page.go(f"#view={view}&step=20")
            assert page.value("document.querySelectorAll('.warp').length") == 0
            assert not re.search(r"\d+ (sector|wavefront|line)", page.text(".badge"))
            hidden = page.text(".counter.hidden .count")
            assert hidden and not re.search(r"\d", hidden)
            page.value("document.querySelector('.ask button[type=button]').click()")
            assert page.value("document.querySelectorAll('.warp').length") == 1
            assert "Without a guess" in page.text(".answer")
    with opened(browser, address) as page:
        page.go("#view=04-pair&step=16")
        assert page.text(".warp") == "" and "Guess in 04 published" in page.text("main")


def test_a_link_carries_the_state(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=07-beside&show=1&step=30")
        load = "find(e => e.innerText.includes('← A'))"
        page.value(f"[...document.querySelectorAll('.badge')].{load}.click()")
        link, text = page.value("location.href"), page.text(".panel")
    with opened(browser, link) as page:
        assert page.text(".panel") == text
        assert "4 sectors: moved 128 bytes, used 128" in text


def test_before_and_after_are_as_far(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=07-pair&show=1&step=16")
        assert "wavefronts stored 144 → 32 (÷ 4.5)" in page.text("main > .verdict")
        verdicts = page.text(".warp .verdict").splitlines()
        assert verdicts[0].startswith("8 wavefronts") and verdicts[-1].startswith("1 wavefront:")
        assert "same instruction of the same warp" in page.text(".place-of-both")
        page.go("#view=02-pair&show=1&step=264")  # a vector beside elements: a quarter of each
        assert page.text(".place-of-both") == "Both have done 25 % of their steps."
        assert re.findall(r"(reads|writes) (\w)", page.text(".now-line")) in (
            [("reads", "A")] * 2,
            [("reads", "B")] * 2,
            [("writes", "C")] * 2,
        )
        page.go("#view=04-pair&show=1&step=1")
        whole = page.text(".whole")
        assert "512 such requests × 16 sectors = 8,192 sectors" in whole
        assert "512 such requests × 2 sectors = 1,024 sectors" in whole
        assert "971 → 5,270 GFLOP/s" in page.text(".measured")


def test_each_view_has_a_speed_or_says_why_not(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=04-beside")
        assert "Measured 971 GFLOP/s (N = 4096, NVIDIA H200" in page.text("[data-panel=speed]")
        page.go("#view=07-beside")
        assert "Not measured with PAD=0" in page.text("[data-panel=speed]")
        page.go("#view=05")
        assert BROKEN in page.text("main")
        assert not page.value("document.querySelector('.player').checkVisibility()")


def test_a_vector_is_asked_about_whole(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=02")
        assert "A vector load of 8 elements in line" in page.text(".ask")


# ---- its programs by themselves ----------------------------------------------------------------
def evaluated(browser: Browser, address: str, module: str, expression: str) -> Any:
    program = "".join(assemble.modules(module).values())
    with opened(browser, address) as page:
        return page.value(f"(() => {{ {program}\nreturn {expression} }})()")


SHARED, GLOBAL = {"shared": True, "unit": 32}, {"shared": False, "unit": 32}
Kind = tuple[dict[str, Any], Callable[[int], int], tuple[int, int], str]
# Elements of 4 bytes of 32 lanes; units, ideal; what is said.
REQUESTS: dict[str, Kind] = {
    "side by side": (GLOBAL, lambda i: i, (4, 4), "They lie side by side, .* is coalesced."),
    "shifted": (GLOBAL, lambda i: i + 1, (5, 4), "do not begin where .* is coalesced in part."),
    "apart": (GLOBAL, lambda i: 2 * i, (8, 4), "are 8 bytes apart, .* is coalesced in part."),
    "far": (GLOBAL, lambda i: 8 * i, (32, 4), "Of 1,024 bytes .* 896 are for .* not coalesced."),
    "one": (GLOBAL, lambda i: 3, (1, 1), r"one element, all the same: .* \(broadcast\)."),
    "two": (GLOBAL, lambda i: i // 16, (1, 1), r"x0 \(lanes 0–15\), x4 \(lanes 16–31\) alone"),
    "no conflict": (SHARED, lambda i: i, (1, 1), "no bank conflict."),
    "conflict": (SHARED, lambda i: 16 * i, (16, 1), r"in bank 0 alone \(lanes 0, 2, 4, .*, 30\)"),
}


@pytest.mark.parametrize("kind", REQUESTS)
def test_why_it_costs_that_is_said(browser: Browser, address: str, kind: str) -> None:
    of, element, (cost, ideal), said = REQUESTS[kind]
    lanes = [4 * element(lane) for lane in range(32)]
    costs = {"units": cost, "ideal": ideal, "used": 4 * len(set(lanes)), "moved": 32 * cost}
    request = json.dumps({**of, "lanes": lanes, "bytes": 4, "writes": False, "cost": costs})
    name = "name: address => `x${address}`"
    text = evaluated(browser, address, "why.js", f"why({{...{request}, {name}}})")
    assert re.search(said, text), text


def test_a_vector_of_avx_512_has_sixteen_lanes(browser: Browser, address: str) -> None:
    raw = {
        **{"requests": [[0, 0, 0, 0, 0, 0, 0, 1, 1, 64]], "patterns": [[[0, 16, 0, 1]]]},
        "sites": [{"line": 1, "array": 0, "writes": False, "width": 1}],
        "arrays": [{"name": "B", "space": "memory", "bytes": 4, "rows": 1, "ld": 16}],
        **{"lines": [], "source": ["a = f(A[0],", "      B[0]);", "b = 1;"]},
    }
    made = f"new Recording({{backend: 'cpu'}}, {json.dumps(raw)})"
    lanes = evaluated(browser, address, "data.js", f"{made}.request(0).lanes")
    assert lanes == [4 * lane for lane in range(16)]
    statements = f"[1, 2, 3].map(line => {made}.statement(line))"
    said = evaluated(browser, address, "data.js", statements)
    assert said == ["a = f(A[0], B[0]);", "B[0]);", "b = 1;"]


def test_the_dictionary_puts_twins_beside_each_other(browser: Browser, address: str) -> None:
    opencl = ["real sum = 0;", "int i = get_local_id(1);"]
    cuda = ["real sum = 0;", "int i = threadIdx.x;", "int i = threadIdx.y;"]
    call = f"aligned({json.dumps(opencl)}, {json.dumps(cuda)})"
    found = evaluated(browser, address, "dictionary.js", call)
    assert found == [[opencl[0], cuda[0]], [None, cuda[1]], [opencl[1], cuda[2]]]
