#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/report/compare on small reports whose medians and quartiles are known, with every awk there is.
set -u
. tests/lib

header=lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops
header=$header,verified,context_ms,cpu_ms,peak_gflops,peak_gbs,settings,stamp,why
a=$SCRATCH/a b=$SCRATCH/b next="next: read tests/compare.sh and tools/report/compare"
first=data/lab01_cpu_naive.csv

# cell FOLDER LAB VARIANT BACKEND DEVICE N SETTINGS MS ...: its rows, at the end of the lab's table
cell() {
    table=$1/data/$2.csv lab=$2 variant=$3 backend=$4 device=$5 N=$6 settings=$7 rep=0
    shift 7
    [ -e "$table" ] || echo "$header" >"$table"
    for ms in "$@"; do
        rep=$((rep + 1))
        echo "$lab,$variant,$backend,\"$device\",float,$N,$N,$N,$rep,$ms,,,,,1,full,,,,,\"$settings\",s,\"\""
    done >>"$table"
}

reports() { # the two of most cases
    rm -rf "$a" "$b"
    mkdir -p "$a/data" "$b/data"
    cpu='Xeon, 8 cores, 2 GHz'
    # Quartiles 11, 13 and 5.5, 6.5 around 12 and 6: the power of sqrt(10 / 5) takes them away from there.
    cell "$a" lab01_cpu_naive '' cpu "$cpu" 128 '' 14 10 12 11 13
    cell "$b" lab01_cpu_naive '' cpu "$cpu" 128 '' 5.5 6 5 6.5 7
    # Ten repetitions: the quartiles as they are, 3.25, 7.75 and 4.25, 8.75.
    cell "$a" lab01_cpu_naive '' cpu "$cpu" 64 '' 1 2 3 4 5 6 7 8 9 10
    cell "$b" lab01_cpu_naive '' cpu "$cpu" 64 '' 2 3 4 5 6 7 8 9 10 11
    # More of them: the same; 6, 16 around 11, and four times that.
    # shellcheck disable=SC2046 # numbers
    cell "$a" lab01_cpu_naive '' cpu "$cpu" 16 '' $(seq 21)
    # shellcheck disable=SC2046 # numbers
    cell "$b" lab01_cpu_naive '' cpu "$cpu" 16 '' $(seq 4 4 84)
    cell "$a" lab01_cpu_naive '' cpu "$cpu" 32 '' 1 1
    cell "$b" lab01_cpu_naive '' cpu "$cpu" 32 '' 9 9 9
    cell "$a" lab03_avx_block chapter cpu "$cpu" 256 BLOCK=64 2 2 2
    cell "$b" lab03_avx_block chapter cpu "$cpu" 256 BLOCK=64 8 8 8
    cell "$a" lab03_avx_block chapter cpu "$cpu" 256 BLOCK=32 2 2 2
    cell "$a" lab03_avx_block '' cpu "$cpu" 256 '' 2 2 2
    cell "$b" lab03_avx_block transpose cpu "$cpu" 256 '' 2 2 2
    cell "$a" lab06_ocl_regtile '' opencl 'GPU, large' 1024 'ROWS_PER_ITEM=4 COLS_PER_ITEM=8' 1 1 1
    cell "$b" lab06_ocl_regtile '' opencl 'GPU, small' 1024 'ROWS_PER_ITEM=4 COLS_PER_ITEM=8' 4096 4096 4096
    cell "$a" lab08_cuda_naive '' cuda 'GPU, large' 1024 '' 3 3 3
    cell "$b" lab08_cuda_naive '' cuda '' 1024 '' ''
    sed 's/,1,,,,,,1,full/,,,,,,,,/; s/""$/"no CUDA device, none at all"/' \
        "$b/data/lab08_cuda_naive.csv" >"$SCRATCH/row"
    mv "$SCRATCH/row" "$b/data/lab08_cuda_naive.csv"
    printf '%s\n' 'cpu: Xeon of A' 'opencl: GPU of A' 'CUDA driver: 570.1' 'commit: aaaa' 'system: x' \
        >"$a/data/provenance.txt"
    printf '%s\n' 'cpu: Xeon of B, which has so long a name that it takes two lines' 'commit: bbbb' \
        >"$b/data/provenance.txt"
}

compare() { # ARGUMENT ...
    limit 60 tools/report/compare "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
}

shows() { # NAME REGULAR_EXPRESSION: a line of the output, however its columns are spaced
    tr -s ' ' <"$SCRATCH/out" | sed 's/^ //' >"$SCRATCH/lines"
    expect "$awk-$1" "no line '$2'; $next" grep -q -x -E -e "$2" "$SCRATCH/lines"
}

lacks() { # NAME TEXT
    expect "$awk-$1" "it says '$2'; $next" sh -c "! grep -q -F '$2' '$SCRATCH/out'"
}

refuses() { # NAME WORDS ARGUMENT ...: status 2, nothing but one line on stderr, which says the words
    name=$awk-refuses-$1 words=$2
    shift 2
    compare "$@"
    said=$(cat "$SCRATCH/out" "$SCRATCH/err" | in_short)
    if [ -s "$SCRATCH/out" ] || [ "$(grep -c '' "$SCRATCH/err")" != 1 ]; then
        fail "$name" "not one line on stderr: $said; $next"
    else
        expect "$name" "status $status, $said; $next" \
            test "$status/$(grep -c "^compare: .*$words.*: .*make" "$SCRATCH/err")" = 2/1
    fi
}

damages() { # NAME WORDS SED_SCRIPT: refused once the script has changed A's first table
    reports
    sed "$3" "$a/$first" >"$SCRATCH/table"
    mv "$SCRATCH/table" "$a/$first"
    refuses "$1" "$2" "$a" "$b"
}

for awk in mawk gawk; do
    use_awk $awk || continue

    reports
    compare "$a" "$b"
    expect $awk-status "$status instead of 0, $(in_short <"$SCRATCH/err"); $next" test "$status" = 0
    shows medians-and-interval '128 12.00 17 6.000 17 2.00 1.58..2.53 B is faster'
    shows ten-repetitions '64 5.500 82 6.500 69 0.85 0.37..1.82 no difference beyond the noise'
    shows more-repetitions '16 11.00 91 44.00 91 0.25 0.094..0.67 A is faster'
    shows few-repetitions '32 1.000 - 9.000 0 0.11 - too few repetitions to tell'
    shows settings-and-variant 'float, chapter, BLOCK=64'
    shows slower '256 2.000 0 8.000 0 0.25 0.25..0.25 A is faster'
    shows far-apart '1024 1.000 0 4096 0 0.00024 0.00024..0.00024 A is faster'
    lacks others-are-not-mixed BLOCK=32
    lacks not-run-is-not-compared cuda:
    shows only-a 'cells that only A has: lab03_avx_block 2, lab08_cuda_naive 1 \(B: .*'
    shows only-b 'cells that only B has: lab03_avx_block 1'
    shows mean 'cpu: geometric mean of B/A 0.57 over 4 cells; too few repetitions in 1' # of 2, 11/13, 1/4, 1/4
    shows wins 'B is faster in 1, A is faster in 2'
    shows same-device 'A and B: Xeon, 8 cores, 2 GHz'
    shows device-of-a 'A: GPU, large'
    shows device-of-b 'B: GPU, small'
    shows provenance 'commit aaaa bbbb'
    shows provenance-of-one 'CUDA driver 570.1 -'
    shows provenance-wrapped 'name that it takes two lines'
    order=$(awk '$1 ~ /^(16|32|64|128)$/ { printf "%s ", $1 }' "$SCRATCH/out")
    expect $awk-sizes-in-order "$order; $next" test "$order" = '16 32 64 128 '
    order=$(grep '^lab' "$SCRATCH/out" | in_short)
    expect $awk-grouped-by-lab "$order; $next" test "$order" = 'lab01_cpu_naive lab03_avx_block lab06_ocl_regtile '

    # Nearly 1: what is printed as 1.00 is no difference, and a clear one is told however close.
    cell "$a" lab02_avx '' cpu "$cpu" 64 '' 1.004 1.004 1.004
    cell "$b" lab02_avx '' cpu "$cpu" 64 '' 1 1 1
    cell "$a" lab02_avx '' cpu "$cpu" 65 '' 1.02 1.02 1.02
    cell "$b" lab02_avx '' cpu "$cpu" 65 '' 1 1 1
    compare "$a" "$b"
    shows as-printed '64 1.004 0 1.000 0 1.00 1.00..1.00 no difference beyond the noise'
    shows clear '65 1.020 0 1.000 0 1.02 1.02..1.02 B is faster'

    compare "$a" "$a"
    expect $awk-same-folder "$next" test "$status/$(grep -c 'is faster$' "$SCRATCH/out")" = 0/0
    shows same-folder-no-difference '128 12.00 17 12.00 17 1.00 0.[0-9]*..1.[0-9]* no difference beyond the noise'
    shows same-folder-mean 'cpu: geometric mean of B/A 1.00 over .*'

    # As wide as it gets, from folders that awk could take for settings.
    long=$(printf '%0120d' 0)
    rm -rf "$SCRATCH/x=$long"
    mkdir -p "$SCRATCH/x=$long"
    cp -R "$a/data" "$SCRATCH/x=$long"
    for folder in "$SCRATCH/x=$long" "$b"; do
        cell "$folder" lab09_cuda_shared "$long" cuda "$long a b $long" 46340 "BLOCK=$long" 123456 999999 1234567 999999
    done
    top=$PWD
    (cd "$SCRATCH" && limit 60 "$top/tools/report/compare" "x=$long" b) >"$SCRATCH/out" 2>&1
    expect $awk-80-columns "$(awk 'length > 80' "$SCRATCH/out" | in_short); $next" \
        test "$(awk 'length > 80' "$SCRATCH/out" | wc -l)/$(grep -c '^46340 ' "$SCRATCH/out")" = 0/1

    # Timed twice, as the default and in a sweep: apart by 1.2 in A and 1.25 in B. 9 in 10 within 1.245.
    for folder in "$a" "$b"; do echo 'lab02_avx, wide: BLOCK=8' >"$folder/data/defaults.txt"; done
    cell "$a" lab02_avx wide cpu "$cpu" 64 '' 5 5 5
    cell "$a" lab02_avx wide cpu "$cpu" 64 BLOCK=8 6 6 6
    cell "$b" lab02_avx wide cpu "$cpu" 64 '' 4.1 4.1 4.1
    cell "$b" lab02_avx wide cpu "$cpu" 64 BLOCK=8 3.28 3.28 3.28
    compare "$a" "$b"
    shows drift-is-noise '64 5.000 0 4.100 0 1.22 0.98..1.52 no difference beyond the noise'
    shows beyond-the-drift '64 6.000 0 3.280 0 1.83 1.47..2.28 B is faster'
    shows drift-is-told '2 settings were timed twice: 9 in 10 are within 1.24 times, all within 1.25'

    reports
    sed -i '2,$s/float,1024,1024,1024/float,512,512,512/' "$b/data/lab06_ocl_regtile.csv"
    compare "$a" "$b"
    shows no-size-in-common 'opencl: no size and setting in common: is one of them QUICK=1, or on another'
    reports
    rm "$b/data/provenance.txt"
    compare "$a" "$b"
    shows no-provenance 'B has no data/provenance.txt: its machine is unknown'
    printf 'x\r' >"$SCRATCH/cr"
    sed "s/\$/$(tr -d x <"$SCRATCH/cr")/" "$a/$first" >"$b/$first"
    compare "$a" "$b"
    shows carriage-returns '128 12.00 17 12.00 .* no difference beyond the noise'
    : >"$b/data/lab03_avx_block.csv"
    compare "$a" "$b"
    shows empty-table 'cells that only A has: lab03_avx_block 3, lab08_cuda_naive 1 \(B: .*'
    rm "$b"/data/lab0[13]*.csv "$a/data/lab06_ocl_regtile.csv"
    compare "$a" "$b"
    shows nothing-in-both 'No cell was measured in both.'

    refuses no-folders 'it takes two report folders'
    refuses one-folder 'it takes two report folders' "$a" ''
    refuses no-such-folder 'no folder /nonexistent' "$a" /nonexistent
    rm -rf "$SCRATCH/empty"
    mkdir -p "$SCRATCH/empty/data"
    refuses no-data 'has no data/' "$SCRATCH/empty" "$a"
    : >"$SCRATCH/empty/$first"
    refuses empty-table 'has no times' "$a" "$SCRATCH/empty"
    mkdir "$SCRATCH/empty/data/lab02_avx.csv"
    refuses folder-as-table 'lab02_avx.csv is no file' "$a" "$SCRATCH/empty"
    rmdir "$SCRATCH/empty/data/lab02_avx.csv"
    echo "$header" >"$SCRATCH/empty/$first"
    refuses nothing-measured 'has no times' "$a" "$SCRATCH/empty"
    damages header "$first line 1 is not the header" '1s/why/reason/'
    damages short-line 'line 3 has 20 fields' '3s/,[^,]*,[^,]*,[^,]*$//'
    damages time 'line 3 has no time in kernel_ms but "10x"' '3s/,10,/,10x,/'
    damages negative-time 'kernel_ms but "-1"' '3s/,10,/,-1,/'
    damages time-without-repetition 'kernel_ms but ""' '3s/,10,/,,/'
    damages size 'line 3 has no size in N but "12x"' '3s/,128,128,/,128,12x,/'
    damages quote 'line 12 has a quote' '12s/""$/"/'
    damages backend 'backend "emulated"' '3s/,cpu,/,emulated,/'
    damages twice "$first line 4 is there twice" '3p'
    damages not-verified 'line 3 has a time that was not verified' '3s/,full,/,no,/'
    damages endless 'kernel_ms but "1e999"' '3s/,10,/,1e999,/'
    damages second-device 'a second device for one cell, Xeon, 9 cores' '4s/8 cores/9 cores/'
done
