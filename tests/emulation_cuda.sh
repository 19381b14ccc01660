#!/bin/sh
# SPDX-License-Identifier: MIT
# What emulation/ knows of CUDA: tests/emulation/right.cu is right with every sanitizer, and each kernel of
# wrong.cu is found, in its line.
set -u
. tests/lib

# build NAME COMPILER FLAGS ...: NAME.cu with the emulation, which is compiled without the flags
build() {
    name=$1 compiler=$2
    shift 2
    if [ ! -d "$SCRATCH/$compiler" ]; then
        mkdir "$SCRATCH/$compiler"
        for file in emulation/*.cpp; do
            "$compiler" -std=c++17 -O2 -g -Wall -Wextra -Wshadow -Werror -pthread -c \
                -o "$SCRATCH/$compiler/$(basename "$file" .cpp).o" "$file"
        done
    fi
    emulation/compile "$compiler" -std=c++17 -O1 -g -Wall -Wextra -Wshadow -Werror "$@" -c \
        -o "$SCRATCH/$name.o" "tests/emulation/$name.cu" &&
        "$compiler" -pthread "$@" -o "$SCRATCH/$name" "$SCRATCH/$name.o" "$SCRATCH/$compiler"/*.o
}

fixed='' && setarch -R true 2>/dev/null && fixed='setarch -R' # as in tools/race/lab
export TSAN_OPTIONS=halt_on_error=1
run() { # NAME [KERNEL]: into $SCRATCH/out
    # shellcheck disable=SC2086 # a list of words
    limit 60 $fixed "$SCRATCH/$1" "${2-}" >"$SCRATCH/out" 2>&1
}

right() { # NAME COMPILER FLAGS ...
    case=$1
    shift
    build right "$@" >"$SCRATCH/out" 2>&1 && run right
    status=$?
    expect "right-$case" "status $status: $(in_short <"$SCRATCH/out")" \
        sh -c "test $status = 0 && grep -q right '$SCRATCH/out'"
}

# wrong NAME WORDS [LINE]: the words are there, and findings.awk, or the program, names the kernel's line
wrong() {
    run wrong "$1"
    status=$?
    at=$(awk -v name="// $1" 'index($0, name) && $NF == substr(name, 4) { print FNR }' tests/emulation/wrong.cu)
    line=$(awk -v kernel=wrong.cu -f tools/race/findings.awk "$SCRATCH/out" | cut -f 2,3 | tr '\t' '\n' | grep -x "${at:-0}")
    [ -n "$line" ] || line=$(grep -o "wrong.cu:${at:-0}: " "$SCRATCH/out")
    [ -n "$at" ] || line=none
    expect "wrong-$1${sanitizer:+-$sanitizer}" "status $status, line ${at:-none}: $(in_short <"$SCRATCH/out")" \
        test -n "$line" -a "$(grep -c -F -e "$2" "$SCRATCH/out")" -gt 0
}

for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || { skip "$compiler" 'not installed' && continue; }
    right "$compiler" "$compiler"
    right "$compiler-address" "$compiler" -fsanitize=address,undefined -fno-sanitize-recover=all
    right "$compiler-thread" "$compiler" -fsanitize=thread
    sanitizer=''
    build wrong "$compiler" >"$SCRATCH/log" 2>&1 || fail "wrong-$compiler" "$(in_short <"$SCRATCH/log")"
    wrong host_pointer 'argument 1 of this launch points to memory'
    wrong freed_pointer 'argument 1 of this launch points to memory'
    wrong host_matrix 'argument 1 of this launch points to memory'
    wrong launch_bounds '__launch_bounds__ promises 32'
    # clang does not check the address of a whole struct that is copied.
    [ "$compiler" = clang++ ] || wrong misaligned 'multiple of 16 bytes'
    wrong misaligned_ldg 'multiple of 16 bytes'
    wrong stack 'needs more than 64 KiB of stack'
    wrong warp_if 'waits at this __shfl_xor_sync'
    wrong warp_masks 'warp divergence'
    wrong warp_self 'does not name it'
    wrong warp_gone 'first nan'
    wrong count_if 'barrier divergence'
    run wrong shared_scratch
    expect "wrong-shared_scratch" "$(in_short <"$SCRATCH/out")" grep -q ', wrong' "$SCRATCH/out"
    sanitizer=thread
    build wrong "$compiler" -fsanitize=thread >"$SCRATCH/log" 2>&1 || fail "wrong-thread" "$(in_short <"$SCRATCH/log")"
    for kernel in shared_scratch sum mixed no_fence no_syncwarp after_shuffle other_warp; do
        wrong "$kernel" 'data race'
    done
    [ "$compiler" = clang++ ] || wrong misaligned 'multiple of 16 bytes'
    sanitizer=address
    build wrong "$compiler" -fsanitize=address,undefined -fno-sanitize-recover=all >"$SCRATCH/log" 2>&1 ||
        fail "wrong-address" "$(in_short <"$SCRATCH/log")"
    wrong past_the_end 'AddressSanitizer'
    wrong host_variable 'AddressSanitizer'
    [ "$compiler" = clang++ ] || wrong misaligned 'misaligned address'
    wrong misaligned_ldg 'misaligned address'
done
