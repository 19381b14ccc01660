# SPDX-License-Identifier: MIT
"""predict LAB: asks what a student expects of a lab before it is measured, or takes it from make's
command line (GFLOPS=12), and writes it into the lab's table in report/report.md. What can be known
is told then, and not before: what the number is off by, and why. make report puts what was measured
beside it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from workbook import TOP, UserError, flag
from workbook.core.lock import lock
from workbook.core.text import wrap
from workbook.lab.arguments import one_lab
from workbook.lab.labs import Lab, given
from workbook.report import judged
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
# What was counted, not measured: rows that come to the lab's table with the guess.
COUNTED = {
    "REQUESTED": ("requested", "MB requested by the kernel"),
    "LOADS": ("loads", "loads from global memory for each FMA"),
    "SECTORS_A": ("sectors_a", "sectors of a warp's load of A"),
    "SECTORS_B": ("sectors_b", "sectors of a warp's load of B"),
}


def asked_of(lab: Lab) -> dict[str, tuple[str, str]]:
    """Of a kernel in C nobody counts sectors."""
    known = {word: of for word, of in COUNTED.items() if judged.right(lab.name, of[0], 1024)}
    return {**QUANTITIES, **known}


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


def keep(number: str, N: str, quantity: str, value: str, counted: str = "") -> None:
    """A prediction for that N into the student's column. What stood there before is theirs as well,
    and stays behind it. What was counted, not measured, has a row of its own at the end of the
    lab's table."""
    require_number(value)

    def change(text: str) -> str:
        at, rows = counted_rows(text, number)
        old, row = rows.get(quantity, (predictions(text)[number].get(quantity, ""), ""))
        new = beside(old, value)
        if new is None:
            return text
        if not counted:
            text = put_into(text, number, quantity, new)
        else:
            label = next(label for name, label in COUNTED.values() if name == quantity)
            with_it = f"| {label} | {new} | {counted}, counted |   |"
            end = "\r\n" if text[:at].endswith("\r\n") else "\n"
            new_row = f"{text[:at]}{with_it}{end}{text[at:]}"
            text = text.replace(row, with_it, 1) if row else new_row
        known = SIZE in predictions(text)[number]  # a report of long ago may have no such row
        return put_into(text, number, SIZE, N) if known else text

    rewrite(change)


def counted_rows(text: str, number: str) -> tuple[int, dict[str, tuple[str, str]]]:
    """Where the lab's table ends, and by quantity what is predicted there, and the row."""
    last = re.search(rf"(?m)^\|.*<!-- fill predict-lab{number}-speedup .*\n", text)
    if last is None:
        raise UserError(f"{REPORT} has no row of predict-lab{number}-speedup: {TEMPLATE} has it")
    rows = re.compile(r"(?:\|.*\n)*").match(text, last.end())
    assert rows is not None
    found = {}
    for row in rows[0].splitlines():
        cells = [cell.strip() for cell in row.split("|")]
        for name, label in COUNTED.values():
            if cells[1:2] == [label]:
                found[name] = (cells[2], row)
    return rows.end(), found


def require_number(value: str) -> None:
    if re.search(r"[|\n]|<!--", value):
        raise UserError(f"'{value}': a prediction stands in a table's cell: leave out | and <!--")
    if not re.search(r"\d", value):
        raise UserError(f"'{value}': there is no number in it: a prediction is one, as GFLOPS=12")


def beside(before: str, value: str) -> str | None:
    """Both; None where that is what it says already."""
    if before.partition(" (before: ")[0] == value:
        return None
    return f"{value} (before: {before})" if before else value


def rewrite(change: Callable[[str], str]) -> None:
    with lock(REPORT.parent / ".lock"):
        text = text_of_report()
        new = change(text)
        if new == text:
            return
        content = new.encode("utf-8", "surrogateescape")
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


def mine_of(lab: Lab) -> dict[str, str]:
    """All that is predicted of it, by quantity."""
    text = text_of_report()
    counted = {name: value for name, (value, _) in counted_rows(text, lab.number)[1].items()}
    return {**predictions(text)[lab.number], **counted}


def take(lab: Lab, N: str, quantity: str, value: str) -> None:
    """It is kept, and then judged: what is right is told to nobody who has not said something."""
    known = judged.right(lab.name, quantity, int(N))
    is_counted = quantity in [name for name, _ in COUNTED.values()]
    keep(lab.number, N, quantity, value, f"{known:.4g}" if is_counted else "")
    if said := judged.judged(lab.name, quantity, int(N), value, measured(lab.number, quantity)):
        label = next(label for name, label in asked_of(lab).values() if name == quantity)
        print("\n".join(wrap(f"{label}: {value} is {said}", "    ", "      ")))


def measured(number: str, quantity: str) -> str:
    """As make report has put it beside the prediction."""
    cell = rf"<!-- fill predict-lab{number}-{quantity} -->([^|\n]*)<!-- end -->"
    found = re.search(cell, text_of_report())
    return found[1] if found else ""


def ask(lab: Lab, N: str) -> None:
    """Each answer is kept at once; who has enough ends with Ctrl-D."""
    print("Enter leaves a line as it is.")
    for quantity, label in asked_of(lab).values():
        known = mine_of(lab).get(quantity, "")
        try:
            value = input(f"  {label}{f' ({known})' if known else ''}: ").strip()
        except EOFError:
            print()
            return
        if value:
            take(lab, N, quantity, value)


def main(words: list[str]) -> int:
    lab = one_lab(
        "predict",
        words,
        "Keeps what you expect of a lab, in report/report.md, before you measure it, and says what "
        "it is off by.",
        f"On make's command line: {'= '.join((*QUANTITIES, *COUNTED))}=, and SIZE=, the N that you "
        "predict for.",
    )
    said = dict(word.split("=", 1) for word in given())
    asked = asked_of(lab)
    if none := [word for word in COUNTED if said.get(word) and word not in asked]:
        raise UserError(f"{none[0]}: nobody counts that of {lab.name}: {', '.join(asked)}")
    wanted = size(lab, said, predictions(text_of_report())[lab.number])
    values = {quantity: said[name].strip() for name, (quantity, _) in asked.items() if name in said}
    print(f"{lab.name}, M = N = K = {wanted}; the formulas are in its README.md")
    for quantity, value in values.items():
        if value:
            take(lab, wanted, quantity, value)
    if not values and sys.stdin.isatty():
        ask(lab, wanted)
    mine = mine_of(lab)
    for quantity, label in asked.values():
        print(f"  {label:<38}{mine.get(quantity) or '____'}")
    missing = [f"{name}=..." for name, (quantity, _) in asked.items() if not mine.get(quantity)]
    if missing:
        words = [f"next: make predict LAB={lab.number}", *missing]
        print("\n".join(wrap(" ".join(words), "", "      ")))
    else:
        print(f"kept in {REPORT.relative_to(TOP)}; make report puts what was measured beside it")
    return 0
