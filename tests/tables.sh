#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of a report, from made-up times whose medians, spreads and ratios were worked out by hand.
# shellcheck disable=SC2016 # the backticks are a compiler's
set -u
. tests/lib

data=$SCRATCH/data out=$SCRATCH/out
mkdir "$data" "$out" "$SCRATCH/plots"
header=lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops
header=$header,verified,context_ms,cpu_ms,peak_gflops,peak_gbs,settings,stamp,why

for lab in lab*; do echo "$header" >"$data/$lab.csv"; done

cell() { # LAB VARIANT BACKEND TYPE N "TUNABLES" MS ...: a row for each time; all copies take 2 and 3 ms
    file=$data/$1.csv row="$1,$2,$3,\"Some, device\",$4,$5,$5,$5" settings=$6 rep=0
    shift 6
    for ms in "$@"; do
        rep=$((rep + 1))
        echo "$row,$rep,$ms,2,3,0.5,7,1,full,300,,1000,50,\"$settings\",1,\"\""
    done >>"$file"
}

empty() { # LAB VARIANT BACKEND TYPE N "TUNABLES" WHY
    echo "$1,$2,$3,\"\",$4,$5,$5,$5,,,,,,,,,,,,,\"$6\",1,\"$7\"" >>"$data/$1.csv"
}

has() { # NAME TABLE LINE
    expect "$1" "$2 has: $(in_short <"$out/$2")" grep -q -x -F -e "$3" "$out/$2"
}

# Medians 2000, 20 and 4; quartiles of 18 19 20 22 30 are 19 and 22, 15 % of 20.
cell lab01_cpu_naive '' cpu float 1000 '' 2000 2000 2000
cell lab02_avx '' cpu float 1000 '' 30 18 22 19 20
cell lab03_avx_block '' cpu float 1000 '' 4 4 4 4
cell lab03_avx_block chapter cpu float 1000 '' 8 10
cell lab03_avx_block '' cpu float 1000 BLOCK=16 5
cell lab03_avx_block '' cpu float 1000 BLOCK=64 7
empty lab02_avx '' cpu float 2000 '' 'about 90 s a run: longer than the limit of 60 s'
cell lab01_cpu_naive '' cpu float 2000 '' 16000
cell lab04_ocl_naive '' opencl float 512 '' 0.5
cell lab04_ocl_naive '' opencl double 512 '' 1.5
empty lab07_ocl_localmem '' opencl float 512 '' 'the device <has> no | room for `it`'
cell lab07_ocl_localmem tile opencl float 512 TILE=4 100
empty lab07_ocl_localmem tile opencl float 512 TILE=32 'work-group limit 256'
cell lab08_cuda_naive '' cuda float 1000 BLOCK=16 12
cell lab09_cuda_shared '' cuda float 1000 BLOCK=16 3
cell lab08_cuda_naive '' cuda float 1024 BLOCK=16 13
empty lab08_cuda_naive '' cuda float 1000 '' 'no CUDA device here: an emulated run has no times'
printf '%s\n' 'cpu: Some, device (CPU, 4 cores, 100 MiB of memory)' 'caches: L1 32 KiB' 'compiler: cc 1' >"$data/provenance.txt"
printf 'cpu\tSome, device\tfloat\t1234.4\t55.5\n' >"$data/ceilings.tsv"
echo '<svg/>' >"$SCRATCH/plots/time-cpu.svg"
awk -f tools/report/csv.awk -f tools/quantile.awk -f tools/report/tables.awk -v out="$out" -v plots="$SCRATCH/plots" \
    "$data/provenance.txt" "$data/ceilings.tsv" "$data"/lab*.csv 2>"$SCRATCH/said"
expect runs "$(in_short <"$SCRATCH/said")" test $? = 0 -a ! -s "$SCRATCH/said"

has median-and-spread cpu-sizes '| lab02_avx | 20.0 (15 %) | (a) |'
has reason-below-the-table cpu-sizes '(a) about 90 s a run: longer than the limit of 60 s'
has gflops-peak-and-times-the-lab-before ladder-cpu '| lab02_avx | 20.0 | 100 | 15 % | 10.0 % | 100 |'
has a-variant-is-compared-with-its-lab-before ladder-cpu '| lab03_avx_block, chapter | 9.00 | 222 | 11 % | 22.2 % | 2.22 |'
has ladder-where-most-labs-have-times ladder-cpu '| lab, N=1000 | ms | GFLOP/s | spread | % of peak | x lab before |'
has blocks cpu-blocks '| lab03_avx_block, N=1000 | 5.00 (0 %) | 7.00 (0 %) |'
has types opencl-sizes '| lab04_ocl_naive, double | 1.50 (0 %) |'
has no-row-without-a-cell opencl-sizes '| lab07_ocl_localmem, float | (a) |'
expect no-row-for-a-type-not-planned "$(in_short <"$out/opencl-sizes")" test "$(grep -c lab07 "$out/opencl-sizes")" = 1
has reasons-are-text opencl-sizes '(a) the device \<has> no \| room for \`it\`'
has tiles opencl-tiles '| lab07_ocl_localmem, tile, N=512 | 100 (0 %) | (a) |'
has copies-allocation-and-build opencl-parts '| lab04_ocl_naive | 512 | 0.500 | 2.00 | 3.00 | 0.500 | 7.00 | 300 |'
has blocks-side-by-side cuda-blocks '| 1000 | 16 | 63 x 63 | 12.0 (0 %) | 3.00 (0 %) | 4.00 |'
has whole-blocks cuda-blocks '| 1024 | 16 | 64 x 64 | 13.0 (0 %) | - | - |'
has cuda-parts cuda-parts '| lab09_cuda_shared | 1000 | 16 | 3.00 | 2.00 | 3.00 | 0.500 | 300 |'
has emulated-says-so cuda-sizes '(a) no CUDA device here: an emulated run has no times'
has device device '| measured peak, float, GFLOP/s | 1234 | - | - |'
has provenance provenance '| compiler | cc 1 |'
has predicted-work predict-lab02-work '2.00 (N=1000)'
has predicted-bytes predict-lab02-bytes 12.0
has predicted-intensity predict-lab02-intensity 167
has predicted-speed predict-lab02-gflops '100 (spread 15 %)'
has predicted-speedup predict-lab03-speedup 5.00
has not-measured predict-lab08-gflops 'not measured: no CUDA device here: an emulated run has no times'
has plot plot-time-cpu '![CPU labs: time of a kernel over the size. Both axes are logarithmic, so N³ is a straight line, as steep as the dotted one.](plots/time-cpu.svg)'
expect no-plot "$(cat "$out/plot-time-cuda")" grep -q '^\*(no plot' "$out/plot-time-cuda"
sed -n 's/.*<!-- fill \([a-z0-9-]*\) -->.*/\1/p' report_template/report.md | sort >"$SCRATCH/asked"
(cd "$out" && ls) | sort >"$SCRATCH/written"
expect every-marker-has-a-value "$(comm -23 "$SCRATCH/asked" "$SCRATCH/written" | in_short)" \
    test -z "$(comm -23 "$SCRATCH/asked" "$SCRATCH/written" | grep -v 'predict-lab0[56]')"
expect every-value-has-a-marker "$(comm -13 "$SCRATCH/asked" "$SCRATCH/written" | in_short)" \
    test -z "$(comm -13 "$SCRATCH/asked" "$SCRATCH/written")"

# What is said of the data as a whole.
doubts() { # CEILING ...: a line each
    printf '%b\n' "$@" >"$data/ceilings.tsv"
    awk -f tools/report/csv.awk -f tools/quantile.awk -f tools/report/doubts.awk -v quick=' QUICK=1' \
        "$data/ceilings.tsv" "$data"/lab*.csv >"$SCRATCH/doubts" 2>&1
}
doubts 'cpu\tSome, device\tfloat\t1234\t1' 'cpu\tSome, device\tdouble\t600\t1'
expect nothing-to-doubt "$(in_short <"$SCRATCH/doubts")" test ! -s "$SCRATCH/doubts"
doubts 'cpu\tSome, device\tfloat\t499\t1' 'cpu\tSome, device\tdouble\t600\t1'
expect a-peak-below-a-kernel "$(in_short <"$SCRATCH/doubts")" \
    grep -q -x '1 times are faster than the measured peak: on a quiet machine, make ceilings report QUICK=1' "$SCRATCH/doubts"
doubts 'cpu\tSome, device\tfloat\t1234\t1' 'cpu\tSome, device\tdouble\t1235\t1'
expect double-above-float "$(in_short <"$SCRATCH/doubts")" grep -q 'higher in double than in float' "$SCRATCH/doubts"
cell lab02_avx '' cpu float 64 '' 10 20 30
doubts 'cpu\tSome, device\tfloat\t1234\t1'
expect times-that-scatter "$(in_short <"$SCRATCH/doubts")" \
    grep -q 'times spread by over 20 %: on a quiet machine, make report FRESH=1 QUICK=1' "$SCRATCH/doubts"

# Filled in by hand, the template's tables are those of a machine that has everything, as the H200.
rows() { # FILE: of its blocks, the name and what begins each row
    awk '/^<!-- fill .* -->$/ { name = $3 } /^<!-- end -->$/ { name = "" }
        name != "" && /^\|/ { split($0, cell, "|"); sub(/N=[_0-9]+/, "N", cell[2]); print name, cell[2] }' "$1"
}
rows report_template/report.md >"$SCRATCH/by-hand"
rows report_template/examples/h200/report.md >"$SCRATCH/filled"
expect template-has-the-same-rows "$(diff "$SCRATCH/by-hand" "$SCRATCH/filled" | in_short)" \
    cmp -s "$SCRATCH/by-hand" "$SCRATCH/filled"
