# SPDX-License-Identifier: MIT
# sorted(v, n): sorts the numbers v[1], ..., v[n]. quantile(v, n, q): of n sorted numbers, the one at the
# part q of them, between two neighbours where it falls there (as numpy and R do by default); 0 if n is 0.

function sorted(v, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i] + 0
        for (j = i - 1; j > 0 && v[j] + 0 > x; j--)
            v[j + 1] = v[j]
        v[j + 1] = x
    }
}

function quantile(v, n, q,    at, below) {
    at = 1 + q * (n - 1)
    below = int(at)
    return n == 0 ? 0 : v[below] + (at - below) * (v[below < n ? below + 1 : below] - v[below])
}
