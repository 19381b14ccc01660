#!/bin/sh
# SPDX-License-Identifier: MIT
# The sources keep the workbook's promises: labs can be diffed, and no lab knows its own name.
set -u
. tests/lib
. tools/labs.sh

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

# One idea a step: from the kernel of the lab before, through the steps that a Makefile lists, to the lab's own.
changed() { # FILE FILE: how many lines
    diff "$1" "$2" | grep -c '^[<>]'
}
few_lines() { # LIMIT FILE FILE
    lines=$(changed "$2" "$3")
    expect "step-$2-$3" "$lines lines change, more than $1; next: diff -u $2 $3" test "$lines" -le "$1"
}
before=''
for lab in lab*; do
    kernel=$(basename "$(ls "$lab"/kernel.*)")
    # shellcheck disable=SC2016 # make's variable
    steps=$(make_says "$lab" '$(STEPS)')
    if [ -e "$before/$kernel" ]; then
        from=$before/$kernel
        for step in $steps; do
            to=$lab/kernel_$step.${kernel#*.}
            expect "step-$lab-$step" "there is no $to; next: edit STEPS in $lab/Makefile" test -e "$to"
            [ -e "$to" ] && few_lines 60 "$from" "$to" && from=$to
        done
        few_lines 60 "$from" "$lab/$kernel"
        few_lines 25 "$before/params.h" "$lab/params.h"
        few_lines 12 "$before/Makefile" "$lab/Makefile"
    else
        expect "no-steps-$lab" "'$steps' lead from no lab; next: edit STEPS in $lab/Makefile" test -z "$steps"
    fi
    before=$lab
done

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
