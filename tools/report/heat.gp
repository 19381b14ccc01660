# SPDX-License-Identifier: MIT
# A table in colours. DATA: column, row (from 1), name of the column, name of the row, colour of the
# cell, number, colour of the number.
# gnuplot -c heat.gp DATA OUTPUT TITLE "LINES HEIGHT 0" COLUMNS ROWS XLABEL YLABEL
call "style.gp" ARG2 ARG3 ARG4 ARG8 "68 16"
set datafile separator "\t"
set xrange [0.5:real(ARG5) + 0.5]
set yrange [real(ARG6) + 0.5:0.5]
set xlabel ARG7
set tics scale 0
unset grid
unset border
unset key
plot ARG1 using 1:2:($1 - 0.5):($1 + 0.5):($2 - 0.5):($2 + 0.5):5:xtic(3):ytic(4) with boxxyerror \
        linecolor rgb variable fillstyle solid 1 border linecolor rgb "white" title "cells", \
    "" using 1:2:6:7 with labels textcolor rgb variable title "GFLOP/s"
