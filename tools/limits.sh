# SPDX-License-Identifier: MIT
# How long a program may take, as workbook/limits.py says it too.
# shellcheck shell=sh

# For awk: what a size as 1024 or 2^10 is, or 0.
# shellcheck disable=SC2016 # awk's
size_of='function size_of(text,    part, value) {
        split(text, part, "^")
        value = text ~ /^[0-9]+\^[0-9]+$/ ? part[1] ^ part[2] : text ~ /^[0-9]+$/ ? text + 0 : 0
        return value < 2 ^ 31 && text !~ /^0+\^/ ? value : 0
    }
'

# seconds ARGUMENT ...: after which a program with these arguments is stopped: LIMIT, or a minute and what its
# runs take at 0.1 GFLOP/s, slower than any; with sanitizers at a tenth of that. 0: never. Fails with one line where LIMIT is no number.
seconds() {
    case ${LIMIT-} in
    *[!0-9]*)
        echo "LIMIT=$LIMIT: give whole seconds, or 0 for no limit" >&2
        return 2
        ;;
    ?*) echo "$LIMIT" && return ;;
    esac
    echo "$*" | awk -v speed="${SAN:+0.01}" "$size_of"'
        {
            runs = 5 # two to verify and three, or as many as fit into a second
            for (i = 1; i <= NF && $i !~ /^--/; i++) size[i] = size_of($i)
            if (i == 1) size[1] = 1024
            for (; i <= NF; i++)
                if ($i == "--reps") runs = 2 + $(i + 1)
                else if ($i == "--check") check = 240
            M = size[1]
            N = 2 in size ? size[2] : M
            K = 3 in size ? size[3] : M
            printf "%d\n", 60 + (check ? check : runs * 2e-9 * M * N * K / (speed ? speed : 0.1))
        }'
}
