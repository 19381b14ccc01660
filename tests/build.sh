#!/bin/sh
# SPDX-License-Identifier: MIT
# make builds what is needed and no more, in any folder, and clean removes it all.
set -u
. tests/lib

builds() { # LAB SETTING ...: prints what make has to do
    make --no-print-directory -C "$@" all 2>&1
}

# Before anything is built: what git would see, and what clean must come back to.
make -s clean >"$SCRATCH/log" 2>&1
find . | sort >"$SCRATCH/before"
for lab in lab01_cpu_naive lab03_avx_block lab04_ocl_naive lab08_cuda_naive; do
    kernel=$(ls $lab/kernel.*)
    case $kernel in
    *.cl) rebuilt=$lab/params.h ;; # the kernel itself is compiled when ./gemm runs
    *) rebuilt=$kernel ;;
    esac
    expect "$lab-builds" "nothing said; next: make -C $lab clean all" test -n "$(builds $lab)"
    expect "$lab-twice-is-nothing" "$(builds $lab | in_short); next: make -C $lab twice" test -z "$(builds $lab)"
    sleep 1 # make compares times, and some file systems count them in seconds
    touch "$rebuilt"
    expect "$lab-touched-$(basename "$rebuilt")" "nothing rebuilt; next: touch $rebuilt && make -C $lab" test -n "$(builds $lab)"
    expect "$lab-changed-type" "nothing rebuilt; next: make -C $lab TYPE=int" test -n "$(builds $lab TYPE=int)"
done
expect changed-tunable "nothing rebuilt; next: make -C lab03_avx_block BLOCK=64" test -n "$(builds lab03_avx_block BLOCK=64)"

find . -type f | sed 's,^\./,,' | sort >"$SCRATCH/now"
mkdir "$SCRATCH/git" && git init -q "$SCRATCH/git" && cp .gitignore "$SCRATCH/git"
sort "$FILES" | comm -13 - "$SCRATCH/now" >"$SCRATCH/built"
git -C "$SCRATCH/git" check-ignore --no-index --stdin <"$SCRATCH/built" | sort >"$SCRATCH/ignored"
expect git-ignores-what-is-built "$(comm -23 "$SCRATCH/built" "$SCRATCH/ignored" | in_short); next: add it to .gitignore" cmp -s "$SCRATCH/built" "$SCRATCH/ignored"
make -s clean >"$SCRATCH/log" 2>&1
find . | sort >"$SCRATCH/after"
expect clean-removes-it-all "$(comm -13 "$SCRATCH/before" "$SCRATCH/after" | in_short); next: make clean" cmp -s "$SCRATCH/before" "$SCRATCH/after"

for makefile in Makefile common/lab.mk; do
    lab=.
    [ $makefile = Makefile ] || lab=lab01_cpu_naive
    make -C $lab -s help >"$SCRATCH/help"
    for target in $(sed -n 's/^\.PHONY: *//p' $makefile | sed 's/FORCE//; s/\$(labs)//'); do
        expect "help-$makefile-$target" "add '## ...' to the target in $makefile" grep -q "^  $target " "$SCRATCH/help"
    done
done

# A checkout in a folder with a space in its name.
mkdir "$SCRATCH/a folder"
cp -R common tools Makefile lab01_cpu_naive lab04_ocl_naive "$SCRATCH/a folder"
for lab in lab01_cpu_naive lab04_ocl_naive; do
    (cd "$SCRATCH/a folder/$lab" && make -s all && ./gemm 64 --reps 1) >"$SCRATCH/out" 2>&1
    case $? in
    0) expect "space-in-path-$lab" "it does not say its name" grep -q "^$lab " "$SCRATCH/out" ;;
    77) skip "space-in-path-$lab" "$(tail -n 1 "$SCRATCH/out")" ;;
    *) fail "space-in-path-$lab" "$(in_short <"$SCRATCH/out"); next: clone into 'a folder' and make" ;;
    esac
done
