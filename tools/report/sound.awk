# SPDX-License-Identifier: MIT
# sound.awk CSV, after csv.awk: the sound rows of all cells that have all their repetitions, 1 to the last. What
# is wrong goes to stderr, in one line.
function damage(what) { if (!damaged++) first = what }

{ sub(/\r$/, "") }

$0 == header { next }

{
    what = fault(f, fields($0, f))
    cell = f[2] SUBSEP f[5] SUBSEP f[6] SUBSEP f[21]
    if (what) {
        damage("line " FNR " " what)
        broken[cell] = 1
        next
    }
    sound[++rows] = $0
    cell_of[rows] = cell
    name[cell] = (f[2] == "" ? "" : f[2] ", ") f[5] ", N=" f[6] (f[21] == "" ? "" : ", " f[21])
    if (f[9] == "") next
    reps[cell]++
    if (f[9] + 0 > last[cell]) last[cell] = f[9] + 0
}

END {
    for (r = 1; r <= rows; r++) {
        if (last[cell_of[r]] != reps[cell_of[r]] && !(cell_of[r] in broken)) {
            damage("has lost a repetition of " name[cell_of[r]])
            broken[cell_of[r]] = 1
        }
        if (!(cell_of[r] in broken)) print sound[r]
    }
    if (damaged) print first (damaged > 1 ? " (and " damaged - 1 " more)" : "") >"/dev/stderr"
}
