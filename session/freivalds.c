// SPDX-License-Identifier: MIT
// Freivalds' test (1977): if C = A B then C x = A (B x) for every vector x, and if not, a random x
// shows it. It takes O(n^2), so every timed run can afford it.
#include "session/large.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

uint64_t verification_secret;

static uint64_t random64(uint64_t index) // splitmix64, G. Steele et al. 2014
{
    uint64_t x = (index + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

// Both functions mark the rows that are wrong, and return how many. x: N, y: K of scratch.

// No exact sum is larger. What is larger is wrong, be it a multiple of 2^64 or not.
static double largest_sum(void)
{
    return sizeof(real) == 8 ? 0x1p53 : REAL_IS_INT ? 0x1p31 : 0x1p24;
}

// Exact data: arithmetic modulo 2^64, where a wrong element of float or int escapes with
// probability < 2^-32.
static long freivalds_exact(const struct problem *p, uint64_t *x, uint64_t *y, bool *failed)
{
    size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K;
    const double largest = largest_sum();
    long count = 0;
    for (size_t j = 0; j < N; j++)
        x[j] = random64(verification_secret + j);
    for (size_t k = 0; k < K; k++)
        for (size_t j = 0; j < N; j++)
            y[k] += (uint64_t)(int64_t)p->B.data[k * N + j] * x[j];
    for (size_t i = 0; i < M; i++) {
        uint64_t difference = 0;
        for (size_t k = 0; k < K; k++)
            difference += (uint64_t)(int64_t)p->A.data[i * K + k] * y[k];
        bool whole = true;
        for (size_t j = 0; j < N; j++) {
            double c = (double)p->C.data[i * N + j];
            bool fits = fabs(c) <= largest; // false for NaN, whose conversion would be undefined
            int64_t integer = fits ? (int64_t)c : 0;
            whole = whole && fits && c == (double)integer;
            difference -= (uint64_t)integer * x[j];
        }
        failed[i] = !whole || difference != 0;
        count += failed[i];
    }
    return count;
}

// Sums over a row r of n elements: of r[j] * x[j], and of r[j]^2 * weights[j].
struct sums {
    double products, squares;
};

// Eight sums of each kind, because an addition to a sum waits for the previous one.
static struct sums sums_of(const real *row, const double *x, const double *weights, size_t n)
{
    enum { LANES = 8 };
    double products[LANES] = {0}, squares[LANES] = {0};
    struct sums sums = {0, 0};
    size_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (size_t lane = 0; lane < LANES; lane++) {
            double r = (double)row[j + lane];
            products[lane] += r * x[j + lane];
            squares[lane] += r * r * weights[j + lane];
        }
    for (; j < n; j++) {
        double r = (double)row[j];
        sums.products += r * x[j];
        sums.squares += r * r * weights[j];
    }
    for (int lane = 0; lane < LANES; lane++) {
        sums.products += products[lane];
        sums.squares += squares[lane];
    }
    return sums;
}

// Rounded data: x of random signs. The errors of a row then add up like a random walk, to the root
// of the sum of their squares. So do their bounds, which are 26 times as large as errors are in the
// mean. The last term is for the rounding in this function, which counts if C is double.
static long freivalds_rounded(const struct problem *p, double *x, double *y, bool *failed)
{
    size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K;
    double factor = rounding_factor(p) + 8 * sqrt((double)N) * DBL_EPSILON;
    double *squares = scratch(K, sizeof *squares), *ones = scratch(N, sizeof *ones);
    long count = 0;
    for (size_t j = 0; j < N; j++) {
        x[j] = random64(verification_secret + j) >> 63 ? 1 : -1;
        ones[j] = 1;
    }
    for (size_t k = 0; k < K; k++) {
        struct sums b = sums_of(p->B.data + k * N, x, ones, N);
        y[k] = b.products;
        squares[k] = b.squares;
    }
    for (size_t i = 0; i < M; i++) {
        struct sums a = sums_of(p->A.data + i * K, y, squares, K);
        struct sums c = sums_of(p->C.data + i * N, x, ones, N);
        failed[i] = !(fabs(a.products - c.products) <= factor * sqrt(a.squares));
        count += failed[i];
    }
    free(squares);
    free(ones);
    return count;
}

// Marks the rows of C that are wrong, and returns how many.
static long freivalds(const struct problem *p, bool *failed)
{
    void *x = scratch((size_t)p->N, 8), *y = scratch((size_t)p->K, 8);
    long count =
        is_exact(p) ? freivalds_exact(p, x, y, failed) : freivalds_rounded(p, x, y, failed);
    free(x);
    free(y);
    return count;
}

// Four rows from the first to the last, eight that follow from a judge's secret, and up to 32 of
// those that Freivalds' test finds wrong, to explain them.
const char *choose_rows(const struct problem *p, bool sampled, bool *chosen, struct found *f)
{
    const int M = p->M, fixed[] = {0, M / 3, M - M / 3, M - 1};
    const uint64_t secret = verification_secret;
    bool *failed = scratch((size_t)M, sizeof *failed);
    for (int s = 0; sampled && s < 4; s++)
        chosen[fixed[s] < M ? fixed[s] : 0] = true;
    for (uint64_t s = 0; sampled && secret != 0 && s < 8; s++)
        chosen[random64(secret - 1 - s) % (uint64_t)M] = true;
    f->suspects = freivalds(p, failed);
    long step = f->suspects / 32 + 1, seen = 0;
    for (int i = 0; i < M; i++)
        chosen[i] = chosen[i] || (failed[i] && seen++ % step == 0);
    free(failed);
    return !sampled ? "Freivalds" : secret != 0 ? "Freivalds + 12 rows" : "Freivalds + 4 rows";
}
