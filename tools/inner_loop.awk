# SPDX-License-Identifier: MIT
# Prints the loop that does the arithmetic: of all loops that hold no other, the one with the most multiply-adds
# a turn, of which a register of 8 lanes does 8; of several, the shortest. Says which lines of the kernel they
# come from, where there is debug information, and what other loops do. Reads the output of
# `objdump -d -l --inlines`, or PTX. -v kernel=kernel.c: the file whose lines count; PoCL has a name of its own for
# kernel.cl.
BEGIN {
    in_kernel = kernel ~ /[.]cl$/ ? "[^ /]*[.]cl" : kernel
    in_kernel = "(^|[/ ])" in_kernel ":[0-9]+( |$)"
}

# objdump: the line of the next instructions, and after it where it is inlined; the first in the kernel counts
/^(inlined by )?\/.*:[0-9]+( |$)/ {
    if (!named && match($0, in_kernel)) {
        named = 1
        at = substr($0, RSTART, RLENGTH)
        sub(/.*:/, "", at)
        source = at + 0
    }
    next
}
/^[0-9a-f]+ </ { source = 0 } # another function: copies that the compiler makes may have no lines
# objdump: address, tab, instruction
/^ *[0-9a-f]+:\t/ {
    split($0, part, ":\t")
    address = part[1]
    gsub(/ /, "", address)
    keep($0, address)
    split(part[2], word, " ")
    if (word[1] ~ /^j/) jump_to[n] = word[2]
    next
}
# PTX: a file, which comes last, a line, a label, an instruction
/^[ \t]*[.]file[ \t]/ && index($0, kernel "\"") { file = $2 }
/^[ \t]*[.]loc[ \t]/ { source = $3; in_file = $2 }
/^\$?[A-Za-z_0-9$]+:/ { keep($0, substr($1, 1, index($1, ":") - 1)) }
/^[ \t]+@?[%a-z].*;/ {
    keep($0, "")
    if (match($0, /bra[.a-z]*[ \t]+[^;]+/)) {
        split(substr($0, RSTART, RLENGTH), word, /[ \t]+/)
        jump_to[n] = word[2]
    }
}

function keep(line, label) {
    text[++n] = line
    named = 0
    source_of[n] = source
    file_of[n] = in_file
    if (label != "") line_of[label] = n
}

# How many multiply-adds this instruction does. Integers are counted where nothing else is multiplied, as
# they are addresses otherwise.
function multiply_adds(line, integers) {
    if (!integers && line ~ /[ \t]v?(mul|fn?m(add|sub)[0-9]+)[sp][sd] /)
        return line !~ /p[sd] / ? 1 : (line ~ /zmm/ ? 64 : line ~ /ymm/ ? 32 : 16) / (line ~ /pd / ? 8 : 4)
    if (!integers && line ~ /[ \t](fma|mul|mad)([.][a-z]+)*[.]f(32|64)/) return 1
    if (integers && line ~ /[ \t]v?pmulld /) return line ~ /zmm/ ? 16 : line ~ /ymm/ ? 8 : 4
    return integers && line ~ /[ \t](imul |mad[.]lo[.]s32|mul[.]lo[.]s32)/
}

# The loops: jumps back to where they begin; the last such jump is the end.
function find_loops(    end, start) {
    for (end = 1; end <= n; end++)
        if (end in jump_to && jump_to[end] in line_of) {
            start = line_of[jump_to[end]]
            if (start < end) last[start] = end
        }
}

function holds_another(start,    i) {
    for (i = start + 1; i < last[start]; i++)
        if (i in last && last[i] <= last[start]) return 1
    return 0
}

# Measures a loop: work, instructions, lines of the kernel that its multiply-adds come from.
function measure(start, integers,    i, m, low, high) {
    work = instructions = low = high = 0
    for (i = start; i <= last[start]; i++) {
        m = multiply_adds(text[i], integers)
        work += m
        instructions += text[i] ~ /^[ \t]/
        if (!m || !source_of[i] || file_of[i] != file) continue
        if (!low || source_of[i] < low) low = source_of[i]
        if (source_of[i] > high) high = source_of[i]
    }
    lines = low ? kernel ":" low (high > low ? "-" high : "") ", " : ""
    summary = lines work " multiply-add" (work > 1 ? "s" : "") " a turn"
}

# Copies that a compiler makes of a loop may have no lines: the one that has them comes first.
function better() {
    if (work != best) return work > best
    if ((lines != "") != (best_lines != "")) return lines != ""
    return instructions < shortest
}

END {
    find_loops()
    for (integers = 0; integers < 2 && !best; integers++)
        for (start = 1; start <= n; start++) {
            if (!(start in last) || holds_another(start)) continue
            measure(start, integers)
            if (!work) continue
            if (!(summary in lines_of)) all[++count] = summary
            lines_of[summary] = lines
            if (!better()) continue
            best = work
            best_lines = lines
            shortest = instructions
            chosen = start
            title = summary
        }
    if (!best) {
        print "  (no loop that multiplies found)"
        exit
    }
    for (i = chosen; i <= last[chosen]; i++) {
        line = text[i]
        gsub(/\t/, "  ", line)
        print "  " line
    }
    print "  " title ", in " shortest " instructions"
    for (i = 1; i <= count; i++)
        if (all[i] != title && (lines_of[all[i]] != "" || best_lines == "")) print "  another loop: " all[i]
}
