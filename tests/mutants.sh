#!/bin/sh
# SPDX-License-Identifier: MIT
# Every broken kernel of tests/mutants is caught, and for its own reason.
# ONLY='cpu-*' tests/run mutants: those alone.
set -u
. tests/lib

for table in tests/mutants/*; do
    awk -v start="$SCRATCH/$(basename "$table")-" -v RS= '$1 == "mutant" { print > (start $2) }' "$table"
done
# shellcheck disable=SC2086 # a pattern
(cd "$SCRATCH" && ls -d ${ONLY:-*}) | sed "s,^,$SCRATCH/," | xargs -n 1 -P "$(cores)" tests/mutant
