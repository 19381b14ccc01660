# SPDX-License-Identifier: MIT
"""clblast: lets CLBlast's own tuners look for the parameters that suit the device here, and keeps
the best in build/clblast.tsv: device, kernel, parameters. The variant `tuned` of baseline/clblast
reads them."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from workbook import TOP, UserError, flag
from workbook.core.files import put, temp_folder
from workbook.core.process import run
from workbook.core.progress_bar import ProgressBar
from workbook.core.text import plain
from workbook.lab.labs import BASELINE, environment
from workbook.lab.program import PASS, run_program

TABLE = TOP / "build/clblast.tsv"
PROBE = "clblast_tuner_copy_fast"
# Tuners, with a part of what there is to try that takes minutes: one in so many.
TUNERS = {
    "clblast_tuner_xgemm": "256",
    "clblast_tuner_xgemm_direct": "64",
    PROBE: "8",
    "clblast_tuner_copy_pad": "8",
    "clblast_tuner_transpose_fast": "8",
    "clblast_tuner_transpose_pad": "8",
}
KERNELS = {  # by what a tuner calls its family, which may end in the number of a part
    "xgemm_direct": "XgemmDirect",
    "xgemm": "Xgemm",
    "copy": "Copy",
    "padtranspose": "Padtranspose",
    "pad": "Pad",
    "transpose": "Transpose",
}
LIMIT = 4 * 3600.0  # seconds for a tuner
A_TUNER = 300.0  # about
ON_CPU = ["-m", "256", "-n", "256", "-k", "256"]  # elsewhere the tuners' own sizes
PLACES = [["-platform", str(p), "-device", str(d)] for p in range(4) for d in range(4)]

Said = dict[str, Any]


def tune(tuner: str, words: list[str], work: Path) -> list[Said]:
    """What a tuner wrote; nothing where it has no such device."""
    for old in work.glob("*.json"):
        old.unlink()
    outcome = run([tuner, *words], work, LIMIT, environment())
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(work.glob("*.json"))]
    if not found and "invalid" not in outcome.err + outcome.out:
        last = plain(outcome.err.strip().rpartition("\n")[2])
        raise UserError(f"{tuner} ended with status {outcome.status}: {last or 'it found nothing'}")
    return found


def device_here() -> str:
    """That ./gemm takes, and so the labs."""
    result = run_program(TOP / BASELINE / "clblast", "gemm", ["64", "--once"])
    if result.verdict != PASS:
        raise UserError(f"baseline/clblast: {result.summary}")
    return str(result.record["device"])


def place_of(device: str, work: Path) -> tuple[list[str], str]:
    """Where the tuners find it, and its type."""
    for place in PLACES:
        for said in tune(PROBE, [*place, "-fraction", "144", "-m", "64", "-n", "64"], work):
            if said["device"] == device:
                return place, said["device_type"]
    raise UserError(f"CLBlast's tuners do not find {device}")


def best_of(said: list[Said]) -> dict[str, str]:
    """The fastest parameters of each kernel. Some kernels are tuned in parts, which rival."""
    times: dict[str, float] = {}
    best: dict[str, str] = {}
    for one in said:
        kernel = next(
            name for start, name in KERNELS.items() if one["kernel_family"].startswith(start)
        )
        if float(one["best_time"]) < times.get(kernel, float("inf")):
            times[kernel] = float(one["best_time"])
            words = one["best_parameters"].split()
            best[kernel] = " ".join(word for word in words if not word.startswith("PRECISION="))
    return best


def keep(device: str, best: dict[str, str]) -> None:
    """Those of other devices stay."""
    lines = TABLE.read_text(encoding="utf-8").splitlines() if TABLE.exists() else []
    kept = [line for line in lines if line.partition("\t")[0] != device]
    new = ["\t".join((device, *pair)) for pair in best.items()]
    put(TABLE, "".join(f"{line}\n" for line in [*kept, *new]).encode())


def main(words: list[str]) -> int:
    argparse.ArgumentParser(
        prog="clblast",
        description="Lets CLBlast's tuners look for what suits the device here. It takes half an "
        "hour or more; with QUICK=1, which tries fewer, some minutes.",
    ).parse_args(words)
    if lacking := [tuner for tuner in TUNERS if shutil.which(tuner) is None]:
        raise UserError(f"no {lacking[0]} here: apt install clblast-utils")
    device = device_here()
    said: list[Said] = []
    with ProgressBar("clblast", A_TUNER * len(TUNERS)) as progress, temp_folder("clblast") as work:
        place, kind = place_of(device, work)
        for number, (tuner, fraction) in enumerate(TUNERS.items(), 1):
            progress.show_only(tuner)
            fewer = ["-fraction", fraction] if flag("QUICK") else []
            said += tune(tuner, [*place, *fewer, *(ON_CPU if kind == "CPU" else [])], work)
            progress.done(number / len(TUNERS))
    best = best_of(said)
    keep(device, best)
    print("\n".join(f"{kernel}: {parameters}" for kernel, parameters in best.items()))
    return 0
