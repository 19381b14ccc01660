#!/bin/sh
# SPDX-License-Identifier: MIT
# What the READMEs say can be looked up: each number that sounds measured is worked out again from figures/,
# each formula of "Predict first" gives its value, and the tables are those of figures/. tests/prose.py has
# the rules; here it is broken on purpose, too.
# shellcheck disable=SC2016 # backticks and dollars are text
set -u
. tests/lib

if ! command -v python3 >/dev/null; then
    skip prose 'no python3 here'
    exit 0
fi
next='next: read tests/prose.py'

for page in README.md lab*/README.md; do
    python3 tests/prose.py "$page" >"$SCRATCH/said" 2>&1
    status=$?
    expect "$page" "$(in_short <"$SCRATCH/said"); $next" test "$status $(cat "$SCRATCH/said")" = '0 '
done

mkdir "$SCRATCH/tree"
tar -cf - figures tests/prose.py README.md lab*/README.md | tar -xf - -C "$SCRATCH/tree"
tools/figures fill >"$SCRATCH/said" 2>&1
for page in README.md lab*/README.md; do
    cmp -s "$page" "$SCRATCH/tree/$page" || printf '%s ' "$page"
done >"$SCRATCH/stale"
expect tables-are-those-of-figures "stale: $(cat "$SCRATCH/stale"); next: tools/figures fill" test ! -s "$SCRATCH/stale"

cd "$SCRATCH/tree" || exit 2
page=lab02_avx/README.md
cp $page "$SCRATCH/right"
check() { # sets status; what it says is in $SCRATCH/said
    python3 tests/prose.py "${1:-$page}" >"$SCRATCH/said" 2>&1
    status=$?
}
fine() { # NAME TEXT: a page that ends with it is right
    { cat "$SCRATCH/right" && printf '\n%b\n' "$2"; } >$page
    check
    expect "$1" "$(in_short <"$SCRATCH/said"); $next" test "$status $(cat "$SCRATCH/said")" = '0 '
}
caught() { # NAME SAYS: the page, as it is now, has this one mistake
    check
    expect "$1" "status $status, $(in_short <"$SCRATCH/said"), not $2; $next" \
        test "$status $(grep -c '' "$SCRATCH/said") $(grep -c -e "$2" "$SCRATCH/said")" = '1 1 1'
}
wrong() { # NAME TEXT SAYS: a page that ends with it is wrong, there and nowhere else
    { cat "$SCRATCH/right" && printf '\n%b\n' "$2"; } >$page
    caught "$1" "$3"
}
changed() { # NAME SED SAYS: so is a page that was changed like this
    sed "$2" "$SCRATCH/right" >$page
    caught "$1" "$3"
}

# Every way to say a number, and what it means.
while IFS='|' read -r words value; do
    fine "reads-$words" "It is $words <!-- = $value --> here."
    wrong "refuses-$words" "It is $words <!-- = 3 * $value --> here." "\": 3 \* $value is "
    wrong "misses-$words" "It is $words here." 'nothing supports it'
done <<'END'
five times|5
1.6 times|1.6
1,024 times|1024
a hundred times|100
ten thousand times|10000
5× as fast|5
twice|2
doubled|2
half as fast|0.5
a sixth|1 / 6
two thirds|2 / 3
a 32nd|1 / 32
1/8 of it|0.125
a factor of three|3
80 percent|0.8
0.5 %|0.005
28 GFLOP/s|28
1 TFLOP/s|1000
36.3 ms|36.3
END
fine range 'It is 50 <!-- = 0.5 --> to 80 percent <!-- = 0.8 --> of it.'
wrong range-half-marked 'It is 50 to 80 percent <!-- = 0.8 --> of it.' '"50": nothing supports it'
wrong two-numbers-one-marker 'Five times, or six times<!-- = 6 -->.' '"Five times": nothing'
wrong across-lines 'It is five\ntimes as fast.' ':[0-9]*: "five times": nothing'
wrong in-a-list '- one\n- five times as fast' '"five times": nothing'
fine no-claims 'It has 29 shapes, N = 1024, half precision, and `five times` as code.'

# How far off a number may be.
while IFS='|' read -r words low high; do
    for value in $low $high; do fine "$words-may-be-$value" "It is $words five times <!-- = $value --> here."; done
    for value in "$low - 0.1" "$high + 0.1"; do
        wrong "$words-may-not-be-$value" "It is $words five times <!-- = $value --> here." 'is [0-9.]*$'
    done
done <<'END'
just|4.5|5.5
about|4|6
almost|4|6
more than|5|7.5
less than|3.34|5
END

# What markers may hold.
cells='lab02 xeon 1024'
speed=$(awk -F '\t' '$1 == "lab02_avx" && $3 == 1024 { print $6 }' figures/xeon.tsv)
fine cell "It does $speed GFLOP/s<!-- = $cells -->."
fine cell-of-a-variant 'It is 100 %<!-- = lab03 chapter xeon 1024 / lab03 chapter xeon 1024 -->.'
fine cell-of-the-demo 'It is 100 %<!-- = lab04 chapter h200.demo / lab04 chapter h200.demo -->.'
fine no-measurement 'It takes 36 ms<!-- no measurement: what the homework says -->.'
fine comparison "It is faster<!-- holds: $cells < peak lab02 xeon -->."
wrong comparison-that-fails "It is slower<!-- holds: $cells >\n2 * $cells -->." 'it does not hold'
wrong comparison-of-nothing "It is slower<!-- holds: $cells -->." 'it does not hold'
for cell in 'lab02 xeon 1023' 'lab02 nowhere 1024' 'lab99 xeon 1024' 'lab02 chapter xeon 1024' 'lab02 xeon' \
    'lab99 h200.demo' 'lab04 tile h200.demo' 'lab02 nowhere.demo' 'peak lab02 h200-cuda' 'peak lab02 xeon 1024'; do
    wrong "unknown-$cell" "It is five times <!-- = $cell --> as fast." '"five times": .*figures/'
done
wrong no-expression 'It is five times <!-- = five --> as fast.' 'neither cells nor numbers'
wrong a-program "It is five times <!-- = __import__('os').getpid() --> as fast." 'neither cells nor numbers'
wrong half-an-expression 'It is five times <!-- = 5 / --> as fast.' 'cannot be computed'
wrong division-by-zero 'It is five times <!-- = 5 / 0 --> as fast.' 'cannot be computed'
wrong no-reason 'It is five times <!-- no measurement: --> as fast.' 'says nothing'
wrong misspelt 'It is fast<!-- measured: yes -->.' 'no such marker'
wrong nothing-to-support 'It is fast<!-- = 5 -->.' 'without a number before it'
wrong ends-the-paragraph 'It is five times\n<!-- = 5 --> as fast.' 'at the beginning of a line'
wrong blank-before-a-stop 'It is five times <!-- = 5 -->, or so.' 'the blank before this marker'

# Mistakes in the page itself, and figures that changed under it.
changed wrong-formula 's/36·M·K·/35·M·K·/' '35·M·K·.* is 4.7'
changed wrong-value 's/| 4.84 GB |/| 4.83 GB |/' 'not 4.83 GB'
changed value-without-formula 's/| 2 \/ 1 | 2 |/| | 2 |/' '2 has no formula'
changed another-labs-value 's/(lab 01: 0.25)/(lab 01: 0.26)/' 'the table of lab 01 has .*0.25'
changed value-of-a-lab-that-is-not-there 's/(lab 01: 0.25)/(lab 77: 0.25)/' 'lab 77 has no such row'
changed lost-part 's/^## Look closer/Look closer/' 'its parts are not'
changed parts-in-another-order 's/^## Run it/## Idea/; s/^## The idea/## Run it/; s/^## Idea/## The idea/' 'its parts are not'
changed lost-links '/^## Read next/,$s/](http/]( /' 'less than two links'
changed too-noisy 's/^  speed .*/  speed          too noisy to tell/' 'measure it again'
changed nothing-given 's/^  device .*/&\n  given          /' 'measure it again'
cp "$SCRATCH/right" $page
for mistake in 's/^\(lab01_cpu_naive\t-\t1024\t.*\t\)0\./\19./' '/^lab01_cpu_naive\t-\t1024/d'; do
    cp figures/xeon.tsv "$SCRATCH/xeon.tsv"
    sed -i "$mistake" figures/xeon.tsv
    caught "figures-changed-by-$mistake" '"eight times": '
    cp "$SCRATCH/xeon.tsv" figures
done
sed -i '/ GFLOP\/s = /d' figures/xeon.lab02_avx.txt
caught transcript-without-a-share '"an eighth": figures/ has no "peak lab02 xeon"'

# A page that says nothing is not right.
for file in README.md $page; do
    : >"$file"
    check "$file"
    expect "empty-$file" "status $status; $next" test $status = 1 -a -s "$SCRATCH/said"
    rm "$file"
    check "$file"
    expect "no-$file" "status $status; $next" test $status = 1 -a -s "$SCRATCH/said"
done
python3 tests/prose.py >"$SCRATCH/said" 2>&1
status=$?
expect no-pages "status $status; $next" test $status = 1 -a -s "$SCRATCH/said"
