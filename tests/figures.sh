#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/figures fill: what stands between markers is replaced, all else stays, and a README that has lost a
# marker loses nothing more.
set -u
. tests/lib

# refuses NAME EDIT WORDS: README.md of lab02 after this edit is named, and no README changes.
readme=lab02_avx/README.md
cp $readme "$SCRATCH/readme"
refuses() {
    sed "$2" "$SCRATCH/readme" >$readme
    cat README.md lab*/README.md >"$SCRATCH/before"
    tools/figures fill >"$SCRATCH/out" 2>&1
    status=$?
    cat README.md lab*/README.md >"$SCRATCH/after"
    expect "$1-status-2" "$status" test $status = 2
    expect "$1-one-line" "$(in_short <"$SCRATCH/out"); next: tools/figures fill" \
        sh -c "grep -q -F '$3' '$SCRATCH/out' && test \$(grep -c '' '$SCRATCH/out') = 1"
    expect "$1-changes-nothing" "$(diff "$SCRATCH/before" "$SCRATCH/after" | in_short)" \
        cmp -s "$SCRATCH/before" "$SCRATCH/after"
    cp "$SCRATCH/readme" $readme
}
first=$(grep -n -m 1 -E '^<!-- (figures|transcript) ' $readme | cut -d : -f 1)
last=$(grep -n '^<!-- end -->' $readme | tail -n 1 | cut -d : -f 1)
opened=$(grep -n -E '^<!-- (figures|transcript) ' $readme | tail -n 1 | cut -d : -f 1)
refuses lost-last-end "${last}d" "$readme:$opened: this marker has no <!-- end -->"
refuses lost-end "$(grep -n -m 1 '^<!-- end -->' $readme | cut -d : -f 1)d" "$readme:$first: this marker has no"
refuses lost-beginning "${first}d" "no marker before this <!-- end -->"
refuses damaged-beginning "${first}s/ -->//" "$readme:$first: this marker does not end with -->"
refuses no-such-figures "${first}s/xeon/nosuch/" "$readme:$first: there is no figures/nosuch"

# What stands between markers is made anew; a second filling finds nothing to do.
tools/figures fill
expect fill-is-done "$(diff "$SCRATCH/readme" $readme | in_short)" cmp -s "$SCRATCH/readme" $readme
sed "$((first + 1))s/.*/old/" "$SCRATCH/readme" >$readme
tools/figures fill
expect fill-replaces "$(diff "$SCRATCH/readme" $readme | in_short); next: tools/figures fill" cmp -s "$SCRATCH/readme" $readme
left=$(ls ./*.new lab*/*.new 2>/dev/null)
expect fill-leaves-no-files "$left" test -z "$left"
