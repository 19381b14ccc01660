#!/bin/sh
# SPDX-License-Identifier: MIT
# The steps of a lab: every tool shows them in their order, before the lab's own kernel.
set -u
. tests/lib

# Two steps to lab02, and a variant that is none. Their order is not that of the alphabet.
lab=lab02_avx
for variant in zebra aardvark other; do
    sed "s/^#include \"params.h\"/& \/\/ $variant/" lab02_avx/kernel.c >$lab/kernel_$variant.c
done
sed 's/^include/STEPS = zebra aardvark\n&/' lab02_avx/Makefile >"$SCRATCH/makefile"
cp "$SCRATCH/makefile" $lab/Makefile

# The report's rows, in the order of the programs; and its ladder.
columns=lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops,verified,context_ms,cpu_ms,peak_gflops,peak_gbs,settings,stamp,said
row() { # LAB VARIANT MS
    printf '%s,%s,cpu,"a CPU",float,1000,1000,1000,1,%s,,,,,,full,,,,,"",7,""\n' "$@"
}
{ echo $columns && row $lab '' 10 && row $lab aardvark 20 && row $lab other 5 && row $lab zebra 50; } >"$SCRATCH/lab02_avx.csv"
for program in zebra aardvark '' other; do printf 'gemm%s\t7\n' "${program:+_$program}"; done >"$SCRATCH/stamps"
mkdir "$SCRATCH/data"
{ echo $columns && row lab01_cpu_naive '' 100; } >"$SCRATCH/data/lab01_cpu_naive.csv"
{
    echo $columns
    awk -f tools/report/csv.awk -f tools/report/current.awk -v dropped="$SCRATCH/dropped" \
        "$SCRATCH/stamps" "$SCRATCH/lab02_avx.csv" | LC_ALL=C sort | cut -f 2-
} >"$SCRATCH/data/lab02_avx.csv"
variants=$(sed 1d "$SCRATCH/data/lab02_avx.csv" | cut -d , -f 2 | paste -s -d , -)
expect report-keeps-the-order "$variants; see tools/report/current.awk" test "$variants" = zebra,aardvark,,other
mkdir "$SCRATCH/tables"
awk -f tools/report/csv.awk -f tools/quantile.awk -f tools/report/tables.awk -v out="$SCRATCH/tables" \
    -v plots=/nonexistent -v gnuplot= "$SCRATCH"/data/*.csv 2>"$SCRATCH/out"
ladder=$(sed -n 's/^| \(lab[^|]*[a-z]\) |.*| \([^|]*\) |$/\1 \2/p' "$SCRATCH/tables/ladder-cpu" | paste -s -d ';' -)
expect report-ladder "$ladder $(in_short <"$SCRATCH/out"); see tools/report/tables.awk" test "$ladder" = \
    'lab01_cpu_naive -;lab02_avx, zebra 2.00;lab02_avx, aardvark 5.00;lab02_avx 10.0;lab02_avx, other 20.0'
if tools/report/plots "$SCRATCH" >"$SCRATCH/out" 2>&1; then
    bars=$(grep -o '>[^<]*\(zebra\|aardvark\|lab02 avx\|other\)<' "$SCRATCH/plots/ladder-cpu.svg" | tr -d '><' | paste -s -d , -)
    expect plot-has-the-steps-first "$bars; see tools/report/plots" \
        test "$bars" = 'lab02 zebra,lab02 aardvark,lab02 avx,lab02 other'
else
    skip plot-has-the-steps-first "$(in_short <"$SCRATCH/out")"
fi
