#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/run counts what tests say: a skip has a reason, or is a failure.
set -u
. tests/lib

# A workbook of one test.
mkdir -p "$SCRATCH/book/tests"
cp tests/run tests/lib "$SCRATCH/book/tests"
git init -q "$SCRATCH/book"
counts() { # NAME STATUS COUNTS LINE: what a test that prints the line comes to
    printf '. tests/lib\nprintf "%%s\\n" "%s"\n' "$4" >"$SCRATCH/book/tests/one.sh"
    "$SCRATCH/book/tests/run" one >"$SCRATCH/out" 2>&1
    status=$?
    expect "$1" "status $status: $(in_short <"$SCRATCH/out")" \
        test "$status $(tail -n 1 "$SCRATCH/out")" = "$2 $3"
}
counts passed 0 '1 passed, 0 failed, 0 skipped' 'ok one'
counts failed 1 '0 passed, 1 failed, 0 skipped' 'FAIL one: why'
counts skipped 0 '0 passed, 0 failed, 1 skipped' 'skip one: no GPU here'
counts skipped-without-a-reason 1 '0 passed, 1 failed, 0 skipped' 'skip one: '
counts no-case 1 '0 passed, 1 failed, 0 skipped' 'hello'
