#!/bin/sh
# SPDX-License-Identifier: MIT
# A command line that makes no sense, or asks for the impossible, gets exit status 2 and one clear line.
set -u
. tests/lib

refuses() { # NAME ARGUMENT ...: ./gemm in the folder $lab
    name=$lab-refuses-$1
    shift
    (cd "$lab" && limit 60 ./gemm "$@") >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
    if [ $status = 77 ]; then
        skip "$name" "$(cat "$SCRATCH/err")"
    elif [ $status != 2 ]; then
        fail "$name" "exit status $status instead of 2; next: (cd $lab && ./gemm $*)"
    elif ! { grep -q '^gemm: ' "$SCRATCH/err" && [ "$(grep -c '' "$SCRATCH/err")" = 1 ]; }; then
        fail "$name" "not one line 'gemm: ...' but: $(in_short <"$SCRATCH/err"); next: (cd $lab && ./gemm $*)"
    elif grep -q GFLOP "$SCRATCH/out"; then
        fail "$name" "it prints a speed; next: (cd $lab && ./gemm $*)"
    else
        ok "$name"
    fi
}

memory_gib=$(awk '/^MemTotal/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null)
for lab in lab01_cpu_naive lab04_ocl_naive; do
    if ! make -C $lab -s gemm >"$SCRATCH/log" 2>&1; then
        fail "$lab-builds" "next: make -C $lab"
        continue
    fi
    for size in 0 -1 -5 99999999999 '2^40' '2^31' '2^' '2^-1' '^5' '0^5' '-3^2' abc 1.5 1e3 ' ' '' 64x; do
        refuses "size-'$size'" "$size"
    done
    refuses two-sizes 64 64
    refuses four-sizes 64 64 64 64
    refuses zero-among-three 64 0 64
    refuses too-many-elements 70000 70000 70000
    refuses too-many-elements-of-b 1 70000 70000
    if [ "${memory_gib:-99}" -lt 25 ]; then
        refuses too-much-memory 46000 46000 46000
    else
        skip "$lab-refuses-too-much-memory" "all that an int can index fits into this memory"
    fi
    refuses reps-0 64 --reps 0
    refuses reps-1001 64 --reps 1001
    refuses reps-x 64 --reps x
    refuses reps-without-value 64 --reps
    refuses seed--1 64 --seed -1
    refuses json-without-value 64 --json
    refuses json-in-no-folder 64 --json /nonexistent/x.json
    refuses json-folder 64 --json .
    mkfifo "$SCRATCH/pipe"
    refuses json-in-place-of-a-pipe 64 --json "$SCRATCH/pipe"
    expect "$lab-leaves-the-pipe" "it was replaced" test -p "$SCRATCH/pipe"
    rm -f "$SCRATCH/pipe"
    refuses unknown-option 64 --fast
    refuses short-option 64 -r
    refuses csv-without-value 64 --csv
    refuses csv-in-no-folder 64 --csv /nonexistent/x.csv
    refuses csv-folder 64 --csv .
    refuses csv-on-full-disk 64 --reps 1 --csv /dev/full
    refuses device-nosuch 64 --device nosuch
    refuses device-99 64 --device 99
    refuses device--1 64 --device -1
    refuses check-with-size 64 --check
    # A number that is no index is part of a name: 3080 finds a GeForce RTX 3080.
    (cd $lab && ./gemm --list-devices) >"$SCRATCH/devices" 2>&1
    number=$(sed -n 's/^\* *[0-9]* *//p' "$SCRATCH/devices" | grep -o '[0-9][0-9]' | head -n 1)
    if [ -n "$number" ] && [ "$number" -gt "$(grep -c '' "$SCRATCH/devices")" ]; then
        (cd $lab && ./gemm 16 --device "$number") >"$SCRATCH/out" 2>&1
        expect "$lab-device-by-a-number-in-its-name" "$(in_short <"$SCRATCH/out"); next: (cd $lab && ./gemm 16 --device $number)" \
            grep -q 'verified *PASS' "$SCRATCH/out"
    else
        skip "$lab-device-by-a-number-in-its-name" "no device here has a number of two digits in its name"
    fi
    for option in --help --list-devices; do
        (cd $lab && ./gemm $option) >"$SCRATCH/out" 2>&1
        status=$?
        case $status in
        0) expect "$lab$option" "prints nothing; next: (cd $lab && ./gemm $option)" test -s "$SCRATCH/out" ;;
        77) skip "$lab$option" "$(cat "$SCRATCH/out")" ;;
        *) fail "$lab$option" "exit status $status; next: (cd $lab && ./gemm $option)" ;;
        esac
    done
done

# Where a tile sticks out, a kernel forms the index of its last row: 6 rows of 400 million columns.
lab=lab03_avx_block
make -C $lab -s gemm >"$SCRATCH/log" 2>&1 || fail "$lab-builds" "next: make -C $lab"
refuses indices-past-int 1 400000000 1
refuses one-more-tile-past-int 1 2147483640 1

refuses_to_build() { # NAME LAB SETTING TEXT: make says the text, and fails
    make -C "$2" -s "$3" >"$SCRATCH/out" 2>&1 && fail "$1" "it builds; next: make -C $2 $3" && return
    expect "$1" "does not say '$4'; next: make -C $2 $3" grep -q -F -e "$4" "$SCRATCH/out"
}
refuses_to_build block-7 lab03_avx_block BLOCK=7 'BLOCK must be a multiple of 16'
refuses_to_build rows-0 lab03_avx_block ROWS=0 'ROWS must be from 1 to 16'
refuses_to_build group-0 lab04_ocl_naive GROUP_X=0 'GROUP_X and GROUP_Y must be from 1 to 1024'
refuses_to_build pad-33 lab07_ocl_localmem PAD=33 'PAD must be from 0 to 32'
refuses_to_build type-foo lab01_cpu_naive TYPE=foo 'TYPE=foo: choose float, double or int'
refuses_to_build variant-foo lab01_cpu_naive VARIANT=foo 'VARIANT=foo: this lab has none'
