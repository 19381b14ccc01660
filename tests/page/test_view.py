# SPDX-License-Identifier: MIT
"""The page in a browser: keys alone, a phone, a hall, the dark, no JavaScript; and its counts."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, Page, chromium, opened
from tests.steps import labs
from tests.support import TOP, needs, run
from workbook.page import assemble

pytestmark = pytest.mark.slow

VIEW = TOP / "workbook/page/view"
VIEWS = [
    "03",
    "04-beside",
    "04",
    "05",
    "07-beside",
    "07",
    "03-pair",
    "04-pair",
    "07-pair",
    "04-08",
    "if",
]
SIZES = {"phone": (390, 844), "table": (1280, 900), "wall": (1920, 1080)}
# Each text that is seen: what it says, its size in pixels on the screen, its contrast.
TEXTS = """(() => {
    const rgb = text => {
        const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true})
        canvas.fillStyle = text
        canvas.fillRect(0, 0, 1, 1)
        return [...canvas.getImageData(0, 0, 1, 1).data]
    }
    const known = new Map()
    const color = text => known.get(text) ?? (known.set(text, rgb(text)), known.get(text))
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
        .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
    const behind = element => {
        for (let e = element; e; e = e.parentElement) {
            const found = color(getComputedStyle(e).backgroundColor)
            if (found[3] > 0) return found
        }
        return [255, 255, 255, 255]
    }
    const seen = []
    for (const e of document.querySelectorAll('body *')) {
        const own = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join('')
        if (!own || e.closest('script, style')) continue
        if (!e.checkVisibility({visibilityProperty: true})) continue
        if (e.closest('details:not([open])') && !e.closest('summary')) continue
        const style = getComputedStyle(e), svg = e.closest('svg')
        const zoom = svg ? svg.clientWidth / svg.viewBox.baseVal.width : 1
        const own_light = light(color(svg ? style.fill : style.color))
        const [a, b] = [own_light, light(behind(e))].sort((x, y) => y - x)
        seen.push([own.slice(0, 40), parseFloat(style.fontSize) * zoom, (a + 0.05) / (b + 0.05)])
    }
    return seen
})()"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(assemble.page(labs()), encoding="utf-8")
    return file.as_uri()


def sound(page: Page) -> None:
    """Nothing went wrong, and nothing was asked of anybody but the file."""
    assert page.mistakes() == []
    assert [one for one in page.requests() if not one.startswith(("file:", "data:"))] == []


# ---- the model ---------------------------------------------------------------------------------
CASES = 1000
RULES = """
#include "rules.h"
#include <cstdio>

int main()
{
    int bytes, writes, lane;
    long long address;
    while (std::scanf("%d %d", &bytes, &writes) == 2) {
        profile::request r;
        for (lane = 0; lane < 32; lane++)
            if (std::scanf("%lld", &address) == 1 && address >= 0) {
                r.active |= 1u << lane;
                r.address[lane] = std::uint64_t(address);
            }
        const unsigned distinct = profile::distinct_bytes(r, bytes);
        const unsigned wavefronts = profile::wavefronts(r, bytes, writes);
        std::printf("[%u,%u,%u,%u,%u],\\n", distinct, profile::moved(r, bytes, profile::SECTOR),
                    (distinct + profile::SECTOR - 1) / profile::SECTOR,
                    wavefronts, profile::ideal_wavefronts(r, bytes, wavefronts));
    }
}
"""


def module(name: str) -> str:
    """Its text, to be run by itself: what it imports is not there."""
    text = (VIEW / name).read_text(encoding="utf-8")
    return re.sub(r"^(import .*|export )", "", text, flags=re.MULTILINE)


def case(chance: random.Random) -> tuple[int, int, list[int | None]]:
    """Lanes with a stride or at random, some of them off, some in pairs; bytes of one lane, and
    whether it is a store."""
    size = chance.choice([1, 2, 4, 8, 16])
    stride, start, row = (
        chance.randrange(40),
        chance.randrange(64),
        chance.choice([1, 4, 8, 16, 32]),
    )
    down, off = chance.randrange(200), chance.choice([0, 0, 0.3])
    wild, pairs = chance.random() < 0.3, chance.choice([0, 0, 1, 2])
    lanes: list[int | None] = []
    for lane in range(32):
        element = (
            chance.randrange(400) if wild else start + lane % row * stride + lane // row * down
        )
        lanes.append(None if chance.random() < off else element * size)
    equal = [lanes[lane & ~pairs] for lane in range(32)]
    return size, chance.randrange(2), equal


def test_the_page_computes_as_profile_does(browser: Browser, address: str, tmp_path: Path) -> None:
    needs("g++")
    chance = random.Random(33)
    cases = [case(chance) for _ in range(CASES)]
    (tmp_path / "rules.cpp").write_text(RULES)
    built = run(
        ["g++", "-std=c++17", f"-I{TOP}/engine/count", "-o", "rules", "rules.cpp"], tmp_path
    )
    assert built.status == 0, built.err
    text = "\n".join(
        f"{size} {writes} {' '.join(str(-1 if a is None else a) for a in lanes)}"
        for size, writes, lanes in cases
    )
    said = run(["./rules"], tmp_path, stdin=text).out
    expected = json.loads(f"[{said.rstrip().rstrip(',')}]")
    assert len(expected) == CASES
    rules = module("rules.js")
    with opened(browser, address) as page:
        computed = page.value(
            f"(() => {{ {rules}\nreturn {json.dumps(cases)}.map(([size, writes, lanes]) => ["
            "distinctBytes(lanes, size), sectors(lanes, size), idealSectors(lanes, size), "
            "wavefronts(lanes, size, writes), idealWavefronts(lanes, size, writes)]) })()"
        )
    assert computed == expected


# ---- people ------------------------------------------------------------------------------------
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_every_view_fits_and_can_be_read(
    browser: Browser, address: str, size: str, scheme: str
) -> None:
    with opened(browser, address, SIZES[size], prefers_color_scheme=scheme) as page:
        for view in VIEWS:
            for show in ("", "&show=1&step=9"):
                page.go(f"#view={view}{show}")
                assert page.text("h1"), view
                assert page.value("document.documentElement.scrollWidth <= innerWidth"), (
                    view,
                    show,
                )
                faint = [text for text in page.value(TEXTS) if text[2] < 4.5]
                assert faint == [], (view, show)
        assert page.value("getComputedStyle(document.documentElement).colorScheme") == scheme
        sound(page)


def test_in_a_hall_text_has_24_pixels(browser: Browser, address: str) -> None:
    with opened(browser, address, (1280, 720)) as page:
        for view in VIEWS:
            for panel in (
                "source",
                "warp",
                "matrices",
                "numbers",
                "speed",
                "global",
                "shared",
                "words",
            ):
                page.go(f"#view={view}&hall=1&show=1&step=16&panel={panel}")
                small = [text for text in page.value(TEXTS) if text[1] < 24]
                assert small == [], (view, panel)
                assert page.value("document.documentElement.scrollWidth <= innerWidth"), (
                    view,
                    panel,
                )
                assert page.value("document.querySelectorAll('.panel.front').length") == (
                    view != "05"
                )
        sound(page)


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
WORDS = "[...document.querySelectorAll('.words')].filter(e => e.scrollWidth > e.clientWidth + 1)"
CLIPPED = "[...document.querySelectorAll('.half .word')].filter(e => e.scrollWidth > e.clientWidth)"


def test_in_a_hall_nothing_needs_scrolling(browser: Browser, address: str) -> None:
    named = "[...document.querySelectorAll('.panel')].map(e => e.dataset.panel)"
    with opened(browser, address, (1280, 720)) as page:
        for view in VIEWS:
            page.go(f"#view={view}&hall=1")
            for panel in page.value(named):
                page.go(f"#view={view}&hall=1&show=1&step=16&pad=0&panel={panel}")
                assert page.value(FITS), (view, panel)
                assert page.value(f"{CLIPPED}.length") == 0, (view, panel)
                if view.endswith("pair"):
                    assert "→" in page.text("main > .verdict")
        for size in (2, 4):
            page.go(f"#view=if&hall=1&stride=9&gsize={size}&panel=global")
            assert page.value("document.querySelectorAll('.sector').length") == 32
            assert page.value(FITS), size
            assert page.value(f"{WORDS}.length") == 0, size


def test_in_a_hall_many_counters_fit(browser: Browser, tmp_path: Path) -> None:
    """As many as lab 07 has, with as much text."""
    found = labs()
    [lab] = [lab for lab in found if lab["number"] == "07"]
    long = "4·(ROWS_PER_ITEM + COLS_PER_ITEM)·K·(M/ROWS_PER_ITEM)·(N/COLS_PER_ITEM)"
    for one in lab["recordings"]:
        [formula] = one["formulas"]
        label, short = (
            "local memory, loaded into the register tiles",
            "4·M·N·K·(1/TILE_M + 1/TILE_N)",
        )
        formula |= {"formula": short, "value": formula["counted"]}
        first, longest = {"level": "compulsory"}, {"label": label, "formula": long}
        one["formulas"] = [formula | first, formula | longest, formula, formula]
    file = tmp_path / "page.html"
    file.write_text(assemble.page(found), encoding="utf-8")
    with opened(browser, file.as_uri(), (1280, 720)) as page:
        for view in ("07", "07-pair"):
            page.go(f"#view={view}&hall=1&show=1&panel=numbers")
            assert page.value("document.querySelectorAll('.counter').length") >= 6
            assert page.value(FITS), view


def test_each_line_of_the_dictionary_comes_into_view(browser: Browser, address: str) -> None:
    with opened(browser, address, (1280, 500)) as page:
        page.go("#view=04-08&hall=1")
        assert not page.value(FITS)
        count = page.value("document.querySelectorAll('.dictionary tbody tr').length")
        for _ in range(count):
            page.press("ArrowRight")
            assert page.value(SEEN)
        assert page.text(".player").count(f"{count} of {count}") == 1


def test_on_a_phone_cuda_is_below_opencl(browser: Browser, address: str) -> None:
    cells = "[...document.querySelectorAll('.dictionary td')].map(e => e.getBoundingClientRect())"
    with opened(browser, address, SIZES["phone"]) as page:
        page.go("#view=04-08")
        inside = f"{cells}.every(box => box.left >= 0 && box.right <= innerWidth)"
        assert page.value(inside)
        a, b = page.value(f"{cells}.slice(0, 2).map(box => [box.left, box.top])")
        assert a[0] == b[0] and a[1] < b[1]
        assert not page.value("document.querySelector('.menu').open")
        page.value("document.querySelector('.menu summary').click()")
        links = "[...document.querySelectorAll('.views a')].map(e => e.getBoundingClientRect())"
        assert page.value(f"{links}.every(box => box.width && box.right <= innerWidth)")


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
        assert page.text(".live").startswith("Step 2 of 264: line 20 reads A, 32 lanes, 16 sectors")
        page.press("End")
        assert "264 of 264" in page.text(".player")
        page.press("Home")
        assert "0 of 264" in page.text(".player")
        page.press(" ")
        assert "Pause" in page.text(".player")
        page.value("new Promise(done => setTimeout(done, 700))")
        page.press(" ")
        assert "Play" in page.text(".player")
        assert page.value("Number(document.querySelector('#position').value)") > 0
        sound(page)


def test_each_control_is_a_button_a_range_or_a_link(browser: Browser, address: str) -> None:
    focusable = (
        "[...document.querySelectorAll('a, button, input, select, textarea, summary, [onclick]')]"
    )
    known = "a[href], button, input[type=range], input[type=number], summary"
    named = "(e.innerText || e.labels?.[0]?.innerText || e.getAttribute('aria-label') || '').trim()"
    with opened(browser, address) as page:
        for view in VIEWS:
            page.go(f"#view={view}")
            assert page.value(f"{focusable}.length") > 5
            assert (
                page.value(f"{focusable}.filter(e => !e.matches({json.dumps(known)})).length") == 0
            )
            assert (
                page.value(f"{focusable}.filter(e => e.checkVisibility() && !{named}).length") == 0
            ), view


def test_nothing_plays_by_itself_and_less_motion_has_none(browser: Browser, address: str) -> None:
    moving = "getComputedStyle(document.querySelector('.grid rect')).transitionDuration"
    with opened(browser, address, prefers_reduced_motion="reduce") as page:
        page.go("#view=04&show=1")
        page.value("new Promise(done => setTimeout(done, 600))")
        assert "0 of 264" in page.text(".player") and "Play" not in page.text(".player")
        page.press(" ")
        page.value("new Promise(done => setTimeout(done, 600))")
        assert "1 of 264" in page.text(".player")
        assert page.value(moving) == "0s"
    with opened(browser, address, prefers_reduced_motion="no-preference") as page:
        page.go("#view=04&show=1")
        assert page.value(moving) != "0s"


def test_without_javascript_the_tables_are_there(browser: Browser, address: str) -> None:
    with opened(browser, address, script=False) as page:
        tables = page.ask("DOM.getDocument", depth=-1)["root"]
        assert page.browser.ask("Runtime.evaluate", page.session, expression="1")["result"]
        found = page.ask("DOM.querySelectorAll", nodeId=tables["nodeId"], selector="#tables table")[
            "nodeIds"
        ]
        boxes = [page.ask("DOM.getBoxModel", nodeId=node)["model"] for node in found]
        assert boxes and sum(box["width"] > 50 and box["height"] > 10 for box in boxes) > 10


# ---- what it says ------------------------------------------------------------------------------
def recordings() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for lab in labs():
        for one in lab["recordings"]:
            if one["lab"] == lab["lab"] and not one["failure"]:
                found.append((lab["number"] + ("-beside" if one["beside"] else ""), one))
    return found


def units(row: dict[str, Any]) -> int:
    return int(row.get("sectors") or row.get("wavefronts") or row["lines"])


def test_the_counts_are_those_of_the_record(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        for view, one in recordings():
            steps = sum(run[9] for run in one["runs"])
            page.go(f"#view={view}&show=1&step={steps}")
            badges = page.text(".badge").splitlines()
            each = [f"{round(units(row) / row['requests'], 2):g}" for row in one["lines"]]
            assert [
                re.sub(r"\D*(\d.*?) \w+$", r"\1", text.split(row["array"], 1)[1])
                for text, row in zip(badges, one["lines"])
            ] == each
            said = " ".join(page.text(".counters").split())
            for total in one["totals"].values():
                count = f"{units(total):,}"
                assert f"so far {count} whole run {count}, ideal {total['ideal']:,}" in said, view
            for formula in one["formulas"]:
                count = f"{formula['counted']:,}"
                assert f"so far {count} whole run {count} {formula['unit']}" in said
                assert f"= {formula['value']:,} {formula['unit']}: " in said


def test_what_is_drawn_of_a_request_is_what_was_recorded(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        for view, one in recordings():
            for step in (1, 2, 9, 40, sum(run[9] for run in one["runs"])):
                page.go(f"#view={view}&show=1&step={step}")
                order = sorted(one["runs"], key=lambda run: (run[1], run[2], run[4], run[3]))
                assert len(order) >= step  # of one request each
                found = order[step - 1]
                verdict = page.text(".verdict")
                assert verdict.startswith(f"{found[10]:,} "), (view, step)
                who = (
                    f", step {step}:" if view == "03" else f"warp {found[3]} of block {found[1]}, "
                )
                assert who in page.text("[data-panel=warp]")
                shared = one["arrays"][one["sites"][found[0]]["array"]]["space"] == "shared"
                if not shared:
                    assert f"used {found[12]:,}" in verdict
                    assert page.value("document.querySelectorAll('.sector').length") == found[10]
                    assert (
                        page.value("document.querySelectorAll('.sectors .asked').length")
                        == found[12] // 4
                    )
                else:
                    assert (
                        page.value("document.querySelectorAll('.half .asked').length")
                        == found[12] // 4
                    )


def test_a_number_stays_hidden_until_it_is_guessed(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        for view, one in recordings():
            page.go(f"#view={view}&step=20")
            assert page.value("document.querySelectorAll('.warp').length") == 0
            assert not re.search(r"\d+ (sector|wavefront|line)", page.text(".badge"))
            hidden = page.text(".counter.hidden .count")
            assert hidden and not re.search(r"\d", hidden)
            assert not page.value(
                "[...document.querySelectorAll('.panel table')].some(e => e.checkVisibility())"
            )
            page.value("document.querySelector('.ask button[type=button]').click()")
            assert page.value("document.querySelectorAll('.warp').length") == 1
            assert "Without a guess" in page.text(".answer")
            assert units(one["lines"][0]) >= 1


def test_a_link_carries_the_state(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=07-beside&show=1&step=30")
        load = "find(e => e.innerText.includes('← A'))"
        page.value(f"[...document.querySelectorAll('.badge')].{load}.click()")
        link = page.value("location.href")
        shown = page.text(".panel")
    with opened(browser, link) as page:
        assert page.text(".panel") == shown
        assert "4 sectors: moved 128 bytes, used 128" in shown


def test_what_if_is_computed_and_has_its_recorded_twin(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=if&pad=0")
        assert "07 PAD=0, line 27, where it is still to be guessed" in page.text(".twin")
        page.go("#view=if&pad=0&show=1")
        assert "computed: 8 wavefronts. recorded: 07 PAD=0, line 27: 8 wavefronts." in page.text(
            ".twin"
        )
        page.value("document.getElementById('if-pad').focus()")
        page.press("ArrowRight", 4)
        assert "pad=4" in page.value("location.hash")
        assert "computed: 1 wavefront. recorded: 07 PAD=4, line 27: 1 wavefront." in page.text(
            ".twin"
        )
        page.go("#view=if&row=16&stride=16&show=1")
        assert "computed: 16 sectors. recorded: 04 published, line 20: 16 sectors." in page.text(
            ".twin"
        )
        page.go("#view=if&stride=7")
        assert "recorded: no kernel" in page.text(".twin")


def test_before_and_after_are_on_the_same_step(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=07-pair&show=1&step=16")
        assert "wavefronts stored 64 → 8 (÷ 8)" in page.text("main > .verdict")
        assert page.text(".warp .verdict").splitlines()[0].startswith("8 wavefronts")
        assert page.text(".warp .verdict").splitlines()[-1].startswith("1 wavefront")
        page.go("#view=04-pair&step=16")
        assert page.text(".warp") == "" and "Guess in 04 published" in page.text("main")


def test_what_has_other_steps_is_compared_at_the_same_element(
    browser: Browser, address: str
) -> None:
    """Eight elements at once beside one: of both the first, at the same k."""
    with opened(browser, address) as page:
        for step, element, k, letter in (
            (1, "C[0][0]", 0, "A"),
            (8, "C[0][0]", 3, "B"),
            (33, "C[0][0]", 15, "C"),
            (40, "C[0][8]", 3, "A"),
        ):
            page.go(f"#view=03-pair&show=1&step={step}")
            assert page.text(".place-of-both") == f"Both are at {element}, k = {k} of 16."
            assert re.findall(r"(?:reads|writes) (\w)", page.text(".now-line")) == [letter] * 2
            column = int(element[-2])
            names = [f"A[0][{k}]", f"B[{k}][{column}]", f"C[0][{column}]"]
            firsts = page.value(
                "[...document.querySelectorAll('.lanes')].map(e => e.firstChild.title)"
            )
            assert firsts == [names["ABC".index(letter)]] * 2
        page.go("#view=07-pair&show=1&step=9")
        assert "same instruction of the same warp" in page.text(".place-of-both")


def test_a_vector_is_drawn_and_asked_about_whole(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=03")
        assert "A vector load of 8 elements in line" in page.text(".ask")
        cells = "document.querySelectorAll('.register .cells')[0].children.length"
        assert page.value(cells) == 8
        functions = "elementsOf('__m256d'), elementsOf('__m512'), elementsOf('float4')"
        text = re.search(r"function elementsOf.*?\n}\n", module("stage.js"), re.S)
        assert text
        assert page.value(f"(() => {{ {text[0]} return [{functions}] }})()") == [4, 16, 4]


def test_a_vector_of_avx_512_has_sixteen_lanes(browser: Browser, address: str) -> None:
    raw = {
        "runs": [[0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1]],
        "patterns": [[[0, 16, 0, 1]]],
        "sites": [{"line": 1, "array": 0, "writes": False, "width": 1}],
        "arrays": [{"name": "B", "space": "memory", "bytes": 4, "rows": 1, "ld": 16}],
    }
    lab = {"number": "11", "backend": "cpu"}
    text = "".join(map(module, ("html.js", "rules.js", "data.js")))
    made = f"new Recording({json.dumps(lab)}, {json.dumps(raw)}, {{line: 64}})"
    with opened(browser, address) as page:
        assert page.value(f"(() => {{ {text} return cost({made}.request(0)) }})()") == {
            **{"units": 1, "ideal": 1, "used": 64, "moved": 64}
        }


def test_what_is_side_by_side_may_begin_within_a_sector(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        for state, said in {
            "shift=0": "They lie side by side, and memory moves whole sectors",
            "shift=1": "side by side, but do not begin where a sector begins",
            "stride=2": "8 bytes apart",
        }.items():
            page.go(f"#view=if&{state}")
            assert said in page.text("[data-panel=global] .why"), state
            part = " in part" if state != "shift=0" else ""
            assert page.text("[data-panel=global] .why").endswith(f"is coalesced{part}.")
        page.go("#view=if&stride=8")
        assert page.text("[data-panel=global] .why").endswith("is not coalesced.")
        assert page.value("document.getElementById('if-down').disabled")
        page.go("#view=if&row=16")
        assert not page.value("document.getElementById('if-down').disabled")
        page.go("#view=if&ssize=4&pad=0")  # half a warp at once: turns go on
        turns = page.text("[data-panel=shared] .turn").split()
        assert sorted(set(map(int, turns))) == [*range(1, len(set(turns)) + 1)]
        assert f"computed: {len(set(turns))} wavefronts" in page.text("[data-panel=shared] .twin")


def test_a_statement_is_shown_to_its_end(browser: Browser, address: str) -> None:
    source = ["a = f(A[0],", "      B[0]);", "b = 1;"]
    code = "".join(map(module, ("html.js", "rules.js", "data.js")))
    made = f"new Recording({{}}, {{runs: [], source: {json.dumps(source)}}}, {{}})"
    with opened(browser, address) as page:
        for line, said in ((1, "a = f(A[0], B[0]);"), (2, "B[0]);"), (3, "b = 1;")):
            assert page.value(f"(() => {{ {code} return {made}.statement({line}) }})()") == said


def test_only_computing_has_a_share_of_the_roof(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=04")
        assert "most that computing allows" in page.text("[data-panel=speed]")
        assert re.search(r"asks for [\d,]+ GB/s, and memory gives", page.text("[data-panel=speed]"))


def test_boxes_show_how_many_sectors_move(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=04-pair&show=1&step=1")
        boxes = "[...document.querySelectorAll('.scale')].map(e => e.children.length)"
        assert page.value(boxes) == [16, 2]
        widths = "[...document.querySelectorAll('.scale i')].map(e => e.clientWidth)"
        assert max(page.value(widths)) - min(page.value(widths)) <= 1
        whole = page.text(".whole")
        assert "128 such requests × 16 sectors = 2,048 sectors" in whole
        assert "128 such requests × 2 sectors = 256 sectors" in whole


def test_each_view_has_a_speed_or_says_why_not(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=04-beside")
        assert "Measured: 971 GFLOP/s, N = 2048, a GPU" in page.text("[data-panel=speed]")
        page.go("#view=07-beside")
        assert "not measured: made by hand" in page.text("[data-panel=speed]")
        page.go("#view=04-pair")
        assert "971 → 5,460 GFLOP/s" in page.text(".measured")
        page.go("#view=07-pair")
        assert "not measured: made by hand" in page.text(".measured")


def test_the_dictionary_puts_twins_beside_each_other(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=04-08")
        rows = page.value(
            "[...document.querySelectorAll('.dictionary tr.twin')]"
            ".map(row => [...row.cells].map(cell => cell.innerText.trim()))"
        )
    assert ["real sum = 0;", "real sum = 0;"] in rows
    assert any(
        "get_global_id(0)" in a and "blockIdx.x * blockDim.x + threadIdx.x" in b for a, b in rows
    )


def test_the_dictionary_knows_what_an_index_is_called(browser: Browser, address: str) -> None:
    opencl, cuda = ["int i = get_local_id(1);"], ["int i = threadIdx.x;", "int i = threadIdx.y;"]
    with opened(browser, address) as page:
        call = f"aligned({json.dumps(opencl)}, {json.dumps(cuda)})"
        found = page.value(f"(() => {{ {module('dictionary.js')}\nreturn {call} }})()")
    assert found == [[None, cuda[0]], [opencl[0], cuda[1]]]


def test_what_was_not_recorded_says_why(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.go("#view=05")
        assert "does not build" in page.text("main")
        assert not page.value("document.querySelector('.player').checkVisibility()")
