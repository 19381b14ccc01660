# SPDX-License-Identifier: MIT
# What all plots share. A plot is called: gnuplot -c PLOT.gp DATA OUTPUT TITLE "LINES HEIGHT KEYS" ...
#   TITLE    lines: the title, and what it was measured on
#   LINES    how many these are; HEIGHT of the axes, in pixels; KEYS: rows of the key below them
# It calls this: call "style.gp" OUTPUT TITLE "LINES HEIGHT KEYS" YLABEL "LEFT RIGHT", the margins in pixels.
# The drawing is 480 wide, so that a phone can show it. Everything has its place in pixels: gnuplot only
# guesses how wide a text is.
# Labs differ in colour (Okabe and Ito's, which the colour-blind can tell apart) and shape of points;
# variants of a lab in dashes and in open points, so that a print in black and white can be read.
size(i) = real(word(ARG3, i))
keys = size(3)
width = 480.0
top = 20 * size(1) + 32
bottom = 52 + (keys > 0 ? 20 * keys + 6 : 0)
height = top + size(2) + bottom
across(pixels) = pixels / width
up(pixels) = pixels / height # from below
set encoding utf8
cut = strstrt(ARG2, "\n")
set terminal svg size width,height fixed noenhanced font "sans-serif,14" linewidth 1.2 background "white"
set output ARG1
set label 1 ARG2[1:cut - 1] at screen across(8), screen up(height - 17) font ",15"
set label 2 ARG2[cut + 1:*] at screen across(8), screen up(height - 36) textcolor rgb "#404040"
set label 3 ARG4 at screen across(8), screen up(height - top + 16) textcolor rgb "#404040"
set lmargin at screen across(real(word(ARG5, 1)))
set rmargin at screen across(width - real(word(ARG5, 2)))
set bmargin at screen up(bottom)
set tmargin at screen up(height - top)
set xlabel offset character 0, 0.6
set border 3 linecolor rgb "#404040"
set tics nomirror
set format "%g"
set grid linecolor rgb "#d0d0d0" linewidth 0.6 dashtype 1
set key at screen across(8), screen up(20 * keys + 4) left top Left reverse vertical samplen 3 width 1 noenhanced

# A style is 10 * number of the lab + number of the variant, 0 for the lab's own.
colors = "#0072B2 #E69F00 #009E73 #D55E00 #56B4E9 #CC79A7 #000000"
full = "7 5 9 13 11 15"
open = "6 4 8 12 10 14"
number(list, i) = int(word(list, i))
lab(style) = int(style) / 10
variant(style) = int(style) % 10
color(style) = word(colors, (lab(style) - 1) % 7 + 1)
rgb(style) = int("0x" . color(style)[2:7])
dash(style) = variant(style) + 1
shape(style) = variant(style) == 0 ? number(full, (lab(style) - 1) % 6 + 1) \
    : variant(style) == 1 ? number(open, (lab(style) - 1) % 6 + 1) : number("2 3 1", (variant(style) - 2) % 3 + 1)
