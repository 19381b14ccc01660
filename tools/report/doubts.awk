# SPDX-License-Identifier: MIT
# doubts.awk ceilings.tsv LAB.csv ..., after csv.awk and quantile.awk: what in a report's data should make
# its reader doubt, a line each: damaged rows, programs that gave no result, times that scatter, and a peak
# below what a kernel reaches or double does, which then was measured on a busy machine.
# -v quick: what a command to measure again ends with.
{ sub(/\r$/, "") }

FILENAME ~ /ceilings[.]tsv$/ {
    split($0, c, "\t")
    peak[c[1], c[2], c[3]] = c[4]
    next
}

$0 != header && (what = fault(f, fields($0, f))) {
    if (!damaged[FILENAME]++) {
        files[++file_count] = FILENAME
        damage[FILENAME] = "line " FNR " " what
    }
    next
}

$0 != header {
    program = f[1] (f[2] == "" ? "" : ", " f[2])
    cell = f[3] SUBSEP f[4] SUBSEP f[5] SUBSEP program SUBSEP f[6] SUBSEP f[21]
    if (f[16] == "failed" && !said[program, f[23]]++)
        print program " has no times: " f[23]
    if (f[10] > 0)
        ms[cell] = ms[cell] " " f[10]
}

END {
    for (i = 1; i <= file_count; i++)
        print files[i] " " damage[files[i]] (damaged[files[i]] > 1 ? " (and " damaged[files[i]] - 1 " more)" : "") \
            ": left out; make report measures it again"
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
        print scattered " of " times " times spread by over 20 %: on a quiet machine, make report FRESH=1" quick
    for (key in peak) {
        split(key, f, SUBSEP)
        odd += f[3] == "double" && peak[key] > peak[f[1], f[2], "float"]
    }
    if (over)
        print over " times are faster than the measured peak: on a quiet machine, make ceilings report" quick
    else if (odd)
        print "a peak is higher in double than in float: on a quiet machine, make ceilings report" quick
}
