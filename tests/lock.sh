#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/lock.sh and workbook/lock.py, with the same link: one at a time, whoever was killed before.
set -u
. tests/lib
next="next: read tools/lock.sh and workbook/lock.py"

holder() { # works under the lock for a moment; a line in overlaps if another one does as well
    sh -c '. tools/lock.sh
        lock "$0/lock" holder
        echo $$ >>"$0/holders"
        mkdir "$0/inside" 2>/dev/null || echo $$ >>"$0/overlaps"
        sleep 0.1
        rmdir "$0/inside"
        [ "$(readlink "$0/lock")" = $$ ] || echo "$$ lost it" >>"$0/overlaps"
        unlock "$0/lock"' "$SCRATCH" 2>>"$SCRATCH/said"
}

python_holder() { # the same in Python
    python3 - "$SCRATCH" 2>>"$SCRATCH/said" <<'END'
import os, sys, time
from pathlib import Path
from workbook import Mistake
from workbook.lock import lock
scratch = Path(sys.argv[1])
def note(name):
    with open(scratch / name, "a") as file:
        print(os.getpid(), file=file)
try:
    with lock(scratch / "lock"):
        note("holders")
        try:
            (scratch / "inside").mkdir()
        except FileExistsError:
            note("overlaps")
        time.sleep(0.1)
        (scratch / "inside").rmdir()
        if os.readlink(scratch / "lock") != str(os.getpid()):
            note("overlaps")
except Mistake as mistake:
    sys.exit(print("holder:", mistake, file=sys.stderr) or 2)
END
}

for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
    sh -c 'exit 0' &
    wait $!
    ln -s $! "$SCRATCH/lock" # of one that is dead
    holder & python_holder & holder & python_holder & holder & python_holder & holder & python_holder &
    wait
done
: >>"$SCRATCH/overlaps"
expect one-at-a-time "$(in_short <"$SCRATCH/overlaps"); $next" test ! -s "$SCRATCH/overlaps"
expect each-time-one "$(grep -c '' "$SCRATCH/holders") in $round rounds; $next" \
    test "$(grep -c '' "$SCRATCH/holders")" -ge "$round"
expect others-are-told "$(in_short <"$SCRATCH/said"); $next" \
    test "$(grep -c 'another one is at work' "$SCRATCH/said")" -gt 0 -a -z "$(grep -v 'another one is at work' "$SCRATCH/said")"
expect nothing-left "$(ls "$SCRATCH"); $next" test ! -L "$SCRATCH/lock" -a ! -e "$SCRATCH/lock.old"

refuses() { # NAME WORDS
    for who in holder python_holder; do
        : >"$SCRATCH/said"
        $who
        status=$?
        expect "$who-$1" "status $status, $(in_short <"$SCRATCH/said"); $next" grep -q "$2" "$SCRATCH/said"
        expect "$who-$1-status" "status $status; $next" test $status = 2
    done
}
mkdir "$SCRATCH/lock"
refuses folder-of-that-name 'cannot make'
rmdir "$SCRATCH/lock"
ln -s $$ "$SCRATCH/lock"
refuses living 'wait for it, process'
expect living-keeps-it "$next" test "$(readlink "$SCRATCH/lock")" = $$
