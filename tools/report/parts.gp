# SPDX-License-Identifier: MIT
# Shares of a whole, stacked. DATA: y, name, the whole as text, 0, then where each part ends, in %.
# gnuplot -c parts.gp DATA OUTPUT TITLE "LINES HEIGHT KEYS" BARS PARTS
call "style.gp" ARG2 ARG3 ARG4 "" "136 82"
parts = "kernel 'host to device' 'device to host' allocation build"
colors = "#0072B2 #D55E00 #009E73 #E69F00 #000000"
patterns = "3 4 5 1 0" # all of it, lines to the left, to the right, both, nothing
set datafile separator "\t"
set yrange [real(ARG5) + 0.5:0.5]
set xrange [0:100]
set xlabel "% of the time"
set ytics scale 0
set grid noytics
set border 1
set label 4 "in all" at graph 1, graph 1 right offset screen across(74), up(9) textcolor rgb "#404040"
set key maxrows keys
plot for [p=1:real(ARG6)] ARG1 using p + 4:1:p + 3:p + 4:($1 - 0.36):($1 + 0.36):ytic(2) with boxxyerror \
        linecolor rgb word(colors, p) fillstyle pattern number(patterns, p) border title word(parts, p), \
    "" using (100):1:3 with labels right offset screen across(74), 0 notitle
