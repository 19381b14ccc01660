#!/bin/sh
# SPDX-License-Identifier: MIT
# No warnings, no undefined behaviour, one format: what tools can see in the sources.
set -u
. tests/lib

if command -v shellcheck >/dev/null; then
    while IFS= read -r file; do
        head -n 3 "$file" | grep -q -E '^#!.*sh$|shellcheck shell=' || continue
        shellcheck -x "$file" >"$SCRATCH/out" 2>&1
        said=$(grep -o 'SC[0-9]* (.*' "$SCRATCH/out" | in_short)
        expect "shellcheck-$file" "$said; next: shellcheck -x $file" test ! -s "$SCRATCH/out"
    done <"$FILES"
else
    skip shellcheck "not installed: run ./setup selftest"
fi

for tool in 'ruff check' 'ruff format --check'; do
    if command -v "${tool%% *}" >/dev/null; then
        $tool workbook >"$SCRATCH/out" 2>&1
        status=$?
        expect "$tool" "$(in_short <"$SCRATCH/out"); next: $tool workbook" test $status = 0
    else
        skip "$tool" "not installed: python3 -m pip install ${tool%% *}"
    fi
done

if command -v clang-format >/dev/null; then
    grep -E '\.(c|h|cl|cpp|cu)$' "$FILES" | while IFS= read -r file; do
        clang-format --dry-run -Werror "$file" >"$SCRATCH/out" 2>&1 || printf '%s ' "$file"
    done >"$SCRATCH/unformatted"
    expect clang-format "next: clang-format -i $(cat "$SCRATCH/unformatted")" test ! -s "$SCRATCH/unformatted"
else
    skip clang-format "not installed: run ./setup selftest"
fi

# builds NAME LAB SETTING ...: one case
builds() {
    name=$1
    shift
    make -s -C "$1" clean >"$SCRATCH/log" 2>&1
    make -s -j "$(cores)" -C "$@" all >"$SCRATCH/out" 2>&1
    status=$?
    said=$(grep -E 'warning|error' "$SCRATCH/out" | in_short)
    expect "$name" "$said; next: make -C $* clean && make -C $*" test $status = 0
}

for compiler in gcc clang; do
    if ! command -v $compiler >/dev/null; then
        skip "warnings-$compiler" "not installed"
        continue
    fi
    for lab in lab*; do
        builds "warnings-$compiler-$lab" "$lab" CI=1 CC=$compiler CUDA=cpu
    done
done
for lab in lab*; do
    [ -e "$lab/kernel.cu" ] || continue
    if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
        builds "warnings-nvcc-$lab" "$lab" CI=1 CUDA=nvcc
    else
        skip "warnings-nvcc-$lab" "no nvcc here"
    fi
done

for lab in lab*; do
    [ -e "$lab/kernel.c" ] || continue
    builds "sanitizers-$lab" "$lab" SAN=address,undefined
    for program in "$lab"/gemm*; do
        (cd "$lab" && "./$(basename "$program")" --check) >"$SCRATCH/out" 2>&1
        status=$?
        said=$(grep -E 'runtime error|ERROR|FAIL' "$SCRATCH/out" | in_short)
        next="make -C $lab SAN=address,undefined && $program --check"
        expect "sanitized-$program" "$said; next: $next" test $status = 0
    done
done
