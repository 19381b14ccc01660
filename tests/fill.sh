#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/report/fill: all values of the template, not one other byte, whatever the document, the disk or
# the signal.
set -u
. tests/lib

template=report_template/report.md
read_it="read tools/report/fill and fill.awk"
mkdir "$SCRATCH/values" "$SCRATCH/none"
doc=$SCRATCH/doc.md

# Every name, and a value for it.
plots='time-cpu time-opencl time-cuda ladder-cpu ladder-opencl ladder-cuda parts-opencl parts-cuda
    roofline-cpu roofline-opencl roofline-cuda sweep-lab03 sweep-lab04 sweep-lab05 sweep-lab06 sweep-lab07
    sweep-lab08 sweep-lab09'
for name in provenance device defaults twice ladder-cpu ladder-opencl ladder-cuda cpu-sizes cpu-blocks opencl-sizes \
    opencl-tiles opencl-parts opencl-sweeps cuda-sizes cuda-blocks cuda-parts; do
    printf '| %s | ms |\n|---|---:|\n| lab, 100%% \\n & | 3.5 (2 %%) |\n' "$name" >"$SCRATCH/values/$name"
done
for plot in $plots; do
    echo "![What to see.](plots/$plot.svg)" >"$SCRATCH/values/plot-$plot"
done
for lab in 01 02 03 04 05 06 07 08 09; do
    for quantity in work bytes intensity gflops speedup; do
        echo "$lab.5 $quantity" >"$SCRATCH/values/predict-lab$lab-$quantity"
    done
done

fill() { # [FILE [FOLDER]]: sets status; what it says is in $SCRATCH/said
    tools/report/fill "${1:-$doc}" "${2:-$SCRATCH/values}" >"$SCRATCH/said" 2>&1
    status=$?
}
said() { in_short <"$SCRATCH/said"; }

outside() { # FILE: what is not between markers, found by other means than fill's
    LC_ALL=C awk '/^<!-- fill .*-->\r?$/ { print; inside = 1 }
        /^<!-- end -->\r?$/ { inside = 0 }
        !inside { gsub(/-->[^<>]*<!-- end -->/, "--><!-- end -->"); print }' "$1"
}
has_value() { # NAME FILE FOLDER
    if [ "$(grep -c '' "$3/$1")" = 1 ] && grep -q -F "<!-- fill $1 --> $(cat "$3/$1") <!-- end -->" "$2"; then
        return 0
    fi
    sed -n "/^<!-- fill $1 -->\$/,/^<!-- end -->\$/p" "$2" | sed '1d; $d' | cmp -s - "$3/$1"
}
all_values() { # FILE FOLDER: each value whose marker begins a line or a cell is there
    for value in "$2"/*; do
        grep -q -E "^(\\|.*)?<!-- fill ${value##*/} -->" "$1" || continue
        has_value "${value##*/}" "$1" "$2" || return 1
    done
}

# The names in the template are just these, each once.
grep -o '<!-- fill [^ ]* -->' $template | cut -d ' ' -f 3 | sort >"$SCRATCH/names"
find "$SCRATCH/values" -type f | sed 's,.*/,,' | sort >"$SCRATCH/expected"
unlike=$(diff "$SCRATCH/expected" "$SCRATCH/names" | grep '^[<>]' | in_short)
expect names-of-the-template "$unlike; next: compare $template with the names in tests/fill.sh" test -z "$unlike"

# Values for small documents, and other values for the template.
mkdir "$SCRATCH/short" "$SCRATCH/changed"
printf '| a |\n|---|\n' >"$SCRATCH/short/a"
printf 'B\n' >"$SCRATCH/short/b"
: >"$SCRATCH/short/empty"
printf '<!-- end -->\n' >"$SCRATCH/short/marker"
printf 'x --> y\n' >"$SCRATCH/short/comment"
printf '```\nopen\n' >"$SCRATCH/short/open"
# shellcheck disable=SC2016 # backticks are text
printf '```\n# no heading\n```\n' >"$SCRATCH/short/code"
printf 'a `tick\n' >"$SCRATCH/short/tick"
printf 'no newline' >"$SCRATCH/short/bare"
for value in "$SCRATCH/values"/*; do
    sed 's/3\.5/77/; s/What/Where/; s/\.5 / 0 /' "$value" >"$SCRATCH/changed/${value##*/}"
done

# document NAME STATUS SAYS BEFORE AFTER: what becomes of one document. SAYS is what follows its name.
document() {
    printf '%b' "$4" >"$doc"
    printf '%b' "$5" >"$SCRATCH/after"
    fill "$doc" "$SCRATCH/short"
    same=no says=no
    cmp -s "$doc" "$SCRATCH/after" && same=yes
    if [ -z "$3" ]; then
        [ -s "$SCRATCH/said" ] || says=yes
    elif grep -q "^fill: $doc:$3.*: left as it is; [a-z]" "$SCRATCH/said"; then
        says=yes
    fi
    expect "$awk-$1" "status $status, not $2, the right bytes: $same, the right words: $says, $(said); $read_it" \
        test "$status $same $says" = "$2 yes yes"
}
damaged() { # NAME SAYS BEFORE: is left alone, and b behind it is filled all the same
    document "$1" 1 "$2" "$3\n$b ____ $end\n" "$3\n$b B $end\n"
}

a='<!-- fill a -->' b='<!-- fill b -->' empty='<!-- fill empty -->' end='<!-- end -->' A='| a |\n|---|\n'
for awk in mawk gawk; do
    use_awk $awk || continue

    cp $template "$doc"
    fill
    expect "$awk-fills-the-template" "status $status, $(said); $read_it" test "$status $(said)" = '0 '
    expect "$awk-every-value-is-there" "$read_it" all_values "$doc" "$SCRATCH/values"
    outside $template >"$SCRATCH/before"
    outside "$doc" >"$SCRATCH/after"
    expect "$awk-nothing-else-changed" "$read_it" cmp -s "$SCRATCH/before" "$SCRATCH/after"

    cp "$doc" "$SCRATCH/once"
    ls -li "$doc" >"$SCRATCH/before"
    fill
    ls -li "$doc" >"$SCRATCH/after"
    expect "$awk-twice-is-the-same" "status $status; $read_it" cmp -s "$doc" "$SCRATCH/once"
    expect "$awk-untouched-if-nothing-changes" "$read_it" cmp -s "$SCRATCH/before" "$SCRATCH/after"

    # A student writes answers, adds and removes parts, and moves a table to the end.
    # shellcheck disable=SC2016 # backticks are text
    {
        sed '/^<!-- fill cpu-sizes -->$/,/^<!-- end -->$/d; /^<!-- fill plot-time-cpu -->$/,/^<!-- end -->$/d
            s/^(your answer)$/\\n %s $0 \& | 100 % `code` *矩阵* трассировка	  /; s/| ____ |/| 3 GFLOP |/
            s/^## Rooflines$/# Mine\n\n```sh\n# <!-- fill device -->\nmake # <!-- end -->\n```\n\n&/' "$SCRATCH/once"
        sed -n '/^<!-- fill cpu-sizes -->$/,/^<!-- end -->$/p' "$SCRATCH/once"
        printf 'the last line, without an end'
    } >"$doc"
    outside "$doc" >"$SCRATCH/before"
    fill "$doc" "$SCRATCH/changed"
    outside "$doc" >"$SCRATCH/after"
    expect "$awk-edited-is-filled" "status $status, $(said); $read_it" test "$status $(said)" = '0 '
    expect "$awk-edited-has-new-values" "$read_it" all_values "$doc" "$SCRATCH/changed"
    expect "$awk-edited-keeps-the-rest" "$(diff "$SCRATCH/before" "$SCRATCH/after" | in_short); $read_it" \
        cmp -s "$SCRATCH/before" "$SCRATCH/after"
    expect "$awk-edited-keeps-its-last-byte" "$read_it" test "$(tail -c 1 "$doc")" = d

    document no-markers 0 '' 'text\n' 'text\n'
    document empty-document 0 '' '' ''
    document block 0 '' "1\n$a\nold\n\n$end\n2\n" "1\n$a\n$A$end\n2\n"
    document cell 0 '' "| $b ____ $end |  \n" "| $b B $end |  \n"
    document two-cells 0 '' "|$b$end|$empty _ $end|\n" "|$b B $end|$empty $end|\n"
    document empty-value 0 '' "$empty\nx\n$end\n" "$empty\n$end\n"
    document value-without-newline 0 '' "<!-- fill bare -->\n$end\n" "<!-- fill bare -->\nno newline\n$end\n"
    document value-with-code 0 '' "<!-- fill code -->\n$end\n$b $end\n" \
        "<!-- fill code -->\n\`\`\`\n# no heading\n\`\`\`\n$end\n$b B $end\n"
    document value-with-code-again 0 '' "<!-- fill code -->\n\`\`\`\n# no heading\n\`\`\`\n$end\n$b $end\n" \
        "<!-- fill code -->\n\`\`\`\n# no heading\n\`\`\`\n$end\n$b B $end\n"
    document crlf 0 '' "1\r\n$a\r\nold\r\n$end\r\n2\r\n" "1\r\n$a\r\n| a |\r\n|---|\r\n$end\r\n2\r\n"
    document crlf-cell 0 '' "| $b _ $end |\r\n2" "| $b B $end |\r\n2"
    document mixed-line-ends 0 '' "1\r\n$a\n$end\r\n\r2\n" "1\r\n$a\n$A$end\r\n\r2\n"
    document no-final-newline 0 '' "$a\n$end" "$a\n$A$end"
    document last-line-x 0 '' "$a\n$end\nx" "$a\n$A$end\nx"
    document utf-8 0 '' "结果：$b $end。 \n$a\n旧\n$end\nитог\n" "结果：$b B $end。 \n$a\n$A$end\nитог\n"
    document bom 0 '' "\0357\0273\0277$a\n$end\n" "\0357\0273\0277$a\n$A$end\n"
    document bom-in-line 0 '' "\0357\0273\0277 $b $end\n" "\0357\0273\0277 $b B $end\n"
    document any-bytes 0 '' "\0377\0200\0001\0033\f\v\\\\\n$a\n$end\n" "\0377\0200\0001\0033\f\v\\\\\n$a\n$A$end\n"
    document trailing-blanks 0 '' "x  \n$a \t\nold\n  $end  \n\n\n" "x  \n$a \t\n$A  $end  \n\n\n"
    for fence in '```' '~~~' '   ````' '```md'; do
        last=$(echo "$fence" | tr -d 'md')
        code="$fence\n$a\n$end\n~~\n$last\n"
        document "code-$fence" 0 '' "$code$a\n$end\n" "$code$a\n$A$end\n"
    done
    code="\`\`\`\`\n\`\`\`\n$a\n$end\n~~~~\n\`\`\`\`\n"
    document code-in-code 0 '' "$code$a\n$end\n" "$code$a\n$A$end\n"
    document no-code 0 '' "    \`\`\`\n$a\n$end\n" "    \`\`\`\n$a\n$A$end\n"
    document inline-code 0 '' "\`$b $end\` \`\`$b \` $end\`\` $b $end\n" "\`$b $end\` \`\`$b \` $end\`\` $b B $end\n"
    for mark in '- ' '1. ' '> '; do
        in=$(echo "$mark" | sed 's/[^>]/ /g') # what the lines below begin with
        code="$mark\`\`\`\n$in$a\n$in$end\n$in\`\`\`\n"
        document "code-behind-$mark" 0 '' "$code$a\n$end\n" "$code$a\n$A$end\n"
        code="$mark~~~\n$in$a\n$in$end\n"
        document "code-ends-with-$mark" 0 '' "$code\nx\n$a\n$end\n" "$code\nx\n$a\n$A$end\n"
    done
    document after-code-in-a-quote 0 '' "> \`\`\`\n> $b $end\n> \`\`\`\n> $b $end\n" "> \`\`\`\n> $b $end\n> \`\`\`\n> $b B $end\n"
    document cell-in-a-list 0 '' "- $b $end\n> x $empty y$end\n" "- $b B $end\n> x $empty $end\n"
    document lone-backtick 0 '' "it\`s $b $end\n" "it\`s $b B $end\n"
    document escaped-backtick 0 '' "\\\\\`$b $end\\\\\`\n" "\\\\\`$b B $end\\\\\`\n"

    damaged unknown '1: .*nosuch' "<!-- fill nosuch -->\nmine\n$end"
    damaged path-as-name '1: .*short/a' "<!-- fill ../short/a -->\nmine\n$end"
    damaged no-name '1: ' "<!-- fill -->\nmine\n$end"
    damaged unclosed '2: fill a has no end before line 4' "0\n$a\nmine"
    damaged unclosed-in-a-line '1: fill a has no end' "| $a x |"
    damaged end-alone '2: end without a fill' "0\n$end\nmine"
    damaged nested '2: fill empty lies inside fill a' "$a\n$empty\nmine\n$end\n$end"
    damaged around-nested '1: fill a has fill empty inside' "$a\n$empty\nmine\n$end\n$end"
    damaged twice '4: fill a is there 2 times' "$a\n1\n$end\n$a\n2\n$end"
    damaged twice-the-first '1: fill a is there 2 times' "$a\n1\n$end\n$a\n2\n$end"
    damaged heading-inside '1: .*heading inside, in line 3' "$a\n\n## Mine\n\n$end"
    damaged end-in-code '1: fill a has no end' "$a\nmine\n\`\`\`\n$end\n\`\`\`"
    damaged end-in-inline-code '1: fill a has no end' "$a mine \`$end\`"
    damaged end-in-text '1: .*lines' "$a\nmine\nmine $end"
    damaged begin-in-text '1: .*lines' "mine $a\nmine\n$end"
    damaged indented '1: .*four blanks' "    $a\nmine"
    damaged indented-in-a-quote '1: .*four blanks' ">     $a\nmine"
    damaged capitals '1: a damaged marker' "<!-- FILL a -->\nmine\n<!-- END -->"
    damaged one-dash '1: a damaged marker' "<!— fill a —>\nmine\n<!— end —>"
    damaged lost-end-of-marker '1: a damaged marker' "<!-- fill a\nmine\n<!-- end"
    document comments 0 '' "<!-- filler --> <!-- the end --> <!-- end of b --> <em>\n" \
        "<!-- filler --> <!-- the end --> <!-- end of b --> <em>\n"
    damaged marker-in-value '1: the value of marker' "<!-- fill marker -->\nold\n$end"
    damaged comment-in-value '1: the value of comment' "<!-- fill comment -->\nold\n$end"
    damaged open-code-in-value '1: the value of open' "<!-- fill open -->\nold\n$end"
    damaged backtick-in-cell '1: the value of tick' "<!-- fill tick --> old $end"
    damaged table-in-cell '1: the value of a' "| $a ____ $end |"
    document unclosed-at-the-end 1 '3: fill a has no end' "$b $end\n\n$a\nmine" "$b B $end\n\n$a\nmine"
    document open-code-block 1 '2: a code block without an end' "$b $end\n\`\`\`\n$a\n$end\n" \
        "$b B $end\n\`\`\`\n$a\n$end\n"
    PATH=$path_before
done

cp $template "$doc"
fill "$doc" "$SCRATCH/none"
expect no-values-status "$status instead of 1; $read_it" test $status = 1
names=$(grep -c '' "$SCRATCH/names")
expect no-values-names-all "$read_it" test "$(grep -c ': left as it is; ' "$SCRATCH/said")" = "$names"
expect no-values-changes-nothing "$read_it" cmp -s "$doc" $template

# refused NAME SAYS: status 2, one line, and $doc is still what $SCRATCH/before is, with nothing beside it
refused() {
    lines=$(grep -c '' "$SCRATCH/said")
    expect "$1-is-told" "status $status, $(said); $read_it" \
        test "$status $lines $(grep -c "^fill: .*$2" "$SCRATCH/said")" = '2 1 1'
    expect "$1-leaves-the-file" "$read_it" cmp -s "$doc" "$SCRATCH/before"
    left=$(find "$SCRATCH" -name '.fill*' | in_short)
    expect "$1-leaves-nothing-else" "$left; $read_it" test -z "$left"
}
cp "$doc" "$SCRATCH/before"
fill "$SCRATCH/nosuch.md"
refused no-file 'cannot be read'
fill "$SCRATCH"
refused folder-as-file 'cannot be read'
fill "$doc" "$SCRATCH/nosuch"
refused no-folder 'no such folder'
tools/report/fill "$doc" >"$SCRATCH/said" 2>&1
status=$?
refused one-argument 'which file'
printf 'a\000b\n<!-- fill device -->\n<!-- end -->\n' >"$doc"
cp "$doc" "$SCRATCH/before"
fill
refused zero-bytes 'UTF-8'

# Links, permissions, names with blanks; one who reads meanwhile has the old file whole.
mkdir "$SCRATCH/a folder"
real="$SCRATCH/a folder/my report.md"
cp $template "$real"
chmod 640 "$real"
ln -s "a folder/my report.md" "$SCRATCH/near.md"
ln -s "$SCRATCH/near.md" "$SCRATCH/far.md"
exec 3<"$real"
fill "$SCRATCH/far.md"
cat <&3 >"$SCRATCH/read"
exec 3<&-
expect link-fills-what-it-points-to "status $status, $(said); $read_it" cmp -s "$real" "$SCRATCH/once"
expect link-stays-a-link "$read_it" test "$(find "$SCRATCH" -name '*ar.md' -type l | grep -c '')" = 2
expect permissions-stay "$read_it" test "$(find "$real" -perm 640)" = "$real"
expect replaced-not-rewritten "$read_it" cmp -s "$SCRATCH/read" $template

# Full disks: for every file, then only beside the document.
cp $template "$doc"
cp $template "$SCRATCH/before"
(trap '' XFSZ && ulimit -f 8 && fill && exit "$status")
status=$?
refused full-disk 'full'
printf '%s\n%s\n' "$a" "$end" >"$doc"
cp "$doc" "$SCRATCH/before"
mkdir "$SCRATCH/long"
sed 's/<[^>]*>//g' $template >"$SCRATCH/long/a"
(trap '' XFSZ && ulimit -f 8 && fill "$doc" "$SCRATCH/long" && exit "$status")
status=$?
refused full-disk-for-the-new-text 'full'
cp $template "$doc"
cp $template "$SCRATCH/before"
cat >"$SCRATCH/small-disk" <<'E'
mount -t tmpfs -o size=64k none "$SCRATCH/small" 2>"$SCRATCH/why" || exit 77
cp "$SCRATCH/before" "$SCRATCH/small/doc.md"
tools/report/fill "$SCRATCH/small/doc.md" "$SCRATCH/values" >"$SCRATCH/said" 2>&1
status=$?
cp "$SCRATCH/small"/.fill* "$SCRATCH/small/doc.md" "$SCRATCH" 2>/dev/null
exit $status
E
mkdir "$SCRATCH/small"
unshare -r -m sh "$SCRATCH/small-disk" 2>"$SCRATCH/why"
status=$?
if [ -s "$SCRATCH/why" ]; then
    skip full-folder "a small disk needs unshare and mount: $(in_short <"$SCRATCH/why")"
else
    refused full-folder 'free some space'
fi

# Files and folders that may not be written. Root may write them all, so nobody tries.
as='env'
if [ "$(id -u)" = 0 ]; then
    as='setpriv --reuid 65534 --regid 65534 --clear-groups'
    chmod go+x "$(dirname "$SCRATCH")"
fi
mkdir "$SCRATCH/mine"
doc=$SCRATCH/mine/doc.md
cp $template "$doc"
chmod 777 "$SCRATCH/mine"
# shellcheck disable=SC2086 # as is a list of words
try() {
    $as tools/report/fill "$doc" "$SCRATCH/values" >"$SCRATCH/said" 2>&1
    status=$?
}
# shellcheck disable=SC2086
if $as test -r tools/report/fill.awk -a -r "$doc" 2>"$SCRATCH/why"; then
    chmod 444 "$doc"
    try
    refused read-only-file 'chmod u+w'
    chmod 666 "$doc"
    chmod 555 "$SCRATCH/mine"
    try
    refused read-only-folder 'stays as it is'
    chmod 777 "$SCRATCH/mine"
    try
    expect writable-again "status $status, $(said); $read_it" cmp -s "$doc" "$SCRATCH/once"
    chmod 000 "$doc"
    cp "$SCRATCH/once" "$SCRATCH/before"
    try
    chmod 644 "$doc"
    refused unreadable-file 'cannot be read'
else
    skip read-only "root can write everything, and cannot be nobody: $(in_short <"$SCRATCH/why")"
fi

# Killed after 1, 4, 7 ... ms, until it was done before the kill several times: old or new, and whole.
doc=$SCRATCH/large.md
yes 'A line of text, one of very many.' | head -n 30000 >"$SCRATCH/text"
cat $template "$SCRATCH/text" >"$SCRATCH/old.md"
cp "$SCRATCH/old.md" "$doc"
fill
cp "$doc" "$SCRATCH/new.md"
if timeout -s KILL 0.5 true 2>/dev/null; then
    killed=0 completed=0 torn=0 ms=1
    while [ $completed -lt 5 ] && [ $ms -lt 2000 ]; do
        cp "$SCRATCH/old.md" "$doc"
        timeout -s KILL "$(printf '0.%03d' $((ms % 1000)))" tools/report/fill "$doc" "$SCRATCH/values" &
        wait $! 2>/dev/null
        if cmp -s "$doc" "$SCRATCH/old.md"; then
            killed=$((killed + 1))
        elif cmp -s "$doc" "$SCRATCH/new.md"; then
            completed=$((completed + 1))
        else
            torn=$((torn + 1))
        fi
        ms=$((ms + 3))
    done
    expect killed-leaves-a-whole-file "$torn times it was neither the old nor the new; $read_it" test $torn = 0
    expect killed-in-time "killed $killed times, completed $completed: next: change the times in tests/fill.sh" \
        test $killed -ge 5 -a $completed -ge 5
else
    skip killed "no timeout here that takes fractions of a second"
fi
