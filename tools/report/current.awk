# SPDX-License-Identifier: MIT
# current.awk STAMPS CSV, after csv.awk: the rows of the CSV whose program still has their stamp, each
# with a key in front, and a tab: sorted by it, programs come in the order of the stamps, float before
# double, the defaults before tunables, small numbers before large ones. Other rows that have times go into the file
# -v dropped.
BEGIN { printf "" >dropped }

FILENAME == ARGV[1] {
    split($0, s, "\t")
    stamp[s[1]] = s[2]
    place[s[1]] = FNR
    next
}

function padded(settings,    out) {
    while (match(settings, /[0-9]+/)) {
        out = out substr(settings, 1, RSTART - 1) sprintf("%06d", substr(settings, RSTART, RLENGTH))
        settings = substr(settings, RSTART + RLENGTH)
    }
    return out settings
}

row(f) {
    program = "gemm" (f[2] == "" ? "" : "_" f[2])
    if (stamp[program] == f[22])
        printf "%03d/%d/%s/%06d/%06d\t%s\n", place[program], f[5] != "float", padded(f[21]), f[6], FNR, $0
    else if (f[10] != "")
        print >dropped
}
