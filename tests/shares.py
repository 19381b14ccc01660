# SPDX-License-Identifier: MIT
"""What the READMEs of labs 15 to 20 and 23 say of cuBLAS, in one table: single launches and
steady, each with its spread, its share of cuBLAS, and its errors. All interleaved in one run.

    python3 -m tests.shares [SIZE ...]     2048 4096 8192 5000, or 64x8192x8192, for example"""

from __future__ import annotations

import os
import sys
from statistics import median

from tests.support import TOP
from workbook.lab import labs
from workbook.lab.limits import Shape, shape_name, shapes_of
from workbook.lab.program import PASS
from workbook.libraries.shares import Entry, single, spread_of, steady, time_rounds

SIZES = "2048 4096 8192 5000 64x8192x8192 1x8192x8192 128x128x65536"
ROUNDS = int(os.environ.get("ROUNDS", "3"))
FP32, TF32, BF16 = (f"baseline/cublas{arithmetic}" for arithmetic in ("", "_tf32", "_bf16"))
# What is compared with which.
SQUARE = {
    FP32: ["15", "16", "17", "20", "20 3xtf32", "20 mma", "20 hopper", "20 hopper_3xtf32", "23"],
    TF32: ["18 wmma", "18 mma", "18", "19"],
    BF16: ["18 bf16", "19 bf16"],
}
OTHER = {FP32: ["17", "23"]}


def entry_of(words: str) -> Entry:
    """Of `18 wmma`, or of a folder of baseline/."""
    number, _, variant = words.partition(" ")
    folder = TOP / number if "/" in number else next(TOP.glob(f"advanced/lab{number}_*"))
    lab = labs.describe(str(folder), [])
    program = next(one for one in lab.programs if one.variant == variant)
    if unbuilt := labs.build(lab, [program.name], [], anew=False):
        raise SystemExit(f"shares: {words}: {unbuilt}")
    return Entry(lab, program)


def share(ours: list[float], theirs: list[float], times: int = 1) -> str:
    """The median of the rounds' ratios."""
    if not ours or len(ours) != len(theirs):
        return ""
    return f"{median(times * one / other for one, other in zip(ours, theirs)):.2f}"


def cells(ours: list[float], peer: list[float], tf32: list[float]) -> str:
    if not ours:
        return "| | | | "
    spread = f"{100 * (spread_of(ours) or 0):.1f} %"
    return f"| {median(ours):,.0f} | {spread} | {share(ours, peer)} | {share(ours, tf32, 3)} "


def table(entries: dict[str, list[Entry]], shape: Shape) -> None:
    print(f"\n{shape_name(*shape)}: GFLOP/s, spread, share of cuBLAS and of a third of cuBLAS TF32")
    print("(3xTF32 takes three products): single launches; steady; errors, mean and largest\n")
    print("| | single | | | | steady | | | | | |\n|---|" + "---:|" * 10)
    for peer, *others in entries.values():
        for entry in [peer, *others]:
            if entry.is_out:
                print(f"| {entry.label} | {entry.last.summary if entry.last else ''} |")
                continue
            third = entries[TF32][0] if "3xtf32" in entry.lab.name else None
            found = [
                cells(*([pick(one).get(shape, []) if one else [] for one in (entry, peer, third)]))
                for pick in (single, steady)
            ]
            error = entry.record["error"]
            print(f"| {entry.label} {''.join(found)}", end="")
            print(f"| {error['mean']:.1e} | {error['largest']:.1e} |", flush=True)


def main(words: list[str]) -> int:
    shapes = shapes_of(" ".join(words) or SIZES)
    built: dict[str, Entry] = {}
    for M, N, K in shapes:
        who = SQUARE if M == N == K else OTHER
        for name in [name for peer in who for name in [peer, *who[peer]]]:
            if name not in built:
                built[name] = entry_of(name)
        entries = {peer: [built[name] for name in [peer, *who[peer]]] for peer in who}
        every = [entry for group in entries.values() for entry in group]
        time_rounds(every, (M, N, K), ROUNDS, lambda _: None)
        table(entries, (M, N, K))
    return 0 if all(one.last and one.last.verdict == PASS for one in built.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
