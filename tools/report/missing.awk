# SPDX-License-Identifier: MIT
# missing.awk STAMPS CSV PLAN, after csv.awk: the cells of the plan that the CSV lacks, or has for
# another stamp, or left out for another limit than -v limit. Prints lab, program,
# type, size, tunables (- for none), and about how many seconds it takes: five runs, at 2 GFLOP/s
# with -v device=CPU, at 2000 with -v device=GPU, and what the CPU does besides. With another device, or
# none, nothing is run.
FILENAME == ARGV[1] {
    split($0, s, "\t")
    stamp[s[1]] = s[2]
}

FILENAME == ARGV[2] && row(f) {
    if (f[16] == "failed") next # the reason may be gone
    if (f[23] ~ /longer than the limit of/ && f[23] !~ ("limit of " limit " s")) next
    have["gemm" (f[2] == "" ? "" : "_" f[2]) "\t" f[5] "\t" f[6] "\t" f[21]] = f[22]
}

FILENAME == ARGV[3] {
    split($0, p, "\t")
    if ($0 in have && have[$0] == stamp[p[1]]) next
    rate = device == "GPU" ? 2000 : 2
    seconds = device ~ /^[CG]PU$/ ? (device == "GPU" ? 3 : 1) + 5 * 2e-9 * p[3] ^ 3 / rate + 6 * (p[3] / 8192) ^ 2 : 0
    printf "%s\t%s\t%s\t%s\t%s\t%d\n", lab, p[1], p[2], p[3], p[4] == "" ? "-" : p[4], seconds
}
