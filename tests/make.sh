#!/bin/sh
# SPDX-License-Identifier: MIT
# Every target does its work whatever flags make has: from another folder, with -w, -j2 and -B; and with -n none
# does anything.
set -u
. tests/lib

# A workbook of two labs, in a folder of its own.
book=$SCRATCH/book
mkdir "$book"
cp -R common workbook tools emulation report_template Makefile points.tsv lab01_cpu_naive lab03_avx_block "$book"
rm -f "$book"/lab03_avx_block/kernel_*

does() { # NAME WORDS MAKE'S ARGUMENT ...
    name=$1 words=$2
    shift 2
    (cd / && SIZE=64 SIZES=64 limit 300 make "$@") >"$SCRATCH/out" 2>&1
    status=$?
    expect "$name" "status $status: $(tail -n 6 "$SCRATCH/out" | in_short); next: make $*" \
        sh -c "test $status = 0 && grep -q -E '$words' '$SCRATCH/out' && ! grep -q -i 'jobserver' '$SCRATCH/out'"
}
lab=$book/lab03_avx_block
while IFS='|' read -r target words; do
    # shellcheck disable=SC2086 # a target and settings
    does "lab-$target" "$words" -w -j2 -B -C "$lab" $target
done <<END
all|LD .*gemm
run SIZE=64|verified       PASS
bench|^  gemm  *[0-9.]+
sweep SIZE=64 SWEEP=BLOCK=16|BLOCK=16  *[0-9.]+
race|^1 passed, 0 failed
asm|multiply-adds a turn
diff|^[+]__m256|^[+]#include <immintrin.h>
check|^1 passed, 0 failed
help|list these targets
END
while IFS='|' read -r target words; do
    # shellcheck disable=SC2086 # a target and settings
    does "top-$target" "$words" -w -j2 -B -C "$book" $target
done <<END
all|LD .*lab03
demo|lab03_avx_block .*PASS
race|^2 passed, 0 failed
diff B=lab03_avx_block|^[+][+][+] lab03
compare A=report_template/examples/h200 B=report_template/examples/h200|times
help|list these targets
END
# What tools learn from make is the same with flags.
plain=$("$book/tools/report/plan" "$lab" && "$book/tools/report/defaults" "$lab")
flags=$(export MAKEFLAGS='Bw -j2' && "$book/tools/report/plan" "$lab" && "$book/tools/report/defaults" "$lab")
expect report-plan "$(echo "$flags" | in_short); next: make -w report" test "$plain" = "$flags"

does clean 'rm -rf' -w -j2 -B -C "$book" clean
find "$book" | sort >"$SCRATCH/before"
for target in all run check bench sweep race asm diff clean help; do
    make -n -C "$book" $target >"$SCRATCH/out" 2>&1
    make -n -C "$lab" $target >"$SCRATCH/out" 2>&1
done
for target in demo report compare ceilings; do make -n -C "$book" $target >"$SCRATCH/out" 2>&1; done
find "$book" | sort >"$SCRATCH/after"
changed=$(diff "$SCRATCH/before" "$SCRATCH/after" | in_short)
expect n-does-nothing "$changed; next: make -n" test -z "$changed"
