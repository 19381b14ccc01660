#!/bin/sh
# SPDX-License-Identifier: MIT
# The same --seed gives the same inputs, another seed others. A kernel that stores zeros shows what was
# expected.
set -u
. tests/lib

cp -R lab01_cpu_naive zeros
sed 's/= sum;/= 0 * sum;/' lab01_cpu_naive/kernel.c >zeros/kernel.c
if ! make -C zeros -s gemm >"$SCRATCH/log" 2>&1; then
    fail builds "next: read tests/seed.sh"
    exit
fi
expected() { # SEED: the first element of C
    (cd zeros && ./gemm 64 --seed "$1") | sed -n 's/.*expected \([^,]*\).*/\1/p'
}
first=$(expected 5)
expect has-a-result "the report names no expected value; next: read tests/seed.sh" test -n "$first"
expect same-seed-same-result "next: ./gemm 64 --seed 5" test "$(expected 5)" = "$first"
expect other-seed-other-result "next: ./gemm 64 --seed 6" test "$(expected 6)" != "$first"
