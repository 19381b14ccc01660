# SPDX-License-Identifier: MIT
# Lines with error bars over a logarithmic x. DATA has a block for each line, with its name on top, then
# x, y, lower and upper end of the bar. A y axis from 0 is linear, another logarithmic, and shows the
# slope of a power of x if there is one.
# gnuplot -c lines.gp DATA OUTPUT TITLE "LINES HEIGHT KEYS" STYLES XLABEL XTICS YLABEL "FROM TO [POWER]"
call "style.gp" ARG2 ARG3 ARG4 ARG8 "68 16"
styles = ARG5
set xlabel ARG6
set logscale x 2
set xtics ()
set for [i=1:words(ARG7)] xtics add (word(ARG7, i) real(word(ARG7, i)))
set xrange [real(word(ARG7, 1)) / 1.2:real(word(ARG7, words(ARG7))) * 1.2]
low = real(word(ARG9, 1))
set yrange [low:real(word(ARG9, 2))]
if (low > 0) {
    set logscale y
}
if (words(ARG9) > 2) {
    power = int(word(ARG9, 3))
    from = real(word(ARG7, 1))
    end = real(word(ARG7, words(ARG7)))
    steepest = (real(word(ARG9, 2)) / low / 2) ** (1.0 / power)
    end = end > steepest * from ? steepest * from : end
    set arrow 9 from from, 1.5 * low to end, 1.5 * low * (end / from) ** power nohead \
        dashtype (1, 3) linewidth 1.5 linecolor rgb "#606060"
}
set key maxrows keys
set pointsize 0.75
set errorbars 0.6
plot for [i=1:words(styles)] ARG1 index i - 1 using 1:2:3:4 with yerrorlines \
    linecolor rgb color(word(styles, i)) dashtype dash(word(styles, i)) pointtype shape(word(styles, i)) \
    linewidth 1.6 title columnheader(1)
