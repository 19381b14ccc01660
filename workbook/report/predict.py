# SPDX-License-Identifier: MIT
"""predict LAB: asks what a student expects of a lab before it is measured, or takes it from make's
command line (GFLOPS=12), and writes it into the lab's table in report/report.md. make report puts
what was measured beside it."""

from __future__ import annotations

import re
import sys

from workbook import TOP, UserError, flag
from workbook.core.lock import lock
from workbook.core.text import wrap
from workbook.lab.arguments import one_lab
from workbook.lab.labs import Lab, given
from workbook.report.data.files import put, read, replace
from workbook.report.measure.plan import sizes_of
from workbook.student.report_completion import SIZE, predictions

REPORT = TOP / "report/report.md"
TEMPLATE = TOP / "report_template/report.md"
DEFAULT = "1024"  # of the READMEs' tables and of make run
# As on the command line; in the report's markers; what is asked.
QUANTITIES = {
    "WORK": ("work", "work in GFLOP"),
    "MB": ("bytes", "MB of compulsory traffic"),
    "INTENSITY": ("intensity", "intensity in FLOP/byte"),
    "GFLOPS": ("gflops", "speed in GFLOP/s"),
    "SPEEDUP": ("speedup", "speedup over the lab before"),
}


def sizes(lab: Lab) -> list[int]:
    """Those that make report measures, here or on another machine."""
    every = (sizes_of(lab, on_gpu) for on_gpu in (False, True))
    return sorted({N for one in every for N in (*one.all, *one.quick)})


def size(lab: Lab, said: dict[str, str], mine: dict[str, str]) -> str:
    """The N that is predicted for: once there are predictions, theirs."""
    quick = str(max(sizes_of(lab, False).quick)) if flag("QUICK") else ""
    known = mine.get(SIZE, "")
    wanted = said.get("SIZE") or quick or known or DEFAULT
    if wanted not in map(str, sizes(lab)):
        raise UserError(
            f"SIZE={wanted}: make report measures {', '.join(map(str, sizes(lab)))}: choose one of "
            "them"
        )
    if known and wanted != known:
        raise UserError(
            f"SIZE={wanted}: what you predicted of {lab.name} is for N = {known}: "
            f"leave SIZE out, or change it in {REPORT.relative_to(TOP)}"
        )
    return wanted


def text_of_report() -> str:
    path = REPORT if REPORT.is_file() else TEMPLATE
    return read(path).decode("utf-8", "surrogateescape")


def keep(number: str, N: str, quantity: str, value: str) -> None:
    """A prediction for that N into the student's column. What stood there before is theirs as well,
    and stays behind it."""
    if re.search(r"[|\n]|<!--", value):
        raise UserError(f"'{value}': a prediction stands in a table's cell: leave out | and <!--")
    if not re.search(r"\d", value):
        raise UserError(f"'{value}': there is no number in it: a prediction is one, as GFLOPS=12")
    with lock(REPORT.parent / ".lock"):
        text = text_of_report()
        before = predictions(text)[number].get(quantity, "")
        if before.partition(" (before: ")[0] == value:
            return
        text = put_into(text, number, quantity, f"{value} (before: {before})" if before else value)
        if (
            SIZE in predictions(text)[number]
        ):  # a report that was begun long ago may have no such row
            text = put_into(text, number, SIZE, N)
        content = text.encode("utf-8", "surrogateescape")
        if REPORT.exists():
            replace(REPORT, content)
        else:
            put(REPORT, content)


def put_into(text: str, number: str, quantity: str, value: str) -> str:
    row = re.search(
        rf"(?m)^\|[^|\n]*\|([^|\n]*)(?=\|[ \t]*<!-- fill predict-lab{number}-{quantity} )", text
    )
    if row is None:
        raise UserError(f"{REPORT} has no row of predict-lab{number}-{quantity}: {TEMPLATE} has it")
    return f"{text[: row.start(1)]} {value} {text[row.end(1) :]}"


def ask(number: str, N: str) -> None:
    """Each answer is kept at once; who has enough ends with Ctrl-D."""
    print("Enter leaves a line as it is.")
    for quantity, label in QUANTITIES.values():
        known = predictions(text_of_report())[number].get(quantity, "")
        try:
            value = input(f"  {label}{f' ({known})' if known else ''}: ").strip()
        except EOFError:
            print()
            return
        if value:
            keep(number, N, quantity, value)


def main(words: list[str]) -> int:
    lab = one_lab(
        "predict",
        words,
        "Keeps what you expect of a lab, in report/report.md, before you measure it.",
        f"On make's command line: {'= '.join(QUANTITIES)}=, and SIZE=, the N that you predict for.",
    )
    said = dict(word.split("=", 1) for word in given())
    number = lab.number
    wanted = size(lab, said, predictions(text_of_report())[number])
    values = {
        QUANTITIES[name][0]: value.strip() for name, value in said.items() if name in QUANTITIES
    }
    print(f"{lab.name}, M = N = K = {wanted}; the formulas are in its README.md")
    for quantity, value in values.items():
        if value:
            keep(number, wanted, quantity, value)
    if not values and sys.stdin.isatty():
        ask(number, wanted)
    mine = predictions(text_of_report())[number]
    for quantity, label in QUANTITIES.values():
        print(f"  {label:<28}{mine.get(quantity) or '____'}")
    missing = [
        f"{name}=..." for name, (quantity, _) in QUANTITIES.items() if not mine.get(quantity)
    ]
    if missing:
        print("\n".join(wrap(f"next: make predict LAB={number} {' '.join(missing)}", "", "      ")))
    else:
        print(f"kept in {REPORT.relative_to(TOP)}; make report puts what was measured beside it")
    return 0
