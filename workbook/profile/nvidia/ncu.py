# SPDX-License-Identifier: MIT
"""What NVIDIA's profiler counts on a GPU: each instruction that accesses memory, with the line that
it comes from. Asked for as CSV, of its source page: nothing that it says to people is read."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbook import UserError
from workbook.core.process import run
from workbook.core.text import plain
from workbook.lab.labs import environment

LIMIT = 300.0  # seconds
OUTPUT = 64 << 20  # bytes of its pages
# Asked for by name, they are columns of that name on the source page.
METRICS = (
    "inst_executed",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
)
NO_RIGHTS = "ERR_NVGPUCTRPERM"


Place = tuple[str, int]  # file and line


@dataclass(frozen=True)
class Instruction:
    kernel: str
    places: tuple[Place, ...]  # its line, and those that call the function which is inlined there
    text: str  # LDS.128 R4, [R2]
    executed: int  # by warps
    sectors: tuple[int, int]  # and how many would do
    wavefronts: tuple[int, int]

    @property
    def opcode(self) -> str:
        """LDS.128, without the predicate."""
        return re.sub(r"^\s*(@\S+\s+)?", "", self.text).split()[0].rstrip(";")


def missing() -> str:
    """Why there is nothing to ask here, or "": a line of what, why, what to do."""
    gpu = run(["nvidia-smi", "-L"], Path("/"), LIMIT) if shutil.which("nvidia-smi") else None
    if gpu is None or gpu.status != 0 or "GPU" not in gpu.out:
        return "there is no NVIDIA GPU here: without DEVICE=gpu the same is counted on the CPU"
    if not shutil.which("ncu"):
        return "ncu is not installed: it comes with the CUDA Toolkit, as Nsight Compute"
    return ""


def device() -> str:
    asked = run(
        ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], Path("/"), LIMIT, environment()
    )
    return plain(asked.out.strip().partition("\n")[0])


def report(
    command: Sequence[str], folder: Path, work: Path, kernels: str = "", more: Sequence[str] = ()
) -> Path:
    """Of the kernels of a program whose names match; with more metrics than METRICS."""
    path = work / "ncu.ncu-rep"
    chosen = ["--kernel-name", f"regex:{kernels}"] if kernels else []
    asked = ",".join([*METRICS, *more])
    words = ["ncu", "--clock-control", "none", "-f", "-o", str(path), *chosen]
    alone = {**environment(), "GEMM_ALONE": "1"}
    ended = run([*words, "--metrics", asked, *command], folder, LIMIT, alone)
    said = ended.out + ended.err
    if NO_RIGHTS in said:
        raise UserError(
            f"ncu may not read this GPU's counters ({NO_RIGHTS}): run it as root, or have the "
            "driver loaded with NVreg_RestrictProfilingToAdminUsers=0"
        )
    if not path.is_file():
        told = [line for line in said.splitlines() if line.startswith("==ERROR==")]
        raise UserError(f"ncu makes no report: {plain((told or ['it says nothing'])[0])}")
    return path


def instructions(report: Path) -> list[Instruction]:
    """Of each launch anew."""
    return list(parse(page(report, "source", ["--print-source", "cuda,sass"])))


def page(report: Path, name: str, more: Sequence[str] = ()) -> str:
    words = ["ncu", "-i", str(report), "--csv", "--page", name, *more]
    return run(words, report.parent, LIMIT, environment(), read=OUTPUT).out


def parse(text: str) -> Iterator[Instruction]:
    """A section for each kernel and file: "File Path", "Function Name", the columns' names; below
    each line of the source, which has a "Line No", its instructions, which have an "Address". One
    that is inlined is there for each place; the same file again is the next launch."""
    file = kernel = ""
    columns: list[str] = []
    files: set[str] = set()  # of this launch
    seen: dict[str, Instruction] = {}  # by address in it
    line = 0
    for row in csv.reader(io.StringIO(text)):
        if len(row) >= 2 and row[0] == "File Path":
            file, columns = row[1], []
        elif len(row) >= 2 and row[0] == "Function Name":
            if row[1] != kernel or file in files:
                yield from seen.values()
                files, seen = set(), {}
            kernel, columns = row[1], []
            files.add(file)
        elif "Address" in row and "Source" in row:
            columns, line = row, 0
        elif columns and len(row) == len(columns):
            cells = dict(zip(columns, row))  # of two called Source the last: the instruction
            if cells["Line No"].isdigit():
                line = int(cells["Line No"])
            address = cells["Address"]
            if address.startswith("0x"):
                one = seen.get(address) or instruction(kernel, cells)
                seen[address] = replace(one, places=(*one.places, (file, line)))
    yield from seen.values()


def instruction(kernel: str, cells: dict[str, str]) -> Instruction:
    """ncu leaves out a column of zeros alone."""
    executed, *costs = (number(cells.get(name, "0")) for name in METRICS)
    wavefronts, sectors = (costs[0], costs[1]), (costs[2], costs[3])
    name, text = kernel.partition("(")[0], cells["Source"].strip()
    return Instruction(name, (), text, executed, sectors, wavefronts)


def number(text: str) -> int:
    plainly = text.replace(",", "").strip()
    return int(float(plainly)) if re.fullmatch(r"\d+(\.\d+)?", plainly) else 0
