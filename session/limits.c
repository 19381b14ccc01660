// SPDX-License-Identifier: MIT
// What is too large: for the machine's memory, or for kernels that count with int.
#include "session/large.h"

#include <limits.h>
#include <unistd.h>

// `count` rounded up to full tiles.
static double padded(int count, int tile)
{
    return ((count - 1) / tile + 1.0) * tile;
}

// Kernels count with int. In a partial tile, they may form the indices of all of
// it (row + r, k * N + col, r * N) although they touch nothing outside, and a loop over
// tiles ends one tile past the last: all of this must stay below 2^31.
static void check_indices(struct tile t, int M, int N, int K)
{
    double m = padded(M, t.m), n = padded(N, t.n), k = padded(K, t.k);
    const struct {
        char name;
        double elements;
    } matrices[] = {{'A', m * k}, {'B', k * n}, {'C', m * n}};
    for (int i = 0; i < 3; i++)
        if (matrices[i].elements > INT_MAX)
            exit_with(
                EXIT_USAGE,
                "%c would have %.0f elements in full tiles: at most 2^31-1, which is what kernels "
                "can count with int: choose a smaller size",
                matrices[i].name, matrices[i].elements);
    if (m + t.m > INT_MAX || n + t.n > INT_MAX || k + t.k > INT_MAX)
        exit_with(
            EXIT_USAGE,
            "%d x %d x %d and one more tile are more than kernels can count with int, 2^31-1: "
            "choose a smaller size",
            M, N, K);
}

void require_size(struct tile tile, int M, int N, int K, double copies)
{
    double elements = (double)M * K + (double)K * N + (double)M * N;
    double gib = copies * elements * sizeof(real) / (1 << 30);
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30);
    check_indices(tile, M, N, K);
    if (gib > 0.9 * have)
        exit_with(EXIT_USAGE,
                  "%d x %d x %d needs %.1f GiB, this machine has %.1f: choose a smaller size", M, N,
                  K, gib, have);
}
