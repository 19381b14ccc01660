#!/bin/sh
# SPDX-License-Identifier: MIT
# Every program of every lab is right on every shape, for every type.
set -u
. tests/lib

for type in float double int; do
    if ! make -s -k -j "$(cores)" TYPE=$type >"$SCRATCH/out" 2>&1; then
        fail "build-$type" "$(grep -i error "$SCRATCH/out" | in_short); next: make TYPE=$type"
    fi
    printf "%s $type\n" lab*/kernel.* lab*/kernel_* | xargs -n 2 -P "$(cores)" tests/program
done
