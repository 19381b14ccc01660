#!/bin/sh
# SPDX-License-Identifier: MIT
# make report: what it measures, what it measures again and what it leaves alone. Only labs 01, 04 and 08
# here, at the sizes of QUICK=1. No time decides anything.
set -u
. tests/lib
export QUICK=1 CUDA=cpu
mkdir "$SCRATCH/tree" # in a tree of its own, as it changes and removes labs
tar -cf - -T "$FILES" | tar -xf - -C "$SCRATCH/tree"
cd "$SCRATCH/tree" || exit 2
rm -rf lab02* lab03* lab05* lab06* lab07* lab09*
data=report/data
cp lab01_cpu_naive/kernel.c "$SCRATCH/kernel.c"
# Tunables in another order than in params.h.
sed -i 's/GROUP_X=4,GROUP_Y=4/GROUP_Y=4,GROUP_X=4/' lab04_ocl_naive/Makefile

report() { # COMMAND ...: make report, by way of the command; sets status, cells
    "$@" make --no-print-directory report >"$SCRATCH/said" 2>&1
    status=$?
    cells=$(sed -n 's/^report: \([0-9]*\) times to measure, .*$/\1/p; s/^report: all is measured$/0/p' "$SCRATCH/said")
}

says() { # NAME WORDS
    expect "$1" "it says: $(in_short <"$SCRATCH/said")" grep -q -F -e "$2" "$SCRATCH/said"
}

rows() { # LAB CONDITION: how many of its CSV; a condition of awk on the fields, f
    { cat tools/report/csv.awk && echo "FNR > 1 { fields(\$0, f); if ($2) n++ } END { print n + 0 }"; } >"$SCRATCH/awk"
    awk -f "$SCRATCH/awk" "$data/$1.csv"
}

make --no-print-directory report BLOCK=8 >"$SCRATCH/said" 2>&1
says no-tunables 'BLOCK=8: leave it out'
expect no-tunables-and-nothing-done "a folder report was made" test ! -e report

# A student's text around the first marker, and a document that begins as a copy of the template.
mkdir report
awk '/^<!-- fill/ && !done++ { print "Моя машина 我的机器\r" } { print }' report_template/report.md >report/report.md
cp report/report.md "$SCRATCH/student.md"
report env
expect first-run "status $status: $(in_short <"$SCRATCH/said")" test $status = 0
planned=$(for lab in lab*; do tools/report/plan "$PWD/$lab"; done | grep -c '')
expect measures-the-plan "$cells cells, $planned planned" test "$cells" = "$planned"
have=$(for lab in lab*; do rows "$lab" '!seen[f[2], f[5], f[6], f[21]]++'; done | awk '{ n += $1 } END { print n }')
expect every-cell-has-a-row "$have of $planned" test "$have" = "$planned"
expect a-row-a-repetition "lab01 at 3 sizes, 5 times each" test "$(rows lab01_cpu_naive 'f[10] > 0 && f[16] == "full"')" = 15
expect double-as-well "lab04 in double" test "$(rows lab04_ocl_naive 'f[5] == "double" && f[10] > 0')" = 15
expect no-emulated-time "lab08 has times" test "$(rows lab08_cuda_naive 'f[10] != "" || f[3] == "emulated"')" = 0
expect emulated-cells-say-why "lab08's cells" test "$(rows lab08_cuda_naive 'f[23] == "no CUDA device here: an emulated run has no times"')" = 10
expect fills-the-tables "next: read report/report.md" grep -q '^| lab01_cpu_naive | [0-9.]* ([0-9]* %) |' report/report.md
expect keeps-the-student "next: read report/report.md" grep -q "^Моя машина 我的机器$(printf '\r')\$" report/report.md
expect provenance "next: read report/report.md" grep -q '^| compiler | .*[0-9]' report/report.md
expect nothing-left-over "$(find report -name '*.new' -o -name .lock)" test -z "$(find report -name '*.new' -o -name .lock)"

# Between the markers only: without them, template and report are the same lines.
outside() { awk '/^<!-- fill /, /^<!-- end -->/ { next } { gsub(/<!-- fill [^>]*> [^|]* <!-- end -->/, ""); print }' "$1"; }
outside "$SCRATCH/student.md" >"$SCRATCH/before"
outside report/report.md >"$SCRATCH/after"
expect only-between-markers "$(diff "$SCRATCH/before" "$SCRATCH/after" | in_short)" cmp -s "$SCRATCH/before" "$SCRATCH/after"

cp -R report "$SCRATCH/complete"
report env
expect nothing-is-missing "$cells cells" test $status = 0 -a "$cells" = 0
same=$(for csv in "$data"/*.csv; do cmp "$csv" "$SCRATCH/complete/data/${csv##*/}" 2>&1; done)
expect measurements-stay "$same" test -z "$same"

# A header of the lab's own.
echo '#include "mine.h"' >>lab01_cpu_naive/kernel.c
echo '// 1' >lab01_cpu_naive/mine.h
report env
echo '// 2' >lab01_cpu_naive/mine.h
report env
expect a-header-of-its-own "$cells cells instead of 3" test "$cells" = 3
cp "$SCRATCH/kernel.c" lab01_cpu_naive/kernel.c
rm lab01_cpu_naive/mine.h
report env
# As if an interruption had come between moving times and replacing them.
sed 1d $data/lab01_cpu_naive.csv >>$data/old/lab01_cpu_naive.csv
echo '// changed' >>lab01_cpu_naive/kernel.c
report env
doubled=$(sort $data/old/lab01_cpu_naive.csv | uniq -d | in_short)
expect old-times-once "$doubled" test "$cells/$doubled" = 3/
cp "$SCRATCH/kernel.c" lab01_cpu_naive/kernel.c
report env

# What is stale, missing, or was left out for another limit. The last QUICK size is the largest.
echo '// a comment' >>lab04_ocl_naive/kernel_chapter.cl
sed -i '/,256,256,256,/d' $data/lab01_cpu_naive.csv
report env
expect stale-and-missing "$cells cells instead of 8" test "$cells" = 8
expect stale-is-replaced "lab04 chapter" test "$(rows lab04_ocl_naive 'f[2] == "chapter" && f[21] == ""')" = 15
sed -i 's/^\(lab01_cpu_naive,,cpu,\)"[^"]*",float,512,.*/\1"",float,512,512,512,,,,,,,,,,,,,"",STAMP,"about 9 s a run: longer than the limit of 2 s"/' \
    $data/lab01_cpu_naive.csv
sed -i "s/STAMP/$(cut -d , -f 22 $data/lab01_cpu_naive.csv | sed -n 2p)/" $data/lab01_cpu_naive.csv
report env
expect another-limit "$cells cells instead of 1" test "$cells" = 1
sed -i '2,$s/float,128,128,128/float,96,96,96/' $data/lab01_cpu_naive.csv
echo '// a comment' >>lab01_cpu_naive/kernel.c
report env
expect stale-and-not-asked-for "N = 96 of an old kernel" test "$(rows lab01_cpu_naive 'f[6] == 96')/$cells" = 0/3

# Kernels that are wrong, do not compile, or whose time could not be had: a reason, no time.
rm -rf lab04*
while IFS='|' read -r broken why; do
    sed "$broken" "$SCRATCH/kernel.c" >lab01_cpu_naive/kernel.c
    report env
    says "says-$why" "report: lab01_cpu_naive has no times: $why"
    expect "no-time-for-$why" "$(cut -d , -f 6-10,23 $data/lab01_cpu_naive.csv | in_short)" \
        test "$(rows lab01_cpu_naive 'f[10] != ""')/$(rows lab01_cpu_naive "index(f[23], \"$why\") == 1")" = 0/3
    expect "the-table-says-$why" "next: read report/report.md" grep -q "^(a) $why" report/report.md
done <<'END'
s/real sum = 0/real sum = 1/|wrong result
s/i < M;/i < M - M % 16;/|wrong result
s/real sum = 0/real sum = nothing/|does not compile: kernel.c:10: nothing undeclared
END

# A failure may have passed, as a full disk does: its cells are measured again. What was timed before stays.
cp "$SCRATCH/kernel.c" lab01_cpu_naive/kernel.c
report env
stamp=$(cut -d , -f 22 $data/lab01_cpu_naive.csv | sed -n 2p)
sed -i '/,128,128,128,/d' $data/lab01_cpu_naive.csv
echo "lab01_cpu_naive,,cpu,\"\",float,128,128,128,,,,,,,,failed,,,,,\"\",$stamp,\"does not compile: no space\"" \
    >>$data/lab01_cpu_naive.csv
report env
expect failures-are-tried-again "$cells cells instead of 1" test "$cells" = 1
report env
expect and-are-had-then "$cells cells" test "$cells" = 0
times=$(awk 'NR > 1' $data/old/lab01_cpu_naive.csv | grep -c ',float,96,96,96,')
expect old-times-are-kept "$times times of N = 96 in data/old, not 5" test "$times" = 5
cp -R report "$SCRATCH/mine"
sed -i '2,$s/,"AMD[^"]*"\|,"Intel[^"]*"/,"Another CPU"/; 2,$s/,[0-9]*,""$/,1,""/' $data/lab01_cpu_naive.csv
report env
expect another-machines-times-are-kept "$(wc -l $data/old/* | in_short)" \
    test "$(grep -c ',1,""$' $data/old/lab01_cpu_naive.csv)/$cells" = 15/3

# Wrong CUDA kernels, without a device.
cp lab08_cuda_naive/kernel.cu "$SCRATCH/kernel.cu"
sed 's/k < K/k < K - 1/' "$SCRATCH/kernel.cu" >lab08_cuda_naive/kernel.cu
report env
says cuda-wrong 'lab08_cuda_naive has no times: wrong result'
sed 's/real sum/rael sum/' "$SCRATCH/kernel.cu" >lab08_cuda_naive/kernel.cu
report env
says cuda-does-not-compile 'lab08_cuda_naive has no times: does not compile: kernel.cu'
cp "$SCRATCH/kernel.cu" lab08_cuda_naive/kernel.cu

# Damaged tables: the row is named, left out, and measured again. None of it is run.
while IFS='|' read -r name words script; do
    rm -rf report
    cp -R "$SCRATCH/mine" report
    sed -i "$script" $data/lab01_cpu_naive.csv
    tools/report/write report >"$SCRATCH/said" 2>&1
    says "damaged-$name" "lab01_cpu_naive.csv line $words"
    report env
    says "damaged-$name-again" "lab01_cpu_naive.csv line $words"
    expect "damaged-$name-is-kept" "$(ls $data/old)" test -s $data/old/lab01_cpu_naive.damaged.csv
    expect "damaged-$name-is-measured" "$cells cells, $(rows lab01_cpu_naive 'f[10] > 0') times" \
        test "$cells/$(rows lab01_cpu_naive 'f[10] > 0')/$status" = 1/15/0
done <<'END'
no-number|3 has no time in kernel_ms but "nan"|3s/^\(\([^,]*,\)\{9\}\)[^,]*/\1nan/
negative|2 has no time in kernel_ms but "-1"|2s/^\(\([^,]*,\)\{9\}\)[^,]*/\1-1/; 3,6d
not-verified|2 has a time that was not verified|2s/,full,/,no,/
not-square|6 is not of square matrices|6s/,128,128,128,/,128,128,129,/
twice|5 is there twice|4p; 6d
a-command|2 is of no lab|2s/^lab01[^,]*/lab01|;e touch pwned #/
END
expect nothing-was-run "a file pwned is there" test ! -e pwned -a ! -e report/pwned -a ! -e report/data/pwned
sed -i 1d $data/lab01_cpu_naive.csv
tools/report/write report >"$SCRATCH/said" 2>&1
report env
expect without-a-header "$cells cells, $(rows lab01_cpu_naive 'f[10] > 0') times" \
    test "$cells/$(rows lab01_cpu_naive 'f[10] > 0')" = 0/15

# A student's words between markers, or where markers are lost, stay in a copy.
sed -i 's/^| lab01_cpu_naive | [0-9]/&(mine) /' report/report.md
report env
says words-are-told 'what you wrote between the markers of'
expect words-are-kept "$(ls report)" grep -q '(mine)' report/report.2*.md
expect words-make-way "report.md has them" test "$(grep -c '(mine)' report/report.md)" = 0
rm report/report.2*.md
report env
expect no-words-no-copy "$(ls report)" test -z "$(find report -name 'report.2*')"
awk '/^<!-- fill plot-time-opencl/ { lost = 1 }
    lost && /^<!-- end -->/ { lost = 2; next } lost == 2 && /^<!-- fill/ { lost = 0; next }
    { sub(/^\(your answer\)$/, lost == 2 ? "MY ANSWER" : "&"); print }' report/report.md >"$SCRATCH/lost.md"
cp "$SCRATCH/lost.md" report/report.md
report env
expect words-of-lost-markers-are-kept "$(ls report)" grep -q 'MY ANSWER' report/report.2*.md
rm report/report.2*.md
# Left alone for a mistake in a marker, and then mended as told.
sed -i 's/^<!-- fill device -->$/See: &\n\nMY WORDS/' report/report.md
report env
says marker-in-a-line 'share lines with other text'
expect left-alone "MY WORDS are not there" grep -q 'MY WORDS' report/report.md
expect left-alone-without-a-copy "$(ls report)" test -z "$(find report -name 'report.2*')"
sed -i 's/^See: \(<!-- fill device -->\)$/\1/' report/report.md
report env
expect words-of-a-mended-marker-are-kept "$(ls report)" grep -q 'MY WORDS' report/report.2*.md
rm report/report.md
ln -s nowhere.md report/report.md
report env
says dangling-link 'is a link to nowhere.md, which is not there'
expect dangling-link-stays "status $status" test $status = 2 -a -L report/report.md

# Everything again, interrupted; a second one at the same time; a full disk.
rm -rf report
cp -R "$SCRATCH/complete" report
rm -f $data/lab04*
sed 's/real sum = 0/for (volatile int forever = 1; forever;) {} &/' "$SCRATCH/kernel.c" >lab01_cpu_naive/kernel.c
report env FRESH=1 timeout -k 60 -s INT 15
says interrupted-says-so 'interrupted: what was measured is kept'
expect interrupted-at-once "status $status: it had to be killed" test $status != 0 -a $status != 137
expect interrupted-keeps-all "$(wc -l $data/lab01* | in_short)" test "$(rows lab01_cpu_naive 'f[10] > 0')" = 15
expect interrupted-keeps-the-report "report.md was changed" cmp -s report/report.md "$SCRATCH/complete/report.md"
expect interrupted-leaves-nothing "$(find report -name '*.new' -o -name .lock) $(ls build)" \
    test -z "$(find report build -name '*.new' -o -name .lock -o -name 'report.*' -path 'build/*')"
cp "$SCRATCH/kernel.c" lab01_cpu_naive/kernel.c
report env
expect fresh-goes-on "$cells times instead of all, 13" test "$cells" = 13
ln -s $$ report/.lock
report env
says one-at-a-time 'another one is at work'
expect one-at-a-time-status "status $status" test $status = 2 -a -L report/.lock
ln -sfn 999999999 report/.lock # of one that was killed
cp $data/lab01_cpu_naive.csv "$SCRATCH/lab01.csv"
ln -s /dev/full $data/lab01_cpu_naive.csv.new
report env
says full-disk 'lab01_cpu_naive.csv: is the disk full'
expect full-disk-keeps-all "the CSV was changed" cmp -s $data/lab01_cpu_naive.csv "$SCRATCH/lab01.csv"
