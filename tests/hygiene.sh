#!/bin/sh
# SPDX-License-Identifier: MIT
# No warnings, no undefined behaviour, one format: what tools can see in the sources.
set -u
. tests/lib

if command -v shellcheck >/dev/null; then
    while IFS= read -r file; do
        head -n 3 "$file" | grep -q -E '^#!.*sh$|shellcheck shell=' || continue
        shellcheck -x "$file" >"$SCRATCH/out" 2>&1
        expect "shellcheck-$file" "$(grep -m 1 -o 'SC[0-9]*.*' "$SCRATCH/out"); next: shellcheck -x $file" test ! -s "$SCRATCH/out"
    done <"$FILES"
else
    skip shellcheck "not installed: run ./setup"
fi

if command -v clang-format >/dev/null; then
    grep -E '\.(c|h|cl|cu)$' "$FILES" | while IFS= read -r file; do
        clang-format --dry-run -Werror "$file" >/dev/null 2>&1 || printf '%s ' "$file"
    done >"$SCRATCH/out"
    expect clang-format "next: clang-format -i $(cat "$SCRATCH/out")" test ! -s "$SCRATCH/out"
else
    skip clang-format "not installed: run ./setup"
fi

for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null; then
        skip "warnings-$compiler" "not installed"
        continue
    fi
    for lab in lab*; do
        [ -e "$lab/kernel.cu" ] && [ $compiler = clang ] && continue # nvcc chooses its own compiler
        make -C "$lab" -s -j "$(cores)" CI=1 CC=$compiler clean all >"$SCRATCH/out" 2>&1
        expect "warnings-$compiler-$lab" "$(grep -m 1 -E 'warning|error' "$SCRATCH/out"); next: make -C $lab CI=1 CC=$compiler" test $? = 0
    done
done

for lab in lab*; do
    [ -e "$lab/kernel.c" ] || continue
    make -C "$lab" -s -j "$(cores)" SAN=address,undefined all >"$SCRATCH/out" 2>&1
    for program in "$lab"/gemm*; do
        (cd "$lab" && "./$(basename "$program")" --check) >"$SCRATCH/out" 2>&1
        expect "sanitized-$program" "$(grep -m 1 -E 'runtime error|ERROR|FAIL' "$SCRATCH/out"); next: make -C $lab SAN=address,undefined" test $? = 0
    done
done
