#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/report/plots on a small report whose medians are known, with every awk there is: the drawings are
# read as text, and where their marks stand is compared with where the ticks of the axes do.
set -u
. tests/lib

header=lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops
header=$header,verified,context_ms,cpu_ms,peak_gflops,peak_gbs,settings,stamp,why
report=$SCRATCH/report next="next: read tests/plots.sh and tools/report/plots"
cpu_plots='ladder-cpu roofline-cpu sweep-lab03 time-cpu'
opencl_plots='ladder-opencl parts-opencl roofline-opencl sweep-lab04 sweep-lab06 sweep-lab07 time-opencl'
cuda_plots='ladder-cuda parts-cuda sweep-lab08 time-cuda'

# cell LAB VARIANT BACKEND N SETTINGS MS ...: its rows, at the end of the lab's table, of $type and with the
# times of $parts
cell() {
    table=$report/data/$1.csv
    case $3 in cpu) device='Chip <A> & Co, 2 cores' ;; opencl) device="a 'GPU' \$HOME" ;; *) device='GPU' ;; esac
    start="$1,$2,$3,\"$device\",$type,$4,$4,$4" settings=$5 rep=0
    shift 5
    [ -e "$table" ] || echo "$header" >"$table"
    for ms in "$@"; do
        rep=$((rep + 1))
        echo "$start,$rep,$ms,$parts,,full,,,,,\"$settings\",s,\"\""
    done >>"$table"
}

# not_run LAB VARIANT BACKEND N SETTINGS WHY
not_run() {
    [ -e "$report/data/$1.csv" ] || echo "$header" >"$report/data/$1.csv"
    echo "$1,$2,$3,\"\",float,$4,$4,$4,,,,,,,,,,,,,\"$5\",s,\"$6\"" >>"$report/data/$1.csv"
}

make_report() {
    rm -rf "$report"
    mkdir -p "$report/data" "$report/plots"
    printf 'cpu\tChip <A> & Co, 2 cores\tfloat\t100\t20\nopencl\ta '"'GPU' \$HOME"'\tfloat\t1000\t100\n' \
        >"$report/data/ceilings.tsv"
    type=float parts=,,,
    cell lab01_cpu_naive '' cpu 50 '' 30 1 1.1 0.9 0.8 # medians 1 and 10, the means are others
    cell lab01_cpu_naive '' cpu 100 '' 9 10 40 11 9.5
    cell lab02_avx '' cpu 50 '' 0.5
    cell lab02_avx '' cpu 100 '' 7 1.9 2.1 1 # four of them: 2
    cell lab03_avx_block '' cpu 100 '' 0.02 0.02 0.02
    cell lab03_avx_block chapter cpu 100 '' 1.25
    cell lab03_avx_block transpose cpu 100 '' 2.5
    for block in 16 32 64; do
        cell lab03_avx_block '' cpu 100 BLOCK=$block 0.02
        cell lab03_avx_block chapter cpu 100 BLOCK=$block 1
        cell lab03_avx_block chapter cpu 50 BLOCK=$block 1
    done
    not_run lab01_cpu_naive '' cpu 200 '' 'longer than the limit, of 60 s'
    type=double
    cell lab01_cpu_naive '' cpu 100 '' 777
    cell lab02_avx '' cpu 4096 '' 777
    type=float parts=10,10,20,40
    cell lab04_ocl_naive '' opencl 100 '' 20 # and the parts: 100 ms
    cell lab04_ocl_naive '' opencl 200 '' 160
    cell lab06_ocl_regtile '' opencl 100 '' 2
    cell lab06_ocl_regtile '' opencl 200 '' 16
    cell lab07_ocl_localmem '' opencl 100 '' 1
    cell lab07_ocl_localmem tile opencl 100 '' 4
    cell lab04_ocl_naive '' opencl 100 'GROUP_X=8 GROUP_Y=8' 0.001 # 2 / ms GFLOP/s
    cell lab04_ocl_naive '' opencl 100 'GROUP_X=16 GROUP_Y=4' 0.004
    cell lab04_ocl_naive chapter opencl 100 'GROUP_X=16 GROUP_Y=8' 0.1
    for rows in 1 8; do
        cell lab06_ocl_regtile '' opencl 100 "ROWS_PER_ITEM=$rows COLS_PER_ITEM=1" 0.2
        cell lab06_ocl_regtile '' opencl 100 "COLS_PER_ITEM=16 ROWS_PER_ITEM=$rows" 0.05
    done
    cell lab07_ocl_localmem '' opencl 100 TILE_K=4 1
    cell lab07_ocl_localmem '' opencl 100 TILE_K=8 0.5
    cell lab07_ocl_localmem tile opencl 100 TILE=8 2
    not_run lab05_ocl_coarsen '' opencl 100 '' 'emulated: no times'
    not_run lab05_ocl_coarsen '' opencl 100 COLS_PER_ITEM=2 'emulated: no times'
    parts=1,1,1,
    for size in 512 1024; do
        cell lab08_cuda_naive '' cuda $size '' 4 4 4
        cell lab08_cuda_naive chapter cuda $size '' 8 8 8
        for block in 4 8; do
            cell lab08_cuda_naive '' cuda $size BLOCK=$block $block
            cell lab08_cuda_naive chapter cuda $size BLOCK=$block 1
        done
        not_run lab09_cuda_shared '' cuda $size '' 'not supported by the device'
        not_run lab09_cuda_shared '' cuda $size BLOCK=4 'not supported by the device'
    done
    # Numbers of a cell that says why it has none.
    cell lab09_cuda_shared '' cuda 512 BLOCK=8 1
    sed 's/""$/"emulated"/' "$report/data/lab09_cuda_shared.csv" >"$SCRATCH/table"
    mv "$SCRATCH/table" "$report/data/lab09_cuda_shared.csv"
}

plots() { # ARGUMENT ...
    : >"$SCRATCH/warnings"
    limit 60 tools/report/plots "$@" >"$SCRATCH/out" 2>&1
    status=$?
}

says_nothing() { # NAME: status 0, and neither plots nor gnuplot has anything to say
    said=$(cat "$SCRATCH/out" "$SCRATCH/warnings" | in_short)
    expect "$awk-$1" "status $status, $said; $next" test "$status/$said" = 0/
}

there_are() { # NAME "PLOT ...": these and no other files
    (cd "$report/plots" && find . -type f) | sed 's/^..//; s/[.]svg$//' | sort >"$SCRATCH/found"
    echo "$2" | tr -s ' ' '\n' | grep . | sort >"$SCRATCH/wanted"
    expect "$awk-$1" "$(in_short <"$SCRATCH/found"); $next" cmp -s "$SCRATCH/found" "$SCRATCH/wanted"
}

has() { # PLOT TEXT ...: each is all of a text in the drawing
    plot=$1 missing=
    shift
    for text in "$@"; do
        grep -q -F "<text>$text</text>" "$report/plots/$plot.svg" || missing="$missing '$text'"
    done
    expect "$awk-$plot-texts" "no$missing; $next" test -z "$missing"
}

lacks() { # PLOT TEXT ...: none is a part of the drawing
    plot=$1 found=
    shift
    for text in "$@"; do
        grep -q -F -e "$text" "$report/plots/$plot.svg" && found="$found '$text'"
    done
    expect "$awk-$plot-lacks" "it has$found; $next" test -z "$found"
}

# series PLOT: the name of each line or kind of bar, with how many marks it has, one of them in the key
series() {
    awk '/id="gnuplot_plot_/ { name = $0; sub(/.*<title>/, "", name); sub(/<.*/, "", name); order[++n] = name }
        /^\t<use / && n { marks[n]++ }
        END { for (i = 1; i <= n; i++) printf "%s %d, ", order[i], marks[i] }' "$report/plots/$1.svg"
}

draws() { # PLOT "SERIES COUNT, ..."
    expect "$awk-$1-series" "$(series "$1")instead of $2; $next" test "$(series "$1")" = "$2, "
}

# tick PLOT LABEL x|y: where the tick with this label is, in pixels
tick() {
    awk -v label="<text>$2</text>" -v axis="$3" '
        / d=.M[0-9.]+,[0-9.]+ L/ && $0 ~ (axis == "x" ? "middle" : "end") {
            at = $0
            sub(/.* d=.M/, "", at)
            sub(/ L.*/, "", at)
        }
        index($0, label) && at { split(at, xy, ","); print xy[axis == "x" ? 1 : 2]; exit }' "$report/plots/$1.svg"
}

# mark PLOT SERIES NUMBER x|y: where this mark of it is
mark() {
    awk -v series="<title>$2</title>" -v number="$3" -v axis="$4" '
        /id="gnuplot_plot_/ { n = 0; inside = index($0, series) }
        inside && /^\t<use / && ++n == number {
            sub(/.*translate\(/, ""); sub(/\).*/, ""); split($0, xy, ","); print xy[axis == "x" ? 1 : 2]
        }' "$report/plots/$1.svg"
}

box_ends() { # FILE X
    awk -v at="$2" '
        /<polygon/ {
            split($0, part, "[ ,]+")
            for (i in part) found += part[i] > at - 0.2 && part[i] < at + 0.2
        }
        END { exit at == "" || !found }' "$1"
}

# boxes PLOT COUNT LABEL ...: so many of them, those of the key included, and one ends at the tick of each label
boxes() {
    plot=$1 file=$report/plots/$1.svg
    expect "$awk-$plot-boxes" "$(grep -c '<polygon' "$file") instead of $2; $next" \
        test "$(grep -c '<polygon' "$file")" = "$2"
    shift 2
    for label in "$@"; do
        at=$(tick "$plot" "$label" x)
        expect "$awk-$plot-box-$label" "no box ends at $at; $next" box_ends "$file" "$at"
    done
}

same() { # NAME A B: pixels
    expect "$awk-$1" "at '$2' instead of '$3'; $next" \
        awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && b != "" && a - b < 0.2 && b - a < 0.2) }'
}

if ! command -v gnuplot >/dev/null; then
    skip plots "no gnuplot: run ./setup report"
    exit
fi

# A gnuplot that tells on itself, and one that leaves half a drawing.
mkdir -p "$SCRATCH/tools" "$SCRATCH/half" "$SCRATCH/none"
cat >"$SCRATCH/tools/gnuplot" <<EOF
#!/bin/sh
"$(command -v gnuplot)" "\$@" 2>"$SCRATCH/said"
status=\$?
cat "$SCRATCH/said" >&2
cat "$SCRATCH/said" >>"$SCRATCH/warnings"
exit \$status
EOF
# shellcheck disable=SC2016 # for the other shell
printf '#!/bin/sh\necho "<svg>" >"$4"\n' >"$SCRATCH/half/gnuplot"
chmod +x "$SCRATCH/tools/gnuplot" "$SCRATCH/half/gnuplot"
ln -s "$(command -v dirname)" "$SCRATCH/none/dirname"
if command -v xmllint >/dev/null; then
    well_formed() { xmllint --noout "$1"; }
elif command -v python3 >/dev/null; then
    well_formed() { python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"; }
else
    well_formed() { :; }
    skip well-formed "neither xmllint nor python3 here"
fi

for awk in mawk gawk; do
    use_awk $awk || continue
    PATH=$SCRATCH/tools:$PATH

    make_report
    echo old | tee "$report/plots/sweep-lab05.svg" >"$report/plots/time-cpu.svg"
    echo mine >"$report/plots/mine.svg"
    plots "$report"
    says_nothing quiet
    there_are all "mine $cpu_plots $opencl_plots $cuda_plots"
    expect $awk-not-mine "$next" grep -q -x mine "$report/plots/mine.svg"
    rm "$report/plots/mine.svg"
    for plot in "$report"/plots/*.svg; do
        well_formed "$plot" 2>&1 || echo "$plot"
    done >"$SCRATCH/out"
    expect $awk-well-formed "$(in_short <"$SCRATCH/out"); $next" test ! -s "$SCRATCH/out"
    cat "$report"/plots/*.svg >"$SCRATCH/drawn"
    expect $awk-no-times-no-mark "$next" sh -c "! grep -q -E 'lab05|lab09|777|double|4096' '$SCRATCH/drawn'"

    has time-cpu 'Time of the kernel over the size' 'Chip &lt;A> &amp; Co, 2 cores, float' 50 100 \
        'ms (logarithmic), median and quartiles; dotted: slope of N³' 'lab01 naive' 'lab02 avx' 'lab03 avx block' 'lab03 chapter' 'lab03 transpose'
    expect $awk-title "$next" grep -q '<title>Time of the kernel over the size<' "$report/plots/time-cpu.svg"
    draws time-cpu 'lab01 naive 3, lab02 avx 3, lab03 avx block 2, lab03 chapter 2, lab03 transpose 2'
    same time-cpu-median "$(mark time-cpu 'lab01 naive' 1 y)" "$(tick time-cpu 1 y)"
    same time-cpu-larger "$(mark time-cpu 'lab01 naive' 2 y)" "$(tick time-cpu 10 y)"
    same time-cpu-size "$(mark time-cpu 'lab02 avx' 2 x)" "$(tick time-cpu 100 x)"
    draws time-opencl 'lab04 naive 3, lab06 regtile 3, lab07 localmem 2, lab07 tile 2'
    draws time-cuda 'lab08 naive 3, lab08 chapter 3'

    has ladder-cpu 'Speed-up over lab01 naive, N = 100' 1.00x '10.0 ms' 5.00x '2.00 ms' 500x '0.02 ms' \
        8.00x '1.25 ms' 4.00x '2.50 ms' 'lab01 naive' 'lab02 avx' 'lab03 avx block' 'lab03 chapter' \
        'lab03 transpose'
    has ladder-opencl 'Speed-up over lab04 naive, N = 100' "a 'GPU' \$HOME, float" 1.00x '20.0 ms' \
        10.0x '2.00 ms' 20.0x 5.00x 'lab07 tile'
    boxes ladder-cpu 5
    boxes ladder-opencl 4 10 # lab06
    has ladder-cuda 'Speed-up over lab08 naive, N = 1024' 1.00x 0.50x '8.00 ms'

    has parts-opencl 'Where the time goes, N = 100' 'lab04 naive' 'lab06 regtile' 'lab07 localmem' '100 ms' \
        '82.0 ms' '% of the time' build allocation 'host to device' 'device to host'
    lacks parts-opencl 'lab07 tile' chapter
    boxes parts-opencl 20 20 40 60 100 # lab04: kernel, to and from the device, allocation, build
    has parts-cuda 'lab08 naive' '7.00 ms' allocation
    lacks parts-cuda build

    has roofline-cpu 'Roofline, N = 100' 'measured ceilings: 20 GB/s, 100 GFLOP/s' 'lab01 naive' 'lab02 avx' \
        'lab03 avx block' 'lab03 chapter' 'lab03 transpose' 'FLOP per byte that the kernel asks of memory'
    # In the order of the ladder: 0.2 GFLOP/s at 0.25 FLOP/byte, 1, and 100, which is the ceiling.
    same roofline-cpu-speed "$(mark roofline-cpu gnuplot_plot_3 2 y)" "$(tick roofline-cpu 1 y)"
    same roofline-cpu-peak "$(mark roofline-cpu gnuplot_plot_3 3 y)" "$(tick roofline-cpu 100 y)"
    same roofline-cpu-ceiling "$(sed -n '/gnuplot_plot_1/,/gnuplot_plot_2/s/.*,\([0-9.]*\)  .*/\1/p' \
        "$report/plots/roofline-cpu.svg" | tail -n 1)" "$(tick roofline-cpu 100 y)"
    same roofline-cpu-intensity "$(mark roofline-cpu gnuplot_plot_3 1 x)" "$(
        awk -v a="$(tick roofline-cpu 0.1 x)" -v b="$(tick roofline-cpu 1 x)" \
            'BEGIN { print a + (b - a) * log(0.25 / 0.1) / log(10) }')"
    has roofline-opencl 'measured ceilings: 100 GB/s, 1000 GFLOP/s' 'lab04 naive' 'lab07 localmem' 'lab07 tile'

    has sweep-lab03 'lab03: speed over BLOCK, N = 100' 16 32 64 'lab03 avx block' 'lab03 chapter'
    draws sweep-lab03 'lab03 avx block 4, lab03 chapter 4'
    same sweep-lab03-speed "$(mark sweep-lab03 'lab03 avx block' 1 y)" "$(tick sweep-lab03 100 y)"
    has sweep-lab04 'lab04 naive: GFLOP/s, N = 100' 2000 500 'GROUP_X (empty: not measured)' GROUP_Y 4 8 16
    lacks sweep-lab04 '>20.0<'
    has sweep-lab06 'lab06 regtile: GFLOP/s, N = 100' COLS_PER_ITEM ROWS_PER_ITEM 10.0 40.0 16
    has sweep-lab07 'lab07: speed over TILE or TILE_K, N = 100' 'TILE or TILE_K'
    draws sweep-lab07 'lab07 localmem: TILE_K 3, lab07 tile: TILE 2'
    has sweep-lab08 'lab08: speed over BLOCK' 'N = 512' 'N = 1024'
    draws sweep-lab08 'N = 512 3, N = 1024 3'

    # What cannot be drawn leaves what there is.
    cp -R "$report/plots" "$SCRATCH/$awk/before"
    PATH=$SCRATCH/$awk:$SCRATCH/half:$path_before plots "$report"
    expect $awk-half-a-drawing "status $status, $(in_short <"$SCRATCH/out"); $next" \
        test "$status/$(grep -c '^plots: .* was not drawn' "$SCRATCH/out")" = 1/15
    expect $awk-keeps-the-old "$next" diff -r "$SCRATCH/$awk/before" "$report/plots"
    PATH=$SCRATCH/none limit 60 tools/report/plots "$report" >"$SCRATCH/out" 2>&1
    status=$?
    said=$(cat "$SCRATCH/out")
    expect $awk-no-gnuplot "status $status, $said; $next" \
        sh -c "test $status/$(grep -c '' "$SCRATCH/out") = 3/1 && grep -q '[.]/setup report' '$SCRATCH/out'"
    expect $awk-no-gnuplot-keeps "$next" diff -r "$SCRATCH/$awk/before" "$report/plots"

    # A lab less, no ceilings; then one time alone; then nothing at all.
    rm "$report/data/lab02_avx.csv" "$report/data/ceilings.tsv"
    plots "$report"
    says_nothing a-lab-less
    draws time-cpu 'lab01 naive 3, lab03 avx block 2, lab03 chapter 2, lab03 transpose 2'
    lacks ladder-cpu 'lab02 avx'
    there_are no-ceilings "$(echo "$cpu_plots $opencl_plots $cuda_plots" | sed 's/roofline-[a-z]*//g')"
    rm "$report"/data/lab0[3-9]*.csv
    rm "$report/data/lab01_cpu_naive.csv"
    parts=,,,
    cell lab01_cpu_naive '' cpu 50 '' 1 1 1
    plots "$report"
    says_nothing one-time
    there_are one-time 'ladder-cpu time-cpu'
    draws time-cpu 'lab01 naive 2'
    rm "$report/data/lab01_cpu_naive.csv"
    plots "$report"
    says_nothing no-data
    there_are no-data ''
done
PATH=$path_before

plots "$SCRATCH"
expect no-report "status $status, $(in_short <"$SCRATCH/out"); $next" \
    test "$status/$(grep -c '^plots: needs a report' "$SCRATCH/out")" = 2/1

# Each program has its intensity, and no other has.
for kernel in lab*/kernel*.c*; do
    variant=$(basename "${kernel%.*}" | sed 's/^kernel$/kernel_-/; s/^kernel_//')
    printf '%s\t%s\n' "${kernel%%/*}" "$variant"
done | sort >"$SCRATCH/programs"
grep -v '^#' tools/report/intensity.tsv | cut -f 1,2 | sort >"$SCRATCH/known"
said=$(diff "$SCRATCH/programs" "$SCRATCH/known" | in_short)
expect intensities "$said; next: edit tools/report/intensity.tsv" cmp -s "$SCRATCH/programs" "$SCRATCH/known"
