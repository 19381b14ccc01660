#!/bin/sh
# SPDX-License-Identifier: MIT
# CUDA=cpu: the CUDA labs and their broken kernels on a CPU, without a GPU and without nvcc.
set -u
. tests/lib
export CUDA=cpu

for type in float double int; do
    if ! make -s -k -j "$(cores)" TYPE=$type lab08_cuda_naive lab09_cuda_shared >"$SCRATCH/out" 2>&1; then
        fail "build-$type" "$(grep -i error "$SCRATCH/out" | in_short); next: make TYPE=$type CUDA=cpu"
    fi
    printf "%s $type\n" lab0[89]*/kernel.* lab0[89]*/kernel_* | xargs -n 2 -P "$(cores)" tests/program
done

make -s -C lab09_cuda_shared gemm
(cd lab09_cuda_shared && ./gemm 40 --reps 1 --csv "$SCRATCH/csv") >"$SCRATCH/out" 2>&1
expect no-speed-is-printed "next: make -C lab09_cuda_shared run CUDA=cpu" \
    sh -c "grep -q 'correctness only' '$SCRATCH/out' && ! grep -q GFLOP '$SCRATCH/out'"
expect csv-says-emulated "next: see the CSV of lab09_cuda_shared with CUDA=cpu" \
    grep -q '^lab09_cuda_shared,,emulated,"CUDA emulated on the CPU",.*,,full,' "$SCRATCH/csv"

rm -rf "${SCRATCH:?}"/*
ONLY='cuda-*' sh tests/mutants.sh | sed 's/^\([a-zA-Z]*\) /\1 emulated-/'
