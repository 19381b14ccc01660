# SPDX-License-Identifier: MIT
# inside.awk FILE ... REPORT: the names of the markers that have something between them in REPORT which
# none of the other files has there: a student's words, that filling would overwrite.
{
    sub(/\r$/, "")
    text[FILENAME] = text[FILENAME] $0 "\n"
}

function look_into(file, is_report,    rest, name, content) {
    rest = text[file]
    while (match(rest, /<!--[ \t]*fill[ \t]+[a-z0-9-]+[ \t]*-->/)) {
        name = substr(rest, RSTART, RLENGTH)
        gsub(/^<!--[ \t]*fill[ \t]+|[ \t]*-->$/, "", name)
        rest = substr(rest, RSTART + RLENGTH)
        if (!match(rest, /<!--[ \t]*end[ \t]*-->/))
            return
        content = substr(rest, 1, RSTART - 1)
        gsub(/^[ \t\n]+|[ \t\n]+$/, "", content)
        if (!is_report)
            known[name, content] = 1
        else if (!((name, content) in known))
            print name
    }
}

END {
    for (i = 1; i < ARGC; i++)
        look_into(ARGV[i], i == ARGC - 1)
}
