# SPDX-License-Identifier: MIT
"""All that the page says, in tables: what is there without JavaScript, and behind each drawing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any

from workbook.profile.table import UNITS

Cells = Iterable[object]


def tables(found: list[dict[str, Any]]) -> str:
    return "\n".join(text for lab in found for text in of_lab(lab))


def of_lab(lab: dict[str, Any]) -> Iterator[str]:
    own, *others = lab["recordings"]
    yield f'<section class="lab" id="lab{lab["number"]}">'
    yield f"<h2>{escape(lab['title'])}</h2>"
    yield from of_recording(own)
    for other in others:
        yield f'<details class="beside"><summary>Beside it: {escape(other["beside"])}</summary>'
        yield from of_recording(other)
        yield "</details>"
    yield "</section>"


def of_recording(one: dict[str, Any]) -> Iterator[str]:
    if one["problem"]:
        shape = " × ".join(str(one["problem"][name]) for name in "MNK")
        settings = "".join(f", {escape(setting)}" for setting in one["settings"])
        yield f'<p class="problem">{shape}{settings}, recorded by {escape(one["by"])}</p>'
    for said in filter(None, (one["skip"], one["failure"], one["wrong"], one["cut"])):
        yield f'<p class="why">{escape(said)}</p>'
    yield from source(one)
    if one["lines"]:
        yield from counts(one)
    if one["formulas"]:
        yield from formulas(one)


def row(cells: Cells, tag: str = "td", attributes: str = "") -> str:
    inside = "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells)
    return f"<tr{attributes}>{inside}</tr>"


def source(one: dict[str, Any]) -> Iterator[str]:
    badges: dict[int, list[str]] = {}
    for line in one["lines"]:
        unit = UNITS[line["space"]]
        access = "stores" if line["writes"] else "loads"
        badges.setdefault(line["line"] or 0, []).append(
            f"{line['array']} {access}: {line['requests']:,} requests, {line[unit]:,} {unit}"
        )
    yield f'<table class="source"><caption>{escape(one["file"])}</caption>'
    for number, text in enumerate(one["source"], 1):
        attributes = ' class="changed"' if number in one["changed"] else ""
        count = "<br>".join(map(escape, badges.get(number, [])))
        yield (
            f'<tr{attributes}><th scope="row">{number}</th><td class="count">{count}</td>'
            f"<td><code>{escape(text)}</code></td></tr>"
        )
    yield "</table>"


def counts(one: dict[str, Any]) -> Iterator[str]:
    yield '<table class="counts"><caption>What each line asks memory for</caption><thead>'
    yield row(
        ("line", "array", "access", "requests", "lanes", "moved", "ideal", "distinct bytes used"),
        "th",
    )
    yield "</thead><tbody>"
    for line in one["lines"]:
        unit = UNITS[line["space"]]
        access = f"{line['space']} {'store' if line['writes'] else 'load'}"
        numbers = (
            line["requests"],
            line["lanes"],
            f"{line[unit]} {unit}",
            line["ideal"],
            line["bytes"],
        )
        yield row((line["line"] or "?", line["array"], access, *numbers))
    yield "</tbody><tfoot>"
    for name, total in one["totals"].items():
        if total["requests"]:
            unit = next(unit for unit in UNITS.values() if unit in total)
            moved = f"{total[unit]} {unit}"
            yield row(
                (
                    "all",
                    "",
                    name.replace("_", " "),
                    total["requests"],
                    "",
                    moved,
                    total["ideal"],
                    total["bytes"],
                )
            )
    yield "</tfoot></table>"


def formulas(one: dict[str, Any]) -> Iterator[str]:
    yield '<table class="formulas"><caption>In closed form, and as counted</caption><thead>'
    yield row(("what", "formula", "value", "counted", "from"), "th")
    yield "</thead><tbody>"
    for formula in one["formulas"]:
        numbers = [f"{formula[name]:,} {formula['unit']}" for name in ("value", "counted")]
        yield row((formula["label"], formula["formula"], *numbers, formula["source"]))
    yield "</tbody></table>"
