# SPDX-License-Identifier: MIT
# Where the names of a roofline's points go, so that none lies on another. Reads, separated by tabs:
# FLOP/byte, GFLOP/s, style, name. Prints them followed by the place of the name's left end and the
# ends of a line from the name to its point; places are FLOP/byte and GFLOP/s, too.
# Call: awk -v limits="PEAK BANDWIDTH XMIN XMAX YMIN YMAX" -v height=HEIGHT_OF_THE_AXES -f roofline.awk

function px(x) { return left + (right - left) * log(x / xmin) / log(xmax / xmin) }
function py(y) { return height * log(y / ymin) / log(ymax / ymin) }
function data_x(p) { return xmin * exp((p - left) / (right - left) * log(xmax / xmin)) }
function data_y(p) { return ymin * exp(p / height * log(ymax / ymin)) }

# How bad a name is with its left end at x and its middle at y, in pixels.
function badness(x, y, wide,    i, bad, at, roof) {
    if (x < left + 2 || x + wide > right + 12 || y < 9 || y > height - 7)
        bad += 5000
    for (i = 1; i <= n; i++) {
        if (x < point_x[i] + 7 && x + wide > point_x[i] - 7 && y - 14 < point_y[i] && y + 14 > point_y[i])
            bad += 1000
        if (i in name_x && x < name_x[i] + width[i] && x + wide > name_x[i] &&
            y - 15 < name_y[i] && y + 15 > name_y[i])
            bad += 1000
    }
    for (at = x; at <= x + wide; at += wide / 8) { # on the ceilings?
        roof = data_x(at) * bandwidth
        roof = py(roof < peak ? roof : peak)
        if (y - 9 < roof && y + 9 > roof)
            return bad + 200
    }
    return bad
}

BEGIN {
    FS = OFS = "\t"
    split(limits, limit, " ")
    peak = limit[1]; bandwidth = limit[2]
    xmin = limit[3]; xmax = limit[4]; ymin = limit[5]; ymax = limit[6]
    left = 68; right = 464 # as in roofline.gp
}
{
    line[++n] = $0
    point_x[n] = px($1); point_y[n] = py($2); width[n] = 6.9 * length($4) + 2
}
END {
    for (i = 1; i <= n; i++) {
        best = 1e9
        for (side = 0; side <= 2; side++) # right, left, above or below
            for (step = 0; step <= 34; step++) {
                away = (step % 2 ? 1 : -1) * int((step + 1) / 2) * 8
                if (side == 2 && away > -16 && away < 16)
                    continue
                x = point_x[i] + (side == 0 ? 9 : side == 1 ? -9 - width[i] : -width[i] / 2)
                y = point_y[i] + away
                bad = badness(x, y, width[i]) + (away < 0 ? -away : away) + 4 * side
                if (bad < best) {
                    best = bad; name_x[i] = x; name_y[i] = y
                    # A line only to a name that is not beside its point.
                    from_x = side == 0 ? x - 1 : side == 1 ? x + width[i] - 3 : point_x[i]
                    from_y = side == 2 ? y + (away < 0 ? 8 : -8) : y
                    if (away > -12 && away < 12) { from_x = point_x[i]; from_y = point_y[i] }
                }
            }
        print line[i], data_x(name_x[i]), data_y(name_y[i]), data_x(from_x), data_y(from_y)
    }
}
