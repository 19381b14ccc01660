#!/bin/sh
# SPDX-License-Identifier: MIT
# --csv appends: one header, old rows untouched, and all of a run's rows or none.
set -u
. tests/lib

lab=lab01_cpu_naive csv=$SCRATCH/a.csv
next="next: (cd $lab && ./gemm 64 --reps 3 --csv /tmp/a.csv)"
if ! make -C $lab -s gemm >"$SCRATCH/log" 2>&1; then
    fail "$lab-builds" "next: make -C $lab"
    exit
fi
gemm() {
    (cd $lab && ./gemm "$@") >"$SCRATCH/out" 2>&1
}

columns=lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops,verified
gemm 64 96 80 --reps 3 --csv "$csv"
expect header "not the columns of the design; $next" grep -q "^$columns" "$csv"
expect row-per-repetition "not a header and 3 rows; $next" test "$(grep -c '' "$csv")" = 4
expect sizes-in-their-columns "no row with M, N, K, rep; $next" \
    grep -q '^lab01_cpu_naive,.*,float,64,96,80,3,' "$csv"
counts=$(sed 's/"[^"]*"//' "$csv" | awk -F , '{ print NF }' | sort -u | grep -c '')
expect as-many-fields-as-columns "$next" test "$counts" = 1

cp "$csv" "$SCRATCH/before"
gemm 32 --reps 2 --csv "$csv"
expect appends "not 2 rows more; $next" test "$(grep -c '' "$csv")" = 6
expect one-header "$next" test "$(grep -c '^lab,' "$csv")" = 1
head -n 4 "$csv" >"$SCRATCH/now"
expect old-rows-untouched "$next" cmp -s "$SCRATCH/now" "$SCRATCH/before"

# A file that may not grow past 512 bytes or so: part of the rows would fit.
cp "$csv" "$SCRATCH/before"
(trap '' XFSZ && ulimit -f $(($(wc -c <"$csv") / 512 + 1)) && gemm 64 --reps 20 --csv "$csv")
expect full-disk-is-told "status $? instead of 2; read append_csv in common/csv.c" test $? = 2
expect full-disk-leaves-old-rows "read append_csv in common/csv.c" cmp -s "$csv" "$SCRATCH/before"

gemm 64 --csv "$SCRATCH/b.csv" --device nosuch
expect refused-leaves-no-rows "$next --device nosuch" test ! -s "$SCRATCH/b.csv"
