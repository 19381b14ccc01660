# SPDX-License-Identifier: MIT
"""What had another name is refused with the new one, in a line: common/make/renamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import TOP, make

# As one types it who knows the old name.
TYPED = {
    ("target", "mine", "restore"): ("mine LAB=02", "make mine is now make restore"),
    ("lab", "lab19_cuda_split", "lab20_cuda_3xtf32"): (
        "check LAB=19_cuda_split",
        "LAB=19_cuda_split is now lab20_cuda_3xtf32",
    ),
    ("lab", "lab20_mpi", "lab21_mpi"): ("check LABS=lab20_mpi", "LABS=lab20_mpi is now lab21_mpi"),
    ("lab", "lab21_multi_gpu", "lab22_multi_gpu"): (
        "advanced/lab21_multi_gpu",
        "advanced/lab21_multi_gpu is now lab22_multi_gpu",
    ),
    ("setting", "AGAIN", "REPEAT"): ("hint LAB=02 AGAIN=1", "AGAIN is now REPEAT"),
    ("setting", "ALONE", "SERIAL_MAX"): (
        "-C advanced/lab12_avx_threads run ALONE=1",
        "ALONE is now SERIAL_MAX",
    ),
    ("setting", "BLOCK", "BLOCK_KN"): ("-C lab03_avx_block run BLOCK=64", "BLOCK is now BLOCK_KN"),
    ("setting", "NEAR", "UNPACKED_MAX"): ("run NEAR=0", "NEAR is now UNPACKED_MAX"),
    ("setting", "SHARES", "BLOCKS_PER_THREAD"): (
        "sweep SHARES=2",
        "SHARES is now BLOCKS_PER_THREAD",
    ),
}
# In which lab a variant is.
VARIANTS = {
    ("blocking", "no_overlap"): "advanced/lab22_multi_gpu",
    ("chapter", "published"): "lab04_ocl_naive",
    ("fetch", "prefetch"): "advanced/lab11_avx512",
    ("hopper_three", "hopper_3xtf32"): "advanced/lab20_cuda_3xtf32",
    ("inside", "interior"): "advanced/lab14_ocl_tuned",
    ("load", "load_matrix_sync"): "advanced/lab18_cuda_tensor",
    ("loop", "parallel_ic"): "advanced/lab12_avx_threads",
    ("pack", "parallel_pack"): "advanced/lab12_avx_threads",
    ("plain", "no_prefetch"): "lab09_cuda_shared",
    ("ring", "multistage"): "advanced/lab17_cuda_async",
    ("three", "3xtf32"): "advanced/lab20_cuda_3xtf32",
    ("tile", "one_per_item"): "lab07_ocl_localmem",
    ("tile", "regtile"): "advanced/lab15_cuda_regtile",
    ("tiles", "untransposed"): "lab07_ocl_localmem",
    ("warps", "warptile"): "advanced/lab16_cuda_warptile",
}
COMMANDS = [
    *TYPED.values(),
    *(
        (f"-C {lab} run VARIANT={old}", f"VARIANT={old} is now {new}")
        for (old, new), lab in VARIANTS.items()
    ),
    *(
        (f"-C {lab} gemm_{old}", f"gemm_{old} is now gemm_{new}")
        for (old, new), lab in VARIANTS.items()
    ),
]


def test_each_of_the_table_is_here() -> None:
    lines = (TOP / "common/make/renamed").read_text(encoding="utf-8").splitlines()
    rows = {tuple(line.split("\t")) for line in lines if not line.startswith("#")}
    assert rows == {*TYPED, *(("variant", *names) for names in VARIANTS)}


@pytest.mark.parametrize(("words", "says"), COMMANDS, ids=[words for words, _ in COMMANDS])
def test_the_old_name_is_refused_with_the_new(tree: Path, words: str, says: str) -> None:
    result = make(tree, *words.split())
    said = [line for line in result.err.splitlines() if "***" in line]
    assert (result.status, len(said)) == (2, 1), result.text
    assert said[0].endswith(f"*** {says}.  Stop."), said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        # blocking is lab 21's own, and a lab without the new one has neither.
        ("-C advanced/lab21_mpi -n gemm_blocking", ""),
        ("-C lab02_avx run VARIANT=chapter", "VARIANT=chapter: this lab has none"),
        ("-C lab08_cuda_naive -n gemm BLOCK=8", ""),
    ],
)
def test_what_is_still_called_so_passes(tree: Path, words: str, says: str) -> None:
    result = make(tree, *words.split())
    assert (result.status == 0, says in result.err) == (says == "", True), result.text
