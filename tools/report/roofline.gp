# SPDX-License-Identifier: MIT
# The ceilings of a device, and labs below them. DATA: FLOP/byte, GFLOP/s, style, name, and where the
# name and a line to it begin: from roofline.awk, which knows the margins.
# gnuplot -c roofline.gp DATA OUTPUT TITLE "LINES HEIGHT 1" "PEAK BANDWIDTH XMIN XMAX YMIN YMAX"
call "style.gp" ARG2 ARG3 ARG4 "GFLOP/s" "68 16"
set datafile separator "\t"
limit(i) = real(word(ARG5, i))
peak = limit(1)
bandwidth = limit(2)
set logscale xy
set xrange [limit(3):limit(4)]
set yrange [limit(5):limit(6)]
set xlabel "FLOP per byte that the kernel asks of memory"
set samples 500
round(number) = sprintf(number < 100 ? "%.3g" : "%.0f", number)
plot (x * bandwidth < peak ? x * bandwidth : peak) with lines linecolor rgb "black" linewidth 2 \
        title "measured ceilings: " . round(bandwidth) . " GB/s, " . round(peak) . " GFLOP/s", \
    ARG1 using 7:8:($1 - $7):($2 - $8) with vectors nohead linecolor rgb "#808080" linewidth 0.6 notitle, \
    "" using 1:2:(shape($3)):(rgb($3)) with points pointtype variable linecolor rgb variable notitle, \
    "" using 5:6:4 with labels left font ",12" notitle
