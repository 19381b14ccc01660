#!/bin/sh
# SPDX-License-Identifier: MIT
# make race where it cannot do its work, or is asked for more. That it finds mistakes, and where, is
# tested by tests/mutants/race.
set -u
. tests/lib

# race NAME STATUS WORDS COMMAND ...: make race in $lab, by way of the command
race() {
    name=$1 wanted=$2 words=$3
    shift 3
    "$@" make -C "$lab" race >"$SCRATCH/out" 2>&1
    status=$?
    expect "$name" "status $status: $(in_short <"$SCRATCH/out"); next: make -C $lab race" \
        sh -c "test $status = $wanted && grep -q -F '$words' '$SCRATCH/out'"
}

# All programs but oclgrind.
mkdir "$SCRATCH/bin"
for folder in /usr/local/bin /usr/bin /bin; do
    ln -sf "$folder"/* "$SCRATCH/bin" 2>/dev/null
done
rm -f "$SCRATCH/bin/oclgrind"
lab=lab04_ocl_naive
make -s -C $lab clean
race without-oclgrind 0 'apt-get install oclgrind' env PATH="$SCRATCH/bin"
expect without-oclgrind-is-a-skip "$(in_short <"$SCRATCH/out")" grep -q '^0 passed, 0 failed, 1 skipped' "$SCRATCH/out"

rm -f "$SCRATCH/bin/valgrind"
lab=lab01_cpu_naive
race without-valgrind 0 'apt-get install valgrind' env PATH="$SCRATCH/bin"
expect without-valgrind-sanitizers-are-left "$(in_short <"$SCRATCH/out")" \
    grep -q '^1 passed, 0 failed, 0 skipped' "$SCRATCH/out"

# What make -C prints must not be taken for the size of a tile, and nothing run.
lab=lab07_ocl_localmem
cp -R $lab race_w
sed 's/barrier.*complete//' $lab/kernel_tile.cl >race_w/kernel_tile.cl
lab=race_w
race make-C 2 "data race" env MAKEFLAGS="-- VARIANT=tile TILE=8"

# What did not run, and does not say why, is no skip.
lab=race_copy
cp -R lab01_cpu_naive $lab
sed 's/^int main.*/&\n{\n    return 77;\n}\nint unused(int argc, char **argv);\nint unused(int argc, char **argv)/' \
    lab01_cpu_naive/main.c >$lab/main.c
race skip-without-a-reason 2 'gave no reason' env CI=
rm -r $lab
cp -R lab01_cpu_naive $lab
sed 's/\(#define TILE_M\).*/\1 (int)sizeof(char)/' lab01_cpu_naive/params.h >$lab/params.h
race no-shapes 2 'is not run: TILE_M' env
rm -r $lab

cp -R lab01_cpu_naive $lab
sed 's/real sum = 0/for (volatile int forever = 1; forever;) {} &/' lab01_cpu_naive/kernel.c >$lab/kernel.c
race no-end 2 'no result within 2 seconds' env LIMIT=2
sed 's/real sum = 0/real sum = nothing/' lab01_cpu_naive/kernel.c >$lab/kernel.c
race does-not-build 2 'does not build: kernel.c' env
sed 's/real sum = 0/real sum = *(volatile real *)(long)K/' lab01_cpu_naive/kernel.c >$lab/kernel.c
race a-crash-has-its-line 2 'kernel.c:10: out of bounds: touches memory' env
sed 's/k < K; k++/k <= K; k++/' lab01_cpu_naive/kernel.c >$lab/kernel.c
race noise-is-hidden 2 'kernel.c:12: out of bounds' env
expect noise-is-hidden-really "$(in_short <"$SCRATCH/out")" sh -c "! grep -q 'shadow bytes' '$SCRATCH/out'"
race noise-is-shown 2 'Shadow bytes' env V=1
expect fits-80-columns "$(awk 'length > 80' "$SCRATCH/out" | head -n 1)" \
    sh -c "! grep -v '^$lab\|^gcc\|^cc' '$SCRATCH/out' | awk 'length > 80' | grep -q ."
expect leaves-the-lab-alone "lab04 was built in its own folder" test ! -e lab04_ocl_naive/gemm
