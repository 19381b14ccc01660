#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/check with submissions that are not what it expects: each gets the verdict that it deserves.
set -u
. tests/lib
export CUDA=cpu
unset CI # which turns the warnings about kernels like these into errors
lab=lab01_cpu_naive
cp $lab/kernel.c "$SCRATCH/right.c"

check() { # NAME STATUS WORDS COMMAND ...: runs the command
    name=$1 wanted=$2 words=$3
    shift 3
    "$@" >"$SCRATCH/out" 2>&1
    status=$?
    tr -s ' \n' ' ' <"$SCRATCH/out" >"$SCRATCH/line" # reasons are wrapped
    expect "$name" "status $status: $(in_short <"$SCRATCH/out")" \
        sh -c "test $status = $wanted && grep -q -F -e '$words' '$SCRATCH/line'"
}

check no-lab 2 'which lab?' tools/check
check unknown-lab 2 'no lab lab99' tools/check lab99
check right 0 '1 passed, 0 failed, 0 skipped' tools/check $lab
expect cpu-labs-are-not-emulated "see build/check.json" grep -q '"emulated": false' build/check.json

# Older than what was built before it, as files from an archive are.
sed 's/real sum = 0/real sum = 1/' "$SCRATCH/right.c" >$lab/kernel.c
touch -t 202001010000 $lab/kernel.c
check old-and-wrong 1 '0 passed, 1 failed, 0 skipped' tools/check $lab

submit() { # EDIT: of the right kernel
    sed "1i #include <stdio.h>
1i #include <unistd.h>
$1" "$SCRATCH/right.c" >$lab/kernel.c
}
submit 's/real sum = 0/if (i + j == 0) printf("%d ", K); &/'
check prints-into-the-verdict 0 '1 passed, 0 failed, 0 skipped' tools/check $lab
submit 's/real sum = 0/_exit(77); &/'
check skip-without-a-reason 1 'ended with the status of a skip, and no reason' tools/check $lab
submit 's/real sum = 0/_exit(0); &/'
check exit-without-a-verdict 1 'ended without verifying anything' tools/check $lab
check exit-without-a-verdict-race 2 'ends with status 0' make -s -C $lab race
submit 's/real sum = 0/for (;;) puts("PASS  29 shapes, float"); &/'
check endless-output 1 'wrote more than 100 MiB' tools/check $lab
rm $lab/kernel.c
check no-kernel-race 1 'there is no kernel.c' tools/race/run $lab
cp "$SCRATCH/right.c" $lab/kernel.c

# Emulated labs have no points for speed, whether they pass or fail.
cp -R lab09_cuda_shared wrong
sed 's/real sum = 0/real sum = 1/' lab09_cuda_shared/kernel.cu >wrong/kernel.cu
mv lab09_cuda_shared right && mv wrong lab09_cuda_shared
check emulated-points 1 'FAIL 0/7 emulated' tools/check lab09_cuda_shared
sed 's/real sum = 0;/real many[20000]; for (int i = 0; i < 20000; i++) many[i] = A[0] + i; real sum = many[K] * 0;/' \
    right/kernel.cu >lab09_cuda_shared/kernel.cu
check large-private-array 1 'more than 48 KiB: this kernel needs nvcc' tools/check lab09_cuda_shared
rm -rf lab09_cuda_shared && mv right lab09_cuda_shared

mkdir -p build
ln -s $$ build/check.lock
check one-at-a-time 2 'another one is at work' tools/check $lab
ln -sfn 999999999 build/check.lock
check lock-of-the-dead 0 '1 passed' tools/check $lab
