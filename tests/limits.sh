#!/bin/sh
# SPDX-License-Identifier: MIT
# No run goes on for ever, and none ends without a word: time limits, crashes, interrupts, sizes that are none.
set -u
. tests/lib

# lab NAME EDIT: a lab01 whose kernel is changed by this
lab() {
    cp -R lab01_cpu_naive "$1"
    sed "$2" lab01_cpu_naive/kernel.c >"$1/kernel.c"
}
lab lab98_hangs 's/real sum = 0/for (volatile int forever = 1; forever;) {} &/'
lab lab98_crashes 's/real sum = 0/*(volatile real *)(long)K = 1; &/'
make -s -C lab98_hangs all && make -s -C lab98_crashes all && tools/ceilings/run c float >"$SCRATCH/log" 2>&1

ends() { # NAME WORDS COMMAND ...: it ends with another status than 0, and one line that names make race
    name=$1 words=$2
    shift 2
    limit 60 "$@" >"$SCRATCH/out" 2>&1
    status=$?
    expect "$name" "status $status: $(in_short <"$SCRATCH/out"); next: $*" sh -c "test $status != 0 && test $status != 124 &&
        test \$(grep -c 'make race' '$SCRATCH/out') = 1 && grep -q '$words.*make race' '$SCRATCH/out'"
}
ends run-hangs 'no result within 2 s' make -C lab98_hangs run LIMIT=2
ends run-crashes 'crashed with signal 11' make -C lab98_crashes run
ends demo-hangs 'no result within 2 s' env SIZE=64 LIMIT=2 tools/demo lab98_hangs
ends demo-crashes 'crashed with signal 11' env SIZE=64 tools/demo lab98_crashes
says() { # NAME WORDS COMMAND ...: a table with this in it
    name=$1 words=$2
    shift 2
    limit 60 "$@" >"$SCRATCH/out" 2>&1
    expect "$name" "$(in_short <"$SCRATCH/out"); next: $*" grep -q "$words.*make race" "$SCRATCH/out"
}
says bench-hangs 'FAIL .*no result within 2 s' make -C lab98_hangs bench SIZES=64 LIMIT=2
says sweep-hangs 'no result within 2 s' make -C lab98_hangs sweep SIZE=64 LIMIT=2 SWEEP=TILE_K=1
expect sweep-announces-itself "$(in_short <"$SCRATCH/out")" grep -q 'sweep: .*some seconds' "$SCRATCH/out"
make -C lab98_hangs run LIMIT=soon >"$SCRATCH/out" 2>&1
expect limit-is-a-number "$(in_short <"$SCRATCH/out")" grep -q '^LIMIT=soon: give whole seconds' "$SCRATCH/out"

# What is expected of a size, with room, and never less than a minute.
seconds() {
    # shellcheck source=tools/limits.sh
    (LIMIT='' SAN='' && . tools/limits.sh && seconds "$@")
}
expect a-minute-at-least "$(seconds 1) s" test "$(seconds 1)" = 60
expect more-for-larger "$(seconds 2^11), $(seconds 2048 2048 2048) s" \
    test "$(seconds 2^11)" -gt 600 -a "$(seconds 2^11)" = "$(seconds 2048 2048 2048)"
expect more-for-more-runs "$(seconds 1024 --reps 100) s" test "$(seconds 1024 --reps 100)" -gt "$(seconds 1024)"

# An interrupt: what was printed is there, and soon nothing runs any more.
lab lab98_talks 's/real sum = 0/puts("here"); fflush(stdout); for (volatile int forever = 1; forever;) {} &/
    1s/^/#include <stdio.h>\n/'
make -s -C lab98_talks all >"$SCRATCH/log" 2>&1
if env --default-signal=INT setsid true 2>/dev/null; then
    env --default-signal=INT setsid make -C lab98_talks run >"$SCRATCH/out" 2>&1 &
    group=$!
    until grep -q here "$SCRATCH/out" || ! kill -0 $group 2>"$SCRATCH/log"; do sleep 0.5; done
    expect output-comes-as-it-is-printed "$(in_short <"$SCRATCH/out")" grep -q here "$SCRATCH/out"
    env kill -INT -- -$group # a shell's own kill may know no groups
    for _ in 1 2 3 4 5 6 7 8 9 10; do env kill -0 -- -$group 2>/dev/null && sleep 1; done
    expect interrupt-ends-all "$(ps -o args= -g $group | in_short)" sh -c "! env kill -0 -- -$group 2>/dev/null"
    env kill -KILL -- -$group 2>"$SCRATCH/log"
    expect interrupt-says-nothing "$(in_short <"$SCRATCH/out")" sh -c "! grep -q 'make race' '$SCRATCH/out'"
else
    skip interrupt "this env cannot set signals, or there is no setsid"
fi

# Sizes that are none: one line, at once, before anything is built.
make -s clean >"$SCRATCH/log" 2>&1
for size in 0 abc 0^5 -3 -3^2 99999999999 2^31; do
    make demo SIZE="$size" >"$SCRATCH/out" 2>&1
    expect "demo-SIZE='$size'" "$(in_short <"$SCRATCH/out"); next: make demo SIZE='$size'" \
        sh -c "grep -q '^demo: SIZE: .* is no size' '$SCRATCH/out' && test \$(grep -c '' '$SCRATCH/out') = 2 && ! ls lab*/build"
done 2>"$SCRATCH/log"

# Long work says what it is, but not what is over soon.
. tools/labs.sh
patiently 'it takes long' sleep 3 2>"$SCRATCH/out"
expect long-work-is-told "$(cat "$SCRATCH/out")" grep -q 'it takes long' "$SCRATCH/out"
patiently 'it takes long' sh -c 'exit 7' 2>"$SCRATCH/out"
expect short-work-is-not "$?: $(cat "$SCRATCH/out")" test $? = 7 -a ! -s "$SCRATCH/out"
