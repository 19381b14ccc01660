#!/bin/sh
# SPDX-License-Identifier: MIT
# A setting on make's command line that nothing knows is refused before anything is built, and the nearest one
# is named; all that there are pass.
set -u
. tests/lib

refuses() { # NAME WORDS MAKE'S ARGUMENT ...
    name=$1 words=$2
    shift 2
    make "$@" >"$SCRATCH/out" 2>&1
    status=$?
    expect "$name" "status $status: $(in_short <"$SCRATCH/out"); next: make $*" sh -c "test $status = 2 &&
        test \$(grep -c 'no such setting' '$SCRATCH/out') = 1 && grep -q -F '$words' '$SCRATCH/out' && ! ls -d build lab*/build"
} 2>"$SCRATCH/log"
make -s clean >"$SCRATCH/log" 2>&1
refuses tunable 'the nearest is GROUP_X' -C lab04_ocl_naive run GROUPX=8
refuses tunable-at-the-top 'the nearest is BLOCK' run BLOK=8
refuses small-letters 'the nearest is SIZE' run size=64
refuses small-letters-in-a-lab 'the nearest is TYPE' -C lab01_cpu_naive check type=int
refuses swapped-letters 'the nearest is TYPE' demo TPYE=int
refuses one-lab 'one lab is: make -C lab02_avx check' check LAB=lab02
refuses one-lab-by-number 'one lab is: make -C lab09_cuda_shared race' race LAB=09
refuses no-lab 'no such setting here; there are' check LAB=lab77
refuses nothing-near 'there are BLOCK ROWS SIZE' -C lab03_avx_block run FOO=1
refuses tunable-of-another-lab 'no such setting' -C lab01_cpu_naive run GROUP_X=8
refuses clean-too 'the nearest is TYPE' clean typ=int

passes() { # MAKE'S ARGUMENT ...
    make -n "$@" >"$SCRATCH/out" 2>&1
    expect "passes-$*" "$(grep -F '***' "$SCRATCH/out" | in_short); next: make -n $*" \
        sh -c "! grep -q -F '***' '$SCRATCH/out'"
}
# shellcheck disable=SC2013 # one word a line
# Every name with a default in a Makefile, or that a Makefile or a tool asks for.
for setting in $(sed -n 's/^\([A-Z][A-Z0-9_]*\) *?*=.*/\1/p' Makefile common/lab.mk lab*/Makefile |
    grep -v -E '^(SWEEP|DEFS|STEPS|TYPE|VARIANT)'); do
    passes -C lab01_cpu_naive help "$setting=1"
done
for setting in TYPE=int SIZE=64 'SIZES=64 128' LIMIT=9 'ARGS=--reps 3' V=1 SAN=address CUDA=cpu CC=clang CXX=clang++ \
    NVCC=nvcc 'CFLAGS=-O1 -g' CI=1 A=lab01_cpu_naive B=lab02_avx QUICK=1 FRESH=1 GUARD_BYTES=0 VARIANT= \
    SWEEP=BLOCK=16 SWEEP_chapter= DEFS_chapter=; do
    passes help "$setting"
    passes -C lab03_avx_block help "$setting"
done
# At the top, the tunables of any lab; they reach the labs that have them, and the others do not mind.
passes help BLOCK=16 TILE_K=8
expect top-passes-tunables-on "next: make all BLOCK=16" \
    sh -c "make -s lab01_cpu_naive lab03_avx_block BLOCK=16 >'$SCRATCH/out' 2>&1"
# The environment is not judged.
expect environment-is-not-judged "next: GROUPX=8 make help" sh -c "GROUPX=8 make help >'$SCRATCH/out' 2>&1"
