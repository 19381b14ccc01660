# SPDX-License-Identifier: MIT
# The mistake that a tool reports: what kind it is and where in the kernel. Reads what the tool said,
# -v kernel=kernel.cu. Prints one line: kind, line, other line (or 0), what exactly. Of several mistakes
# the one that may have caused the others: who writes outside a tile races with its neighbours, who
# misses a barrier races, and who races reads what is not yet written. Of one kind, the first.
# Knows oclgrind, AddressSanitizer, UndefinedBehaviorSanitizer, ThreadSanitizer, valgrind, compute-sanitizer
# and emulation/.
function keep() { # what began last, if it is worse than what is kept
    if (kind == "" || rank[kind] >= best) return
    best = rank[kind]
    first = line[1] + 0
    second = lines > 1 && line[2] != line[1] ? line[2] : 0
    if (second > 0 && second < first) { swap = first; first = second; second = swap }
    kept = sprintf("%s\t%d\t%d\t%s", kind, first, second, exactly)
}

function begin(new_kind, what) {
    keep()
    kind = new_kind
    exactly = what
    lines = 0
    searching = 1
}

# A place in the kernel; of each stack only the innermost.
function place(number) {
    if (kind != "" && searching && lines < 2) line[++lines] = number
    searching = 0
}

function after(pattern) { # the number that follows it in this line
    match($0, pattern)
    return substr($0, RSTART + RLENGTH) + 0
}

BEGIN {
    count = split("bounds undefined launch divergence warp race leak unwritten", kinds)
    for (i = 1; i <= count; i++) rank[kinds[i]] = i
    best = count + 1
    file = kernel
    gsub(/[.]/, "[.]", file)
    in_kernel = "(^|[/ (])" file ":"
}

# oclgrind: its name for the kernel is input.cl
/^(Read-write|Write-write) data race/ { begin("race", tolower($1)) }
/^Work-group divergence/ { begin("divergence", "") }
/^Invalid (read|write) of size/ { begin("bounds", $2 "s outside " $7 " memory") }
/^Index .* exceeds static array size/ { gsub(/[()]/, ""); begin("bounds", "index " $2 " of an array of " $NF) }
/^Uninitialized/ { begin("unwritten", "") }
/^\t?(First|Second) entity|^\tWork-item:|^\tPrevious work-items/ { searching = 1 }
/^\tAt line .* of input[.]cl/ { place(after("line ")) }

# sanitizers
/: runtime error: / && $0 ~ in_kernel {
    begin($0 ~ /out of bounds/ ? "bounds" : "undefined", substr($0, index($0, "error: ") + 7))
    place(after(in_kernel))
}
/ERROR: AddressSanitizer: FPE/ { begin("unwritten", "") }
/ERROR: AddressSanitizer: / && !/FPE/ { begin("bounds", "touches memory that is not there") }
/^(READ|WRITE) of size/ && kind == "bounds" { exactly = ($1 == "READ" ? "reads" : "writes") " outside an array" }
/^Direct leak of/ { begin("leak", $4 " bytes") }
/WARNING: ThreadSanitizer: data race/ { begin("race", ""); searching = 0 }
/^  (Previous )?([Aa]tomic )?([Rr]ead|[Ww]rite) of size/ { searching = 1 }
/^ *#[0-9]+ / && $0 ~ in_kernel { place(after(in_kernel)) }

# valgrind: ==PID== before each line
/^==[0-9]+== Invalid (read|write) of size/ { begin("bounds", $3 "s outside an array") }
/^==[0-9]+== (Conditional jump|Use of uninitialised)/ { begin("unwritten", "") }
/^==[0-9]+==  Uninitialised value was created/ { searching = 1 }
/^==[0-9]+==    (at|by) / && $0 ~ in_kernel { place(after(in_kernel)) }
/^==[0-9]+==  Address / { searching = 0 }

# compute-sanitizer
/^=+ .*Race reported between/ { begin("race", "") }
/^=+ +and .* access / { searching = 1 }
/^=+ Barrier error detected/ { begin("divergence", "") }
/^=+ Invalid __[a-z]*__ (read|write) of size/ {
    begin("bounds", $4 "s outside " substr($3, 3, length($3) - 4) " memory")
}
/^=+ Uninitialized / { begin("unwritten", "") }
/^=+ .*access (at|by)| at .* in / && $0 ~ in_kernel { place(after(in_kernel)) }

# emulation/
/: (warp divergence|misaligned address|too many threads): / && $0 ~ in_kernel {
    what = substr($0, match($0, /(warp divergence|misaligned address|too many threads): /))
    begin(what ~ /^warp/ ? "warp" : what ~ /^mis/ ? "undefined" : "launch", what)
    place(after(in_kernel))
}
/: barrier divergence: / && $0 ~ in_kernel {
    begin("divergence", "")
    place(after(in_kernel))
}
/others at the one in line / { searching = 1; place(after("the one in line ")) }

END {
    keep()
    if (kept != "") print kept
}
