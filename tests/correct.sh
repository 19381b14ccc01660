#!/bin/sh
# SPDX-License-Identifier: MIT
# Every program of every lab is right on every shape, for every type.
set -u
. tests/lib

for type in float double int; do
    if ! make -s -k -j "$(cores)" TYPE=$type >"$SCRATCH/out" 2>&1; then
        fail "build-$type" "$(grep -m 1 -i error "$SCRATCH/out" | in_short); next: make TYPE=$type"
        continue
    fi
    for kernel in lab*/kernel.* lab*/kernel_*; do
        lab=$(dirname "$kernel") variant=$(basename "${kernel%.*}")
        program=gemm${variant#kernel}
        name=$lab-$program-$type
        (cd "$lab" && limit 120 "./$program" --check) >"$SCRATCH/out" 2>&1
        status=$?
        if [ $status = 0 ] && grep -q '^PASS' "$SCRATCH/out"; then
            ok "$name"
        elif [ $status = 77 ] && grep -q "written for float, not $type" "$SCRATCH/out"; then
            ok "$name-says-float-only"
        elif [ $status = 77 ]; then
            skip "$name" "$(sed 's/^gemm: skipped: //' "$SCRATCH/out")"
        else
            fail "$name" "status $status, $(tail -n 5 "$SCRATCH/out" | in_short); next: make -C $lab TYPE=$type && (cd $lab && ./$program --check)"
        fi
    done
done
