#!/bin/sh
# SPDX-License-Identifier: MIT
# make check with submissions that are not what it expects: each gets the verdict that it deserves.
set -u
. tests/lib
export CUDA=cpu
unset CI # which turns the warnings about kernels like these into errors
lab=lab01_cpu_naive
cp $lab/kernel.c "$SCRATCH/right.c"

workbook_check() { # LAB ...
    python3 -m workbook check "$@"
}

check() { # NAME STATUS WORDS COMMAND ...: runs the command
    name=$1 wanted=$2 words=$3
    shift 3
    "$@" >"$SCRATCH/out" 2>&1
    status=$?
    tr -s ' \n' ' ' <"$SCRATCH/out" >"$SCRATCH/line" # reasons are wrapped
    grep -q Traceback "$SCRATCH/out" && status=traceback
    expect "$name" "status $status: $(in_short <"$SCRATCH/out")" \
        sh -c "test $status = $wanted && grep -q -F -e '$words' '$SCRATCH/line'"
}

also() { # NAME WORDS: the command before said this, too
    expect "$1" "$(in_short <"$SCRATCH/out")" grep -q -F -e "$2" "$SCRATCH/line"
}

check no-lab 2 'which lab?' workbook_check
check unknown-lab 2 'no lab lab99' workbook_check lab99
check no-lab-at-all 2 'is no lab' workbook_check common
check unknown-command 2 'no command' python3 -m workbook chekc
check no-number 2 'LIMIT=soon: give a number' env LIMIT=soon python3 -m workbook check $lab
check unknown-type 2 'TYPE=half: choose float' make -C $lab check TYPE=half
check right 0 '1 passed, 0 failed, 0 skipped' workbook_check $lab
also shapes-are-counted '29/29'
expect cpu-labs-are-not-emulated "see build/check.json" grep -q '"emulated": false' build/check.json
expect record-has-a-schema "see build/check.json" grep -q '"schema": "gemm-check/1"' build/check.json

# ---- however make is called -------------------------------------------------------------------
for flags in -w '-j2 -B -k'; do
    # shellcheck disable=SC2086 # a list of words
    check "make $flags" 0 '1 passed, 0 failed, 0 skipped' make $flags -C $lab check
done
rm build/check.json
check make-n-is-harmless 0 'workbook check' make -n -C $lab check
expect make-n-runs-nothing "there is build/check.json" test ! -e build/check.json
mkdir "$SCRATCH/with space"
cp -R common workbook tools points.tsv $lab "$SCRATCH/with space"
check path-with-a-space 0 '1 passed, 0 failed, 0 skipped' make -C "$SCRATCH/with space/$lab" check
check settings-pass-through 0 '1 passed, 0 failed, 0 skipped' make -C $lab check TYPE=double 'CFLAGS=-O1 -g'
expect type-is-recorded "see build/check.json" grep -q '"type": "double"' build/check.json
check skip-with-a-reason 0 '0 passed, 0 failed, 1 skipped' make -C lab02_avx check TYPE=int
also skip-says-why 'written for float, not int'
for each in lab*; do
    make -w -j2 -s --no-print-directory -C "$each" describe >"$SCRATCH/said" 2>&1
    expect "describe-$each" "$(in_short <"$SCRATCH/said")" python3 -m json.tool "$SCRATCH/said" /dev/null
done

# ---- submissions ------------------------------------------------------------------------------
# Older than what was built before it, as files from an archive are.
sed 's/real sum = 0/real sum = 1/' "$SCRATCH/right.c" >$lab/kernel.c
touch -t 202001010000 $lab/kernel.c
check old-and-wrong 1 '0 passed, 1 failed, 0 skipped' workbook_check $lab

submit() { # EDIT: of the right kernel
    sed "1i #include <stdio.h>
1i #include <stdlib.h>
1i #include <unistd.h>
$1" "$SCRATCH/right.c" >$lab/kernel.c
}
submit 's/real sum = 0/if (i + j == 0) printf("%d ", K); &/'
check prints-into-the-verdict 0 '1 passed, 0 failed, 0 skipped' workbook_check $lab
submit 's/real sum = 0/_exit(77); &/'
check skip-without-a-reason 1 'ended with the status of a skip, and no reason' workbook_check $lab
submit 's/real sum = 0/_exit(0); &/'
check exit-without-a-verdict 1 'ended without verifying anything' workbook_check $lab
check exit-without-a-verdict-race 2 'ends with status 0' make -s -C $lab race
submit 's/real sum = 0/for (;;) puts("PASS  29 shapes, float"); &/'
check endless-output 1 'wrote more than 100 MiB' workbook_check $lab
submit 's/real sum = 0/if (M == 127) abort(); & + 1/'
check wrong-and-then-a-crash 1 'wrong, and then it crashed at 127 x 131 x 113' workbook_check $lab
also ended-early 'of 29: it ended early'
also counted-of-all ' 0/29 '
submit 's/real sum = 0/if (M == 127) abort(); &/'
check crash-names-the-shape 1 'crashed with signal 6 at 127 x 131 x 113' workbook_check $lab
submit 's/real sum = 0/for (volatile int on = 1; on;) {} &/'
check no-end 1 'no result within 2 s at 32 x 32 x 32' env LIMIT=2 python3 -m workbook check $lab
submit 's/real sum = 0/nonsense; &/'
check does-not-build 1 'does not build: kernel.c' workbook_check $lab
# Memory without an end: half of the machine's, at most.
submit 's/real sum = 0/long blocks = 0; while (blocks < 4096 \&\& malloc(1 << 30)) blocks++; _exit(blocks < sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) >> 30 ? 9 : 8); &/'
check endless-memory 1 'ended with status 9' workbook_check $lab
rm $lab/kernel.c
check no-kernel 1 'there is no kernel.c' workbook_check $lab
check no-kernel-race 1 'there is no kernel.c' tools/race/run $lab

# What is right of all, and where it goes wrong first.
submit 's/real sum = 0/if (i >= M - M % 32 || j >= N - N % 32) continue; &/'
check goes-on-after-the-first-wrong-shape 1 'whole tiles 1/1; edges 2/11' workbook_check $lab
also first-wrong 'first wrong: 33 x 32 x 32'
also next-step 'make && ./gemm'
awk 'length > 80 && !/next: cd/' "$SCRATCH/out" >"$SCRATCH/wide"
expect fits-80-columns "$(head -n 1 "$SCRATCH/wide")" test ! -s "$SCRATCH/wide"
cp "$SCRATCH/right.c" $lab/kernel.c

# ---- races ------------------------------------------------------------------------------------
without_barrier() { # LAB KERNEL WHICH POINTS: the kernel without its 1st or 2nd, or either
    cp "$1/$2" "$SCRATCH/kernel"
    awk -v which="$3" '/barrier\(|__syncthreads/ && (++n == which || which == "each") { next } { print }' \
        "$SCRATCH/kernel" >"$1/$2"
    check "$1-without-barrier-$3" 1 "FAIL 0/$4" workbook_check "$1"
    also "$1-without-barrier-$3-says-so" 'data race'
    cp "$SCRATCH/kernel" "$1/$2"
}
rm lab07_ocl_localmem/kernel_*.cl # they take their time
if command -v oclgrind >/dev/null; then
    for which in 1 2 each; do without_barrier lab07_ocl_localmem kernel.cl $which 10; done
else
    skip lab07-without-barrier 'oclgrind is not installed'
fi
for which in 1 2 each; do without_barrier lab09_cuda_shared kernel.cu $which 7; done
mkdir "$SCRATCH/bin"
for folder in /usr/local/bin /usr/bin /bin; do
    ln -sf "$folder"/* "$SCRATCH/bin" 2>/dev/null
done
rm -f "$SCRATCH/bin/oclgrind"
check race-is-owed 0 'race not run: oclgrind is not installed' \
    env PATH="$SCRATCH/bin" python3 -m workbook check lab07_ocl_localmem
also race-is-owed-passes 'PASS 10/10'

cp tools/race/lab "$SCRATCH/race"
says_of_race() { # NAME LINES: a race run that writes these; what came of it is in the table
    # shellcheck disable=SC2016 # the script's own variables
    printf '#!/bin/sh\nprintf "%s" >"$1/$(basename "$2").tsv"\n' "$2" >tools/race/lab
    check "$1" "$3" "$4" workbook_check lab09_cuda_shared
}
says_of_race race-that-is-silent '' 1 'nothing is said of gemm'
says_of_race race-skip-without-a-reason 'SKIP\\t-\\tTSan\\t\\n' 1 'skipped without a reason'
says_of_race race-skip-with-a-reason 'SKIP\\t-\\tTSan\\tno TSan here\\n' 0 'race not run: no TSan here'
says_of_race race-of-another-program 'PASS\\tgemm_other\\tTSan\\t\\n' 1 'nothing is said of gemm'
printf '#!/bin/sh\nexit 3\n' >tools/race/lab
check race-that-breaks 1 'ended with status 3' workbook_check lab09_cuda_shared
cp "$SCRATCH/race" tools/race/lab

# Emulated labs have no points for speed, whether they pass or fail.
cp -R lab09_cuda_shared wrong
sed 's/real sum = 0/real sum = 1/' lab09_cuda_shared/kernel.cu >wrong/kernel.cu
mv lab09_cuda_shared right && mv wrong lab09_cuda_shared
check emulated-points 1 'FAIL 0/7 emulated' workbook_check lab09_cuda_shared
sed 's/real sum = 0;/real many[20000]; for (int i = 0; i < 20000; i++) many[i] = A[0] + i; real sum = many[K] * 0;/' \
    right/kernel.cu >lab09_cuda_shared/kernel.cu
check large-private-array 1 'more than 48 KiB: this kernel needs nvcc' workbook_check lab09_cuda_shared
rm -rf lab09_cuda_shared && mv right lab09_cuda_shared

# ---- speed ------------------------------------------------------------------------------------
# Labs whose programs only say how fast they are: of each run the next of the numbers, and then the last.
shape='{"M": 1, "N": 1, "K": 1, "class": "squares", "verdict": "pass", "method": "every element"}'
fake() { # LAB SPREAD GFLOPS ...
    folder=$1 spread=$2
    shift 2
    rm -rf "$folder" && mkdir "$folder"
    printf '%s\n' "$@" >"$folder/speeds"
    cat >"$folder/Makefile" <<END
all:
describe:
	@echo '{"schema": "gemm-lab/1", "lab": "$folder", "backend": "cpu", "emulated": false, "skip": null,'
	@echo '"type": "float", "size": "512", "barriers": false, "steps": [], "tunables": [], "programs":'
	@echo '[{"name": "gemm", "variant": "", "step": null, "kernel": null, "tile": null}]}'
END
    cat >"$folder/gemm" <<END
#!/bin/sh
mode=time
[ "\$1" != --check ] || mode=check
for file; do :; done
echo '{"schema": "gemm-run/1", "lab": "$folder", "variant": "", "backend": "cpu", "device": "none", "type":
"float", "mode": "'\$mode'", "verdict": "pass", "reason": null, "at": null, "shapes": [$shape], "finding": null,
"repetitions": [{"kernel_ms": 1}], "spread": $spread, "gflops": '\$(head -n 1 speeds)'}' >"\$file"
[ \$mode\$# != time3 ] || [ \$(grep -c '' speeds) = 1 ] || sed -i 1d speeds
END
    chmod +x "$folder/gemm"
}
printf 'fake2\t7\t2\t3\n' >>points.tsv
fake fake1 0.01 10
fake fake2 0.01 19 22 23 21 22
check unlucky-near-the-threshold 0 'PASS 10/10 19 2.20 x 2 x' workbook_check fake1 fake2
also says-how-often 'measured 5 times in turns, 1.90 to 2.30 x'
fake fake2 0.01 21 18 19 17 18
check lucky-near-the-threshold 0 'PASS 7/10 21 1.80 x 2 x' workbook_check fake1 fake2
fake fake2 0.01 30 10
check far-from-the-threshold 0 'PASS 10/10 30 3.00 x 2 x' workbook_check fake1 fake2
fake fake2 0.8 30 10
check far-but-noisy 0 'PASS 7/10 30 1.00 x 2 x' workbook_check fake1 fake2
sed -i 's/pass/fail/; s/^mode=time/&; exit 3/' fake2/gemm
check program-without-a-record 1 'ended with status 3' workbook_check fake2
for damage in '{' '[]' 'null' '{"schema": "gemm-run/1"}' '{"schema": "gemm-run/9"}'; do
    # shellcheck disable=SC2016 # the script's own variables
    printf '#!/bin/sh\nfor file; do :; done\nprintf "%%s" '"'%s'"' >"$file"\n' "$damage" >fake2/gemm
    check "damaged-record $damage" 1 'ended without verifying anything' workbook_check fake2
done

cp lab04_ocl_naive/Makefile "$SCRATCH/Makefile"
# shellcheck disable=SC2016 # make's function
echo '$(error broken here)' >>lab04_ocl_naive/Makefile
check lab-before-is-broken 0 'no speed-up: lab04_ocl_naive: broken here' workbook_check lab05_ocl_coarsen
cp "$SCRATCH/Makefile" lab04_ocl_naive/Makefile

# ---- one at a time, and no longer than wanted -------------------------------------------------
mkdir -p build
ln -s $$ build/check.lock
check one-at-a-time 2 'another one is at work' workbook_check $lab
ln -sfn 999999999 build/check.lock
check lock-of-the-dead 0 '1 passed' workbook_check $lab

mv build folder && touch build
check no-folder-for-the-record 2 'File exists' workbook_check $lab
rm build && mv folder build

submit 's/real sum = 0/FILE *file = fopen("pid", "w"); fprintf(file, "%d", (int)getpid()); fclose(file); for (volatile int on = 1; on;) {} &/'
rm -f build/check.json
python3 -m workbook check $lab >"$SCRATCH/out" 2>&1 &
waited=0
while [ ! -s $lab/pid ] && [ $((waited += 1)) -lt 300 ]; do sleep 0.1; done
kill $!
wait $!
status=$?
expect interrupted "status $status: $(in_short <"$SCRATCH/out")" test $status = 130
expect interrupted-says-nothing "$(in_short <"$SCRATCH/out")" test ! -s "$SCRATCH/out"
expect interrupted-ends-the-program "process $(cat $lab/pid) lives" sh -c "! kill -0 $(cat $lab/pid) 2>/dev/null"
expect interrupted-leaves-no-lock "build/check.lock is there" test ! -L build/check.lock
cp "$SCRATCH/right.c" $lab/kernel.c

# What runs now is shown in a terminal, and nowhere else.
python3 - $lab >"$SCRATCH/out" 2>&1 <<'END'
import os, pty, subprocess, sys
ours, theirs = pty.openpty()
done = subprocess.run([sys.executable, "-m", "workbook", "check", sys.argv[1]], stdout=subprocess.PIPE, stderr=theirs)
os.close(theirs)
shown = os.read(ours, 1 << 16)
print("shown" if b"s of about" in shown else shown, "quiet" if b"s of about" not in done.stdout else done.stdout)
END
expect progress-in-a-terminal "$(in_short <"$SCRATCH/out")" grep -q -x 'shown quiet' "$SCRATCH/out"
