#!/bin/sh
# SPDX-License-Identifier: MIT
# report.html in a real browser, and report.pdf: all plots and tables of a report with made-up times, on a
# phone and on a large screen, by day and by night; documents of all sorts, and nothing fetched for any.
set -u
. tests/lib

for tool in pandoc weasyprint; do
    command -v $tool >/dev/null || {
        skip pages "no $tool here: ./setup report installs it"
        exit 0
    }
done
next='next: read tools/report/pages and pages.lua'
report=$SCRATCH/report doc=$SCRATCH/doc
mkdir -p "$report/data" "$doc" "$SCRATCH/served"

pages() { # FOLDER ...: sets status; what it says is in $SCRATCH/said
    limit 100 tools/report/pages "$@" >"$SCRATCH/said" 2>&1
    status=$?
}
said() { in_short <"$SCRATCH/said"; }

# A listener in place of the network. The browser takes it for its proxy.
listener='' port=9
if command -v python3 >/dev/null; then
    PYTHONUNBUFFERED=1 python3 -m http.server --bind 127.0.0.1 --directory "$SCRATCH/served" 0 \
        >"$SCRATCH/heard" 2>&1 &
    listener=$!
    trap 'kill $listener' EXIT
    until grep -q 'port [0-9]' "$SCRATCH/heard" || ! kill -0 $listener 2>/dev/null; do sleep 0.1; done
    port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$SCRATCH/heard")
fi
asked() { # what the listener was asked for, but by the browser for its own sake
    grep -E '"(GET|POST|HEAD|CONNECT) ' "$SCRATCH/heard" |
        grep -v -E '[/. ](google|googleapis|gvt1)\.com' | in_short
}
unasked() { # NAME: one case
    if [ -n "$listener" ]; then
        expect "$1" "$(asked); $next" test -z "$(asked)"
    else
        skip "$1" 'it takes python3 to listen'
    fi
}

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
browse() { # FILE FLAG ...: its elements are then in $SCRATCH/dom
    file=$1
    shift
    HOME=$SCRATCH limit 30 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$SCRATCH/profile" \
        --no-first-run --hide-scrollbars --disable-background-networking --disable-component-update \
        --proxy-server="http://127.0.0.1:$port" '--proxy-bypass-list=<-loopback>' --enable-logging=stderr \
        --virtual-time-budget=3000 --dump-dom "$@" "file://$file" >"$SCRATCH/dom" 2>"$SCRATCH/browser"
}

# A report in which nothing is missing.
header=lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops
header=$header,verified,context_ms,cpu_ms,peak_gflops,peak_gbs,settings,stamp,why
sample() { # LAB BACKEND VARIANTS SPEED SETTING ...
    lab=$1 backend=$2 variants=$3 speed=$4
    shift 4
    echo "$header" >"$report/data/$lab.csv"
    for variant in '' $variants; do
        for N in 512 1024; do
            for setting in '' "$@"; do
                for rep in 1 2 3; do
                    printf '%s,' "$lab" "$variant" "$backend" "\"Device, $backend\"" float $N $N $N $rep \
                        $((N * N / speed / 100 + rep)).5 7.5 2.25 0.125 40 12.5 full 30 '' 900 50 "\"$setting\"" s
                    echo '""'
                done
            done
        done
    done >>"$report/data/$lab.csv"
}
sample lab01_cpu_naive cpu '' 1
sample lab02_avx cpu '' 5
sample lab03_avx_block cpu 'chapter transpose' 9 BLOCK=16 BLOCK=32 BLOCK=64 BLOCK=128 BLOCK=256 BLOCK=512 \
    BLOCK=1024
sample lab04_ocl_naive opencl chapter 2 'GROUP_X=8 GROUP_Y=8' 'GROUP_X=16 GROUP_Y=4'
sample lab05_ocl_coarsen opencl chapter 3 COLS_PER_ITEM=1 COLS_PER_ITEM=2
sample lab06_ocl_regtile opencl chapter 8 'ROWS_PER_ITEM=1 COLS_PER_ITEM=2' 'ROWS_PER_ITEM=2 COLS_PER_ITEM=2'
sample lab07_ocl_localmem opencl 'chapter tile' 7 TILE_K=8 TILE=16 TILE=32
sample lab08_cuda_naive cuda chapter 4 BLOCK=8 BLOCK=16
sample lab09_cuda_shared cuda '' 6 BLOCK=8 BLOCK=16
for backend in cpu opencl cuda; do
    printf '%s\tDevice, %s\tfloat\t900\t50\n' $backend $backend
done >"$report/data/ceilings.tsv"
printf '%s\n' 'cpu: Device, cpu' 'opencl: Device, opencl' 'cuda: Device, cuda' 'commit: 1234' \
    >"$report/data/provenance.txt"
for lab in lab0*; do tools/report/defaults "$lab"; done >"$report/data/defaults.txt"
cp report_template/report.md "$report"
limit 100 tools/report/write "$report" >"$SCRATCH/said" 2>&1
status=$?
expect writes-the-report "status $status, $(said); $next" test $status = 0
if ! [ -s "$report/report.html" ] || ! [ -s "$report/report.pdf" ]; then
    fail both-pages "report.html or report.pdf is missing; $next"
    exit 0
fi
plots=$(grep -c '](plots/' "$report/report.md")
tables=$(grep -c '^|-' "$report/report.md")
if command -v gnuplot >/dev/null; then
    expect all-plots "$plots plots in report.md, not 18; next: read tools/report/plots" test "$plots" = 18
else
    skip all-plots 'no gnuplot here: ./setup report installs it'
fi

# What a browser makes of a page, told by a copy without the rule that no program may run in it.
cat >"$SCRATCH/measure" <<'END'
<script>addEventListener('load', () => {
    const all = what => [...document.querySelectorAll(what)]
    const color = (element, what) => getComputedStyle(element)[what].replaceAll(' ', '')
    const root = document.documentElement
    parent.postMessage(['seen', innerWidth, 'overflow', root.scrollWidth - innerWidth,
        'plots', all('figure > img[alt]').filter(plot => plot.naturalWidth && plot.width > innerWidth / 5).length,
        'tables', all('main table').filter(table => [...table.querySelectorAll('td + td')]
            .some(cell => /[0-9]/.test(cell.innerText))).length,
        'colors', color(root, 'backgroundColor'), color(root, 'color'),
        color(all('figure > img')[0] || root, 'backgroundColor')].join(' '), '*')
})</script>
END
cat >"$SCRATCH/frames.html" <<'END'
<body>
<script>addEventListener('message', said => document.body.append(said.data, document.createElement('br')))</script>
<iframe src="copy.html" style="width: 360px; height: 700px"></iframe>
<iframe src="copy.html" style="width: 800px; height: 700px"></iframe>
<iframe src="copy.html" style="width: 1920px; height: 1080px"></iframe>
END
see() { # FILE FLAG ...: three lines in $SCRATCH/seen
    sed '/http-equiv/d' "$1" | cat - "$SCRATCH/measure" >"$SCRATCH/copy.html"
    shift
    browse "$SCRATCH/frames.html" "$@"
    tr '<' '\n' <"$SCRATCH/dom" | sed -n 's/^\(.*>\)*seen /seen /p' >"$SCRATCH/seen"
}
seen() { # NAME PATTERN: all three lines
    expect "$1" "$(in_short <"$SCRATCH/seen"), not $2; next: read report_template/report.css and tests/pages.sh" \
        test "$(grep -c -E -e "$2" "$SCRATCH/seen")" = 3
}
in_the_browser() {
    browse "$report/report.html"
    expect no-errors-in-the-console "$(grep CONSOLE "$SCRATCH/browser" | in_short); $next" \
        sh -c "grep -q '</html>' '$SCRATCH/dom' && ! grep -q CONSOLE '$SCRATCH/browser'"

    see "$report/report.html"
    seen no-page-overflows ' overflow 0 '
    seen every-plot-at-every-width " plots $plots "
    # All but the list of files have numbers.
    seen every-table-has-numbers " tables $((tables - 1)) "
    light='rgb\(2[0-9]{2},2[0-9]{2},2[0-9]{2}\)' dark='rgb\([0-9]{2},[0-9]{2},[0-9]{2}\)'
    seen light-by-day "colors $light $dark $light\$"
    see "$report/report.html" --blink-settings=preferredColorScheme=0
    seen dark-by-night-but-the-plots "colors $dark $light rgb\\(255,255,255\\)\$"
    unasked the-page-asks-for-nothing
}
if [ -n "$browser" ]; then
    in_the_browser
else
    skip browser 'no chromium here: apt-get install chromium'
fi

# The PDF. Its text has the longest text of each plot, too.
on_paper() {
    pdfinfo "$report/report.pdf" >"$SCRATCH/info" 2>&1
    count=$(sed -n 's/^Pages: *//p' "$SCRATCH/info")
    expect pdf-has-pages "$(in_short <"$SCRATCH/info"); $next" test "${count:-0}" -ge 10 -a "${count:-0}" -le 60
    expect pdf-is-a4-with-title "$(in_short <"$SCRATCH/info"); $next" \
        test "$(grep -c -E '^Title: *Matrix mult|^Page size: .*A4' "$SCRATCH/info")" = 2
    pdffonts "$report/report.pdf" | sed 1,2d >"$SCRATCH/fonts"
    strange=$(grep -v -E ' yes +(yes|no) +(yes|no) +[0-9]+ +[0-9]+$' "$SCRATCH/fonts" | in_short)
    expect pdf-fonts-are-embedded "not $strange; $next" test -s "$SCRATCH/fonts" -a -z "$strange"
    pdftotext -layout "$report/report.pdf" "$SCRATCH/text"
    expect pdf-numbers-its-pages "$next" grep -q "^ *7 / $count\$" "$SCRATCH/text"
    tr -d ' \n\f' <"$SCRATCH/text" >"$SCRATCH/squeezed"
    lacks=
    # shellcheck disable=SC2016 # backticks are text
    for heading in $(sed -n '/^```/,/^```/!s/^##* //p' "$report/report.md" | tr -d ' '); do
        grep -q -F "$heading" "$SCRATCH/squeezed" || lacks="$lacks $heading"
    done
    expect pdf-has-all-headings "it lacks$lacks; $next" test -z "$lacks"
    lacks=
    for time in $(grep '^| lab' "$report/report.md" | tr '|' '\n' | grep -o '^ [0-9.]* (' | tr -d ' '); do
        grep -q -F "$time" "$SCRATCH/squeezed" || lacks="$lacks $time"
    done
    expect pdf-has-all-times "it lacks$lacks; $next" test -z "$lacks"
    lacks=
    for plot in "$report"/plots/*.svg; do
        [ -e "$plot" ] || continue
        text=$(sed -n 's,.*<text[^>]*>\([^<]*\)</text>.*,\1,p' "$plot" | tr -d ' ' |
            awk 'length > length(longest) { longest = $0 } END { print longest }')
        grep -q -F "$text" "$SCRATCH/squeezed" || lacks="$lacks ${plot##*/}"
    done
    expect pdf-has-all-plots "it lacks$lacks; $next" test -z "$lacks"
}
if command -v pdftotext >/dev/null; then
    on_paper
else
    skip pdf 'no pdftotext here: apt-get install poppler-utils'
fi

# A document with everything in it.
pixel='iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
printf '%s' $pixel | base64 -d >"$doc/my 图.png"
echo '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>' >"$doc/box.svg"
echo 'no image' >"$doc/false.png"
cat >"$doc/lines" <<END
# Отчёт: 矩阵乘法

- Имя: Иван

## Первый раздел

Привет, мир. 快速矩阵乘法。 The price is \$5, \$x\$ is \$\\frac{a}{b}\$, a < b && c.

<!-- fill plot-time-cpu -->
![Mine, with a caption](my%20图.png)
<!-- end -->

| a | b |
|---|---:|
| <!-- fill predict-lab01-work --> 3.25 <!-- end --> | x |

![](box.svg) ![gone](plots/nosuch.svg) ![text](false.png) ![far](http://127.0.0.1:$port/1.png)

<img src="http://127.0.0.1:$port/2.png" srcset="http://127.0.0.1:$port/3.png">
<img src="box.svg" width="50" onerror="x()">

<script src="http://127.0.0.1:$port/4.js"></script>

<script>
document.title = 'stolen'
</script>

<iframe src="http://127.0.0.1:$port/5.html"></iframe>
<link rel="stylesheet" href="http://127.0.0.1:$port/6.css">

[a script](javascript:alert(1)) [another](data:text/html,x)

<div onclick="x()" style="background: url(http://127.0.0.1:$port/7.png)">a box</div>

<details><summary>more</summary>

*hidden* text, [a link](data/lab.csv), H<sub>2</sub>O, <https://example.org/>

</details>

\`\`\`c
for (;;) x = a<b && c; // <script> 注释
\`\`\`
END
sed "s/\$/$(printf '\r')/" "$doc/lines" >"$doc/report.md"
pages "$doc"
expect any-document "status $status, $(said); $next" test $status = 0
unasked nothing-fetched-for-it
has() { # NAME FILE TEXT ...
    name=$1 file=$2 lacks=
    shift 2
    for text in "$@"; do grep -q -F -e "$text" "$file" || lacks="$lacks $text"; done
    expect "$name" "it lacks$lacks; $next" test -z "$lacks"
}
# shellcheck disable=SC2016 # dollars are text
has text-in-all-scripts "$doc/report.html" '<title>Отчёт: 矩阵乘法</title>' 'Имя: Иван' Первый 快速矩阵乘法。 注释 \
    'a &lt; b &amp;&amp; c' 'price is $5' '\frac{a}{b}' '3.25' 'a&lt;b &amp;&amp; c' '<sub>2</sub>' hidden
has images-of-their-own "$doc/report.html" "data:image/png;base64,$pixel" data:image/svg+xml \
    'alt="Mine, with a caption"' '<figcaption' 'width="50"' gone 'no image here: false.png'
has what-is-left-out-is-told "$SCRATCH/said" 'image plots/nosuch.svg is not there' \
    'image false.png is no image' "image http://127.0.0.1:$port/1.png is elsewhere" \
    "http://127.0.0.1:$port/2.png" '<script> is left' '<iframe> is left' 'link to javascript: is left'
danger='<script|<iframe|<link rel="s[^>]*|srcset|onerror|onclick|javascript:|data:text|url\(http|<!-- (fill|end)|stolen|src="[^d][^>]*'
bad=$(grep -o -E "$danger" "$doc/report.html")
expect nothing-dangerous-left "$(echo "$bad" | in_short); $next" test -z "$bad"
if command -v pdfinfo >/dev/null; then
    links=$(pdfinfo -url "$doc/report.pdf" | sed -n 's/.* //p' | grep -v '^URL' | in_short)
    expect links-lead-beside-the-pdf "$links; $next" test "$links" = 'data/lab.csv https://example.org/ '
fi
if [ -n "$browser" ]; then
    browse "$doc/report.html"
    unasked the-browser-fetches-nothing-for-it
    has its-title-is-its-own "$SCRATCH/dom" '<title>Отчёт'
    # The tests above would see it: a page without the rule that it fetch nothing does ask for an image.
    sed "s,</main>,<img src=\"http://127.0.0.1:$port/7.png\">&," "$doc/report.html" >"$SCRATCH/asks.html"
    see "$SCRATCH/asks.html"
    if [ -n "$listener" ]; then
        expect the-listener-hears "$(asked); next: read tests/pages.sh" test -n "$(asked)"
    fi
    sed 's,</main>,<p style="width: 1000px">x</p>&,' "$report/report.html" >"$SCRATCH/wide.html"
    see "$SCRATCH/wide.html"
    expect overflow-is-seen "$(in_short <"$SCRATCH/seen"); next: read tests/pages.sh" \
        grep -q '360 overflow [1-9]' "$SCRATCH/seen"
fi

# refused NAME STATUS SAYS: one line, the old pages are as they were, and nothing lies beside them
cp "$doc/report.html" "$doc/report.pdf" "$SCRATCH"
refused() {
    expect "$1-is-told" "status $status, $(said); $next" \
        test "$status $(grep -c '' "$SCRATCH/said") $(grep -c "^pages: .*$3" "$SCRATCH/said")" = "$2 1 1"
    expect "$1-leaves-the-old-pages" "$next" \
        sh -c "cmp -s '$SCRATCH/report.html' '$doc/report.html' && cmp -s '$SCRATCH/report.pdf' '$doc/report.pdf'"
    left=$(find "$SCRATCH" -name '.pages*' | in_short)
    expect "$1-leaves-nothing-else" "$left; $next" test -z "$left"
}
pages
refused no-folder 2 REPORT_FOLDER
pages "$doc" "$doc"
refused two-folders 2 REPORT_FOLDER
pages "$report/data"
refused no-document 2 report.md
cp "$doc/report.md" "$SCRATCH/report.md"
printf '# Title\n\n\316\345\n' >"$doc/report.md"
pages "$doc"
refused not-utf-8 2 'save it as UTF-8; the report.html there is an old one; the report.pdf there is an old one'
seq 20000 >"$doc/report.md"
(trap '' XFSZ && ulimit -f 8 && pages "$doc" && exit "$status")
status=$?
refused full-disk 2 'no report.html'
cp "$SCRATCH/report.md" "$doc/report.md"

# Without a tool, and with one that fails. All others are there.
mkdir "$SCRATCH/bin"
find /bin/ /usr/bin/ -maxdepth 1 ! -name pandoc ! -name weasyprint -exec ln -sf {} "$SCRATCH/bin" \;
PATH=$SCRATCH/bin pages "$doc"
refused no-pandoc 3 'no pandoc here.*setup report; the report.html there is an old one'
ln -s "$(command -v pandoc)" "$SCRATCH/bin"
printf '# Short\n\n## Part\n\nText.\n' >"$doc/report.md"
PATH=$SCRATCH/bin pages "$doc"
expect no-weasyprint-makes-the-html "$next" grep -q '<h1>Short</h1>' "$doc/report.html"
cp "$doc/report.html" "$SCRATCH"
refused no-weasyprint 3 'no weasyprint here.*setup report; the report.pdf there is an old one'
# shellcheck disable=SC2016 # a dollar for the script
printf '#!/bin/sh\necho half >"$4"\necho "WARNING: a\nOSError: broken" >&2\nexit 1\n' >"$SCRATCH/bin/weasyprint"
chmod +x "$SCRATCH/bin/weasyprint"
PATH=$SCRATCH/bin pages "$doc"
refused weasyprint-fails 2 'no report.pdf.*OSError: broken; the report.pdf there is an old one'

# A folder that may not be written. Root may write all, so nobody tries.
as='env'
if [ "$(id -u)" = 0 ]; then
    as='setpriv --reuid 65534 --regid 65534 --clear-groups'
    chmod go+x "$(dirname "$SCRATCH")"
fi
chmod 555 "$doc"
# shellcheck disable=SC2086 # as is a list of words
if $as test -r tools/report/pages.lua -a -r "$doc/report.md" 2>"$SCRATCH/why"; then
    $as tools/report/pages "$doc" >"$SCRATCH/said" 2>&1
    status=$?
    refused read-only-folder 2 'nothing can be written'
else
    skip read-only-folder "root can write everything, and cannot be nobody: $(in_short <"$SCRATCH/why")"
fi
chmod 755 "$doc"

rm "$doc/report.html"
mkdir "$doc/report.html"
pages "$doc"
expect folder-as-page "status $status, $(said); $next" \
    test "$status $(grep -c 'report.html cannot be replaced' "$SCRATCH/said")" = '2 1'
