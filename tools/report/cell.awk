# SPDX-License-Identifier: MIT
# The rows of a lab's CSV and one cell, variant/type/size/tunables. With -v dropped=FILE: all rows but the
# cell's, and into the file those of the cell that have times. With -v predict=1: the seconds that a run of
# it may take, from the largest smaller size of the same program, type and tunables; 0 where there is none.
# After csv.awk.
BEGIN {
    split(cell, wanted, "/")
    if (dropped) printf "" >dropped
}

row(f) {
    same = f[2] == wanted[1] && f[5] == wanted[2] && f[21] == wanted[4]
    if (dropped && !(same && f[6] == wanted[3])) print
    else if (dropped && f[10] != "") print >dropped
    if (same && f[10] != "" && f[6] + 0 < wanted[3] + 0 && f[6] + 0 >= size) {
        size = f[6] + 0
        ms = f[10]
    }
}

END { if (predict) printf("%d\n", size > 0 ? ms / 1000 * (wanted[3] / size) ^ 3 : 0) }
