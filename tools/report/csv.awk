# SPDX-License-Identifier: MIT
# fields(line, out): splits one line of CSV into out[1], out[2], ... and returns how many there are.
# A field in "quotes" loses them and may contain commas, no quotes.
# Call: awk -f tools/report/csv.awk -f PROGRAM FILE

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
