# SPDX-License-Identifier: MIT
# The CSVs of a report, summed up: a line for each lab, variant, size and settings, separated by tabs:
#   1 backend   2 lab   3 variant   4 type   5 N   6 settings ("-": none, in 3 and 6)
#   7 median kernel ms   8, 9 its quartiles   10 GFLOP/s at the median
#   11 host to device   12 device to host   13 allocation   14 build, ms, medians
#   15 10 * number of the lab in its backend + number of the variant in its lab: 0 the lab's own, 1 chapter,
#      the others as they come
#   16 device
# Of several devices of a backend, only the one with the most rows; field 16 then says so.
# Call: awk -f csv.awk -f quantile.awk -f medians.awk data/*.csv

row(f) && f[10] != "" {
    timed[++rows] = $0
    if (!known[f[3], f[4]]++)
        devices[f[3]]++
    if (++rows_of[f[3], f[4]] > most[f[3]]) {
        most[f[3]] = rows_of[f[3], f[4]]
        device[f[3]] = f[4]
    }
}

# part(list, q): the quantile q of a list of numbers with spaces between them.
function part(list, q,    n, v) {
    n = split(list, v, " ")
    sorted(v, n)
    return quantile(v, n, q)
}

END {
    for (r = 1; r <= rows; r++) {
        fields(timed[r], f)
        if (f[4] != device[f[3]])
            continue
        cell = f[3] "\t" f[1] "\t" (f[2] == "" ? "-" : f[2]) "\t" f[5] "\t" f[6] "\t" (f[21] == "" ? "-" : f[21])
        if (!(cell in style)) {
            order[++cells] = cell
            if (f[2] !~ /^(chapter)?$/ && !((f[1], f[2]) in variant))
                variant[f[1], f[2]] = 2 + others[f[1]]++
            style[cell] = 10 * substr(f[1], 4, 2) + (f[2] == "" ? 0 : f[2] == "chapter" ? 1 : variant[f[1], f[2]])
            name[cell] = f[4] (devices[f[3]] > 1 ? " (most rows of " devices[f[3]] " devices)" : "")
            flop[cell] = 2e-6 * f[6] * f[7] * f[8]
        }
        for (c = 10; c <= 14; c++)
            if (f[c] != "")
                times[cell, c] = times[cell, c] " " f[c]
    }
    for (i = 1; i <= cells; i++) {
        cell = order[i]
        median = part(times[cell, 10], .5)
        printf "%s\t%.6g\t%.6g\t%.6g\t%.6g", cell, median, part(times[cell, 10], .25),
            part(times[cell, 10], .75), flop[cell] / median
        for (c = 11; c <= 14; c++)
            printf "\t%.6g", part(times[cell, c], .5)
        printf "\t%d\t%s\n", style[cell], name[cell]
    }
}
