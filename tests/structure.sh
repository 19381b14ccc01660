#!/bin/sh
# SPDX-License-Identifier: MIT
# The sources keep the workbook's promises: labs can be diffed, and no lab knows its own name.
set -u
. tests/lib

same_main() { # FILE ...
    for main in "$@"; do
        expect "same-as-$1-$main" "next: diff -u $1 $main" cmp -s "$1" "$main"
    done
}
same_main lab0[123]_*/main.c
same_main lab0[4567]_*/main.c
same_main lab0[89]_*/main.cu

for lab in lab*; do
    number=$(echo "$lab" | sed 's/lab0*\([0-9]*\).*/\1/')
    found=$(grep "^$lab/" "$FILES" | grep -v '/README\.md$' |
        xargs grep -n -i -E "lab[ _-]?0*$number([^0-9]|$)" | in_short)
    expect "$lab-does-not-name-itself" "$found; next: say it without the name" test -z "$found"
done

# Lines that a step changes in the kernel, its tunables and the rest of the lab: what `make diff` shows.
step() { # LAB LAB LIMIT
    kernel=$(basename "$(ls "$1"/kernel.*)")
    changed=0
    for file in "$kernel" params.h Makefile; do
        lines=$(diff "$1/$file" "$2/$file" | grep -c '^[<>]')
        changed=$((changed + lines))
    done
    expect "step-$1-$2" "$changed lines change, more than $3; next: diff -u $1 $2" test "$changed" -le "$3"
}
step lab01_cpu_naive lab02_avx 30
step lab02_avx lab03_avx_block 125
step lab04_ocl_naive lab05_ocl_coarsen 45
step lab05_ocl_coarsen lab06_ocl_regtile 60
step lab06_ocl_regtile lab07_ocl_localmem 75
step lab08_cuda_naive lab09_cuda_shared 40

# The same kernel in OpenCL and in CUDA, line by line: comments and hints apart, only the words differ.
in_cuda() {
    sed 's/__kernel.*void$//; s/^gemm(/__global__ void gemm(/; s/__kernel/__global__/
        s/__global const/const/g; s/__global real/real/g; s/__local/__shared__/
        s/barrier(CLK_LOCAL_MEM_FENCE)/__syncthreads()/
        s/get_global_id(0)/blockIdx.x * blockDim.x + threadIdx.x/
        s/get_global_id(1)/blockIdx.y * blockDim.y + threadIdx.y/
        s/get_group_id(0)/blockIdx.x/g; s/get_group_id(1)/blockIdx.y/g
        s/get_local_id(0)/threadIdx.x/g; s/get_local_id(1)/threadIdx.y/g
        s/TILE/BLOCK/g; /^#if/,/^#endif/d' "$1"
}
code() { # without comments, hints to the compiler, line breaks and spaces
    sed 's,//.*,,; /^ *#pragma/d' | tr -d '\n ' | sed 's/[;{}]/&\n/g'
}
alike() { # OPENCL CUDA
    in_cuda "$1" | code >"$SCRATCH/opencl"
    code <"$2" >"$SCRATCH/cuda"
    unlike=$(diff "$SCRATCH/opencl" "$SCRATCH/cuda" | in_short)
    expect "alike-$1-$2" "$unlike; next: diff -u $1 $2" test -z "$unlike"
}
alike lab04_ocl_naive/kernel.cl lab08_cuda_naive/kernel.cu
alike lab07_ocl_localmem/kernel_tile.cl lab09_cuda_shared/kernel.cu

# Links in the documents that point to files.
grep '\.md$' "$FILES" | while IFS= read -r document; do
    grep -o ']([^)#]*' "$document" | cut -c 3- | grep -v -E '^$|^[a-z]+:' | while IFS= read -r link; do
        [ -e "$(dirname "$document")/$link" ] || printf '%s ' "$link"
    done >"$SCRATCH/missing"
    expect "links-of-$document" "there is no $(cat "$SCRATCH/missing")" test ! -s "$SCRATCH/missing"
done

# The first line, or the one after #!, is the licence.
grep -E '\.(c|h|cl|cu|sh|mk|py|toml)$|^tools/|^tests/' "$FILES" | grep -v '\.md$' | while IFS= read -r file; do
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file"
done >"$SCRATCH/missing"
expect licence-lines "none in $(in_short <"$SCRATCH/missing")" test ! -s "$SCRATCH/missing"
