# SPDX-License-Identifier: MIT
# Reads a Markdown document, with an x behind its last byte, and prints it with its markers filled. This
# is the part of tools/report/fill that knows markers; FILE and FOLDER in the environment are its
# arguments. Status 1 if a marker had to be left as it was.
#
# Markers become tokens 1, 2, ...: kind (fill, end), name, at (line), first and last (columns), alone
# (whether nothing else stands in the line). They are paired, checked, and filled from the last to the
# first, so that columns stay right.

function problem(at_line, what, advice) {
    what = "fill: " ENVIRON["FILE"] ":" at_line ": " what
    problems[at_line] = problems[at_line] what ": left as it is; " advice "\n"
    skipped = 1
}

# prefix(line): how long the marks of the quotes and lists are that it begins with.
function prefix(line,    passed) {
    while (match(line, /^ ? ? ?(>|([-*+]|[0-9]+[.)])[ \t])/)) {
        passed += RLENGTH
        line = substr(line, RLENGTH + 1)
    }
    return passed + 0
}

# in_code(line): whether it belongs to a fenced code block. fence is what began that, empty outside; depth
# is the length of the marks before it, and quoted whether they are a quote's: it ends where these do.
function in_code(line,    run, rest) {
    if (fence != "" && depth && (quoted ? line !~ /^ ? ? ?>/ : line ~ /[^ \t\r]/ && match(line, /^ */) && RLENGTH < depth))
        fence = ""
    if (fence == "") {
        depth = prefix(line)
        quoted = line ~ /^ ? ? ?>/
        line = substr(line, depth + 1)
    } else if (depth)
        sub(/^[ >]*/, "", line)
    if (!match(line, /^ ? ? ?(```+|~~~+)/))
        return fence != ""
    run = substr(line, 1, RLENGTH)
    rest = substr(line, RLENGTH + 1)
    sub(/^ */, "", run)
    if (fence == "") {
        if (run ~ /`/ && rest ~ /`/)
            return 0
        fence = run
    } else if (index(run, fence) == 1 && rest !~ /[^ \t\r]/)
        fence = ""
    return 1
}

# code_until(rest, backticks): the length of inline code up to its closing backticks, 0 if there are none.
function code_until(rest, backticks,    passed) {
    while (match(rest, /`+/)) {
        passed += RSTART + RLENGTH - 1
        if (RLENGTH == backticks)
            return passed
        rest = substr(rest, RSTART + RLENGTH)
    }
    return 0
}

function keep(marker, at_line, column, line) {
    tokens++
    at[tokens] = at_line
    first[tokens] = column
    last[tokens] = column + length(marker) - 1
    gsub(/^[ \t]+|[ \t\r]+$/, "", line)
    alone[tokens] = line == marker
    gsub(/^<!--[ \t]*|[ \t]*-->$/, "", marker)
    kind[tokens] = marker ~ /^fill/ ? "fill" : "end"
    sub(/^[a-z]*[ \t]*/, "", marker)
    name[tokens] = marker
    if (kind[tokens] == "fill")
        times[marker]++
}

# find(line, at_line, column): the tokens of a line that begins in this column.
function find(line, at_line, column,    rest, part, code, plain) {
    rest = line
    while (match(rest, /\\[\\`]|`+|<!--[ \t]*(fill([ \t][^>]*)?|end[ \t]*)-->/)) {
        part = substr(rest, RSTART, RLENGTH)
        plain = plain substr(rest, 1, RSTART - 1) "\n"
        column += RSTART - 1
        rest = substr(rest, RSTART + RLENGTH)
        if (part ~ /^</)
            keep(part, at_line, column, line)
        column += length(part)
        if (part ~ /^`/) {
            code = code_until(rest, length(part))
            rest = substr(rest, code + 1)
            column += code
        }
    }
    # Nearly a marker, as by an editor that makes one dash of two: \342\200\223 and \342\200\224 are such.
    if (tolower(plain rest) ~ /<(!|-|\342\200\223|\342\200\224)[^a-z<]*(fill[ \t]+[a-z0-9-]+|end)[ \t\r]*(-?-?>|\342\200|\n|$)/)
        problem(at_line, "a damaged marker", "write <!-- fill NAME --> and <!-- end -->")
}

function has_marker(line) {
    return line ~ /<!--[ \t]*(fill[ \t][^>]*|end[ \t]*)-->/
}

function find_all(    i, line, bom, begun) {
    for (i = 1; i <= NR; i++) {
        line = text[i]
        bom = i == 1 && sub(/^\357\273\277/, "", line) ? 3 : 0
        if (in_code(line)) {
            if (begun == 0)
                begun = i
            hidden = hidden || has_marker(line)
            if (fence == "")
                begun = hidden = 0
        } else if (substr(line, prefix(line) + 1) ~ /^ ? ? ?(\t|    )/ && has_marker(line))
            problem(i, "a marker behind four blanks or a tab, where Markdown begins code", "indent it less")
        else {
            begun = hidden = 0
            heading[i] = line ~ /^ ? ? ?#+[ \t]/
            find(line, i, bom + 1)
        }
    }
    if (hidden)
        problem(begun, "a code block without an end hides markers", "put " fence " behind it")
}

# read(t): the value of a token's name into value[1..values]. Says why and returns 0 if it is unfit.
function read(t,    path, line, got) {
    values = 0
    path = ENVIRON["FOLDER"] "/" name[t]
    if (name[t] ~ /^[a-z0-9-]+$/) {
        while ((got = (getline line < path)) > 0) {
            sub(/\r$/, "", line)
            value[++values] = line
        }
        close(path)
    } else
        got = -1
    if (got < 0) {
        problem(at[t], "there is nothing to fill into " name[t], "if the name is wrong, mend it")
        return 0
    }
    fence = ""
    for (got = 1; got <= values; got++) {
        in_code(value[got])
        if (value[got] ~ /<!--|-->/) {
            problem(at[t], "the value of " name[t] " has a comment in it", "mend " path)
            return 0
        }
    }
    if (fence != "") {
        problem(at[t], "the value of " name[t] " has a code block without an end", "mend " path)
        return 0
    }
    return 1
}

# No value has headings: where there is one, an end and a fill may be lost, and the text between is not ours.
function fill_block(t,    i, line_end) {
    for (i = at[t] + 1; i < at[t + 1]; i++)
        if (heading[i]) {
            problem(at[t], "fill " name[t] " has a heading inside, in line " i, "put <!-- end --> where it ends")
            return
        }
    for (i = at[t] + 1; i < at[t + 1]; i++)
        dropped[i] = 1
    line_end = (text[at[t]] ~ /\r$/ ? "\r" : "") "\n"
    for (i = 1; i <= values; i++)
        content[at[t]] = content[at[t]] value[i] line_end
}

function fill_inline(t,    line) {
    if (values > 1 || value[1] ~ /`/) {
        problem(at[t], "the value of " name[t] " does not fit into a line",
            "put both markers on lines of their own")
        return
    }
    line = text[at[t]]
    text[at[t]] = substr(line, 1, last[t]) (values ? " " value[1] " " : " ") substr(line, first[t + 1])
}

function fill(t) {
    if (times[name[t]] > 1)
        problem(at[t], "fill " name[t] " is there " times[name[t]] " times", "keep one of them")
    else if (at[t] != at[t + 1] && !(alone[t] && alone[t + 1]))
        problem(at[t], "fill " name[t] " and its end share lines with other text",
            "put both on lines of their own, or both into one line")
    else if (read(t)) {
        if (at[t] == at[t + 1])
            fill_inline(t)
        else
            fill_block(t)
    }
}

# Goes backwards: an end is expected to have its fill just before it.
function fill_all(    t) {
    for (t = tokens; t > 0; t--) {
        if (kind[t] == "fill")
            problem(at[t], "fill " name[t] " has no end" (t < tokens ? " before line " at[t + 1] : ""),
                "put <!-- end --> behind it")
        else if (kind[t - 1] == "fill")
            fill(--t)
        else if (kind[t - 1] == "end" && kind[t - 2] == "fill" && kind[t - 3] == "fill") {
            problem(at[t - 2], "fill " name[t - 2] " lies inside fill " name[t - 3], "move it out of there")
            problem(at[t - 3], "fill " name[t - 3] " has fill " name[t - 2] " inside", "move that one out")
            t -= 3
        } else
            problem(at[t], "end without a fill", "remove it, or put its <!-- fill NAME --> back")
    }
}

{ text[NR] = $0 }

END {
    sub(/x$/, "", text[NR])
    find_all()
    fill_all()
    for (i = 1; i <= NR; i++) {
        if (!(i in dropped))
            printf "%s%s%s", text[i], (i < NR ? "\n" : ""), content[i]
        if (i in problems)
            printf "%s", problems[i] | "cat >&2"
    }
    exit skipped
}
