#!/bin/sh
# SPDX-License-Identifier: MIT
# make builds what is needed and no more, in any folder, and clean removes it all.
set -u
. tests/lib

builds() { # LAB [SETTING]: prints what make has to do, and fails where make does
    make --no-print-directory -C "$@" all 2>&1
}

# Before anything is built: what clean must come back to.
make -s clean >"$SCRATCH/log" 2>&1
find . | sort >"$SCRATCH/before"

while read -r lab file setting; do
    if ! builds "$lab" >"$SCRATCH/log"; then
        fail "$lab-builds" "$(grep -i error "$SCRATCH/log" | in_short); next: make -C $lab"
        continue
    fi
    again=$(builds "$lab" | in_short)
    expect "$lab-twice-is-nothing" "$again; next: make -C $lab twice" test -z "$again"
    sleep 1 # make compares times, and some file systems count them in seconds
    touch "$lab/$file"
    expect "$lab-touched-$file" "nothing rebuilt; next: touch $lab/$file" test -n "$(builds "$lab")"
    expect "$lab-$setting" "nothing rebuilt; next: make -C $lab $setting" \
        test -n "$(builds "$lab" "$setting")"
done <<END
lab01_cpu_naive kernel.c TYPE=int
lab03_avx_block kernel_chapter.c BLOCK=64
lab04_ocl_naive params.h GROUP_X=8
lab09_cuda_shared kernel.cu BLOCK=16
END

# CFLAGS are those of the kernel; what verifies it and takes its time has its own.
make --no-print-directory -C lab03_avx_block V=1 CFLAGS='-O2 -DCANARY' gemm >"$SCRATCH/log" 2>&1
reached=$(grep -e -DCANARY "$SCRATCH/log" | sed 's/.* //' | sort | in_short)
expect cflags-are-the-kernels "$reached; next: make -C lab03_avx_block V=1 CFLAGS='-O2 -DCANARY'" \
    test "$reached" = '../common/../common/instructions.c kernel.c '
# Another tunable: the verification is not built again.
builds lab03_avx_block >"$SCRATCH/log"
builds lab03_avx_block BLOCK=128 >"$SCRATCH/log"
expect a-tunable-builds-no-verification "next: make -C lab03_avx_block BLOCK=128" \
    sh -c "grep -q report.o '$SCRATCH/log' && ! grep -q verify.o '$SCRATCH/log'"

# What was built is ignored by git: nobody commits it.
find . -type f | sed 's,^\./,,' | sort >"$SCRATCH/now"
sort "$FILES" | comm -13 - "$SCRATCH/now" >"$SCRATCH/built"
git init -q "$SCRATCH/git"
cp .gitignore "$SCRATCH/git"
git -C "$SCRATCH/git" check-ignore --no-index --stdin <"$SCRATCH/built" | sort >"$SCRATCH/ignored"
left=$(comm -23 "$SCRATCH/built" "$SCRATCH/ignored" | in_short)
expect git-ignores-what-is-built "$left; next: add it to .gitignore" test -z "$left"

make -s clean >"$SCRATCH/log" 2>&1
left=$(find . | sort | comm -13 "$SCRATCH/before" - | in_short)
expect clean-removes-it-all "$left; next: make clean" test -z "$left"

while read -r folder makefile; do
    make -C "$folder" -s help >"$SCRATCH/help"
    sed -n 's/^\.PHONY: *//p' "$makefile" | tr ' ' '\n' | grep '^[a-z]' >"$SCRATCH/targets"
    while read -r target; do
        expect "help-$makefile-$target" "add '## ...' to it in $makefile" \
            grep -q "^  $target " "$SCRATCH/help"
    done <"$SCRATCH/targets"
done <<END
. Makefile
lab01_cpu_naive common/lab.mk
END

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
