# SPDX-License-Identifier: MIT
# doubts.awk ceilings.tsv LAB.csv ..., after csv.awk and quantile.awk: what in a report's data should make
# its reader doubt, a line each: programs that gave no result, times that scatter, and a kernel that is
# faster than the peak, which then was measured on a busy machine.
FILENAME ~ /ceilings[.]tsv$/ {
    split($0, c, "\t")
    peak[c[1], c[2], c[3]] = c[4]
    next
}

FNR == 1 { next } # the header

{
    fields($0, f)
    program = f[1] (f[2] == "" ? "" : ", " f[2])
    cell = f[3] SUBSEP f[4] SUBSEP f[5] SUBSEP program SUBSEP f[6] SUBSEP f[21]
    if (f[23] ~ /^(wrong|does not|crashed|no result|ended)/ && !said[program, f[23]]++)
        print program " has no times: " f[23]
    if (f[10] > 0)
        ms[cell] = ms[cell] " " f[10]
}

END {
    for (cell in ms) {
        split(cell, f, SUBSEP)
        n = split(ms[cell], v, " ")
        sorted(v, n)
        median = quantile(v, n, 0.5)
        times++
        scattered += quantile(v, n, 0.75) - quantile(v, n, 0.25) > 0.2 * median
        top = peak[f[1], f[2], f[3]]
        over += top > 0 && 2e-6 * f[5] ^ 3 / median > top
    }
    if (scattered > times / 20)
        print scattered " of " times " times spread by over 20 %: make report FRESH=1 on a quiet machine"
    if (over)
        print over " times are faster than the measured peak: make report FRESH=1 on a quiet machine"
}
