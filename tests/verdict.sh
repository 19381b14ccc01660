#!/bin/sh
# SPDX-License-Identifier: MIT
# Nothing wrong passes: whatever CFLAGS say, whatever the clock says. And what a wrong kernel is told.
set -u
. tests/lib

# kernel FOLDER LAB SCRIPT: a copy of a lab, its kernel edited.
kernel() {
    rm -rf "$1"
    cp -R "$2" "$1"
    rm -rf "$1"/build "$1"/gemm*
    file=$(basename "$(ls "$2"/kernel.*)")
    sed "$3" "$2/$file" >"$1/$file"
    cmp -s "$2/$file" "$1/$file" && fail "edit-of-$1" "it changes nothing; next: read tests/verdict.sh"
}
# gemm FOLDER ARGUMENT ...: sets status; what is printed is in out and err.
gemm() {
    folder=$1
    shift
    (cd "$folder" && limit 60 ./gemm "$@") >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
    cat "$SCRATCH/out" "$SCRATCH/err" >"$SCRATCH/all"
}
said() { # NAME STATUS WORDS: of the last run
    expect "$1" "status $status, $(in_short <"$SCRATCH/all"); next: read tests/verdict.sh" \
        sh -c "test $status = $2 && grep -q -F -e '$3' '$SCRATCH/all'"
}

# ---- the verification's flags are its own -----------------------------------------------------
kernel idle lab01_cpu_naive 's/C\[i \* N + j\] = sum;/if (M < 0) &/'
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { skip "fast-math-$compiler" 'not installed' && continue; }
    make -s -C idle CC=$compiler CFLAGS='-std=c11 -O3 -ffast-math' gemm >"$SCRATCH/log" 2>&1
    gemm idle 64
    said "fast-math-$compiler-does-not-help" 1 'FAIL  M=64'
    make -s -C idle "CC=$compiler -ffast-math" gemm >"$SCRATCH/all" 2>&1
    status=$?
    said "fast-math-as-$compiler-is-refused" 2 'must not be compiled with -ffast-math'
done
if [ "$(uname -m)" = x86_64 ]; then # gcc links what takes small numbers for 0 in the whole program
    kernel small lab01_cpu_naive 's/= sum;/= (__builtin_ia32_stmxcsr() \& 0x8040) ? 0 : sum;/'
    make -s -C small CC=gcc CFLAGS='-O2 -ffast-math' gemm >"$SCRATCH/log" 2>&1
    gemm small 64
    said fast-math-is-not-linked 0 'PASS'
else
    skip fast-math-is-not-linked 'an x86-64 matter'
fi

# ---- speeds that cannot be --------------------------------------------------------------------
kernel hasty lab01_cpu_naive 's/^void gemm/int clock_gettime(int id, long *t) { static long ns; t[0] = 0; t[1] = ns += 10 + 0 * id; return 0; } &/'
make -s -C hasty gemm >"$SCRATCH/log" 2>&1
rm -f build/ceilings.tsv
gemm hasty 640 --reps 1 --csv "$SCRATCH/hasty.csv" --json "$SCRATCH/hasty.json"
said impossible-speed 1 'gemm: impossible: '
expect impossible-speed-is-not-printed "$(in_short <"$SCRATCH/out")" test ! -s "$SCRATCH/out"
expect impossible-speed-is-not-kept "$(in_short <"$SCRATCH/hasty.csv")" test ! -s "$SCRATCH/hasty.csv"

lab=lab01_cpu_naive
make -s -C $lab gemm >"$SCRATCH/log" 2>&1
device=$(cd $lab && ./gemm --list-devices | sed -n 's/^\* 0  //p')
mkdir -p build
ceilings() { # GFLOP/s ...: a table for this CPU, each after its name
    printf 'cpu\t%s\tfloat\t%s\t10\t%s\t%s\t%s\n' "$device" "$1" "$2" "$3" "$4" >build/ceilings.tsv
}
ceilings 0.001 baseline=0.0001 avx2=0.0005 avx512=0.001
gemm $lab 128 --reps 2
said above-the-measured-peak 1 'where this device has 0.001'

# ---- a share of the peak is that of the kernel's instructions ---------------------------------
ceilings 4000 baseline=1000 avx2=2000 avx512=4000
gemm $lab 256 --reps 3
if grep -q 'too noisy' "$SCRATCH/out"; then
    skip share-of-baseline 'too noisy now to print a speed'
else
    said share-of-baseline 0 ' 1000 with baseline'
    said share-of-the-best 0 '(4000 with avx512)'
fi
gemm $lab 64 --csv "$SCRATCH/share.csv"
expect share-in-the-csv "$(tail -n 1 "$SCRATCH/share.csv")" grep -q ',1000\.00,10\.00,""$' "$SCRATCH/share.csv"
make -s -C lab02_avx gemm >"$SCRATCH/log" 2>&1
gemm lab02_avx 64 --csv "$SCRATCH/avx.csv"
if [ $status = 77 ]; then
    skip share-of-avx2 "$(cat "$SCRATCH/err")"
else
    expect share-of-avx2 "$(tail -n 1 "$SCRATCH/avx.csv")" grep -q ',2000\.00,10\.00,""$' "$SCRATCH/avx.csv"
fi
rm build/ceilings.tsv

# ---- the battery goes on ----------------------------------------------------------------------
kernel edge lab01_cpu_naive 's/j < N; j++/j < N - N % 32; j++/'
make -s -C edge gemm >"$SCRATCH/log" 2>&1
gemm edge --check --json "$SCRATCH/edge.json"
said a-wrong-shape-is-not-the-last 1 'check 29  1 x 1 x 1'
said right-of-all 1 'shapes are right, float'
for group in squares 'whole tiles' edges rectangles 'tall, wide, deep' 'single rows, columns'; do
    said "right-of-$group" 1 "  $group "
done
expect only-the-first-is-explained "$(in_short <"$SCRATCH/out")" test "$(grep -c ^FAIL "$SCRATCH/out")" = 1

# ---- a missing barrier is called by its name --------------------------------------------------
for barrier in complete overwritten; do
    kernel torn lab09_cuda_shared "s/__sync.*$barrier//"
    make -s -C torn CUDA=cpu gemm >"$SCRATCH/log" 2>&1
    gemm torn --check
    said "missing-barrier-$barrier" 1 'likely cause: changes from run to run'
    said "missing-barrier-$barrier-stops-nothing" 1 'check 29  1 x 1 x 1'
done

# ---- long work says so ------------------------------------------------------------------------
make -s -C lab09_cuda_shared CUDA=cpu gemm >"$SCRATCH/log" 2>&1
(cd lab09_cuda_shared && exec timeout 60 ./gemm 6000) >"$SCRATCH/all" 2>&1 &
running=$!
while kill -0 $running 2>/dev/null && ! grep -q 'will take' "$SCRATCH/all"; do sleep 0.2; done
kill $running 2>/dev/null
expect an-emulated-run-says-how-long "$(in_short <"$SCRATCH/all")" \
    grep -q '6000 x 6000 x 6000 will take about ' "$SCRATCH/all"

# ---- the record -------------------------------------------------------------------------------
if ! command -v python3 >/dev/null; then
    skip records 'no python3 here'
    exit
fi
record() { # NAME FILE EXPRESSION: the record r is sound, and the expression true
    expect "record-$1" "$(in_short <"$2"); next: read docs/records.md" python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
keys = """schema lab variant backend device type settings seed mode verdict reason shapes finding
    repetitions alloc_ms context_ms build_ms gflops spread ceilings""".split()
sys.exit(not (all(k in r for k in keys) and r["schema"] == "gemm-run/1" and eval("(" + sys.argv[2] + ")")))' "$2" "$3"
}
gemm $lab 64 96 80 --reps 3 --json "$SCRATCH/r"
record pass "$SCRATCH/r" 'r["verdict"] == "pass" and r["mode"] == "time" and len(r["repetitions"]) == 3 and
    r["gflops"] > 0 and r["shapes"][0]["N"] == 96 and r["finding"] is None'
gemm $lab --check --json "$SCRATCH/r"
record check "$SCRATCH/r" 'r["verdict"] == "pass" and len(r["shapes"]) == 29 and
    all(s["verdict"] == "pass" and s["class"] and s["method"] for s in r["shapes"])'
record fail "$SCRATCH/edge.json" 'r["verdict"] == "fail" and len(r["shapes"]) == 29 and
    r["finding"]["first"]["got"] is None and r["finding"]["unstable"] is False and "never" in r["finding"]["cause"]'
record impossible "$SCRATCH/hasty.json" 'r["verdict"] == "impossible" and r["gflops"] is None and
    r["repetitions"] == [] and "impossible" in r["reason"]'
gemm $lab 64 --json "$SCRATCH/r" --device 'no "such\one'
record error "$SCRATCH/r" 'r["verdict"] == "error" and "no \"such\\one" in r["reason"]'
kernel ends lab01_cpu_naive 's/^{/{ extern void exit(int); if (M == 7) exit(0);/'
make -s -C ends gemm >"$SCRATCH/log" 2>&1
gemm ends --check --json "$SCRATCH/r"
record exit "$SCRATCH/r" 'r["verdict"] == "fail" and "ended the program" in r["reason"] and r["at"]["M"] == 7'
kernel crashes lab01_cpu_naive 's/^{/{ if (M == 127) __builtin_trap();/'
make -s -C crashes gemm >"$SCRATCH/log" 2>&1
gemm crashes --check --json "$SCRATCH/r"
record crash "$SCRATCH/r" 'r["verdict"] == "incomplete" and len(r["shapes"]) == 18 and r["at"]["M"] == 127'
make -s -C lab04_ocl_naive gemm >"$SCRATCH/log" 2>&1
rm "$SCRATCH/r"
(cd lab04_ocl_naive && OCL_ICD_VENDORS=/nonexistent ./gemm 64 --json "$SCRATCH/r") >"$SCRATCH/all" 2>&1
record skip "$SCRATCH/r" 'r["verdict"] == "skip" and r["reason"]'
