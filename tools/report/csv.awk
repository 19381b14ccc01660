# SPDX-License-Identifier: MIT
# fields(line, out): splits one line of CSV into out[1], out[2], ... and returns how many there are.
# A field in "quotes" loses them and may contain commas, no quotes.
# fault(f, n): what is wrong with the n fields of a row of a report's CSV, or nothing. Whoever reads rows of
# several reports tells them apart by side.
# Call: awk -f tools/report/csv.awk -f PROGRAM FILE

BEGIN {
    header = "lab,variant,backend,device,type,M,N,K,rep,kernel_ms,h2d_ms,d2h_ms,alloc_ms,build_ms,gflops," \
        "verified,context_ms,cpu_ms,peak_gflops,peak_gbs,settings,stamp,why"
    split(header, column, ",")
}

function fields(line, out,    n, length_of_field) {
    split("", out)
    for (n = 1; ; n++) {
        if (line ~ /^"[^"]*"(,|$)/) {
            length_of_field = index(substr(line, 2), "\"") + 1
            out[n] = substr(line, 2, length_of_field - 2)
        } else {
            length_of_field = index(line ",", ",") - 1
            out[n] = substr(line, 1, length_of_field)
        }
        if (length_of_field == length(line))
            return n
        line = substr(line, length_of_field + 2)
    }
}

function fault(f, n,    c) {
    if (n != 23) return "has " n " fields instead of 23"
    if (index(f[1] f[4] f[21] f[23], "\"")) return "has a quote that does not end"
    if (f[1] !~ /^lab[0-9][0-9]_[a-z0-9_]+$/) return "is of no lab but \"" f[1] "\""
    if (f[2] !~ /^[A-Za-z0-9_]*$/) return "is of no variant but \"" f[2] "\""
    if (f[3] !~ /^(cpu|opencl|cuda)$/) return "is of backend \"" f[3] "\", not cpu, opencl or cuda"
    if (f[5] !~ /^(float|double|int)$/) return "is of type \"" f[5] "\", not float, double or int"
    if (f[21] !~ /^([A-Z][A-Z0-9_]*=[A-Za-z0-9_]+( |$))*$/) return "has no tunables in settings but \"" f[21] "\""
    for (c = 6; c <= 8; c++)
        if (f[c] !~ /^[1-9][0-9]?[0-9]?[0-9]?[0-9]?[0-9]?$/) return "has no size in " column[c] " but \"" f[c] "\""
    if (f[6] != f[7] || f[6] != f[8]) return "is not of square matrices"
    if (f[9] f[10] == "") return ""
    if (f[9] !~ /^[1-9][0-9]*$/) return "has no number in rep but \"" f[9] "\""
    for (c = 10; c <= 17; c++)
        if (c < 15 || c == 17)
            if ((c == 10 || f[c] != "") && !(f[c] ~ /^[0-9]+([.][0-9]+)?$/ && f[c] + 0 < 1e9))
                return "has no time in " column[c] " but \"" f[c] "\""
    if (f[10] + 0 == 0) return "has no time in kernel_ms but \"" f[10] "\""
    if (f[16] !~ /^(full|freivalds)$/) return "has a time that was not verified"
    if (f[23] != "") return "has a time, and why it has none"
    if (seen[side, FILENAME, f[2], f[4], f[5], f[6], f[21], f[9]]++) return "is there twice"
    return ""
}

# row(f): whether the line is a sound row; it is split into f.
function row(f) {
    sub(/\r$/, "")
    return $0 != header && fault(f, fields($0, f)) == ""
}
