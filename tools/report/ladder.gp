# SPDX-License-Identifier: MIT
# Horizontal bars from 0 on a linear axis, or from 1 on a logarithmic one, which does not begin at 0; and two
# columns of numbers beside them.
# DATA: y, name, speed-up, style, the two numbers as text.
# gnuplot -c ladder.gp DATA OUTPUT TITLE "LINES HEIGHT 0" BARS XLABEL "FROM TO"
call "style.gp" ARG2 ARG3 ARG4 "" "136 156"
low = real(word(ARG7, 1))
high = real(word(ARG7, 2))
set datafile separator "\t"
set yrange [real(ARG5) + 0.5:0.5]
set xrange [low:high]
set xlabel ARG6
set ytics scale 0
set grid noytics
set border 1
base = 0
if (low > 0) {
    set logscale x
    base = 1
} else {
    step = 10 ** floor(log10(high / 2)) # two to five tics
    set xtics high / step > 8 ? 4 * step : high / step > 5 ? 2 * step : step
}
set arrow from base, graph 0 to base, graph 1 nohead linecolor rgb "#404040" front
set label 4 "speed-up" at graph 1, graph 1 right offset screen across(70), up(9) textcolor rgb "#404040"
set label 5 "median" at graph 1, graph 1 right offset screen across(148), up(9) textcolor rgb "#404040"
unset key
# Variants lab by lab: a pattern has the colour that it was first drawn in.
plot ARG1 using (variant($4) == 0 ? $3 : NaN):1:(base):3:($1 - 0.36):($1 + 0.36):(rgb($4)):ytic(2) \
        with boxxyerror linecolor rgb variable fillstyle solid 1 title "labs", \
    for [n=1:9] "" using (lab($4) == n && variant($4) > 0 ? $3 : NaN):1:(base):3:($1 - 0.36):($1 + 0.36) \
        with boxxyerror linecolor rgb color(10 * n) fillstyle pattern 4 border title "variants", \
    "" using (high):1:5 with labels right offset screen across(70), 0 title "speed-up", \
    "" using (high):1:6 with labels right offset screen across(148), 0 title "median"
