# SPDX-License-Identifier: MIT
# What tools/report/compare prints, which says what the figures mean. After csv.awk and quantile.awk:
# side=A, A's CSVs, data/provenance.txt and data/defaults.txt, side=B and B's. The folders' names are A and B in the environment.

function refuse(why) {
    print "compare: " FILENAME " line " FNR " " why \
        ": take it from a copy, or measure again: make report" >"/dev/stderr"
    refused = 1
    exit
}

# Median, spread and the factors from the median to either end of the interval, of a cell of one side.
function summarize(side, cell,    n, i, v, stretch) {
    n = count[side, cell]
    for (i = 1; i <= n; i++)
        v[i] = ms[side, cell, i]
    sorted(v, n)
    median[side] = quantile(v, n, .5)
    spread[side] = n < 3 ? "-" : percent((quantile(v, n, .75) - quantile(v, n, .25)) / median[side])
    stretch = n < 10 ? sqrt(10 / n) : 1
    lower[side] = (quantile(v, n, .25) / median[side]) ^ stretch
    upper[side] = (quantile(v, n, .75) / median[side]) ^ stretch
}

function percent(x) { return x >= 10 ? ">1k" : sprintf("%.0f", 100 * x) }
function digits(x) { return x >= 1000 ? 0 : x >= 100 ? 1 : x >= 10 ? 2 : x >= 1 ? 3 : x >= .1 ? 4 : 5 }
function time(x) { return sprintf("%." digits(x) "f", x) }
function ratio(x) { return sprintf(x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : x >= .1 ? "%.2f" : "%.2g", x) }

# The beginning of a text that fits into a width, whole words if they are short.
function piece(text, width,    cut) {
    if (length(text) <= width)
        return text
    for (cut = width; cut > width / 2; cut--)
        if (substr(text, cut + 1, 1) == " ")
            return substr(text, 1, cut)
    return substr(text, 1, width)
}

function rest(text, width) {
    text = substr(text, length(piece(text, width)) + 1)
    sub(/^ +/, "", text)
    return text
}

function say(text, indent) { # wrapped; the lines after the first begin with the indent
    for (; length(text) > 80; text = indent rest(text, 80))
        print piece(text, 80)
    print text
}

function beside(name, a, b,    line) { # three columns, each wrapped
    while (name a b != "") {
        line = sprintf("%-14s %-32s %s", piece(name, 14), piece(a, 32), piece(b, 32))
        sub(/ +$/, "", line)
        print line
        name = rest(name, 14); a = rest(a, 32); b = rest(b, 32)
    }
}

FILENAME ~ /provenance\.txt$/ {
    provenance[side] = 1
    name = $0
    sub(/:.*/, "", name)
    if (name !~ /^(cpu|opencl|cuda)$|device|driver|commit/ || name == $0)
        next
    lines[side, name]++ # there may be several devices
    id = name SUBSEP lines[side, name]
    if (!(id in named)) {
        named[id] = name
        ids[++all_ids] = id
    }
    sub(/^[^:]*: */, "")
    value[side, id] = $0
    next
}

FILENAME ~ /defaults\.txt$/ {
    name = $0
    sub(/:.*/, "", name)
    sub(/^[^:]*: */, "")
    default_of[side, name] = $0
    next
}

{ sub(/\r$/, "") }

FNR == 1 {
    if ($0 != header)
        refuse("is not the header of a report")
    next
}

{
    why_not = fault(f, fields($0, f))
    if (why_not)
        refuse(why_not)
    if (f[10] == "") { # not run
        why[side, f[1], f[2], f[5], f[21], f[7]] = f[23]
        next
    }
    group = f[1] SUBSEP f[2] SUBSEP f[5] SUBSEP f[21]
    cell = group SUBSEP f[7]
    if ((side, cell) in device && device[side, cell] != f[4])
        refuse("has a second device for one cell, " f[4] " after " device[side, cell])
    device[side, cell] = f[4]
    backend[cell] = f[3]
    if (!known_lab[f[1]]++)
        labs[++all_labs] = f[1]
    if (!known_group[group]++) {
        groups[++all_groups] = group
        lab_of[group] = f[1]
    }
    if (!known_cell[cell]++)
        sizes[group, ++all_sizes[group]] = f[7]
    ms[side, cell, ++count[side, cell]] = f[10] + 0
    measured[side]++
    has[side, f[3]] = 1
}

# A cell that one side alone has, and why the other has it not, if that is known.
function alone(side, other, lab, cell) {
    only[side, lab]++
    if (!((side, lab) in reason) && (other, cell) in why)
        reason[side, lab] = " (" other ": " why[other, cell] ")"
}

# One row of the table, and what the sums at the end need of it.
function compare(cell, size,    base, faster, low, high, between, verdict, s) {
    summarize("A", cell)
    summarize("B", cell)
    base = backend[cell]
    faster = median["A"] / median["B"]
    cells[base]++
    if (count["A", cell] < 3 || count["B", cell] < 3) {
        few[base]++
        between = "-"
        verdict = "too few repetitions to tell"
    } else {
        low = lower["A"] / upper["B"]
        high = upper["A"] / lower["B"]
        low = ratio(faster * (low < 1 / drift[base] ? low : 1 / drift[base]))
        high = ratio(faster * (high > drift[base] ? high : drift[base]))
        between = low ".." high
        if (low + 0 > 1) { wins["B", base]++; verdict = "B is faster" }
        else if (high + 0 < 1) { wins["A", base]++; verdict = "A is faster" }
        else verdict = "no difference beyond the noise"
        logs[base] += log(faster)
    }
    for (s = 1; s <= 2; s++)
        remember(substr("AB", s, 1), base, cell)
    printf "%5d %7s %3s %7s %3s %7s %-11s %s\n", size, time(median["A"]), spread["A"],
        time(median["B"]), spread["B"], ratio(faster), between, verdict
}

function remember(side, base, cell) { # the devices of a backend
    if (!met[side, base, device[side, cell]]++)
        devices[side, base] = devices[side, base] (devices[side, base] == "" ? "" : " and ") device[side, cell]
}

# twice(side, base): adds to apart[1..pairs] by what factor times of one setting are apart, where it was timed
# as the default and again in a sweep.
function twice(side, base,    g, i, f, cell, twin, first) {
    for (g = 1; g <= all_groups; g++) {
        split(groups[g], f, SUBSEP)
        twin = f[1] SUBSEP f[2] SUBSEP f[3] SUBSEP default_of[side, f[1] (f[2] == "" ? "" : ", " f[2])]
        if (f[4] != "" || twin == groups[g])
            continue
        for (i = 1; i <= all_sizes[groups[g]]; i++) {
            cell = groups[g] SUBSEP sizes[groups[g], i]
            if (backend[cell] != base || !((side, cell) in count) || !((side, twin, sizes[groups[g], i]) in count))
                continue
            summarize(side, cell)
            first = median[side]
            summarize(side, twin SUBSEP sizes[groups[g], i])
            apart[++pairs] = first > median[side] ? first / median[side] : median[side] / first
        }
    }
}

END {
    if (refused)
        exit 2
    for (s = 1; s <= 2; s++) {
        side = substr("AB", s, 1)
        if (!measured[side]) {
            print "compare: " ENVIRON[side] " has no times: measure there first: make report" >"/dev/stderr"
            exit 2
        }
    }

    split("cpu opencl cuda", bases, " ")
    for (i = 1; i <= 3; i++) {
        pairs = 0
        twice("A", bases[i])
        twice("B", bases[i])
        sorted(apart, pairs)
        drift[bases[i]] = pairs ? quantile(apart, pairs, .9) : 1
        if (pairs)
            drift_of[bases[i]] = pairs " settings were timed twice: 9 in 10 are within " ratio(drift[bases[i]]) " times, all within " ratio(apart[pairs])
    }

    beside("", "A", "B")
    beside("report", ENVIRON["A"], ENVIRON["B"])
    for (i = 1; i <= all_ids; i++) {
        a = value["A", ids[i]]
        b = value["B", ids[i]]
        beside(named[ids[i]], a == "" ? "-" : a, b == "" ? "-" : b)
    }
    for (s = 1; s <= 2; s++) {
        side = substr("AB", s, 1)
        if (!provenance[side])
            print side " has no data/provenance.txt: its machine is unknown"
    }
    print ""
    print "ms: median of the repetitions; %: their interquartile range, of the median;"
    print "B/A: how many times as fast B is, A's time over B's; interval: by the quartiles,"
    print "and no narrower than what was timed twice is apart"

    for (l = 1; l <= all_labs; l++) {
        titled = 0
        for (g = 1; g <= all_groups; g++) {
            group = groups[g]
            if (lab_of[group] != labs[l])
                continue
            n = all_sizes[group]
            for (i = 1; i <= n; i++)
                in_order[i] = sizes[group, i] + 0
            sorted(in_order, n)
            headed = 0
            for (i = 1; i <= n; i++) {
                cell = group SUBSEP in_order[i]
                if (!(("B", cell) in count)) { alone("A", "B", labs[l], cell); continue }
                if (!(("A", cell) in count)) { alone("B", "A", labs[l], cell); continue }
                if (!titled++) {
                    print ""
                    say(labs[l], "    ")
                    printf "%5s %7s %3s %7s %3s %7s %s\n", "N", "A ms", "%", "B ms", "%", "B/A", "interval"
                }
                split(group, f, SUBSEP)
                if (!headed++)
                    say("  " f[3] (f[2] == "" ? "" : ", " f[2]) (f[4] == "" ? "" : ", " f[4]), "    ")
                compare(cell, in_order[i])
            }
        }
        tables += titled > 0
    }
    print ""
    if (!tables)
        print "No cell was measured in both."
    for (s = 1; s <= 2; s++) {
        side = substr("AB", s, 1)
        text = ""
        for (l = 1; l <= all_labs; l++)
            if (n = only[side, labs[l]])
                text = text (text == "" ? "" : ", ") labs[l] " " n reason[side, labs[l]]
        say("cells that only " side " has: " (text == "" ? "none" : text), "    ")
    }
    for (i = 1; i <= 3; i++) {
        base = bases[i]
        if (!cells[base] && has["A", base] && has["B", base])
            print "\n" base ": no size and setting in common: is one of them QUICK=1, or on another\n  kind of device?"
        if (!cells[base])
            continue
        print ""
        n = cells[base] - few[base]
        print base ": geometric mean of B/A " (n ? ratio(exp(logs[base] / n)) : "-") " over " \
            n (n == 1 ? " cell" : " cells") (few[base] ? "; too few repetitions in " few[base] : "")
        print "  B is faster in " wins["B", base] + 0 ", A is faster in " wins["A", base] + 0
        if (drift_of[base])
            say("  " drift_of[base], "    ")
        if (devices["A", base] == devices["B", base])
            say("  A and B: " devices["A", base], "    ")
        else {
            say("  A: " devices["A", base], "    ")
            say("  B: " devices["B", base], "    ")
        }
    }
}
