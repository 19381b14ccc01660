# SPDX-License-Identifier: MIT
"""Whether a kernel with Hopper's own instructions that was broken on purpose is caught: by --check,
as no emulator knows them.

    python3 -m tests.hopper      on a GPU of compute capability 9.0, without pytest"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.copies import changed, copy_to
from tests.support import make, run

LIMIT = 20  # seconds, for what takes three
# It is wrong; it is an error; it waits for what does not come, and whoever runs it sees that.
CAUGHT = (1, 2, 137, -9)


@dataclass(frozen=True)
class Written:
    """A program with such instructions."""

    lab: str
    program: str

    @property
    def kernel(self) -> str:
        return f"{self.program.replace('gemm', 'kernel')}.cu"


HOPPER = Written("lab19_cuda_hopper", "gemm")
BF16 = Written("lab19_cuda_hopper", "gemm_bf16")
SPLIT = Written("lab20_cuda_3xtf32", "gemm_hopper")


@dataclass(frozen=True)
class Broken:
    name: str
    of: Written
    line: str  # of its kernel
    instead: str
    luck: bool = False  # a GPU may be fast enough not to show it


ALL = (
    Broken(
        "not-waited-for",
        HOPPER,
        "mbarrier_wait(&full[s], k_tile / STAGES);",
        "",
    ),
    Broken("stage-reused-too-early", HOPPER, "mbarrier_wait(&empty[s], k_tile / STAGES - 1);", ""),
    Broken("vectors-not-swapped", HOPPER, "(vector ^ (k + q) % 8) * 4", "vector * 4"),
    Broken("next-rows", HOPPER, "right + p * 1024 + k * 2", "right + p * 512 + k * 2"),
    Broken("k-stands-still", HOPPER, "right + p * 1024 + k * 2", "right + p * 1024"),
    Broken(
        "box-elsewhere",
        HOPPER,
        "tma_load_2d(stages[s].a, &A, row, k,",
        "tma_load_2d(stages[s].a, &A, row + 1, k,",
    ),
    Broken(
        "odd-columns",
        HOPPER,
        "i < M && j + 1 < N && N % 2 == 0",
        "i < M && j + 1 < N && N % 2 == 1",
    ),
    Broken("last-column", HOPPER, "if (i < M && j < N)", "if (i < M && j + 1 < N)"),
    Broken("rows-outside", HOPPER, "i < M && j + 1 < N && N % 2 == 0", "j + 1 < N && N % 2 == 0"),
    Broken(
        "last-tile-left-out",
        HOPPER,
        "if (blockIdx.x >= tiles_m * tiles_n)",
        "if (blockIdx.x + 1 >= tiles_m * tiles_n)",
    ),
    Broken("not-split-yet", SPLIT, "mbarrier_wait(&ready[s], k_tile / STAGES);", ""),
    Broken(
        "small-left-out",
        SPLIT,
        "wgmma_m64n128k8_tf32(part, large[k], a_small + k * 2, true);",
        "",
    ),
    Broken("not-rounded", SPLIT, "large = round_to_tf32(x);", "large = x;"),
    Broken("part-kept", SPLIT, "k * 2, k > 0);", "k * 2, true);"),
    Broken("bf16-not-waited-for", BF16, "mbarrier_wait(&full[n % STAGES], n / STAGES);", ""),
    Broken("bf16-reused-too-early", BF16, "mbarrier_wait(&empty[s], n / STAGES - 1);", ""),
    Broken("bf16-other-block-not-waited-for", BF16, "&empty[s], CLUSTER *", "&empty[s], 1 *"),
    Broken("bf16-other-block-not-told", BF16, "if (lane < CLUSTER)", "if (lane < 1)"),
    Broken("bf16-copied-to-one-block", BF16, "(1 << CLUSTER) - 1)", "1 << block)"),
    Broken(
        "bf16-cluster-not-ready", BF16, "    cluster_sync();", "    __syncthreads();", luck=True
    ),
    Broken(
        "bf16-ends-too-early",
        BF16,
        "mbarrier_wait(&empty[n % STAGES], n / STAGES - 1);",
        ";",
        luck=True,
    ),
    Broken(
        "bf16-released-too-early",
        BF16,
        "wgmma_wait_group<0>();\n                release(n % STAGES);",
        "release(n % STAGES);\n                wgmma_wait_group<0>();",
    ),
    Broken("bf16-never-released", BF16, "release(n % STAGES);", ""),
    Broken("bf16-sum-kept", BF16, "k_tile + k > 0", "n + k > 0"),
    Broken("bf16-next-k", BF16, "right + k * 128", "right + k * 64"),
    Broken("bf16-next-columns", BF16, "stage->b, BOX_BYTES_B", "stage->b, BOX_BYTES_B / 2"),
    Broken("bf16-rows-of-one-block", BF16, "at.x + block * TILE_M, k,", "at.x, k,"),
    Broken("bf16-neighbour", BF16, "q % 2 ? x[1] : x[5]", "q % 2 ? x[5] : x[1]"),
    Broken("bf16-odd-columns", BF16, "j + 3 < N && N % 4 == 0", "j + 3 < N"),
    Broken("bf16-last-columns", BF16, "i < M && j + e < N", "i < M && j + 3 < N"),
    Broken("bf16-rows-outside", BF16, "if (i < M && j + 3 < N", "if (j + 3 < N"),
    Broken("bf16-other-width", BF16, "% group_width) * columns", "% group_width) * TILE_N"),
    Broken("bf16-bytes-of-other-width", BF16, "boxes * BOX_BYTES_B", "4 * BOX_BYTES_B"),
    Broken("bf16-next-row-of-tiles", BF16, "n % (width * tiles_m)", "n % width"),
)


def missing() -> str:
    """Why none of them can be run here; "": they can."""
    if not shutil.which("nvidia-smi"):
        return "no NVIDIA GPU here"
    command = ["nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return "" if said[:1] == ["9.0"] else f"no GPU of compute capability 9.0 here: {' '.join(said)}"


def control(tree: Path) -> str:
    """What is wrong with the kernels that nobody broke: were they, all would seem to be caught."""
    for one in HOPPER, BF16, SPLIT:
        folder = tree / "advanced" / one.lab
        if (built := make(folder, one.program)).status != 0:
            return f"{one}: does not compile: {built.text[-500:]}"
        command = ["timeout", "-s", "KILL", str(LIMIT), f"./{one.program}", "--check"]
        if (ended := run(command, folder)).status != 0:
            return f"{one}: status {ended.status}: {ended.text[-500:]}"
    return ""


def judge(broken: Broken, tree: Path) -> str:
    """What is wrong; "": it is caught."""
    folder = tree / "advanced" / broken.of.lab
    file, program = folder / broken.of.kernel, broken.of.program
    text = file.read_text(encoding="utf-8")
    if broken.line not in text:
        return f"{broken.of.lab} has no '{broken.line}' any more: adapt tests/hopper.py"
    with changed(file, text.replace(broken.line, broken.instead)):
        built = make(folder, program)
        if built.status != 0:
            return f"does not compile: {built.text[-500:]}"
        ended = run(["timeout", "-s", "KILL", str(LIMIT), f"./{program}", "--check"], folder)
    return "" if ended.status in CAUGHT else f"status {ended.status}"


if __name__ == "__main__":
    if missing():
        print(f"skipped: {missing()}", file=sys.stderr)
        sys.exit(77)
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        tree = copy_to(Path(name))
        if why := control(tree):
            sys.exit(f"hopper: {why}")
        for one in ALL:
            why = judge(one, tree)
            missed += why != "" and not one.luck
            said = "caught" if not why else "luck  " if one.luck else "MISSED"
            print(f"{said}  {one.name}  {why}", flush=True)
    print(f"{len(ALL) - missed} caught, {missed} missed")
    sys.exit(missed > 0)
