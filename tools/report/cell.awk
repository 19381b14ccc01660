# SPDX-License-Identifier: MIT
# The rows of a lab's CSV and one cell, variant/type/size/tunables. With -v drop=1: all rows but the
# header and the cell's. With -v predict=1: the seconds that a run of it may take, from the largest
# smaller size of the same program, type and tunables; 0 where there is none. After csv.awk.
BEGIN { split(cell, wanted, "/") }

FNR > 1 {
    fields($0, f)
    same = f[2] == wanted[1] && f[5] == wanted[2] && f[21] == wanted[4]
    if (drop && !(same && f[6] == wanted[3])) print
    if (same && f[10] != "" && f[6] + 0 < wanted[3] + 0 && f[6] + 0 >= size) {
        size = f[6] + 0
        ms = f[10]
    }
}

END { if (predict) printf("%d\n", size > 0 ? ms / 1000 * (wanted[3] / size) ^ 3 : 0) }
