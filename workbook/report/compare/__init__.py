# SPDX-License-Identifier: MIT
"""compare A B: two report folders side by side, cell by cell (lab, variant, type, N, settings)."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from statistics import geometric_mean

from workbook import UserError
from workbook.core.text import wrap
from workbook.report.compare.caveats import caveats
from workbook.report.compare.load_report import Report, read
from workbook.report.compare.ratios import Ratio, Series, Sum, compare, twice
from workbook.report.data.text import figure, short
from workbook.report.tables.cells import BACKENDS

ROW = "{:>5} {:>7} {:>3} {:>7} {:>3} {:>7} {:<11} {}"
LEGEND = """\
ms: median of the repetitions; %: their interquartile range, of the median;
B/A: how many times as fast B is, A's time over B's; interval: a bootstrap of
that ratio, 95 %, and no narrower than what was timed twice is apart"""


def arguments_of(words: list[str]) -> list[str]:
    parser = argparse.ArgumentParser(
        prog="compare",
        description="Two reports side by side: how many times as fast B is, and how sure that is.",
        epilog="exit status: 0, or 2 where a folder has no report that can be read.",
    )
    parser.add_argument(
        "report", nargs="*", help="a folder that make report filled: report, ../eve/report"
    )
    given: list[str] = parser.parse_args(words).report
    if len(given) != 2 or "" in given:
        raise UserError("it takes two report folders: make compare A=report1 B=report2")
    return given


def beside(*columns: str) -> list[str]:
    parts = [
        textwrap.wrap(text, width, break_on_hyphens=False)
        for text, width in zip(columns, (14, 32, 32))
    ]
    return ["{:<14} {:<32} {}".format(*line).rstrip() for line in zip_longest(*parts, fillvalue="")]


def head(a: Report, b: Report) -> list[str]:
    """Whose reports they are; compilers only where they differ."""
    lines = beside("", "A", "B") + beside("report", a.folder, b.folder)
    for fact in {**a.facts, **b.facts}:
        one, other = a.facts.get(fact, "-"), b.facts.get(fact, "-")
        always = fact[0] in BACKENDS or re.search("device|driver|commit", fact[0])
        if always or (one != other and re.search("compiler|flags", fact[0])):
            lines += beside(fact[0], one, other)
    for side, report in ("A", a), ("B", b):
        if not report.facts:
            lines.append(
                f"{side} is not finished, and its machine unknown: run its make report again"
            )
    return lines


def milliseconds(ms: float) -> str:
    """No more than seven characters."""
    return figure(ms, 4) if ms < 1e7 else f"{ms:.1e}"


def times(ratio: float) -> str:
    return short(ratio) if ratio < 1e5 else f"{ratio:.1e}"


def spread(series: Series) -> str:
    if len(series.times) < 3:
        return "-"
    return ">1k" if series.spread >= 10 else f"{100 * series.spread:.0f}"


def winner(ratio: Ratio) -> str:
    """A or B, by the interval as it is printed; or nobody."""
    if ratio.interval is None:
        return ""
    low, high = (float(times(end)) for end in ratio.interval)
    return "B" if low > 1 else "A" if high < 1 else ""


def verdict(ratio: Ratio) -> str:
    if ratio.interval is None:
        rounds = ratio.a.in_rounds and ratio.b.in_rounds
        return f"too few {'rounds' if rounds else 'repetitions'} to tell"
    return f"{winner(ratio)} is faster" if winner(ratio) else "no difference seen"


def row(size: int, ratio: Ratio) -> str:
    between = "..".join(map(times, ratio.interval)) if ratio.interval else "-"
    sides = [text for s in (ratio.a, ratio.b) for text in (milliseconds(s.median), spread(s))]
    return ROW.format(size, *sides, times(ratio.value), between, verdict(ratio))


def tables(a: Report, b: Report, sums: dict[str, Sum]) -> Iterator[str]:
    """A table for each lab, a part for each group of cells, a row for each size that both have."""
    groups = dict.fromkeys([*a.cells, *b.cells])
    for lab in dict.fromkeys(group[0] for group in groups):
        titles = [
            "",
            lab,
            ROW.format("N", "A ms", "%", "B ms", "%", "B/A", "interval", "").rstrip(),
        ]
        for group in groups:
            sizes = a.cells.get(group, {}).keys() & b.cells.get(group, {}).keys()
            if group[0] != lab or not sizes:
                continue
            _, variant, type_, settings = group
            yield from titles
            yield from wrap(", ".join(filter(None, [type_, variant, settings])), "  ", "    ")
            titles = []
            for size in sorted(sizes):
                of_a, of_b = a.cells[group][size], b.cells[group][size]
                ratio = compare(of_a, of_b, sums[of_a.backend].noise)
                sums[of_a.backend].ratios.append(ratio)
                yield row(size, ratio)


def alone(one: Report, other: Report, names: str) -> list[str]:
    """The cells that one report alone has, by lab, and why the other has them not."""
    counts: Counter[str] = Counter()
    why: dict[str, str] = {}
    for group, sizes in one.cells.items():
        for size in sizes.keys() - other.cells.get(group, {}).keys():
            counts[group[0]] += 1
            why[group[0]] = why.get(group[0]) or other.why_not(group, size)
    labs = [
        f"{lab} {n}" + (f" ({names[1]}: {why[lab]})" if why[lab] else "")
        for lab, n in counts.items()
    ]
    return wrap(f"cells that only {names[0]} has: {', '.join(labs) or 'none'}", "", "    ")


def summary(backend: str, sum_: Sum) -> list[str]:
    decided = sum_.decided
    winners = [winner(ratio) for ratio in decided]
    wins = [winners.count(who) for who in ("B", "A", "")]
    few = len(sum_.ratios) - len(decided)
    mean = times(geometric_mean([ratio.value for ratio in decided])) if decided else "-"
    cells = f"{len(decided)} cell{'s' * (len(decided) != 1)}"
    too_few = f"; too few to tell in {few}" if few else ""
    lines = [
        "",
        f"{backend}: geometric mean of B/A {mean} over {cells}{too_few}",
        "  B is faster in {}, A is faster in {}, no difference seen in {}".format(*wins),
    ]
    if sum_.apart:
        most = f"9 in 10 are within {times(sum_.noise)} times, all within {times(max(sum_.apart))}"
        lines += wrap(f"{len(sum_.apart)} settings were timed twice: {most}", "  ", "    ")
    devices = [
        " and ".join(dict.fromkeys(getattr(ratio, side).device for ratio in sum_.ratios))
        for side in "ab"
    ]
    if devices[0] == devices[1]:
        return lines + wrap(f"A and B: {devices[0]}", "  ", "    ")
    return lines + wrap(f"A: {devices[0]}", "  ", "    ") + wrap(f"B: {devices[1]}", "  ", "    ")


def main(words: list[str]) -> int:
    a, b = map(read, arguments_of(words))
    sums = {
        backend: Sum([x for r in (a, b) for x in twice(r.cells, r.defaults, backend)])
        for backend in BACKENDS
    }
    print(*head(a, b), "", LEGEND, sep="\n")
    print(*(list(tables(a, b, sums)) or ["", "No cell was measured in both."]), sep="\n")
    print("", *alone(a, b, "AB"), *alone(b, a, "BA"), sep="\n")
    for backend, sum_ in sums.items():
        if sum_.ratios:
            print(*summary(backend, sum_), sep="\n")
        elif a.measured(backend) and b.measured(backend):
            print(
                f"\n{backend}: no size and setting in common: is one of them QUICK=1, or on another"
            )
            print("  kind of device?")
    print("\nWhat this can tell, and what not:")
    for caveat in caveats(a, b, sums):
        print("\n".join(wrap(f"- {caveat}", "", "  ")))
    return 0
