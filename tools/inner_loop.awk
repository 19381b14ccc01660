# SPDX-License-Identifier: MIT
# Prints the loop that does the arithmetic: of all stretches of code that end in a jump back to their
# start and hold no other such stretch, the one with much arithmetic and little else. Reads the output
# of `objdump -d`, or PTX.
/^ *[0-9a-f]+:\t/ { # objdump: address, tab, instruction
    split($0, part, ":\t")
    text[++n] = $0
    address = part[1]
    gsub(/ /, "", address)
    line_of[address] = n
    split(part[2], word, " ")
    if (word[1] ~ /^j/) jump_to[n] = word[2]
}
/^\$?[A-Za-z_0-9$]+:/ && !/^ *[0-9a-f]+:\t/ { # PTX: a label
    text[++n] = $0
    label = $1
    sub(/:.*/, "", label)
    line_of[label] = n
}
/^[ \t]+(@?[%a-z]).*;/ && !/^ *[0-9a-f]+:\t/ { # PTX: an instruction
    text[++n] = $0
    if (match($0, /bra[.a-z]*[ \t]+[^;]+/)) {
        target = substr($0, RSTART, RLENGTH)
        sub(/^bra[.a-z]*[ \t]+/, "", target)
        jump_to[n] = target
    }
}
END {
    for (end = 1; end <= n; end++) {
        start = line_of[jump_to[end]] + 0
        if (!(end in jump_to) || start == 0 || start >= end || start <= last_start) continue
        last_start = start # a later loop that starts earlier holds this one
        arithmetic = lanes = 0
        for (i = start; i <= end; i++)
            if (text[i] ~ /[ \t](v?(mul|add|fn?madd[0-9]+)[sp][sd]|v?pmull[dw]|(fma|mad|mul)\.)/) {
                arithmetic++
                lanes += text[i] !~ /p[sd] / ? 1 : text[i] ~ /zmm/ ? 16 : text[i] ~ /ymm/ ? 8 : 4
            }
        score = lanes * lanes / (end - start + 1)
        if (score > best) {
            best = score
            most = arithmetic
            first = start
            final = end
        }
    }
    if (most == 0) print "  (no loop with arithmetic found)"
    for (i = first; i <= final && most > 0; i++) {
        line = text[i]
        gsub(/\t/, "  ", line)
        print "  " line
    }
    if (most > 0) printf "  %d instructions, %d of them arithmetic\n", final - first + 1, most
}
