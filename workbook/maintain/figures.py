# SPDX-License-Identifier: MIT
"""figures measure|fill: the measured figures in the READMEs, kept in figures/. Keep the machine
quiet."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbook import TOP, UserError
from workbook.core.process import run
from workbook.core.text import plain
from workbook.lab.labs import Lab, build, describe, environment, ladder
from workbook.lab.limits import seconds
from workbook.lab.program import PASS, time_program
from workbook.measure import ceilings

LARGE = 4000  # with such sizes, a transcript has 4096, else 1024
SCHEMA = "gemm-figures/1"
Row = dict[str, Any]
WIDE = 20  # a spread of more %, between the quartiles, is told
EPILOG = """
The READMEs have these markers, each with its <!-- end -->:
  <!-- figures LAB NAME ... -->   that lab, its variants, the lab before; or all
  <!-- transcript NAME.LAB -->    the file figures/NAME.LAB.txt
  <!-- transcript NAME.demo labs --> the same without variants and steps

What the tables call the machine stands in figures/NAME.json as "machine", which is written by hand.
"""


def arguments_of(words: list[str]) -> argparse.Namespace:
    plainly = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="figures",
        description="The measured figures in the READMEs.",
        epilog=EPILOG,
        formatter_class=plainly,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("fill", help="puts figures/ into the READMEs")
    measuring = commands.add_parser(
        "measure", help="times every program of the labs: figures/NAME.json, figures/NAME.LAB.txt"
    )
    measuring.add_argument("name", help="of the machine's file: xeon")
    measuring.add_argument("sizes", help='"256 1024"')
    measuring.add_argument("lab", nargs="+")
    return parser.parse_args(words)


# ---- measure -------------------------------------------------------------------------------------
def measure(name: str, sizes: list[str], folders: list[str]) -> None:
    from workbook.report.data.files import put

    figures: list[Row] = []
    of_labs: dict[str, Row] = {}  # the ceilings, at the last size
    large = any(size.isdigit() and int(size) > LARGE for size in sizes)
    for folder in folders:
        lab = describe(folder, [])
        if lab.emulated:  # its times would be a CPU's
            print(f"{lab.name}: emulated here, so without times: left out", file=sys.stderr)
            continue
        if said := build(lab, ["all"], [], anew=False):
            raise UserError(f"{lab.name} does not build: {said}")
        if lab.backend:
            ceilings.ensure(lab.backend, "float")
        for row, found in timed(lab, sizes):
            print(*row.values(), sep="\t", file=sys.stderr)
            figures.append(row)
            if found and not row["variant"]:
                of_labs[lab.name] = {
                    "lab": lab.name,
                    **{key: found[key] for key in ("gflops", "gbs")},
                }
        put(TOP / f"figures/{name}.{lab.name}.txt", transcript(lab, "4096" if large else "1024"))
    if not figures:
        raise UserError("nothing of these labs has times on this machine: choose others by LABS")
    parts = {"machine": machine(name), "ceilings": [*of_labs.values()], "figures": figures}
    put(TOP / f"figures/{name}.json", text_of({"schema": SCHEMA, **parts}))


def machine(name: str) -> str:
    """What it was called before, or is to be called."""
    path = TOP / f"figures/{name}.json"
    return str(json.loads(path.read_text(encoding="utf-8"))["machine"]) if path.is_file() else name


def text_of(record: dict[str, Any]) -> str:
    """A line for each figure, so that a change is a line."""
    parts = []
    for key, value in record.items():
        rows = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in value)
        parts.append(
            f'"{key}": ' + (json.dumps(value) if isinstance(value, str) else f"[\n{rows}\n]")
        )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def timed(lab: Lab, sizes: list[str]) -> Iterator[tuple[Row, dict[str, float] | None]]:
    """Each program at each size, and the ceilings it was held against."""
    for program in lab.climb:
        for size in sizes:
            result = time_program(lab.path, program.name, [size])
            record, right = result.record, result.verdict == PASS
            ms, spread = (result.kernel_ms, record["spread"] or 0.0) if right else (0.0, 0.0)
            row: Row = {
                "lab": lab.name,
                "variant": program.variant,
                "size": size,
                "right": right,
                "ms": round(ms, 4),
                "gflops": float(f"{result.gflops:.5g}"),
                "spread": round(100 * spread),
                "device": plain(record.get("device", "")),
                "why": plain(result.why) or None,
            }
            yield row, record.get("ceilings")


def transcript(lab: Lab, size: str) -> str:
    command = 'exec make -s --no-print-directory run "SIZE=$1" 2>&1'
    outcome = run(["sh", "-c", command, "sh", size], lab.path, seconds([size]), environment())
    if outcome.status != 0:
        raise UserError(
            f"{lab.name}: make run ended with status {outcome.status}: {plain(outcome.out)[-200:]}"
        )
    return f"$ make run SIZE={size}\n{outcome.out}"


# ---- fill ----------------------------------------------------------------------------------------
def fill(top: Path) -> None:
    """Every README is replaced whole, and none if one cannot be filled."""
    from workbook.report.data.files import read, replace
    from workbook.report.document.fill import Marker
    from workbook.report.document.fill import fill as filled

    readmes = [top / "README.md", top / "docs/results.md", *sorted(top.glob("lab*/README.md"))]
    texts = {readme: read(readme).decode("utf-8", "surrogateescape") for readme in readmes}
    made: dict[Path, str] = {}
    for readme, text in texts.items():
        name = readme.relative_to(top)

        def value(marker: Marker, name: Path = name) -> str:
            try:
                return value_of(top / "figures", marker.word, marker.name.split())
            except UserError as mistake:
                raise UserError(
                    f"{name}:{marker.line + 1}: {mistake}; nothing was filled"
                ) from mistake

        made[readme], problems = filled(text, value, ("figures", "transcript"))
        if problems:
            first = problems[0]
            raise UserError(
                f"{name}:{first.line + 1}: {first.what}: {first.advice}; nothing was filled"
            )
    for readme, text in made.items():
        if text != texts[readme]:
            replace(readme, text.encode("utf-8", "surrogateescape"))


def value_of(figures: Path, word: str, names: list[str]) -> str:
    """What belongs between a marker and its end."""
    if word == "transcript":
        text = part(figures, f"{names[0]}.txt")
        return f"```\n{labs_alone(text) if names[1:] == ['labs'] else text}```\n"
    return table(figures, names[0] if names else "all", names[1:])


def labs_alone(demo: str) -> str:
    """What make demo says, less the variants and the steps, which are indented, and what is said of
    them."""
    lines = demo.splitlines(keepends=True)
    return "".join(line for line in lines if not re.match(r"  \w|step: ", line))


def part(figures: Path, name: str) -> str:
    try:
        return (figures / name).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"there is no figures/{name}") from error


def table(figures: Path, lab: str, names: list[str]) -> str:
    """GFLOP/s at the median: the lab before, the lab and its variants, over machines and sizes."""
    from workbook.report.data.text import one_table

    cells: dict[str, dict[str, str]] = {}
    columns: dict[str, None] = {}
    shown = {lab, before(lab)}
    for name in names:
        record = json.loads(part(figures, f"{name}.json"))
        for row in record["figures"]:
            of, variant = row["lab"], row["variant"]
            if lab == "all" or of == lab or (of in shown and not variant):
                label = f"{of}, {variant}" if variant else of
                column = f"{record['machine']}, N={row['size']}"
                columns[column] = None
                cells.setdefault(label, {})[column] = cell(row)
    rows = [
        [label, *(values.get(column, "") for column in columns)] for label, values in cells.items()
    ]
    return one_table([["GFLOP/s", *columns], *rows], 1)


def before(lab: str) -> str:
    names = [path.name for path in ladder()]
    return names[names.index(lab) - 1] if lab in names[1:] else ""


def cell(row: Row) -> str:
    if not row["right"]:
        return str(row["why"] or "wrong")
    speed = row["gflops"]
    figure = f"{speed:.2g}" if speed < 10 else f"{speed:.0f}" if speed < 100 else f"{int(speed)}"
    return figure + (f" (spread {row['spread']} %)" if row["spread"] > WIDE else "")


def main(words: list[str]) -> int:
    arguments = arguments_of(words)
    if arguments.command == "fill":
        fill(TOP)
    else:
        measure(arguments.name, arguments.sizes.split(), arguments.lab)
    return 0
