// SPDX-License-Identifier: MIT
// Random fill: seeded inputs, a poisoned output, guards around both.
//
//     block   [ guard | row 0 | row 1 | ... | row rows-1 | guard ]
//     A, B      NaN     the inputs                          NaN      a stray read gives NaN
//     C         ~0      unset until written                 ~0       a stray write changes a word
//
// The NaN beside A and B is not the ~0 of C, so a stray value that is stored in C's guard shows.
// Unset is ~0, a NaN, or with UNIFORM inputs a number, because a kernel may treat a NaN as 0.
#include "lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Quiet NaNs, as float and as double; 1234.567, which is 3e22 as double.
static const uint32_t input_guard = 0x7FFDA5A5u, poison = 0xFFFFFFFFu, unset = 0x449A522Bu;
enum { PAGE_BYTES = 4096 }; // every matrix begins at the same place in a page
struct precision precision;

size_t elements_of(const struct matrix *m)
{
    return (size_t)m->rows * (size_t)m->cols;
}

bool matrix_create(struct matrix *m, int rows, int cols)
{
    *m = (struct matrix){.rows = rows, .cols = cols};
    m->bytes = elements_of(m) * sizeof(real) + 2 * (size_t)GUARD_BYTES;
    if (posix_memalign(&m->block, PAGE_BYTES, m->bytes) != 0)
        m->block = NULL;
    m->data = (real *)((char *)m->block + (size_t)GUARD_BYTES);
    return m->block != NULL;
}

void size_problem(struct problem *p, struct tile tile, int M, int N, int K)
{
    *p = (struct problem){.M = M, .N = N, .K = K, .tile = tile};
    p->A.rows = p->C.rows = M;
    p->B.rows = p->A.cols = K;
    p->C.cols = p->B.cols = N;
}

void problem_create(struct problem *p, struct tile tile, int M, int N, int K)
{
    size_problem(p, tile, M, N, K);
    if (!matrix_create(&p->A, M, K) || !matrix_create(&p->B, K, N) || !matrix_create(&p->C, M, N))
        exit_with(EXIT_USAGE, "no memory for %d x %d x %d: choose a smaller size", M, N, K);
}

void problem_free(struct problem *p)
{
    free(p->A.block);
    free(p->B.block);
    free(p->C.block);
    *p = (struct problem){0};
}

// A hash of 32 bits with good avalanche: C. Wellons, "lowbias32", public domain.
static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7FEB352Du;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    return x ^ x >> 16;
}

// Most elements: 1 and -1, or [-1, 1) in steps of 2^-23, times the scale.
static real usual_value(bool whole, double step, uint32_t bits)
{
    return whole ? (real)1 - (real)(bits % 2 * 2)
                 : (real)((int32_t)(bits >> 8) - (1 << 23)) * (real)step;
}

// Integers with a sign and 18 bits (double 30, int 12): too many for two bfloat16, or for a fixed
// point of 16 bits. generate_row() gives A and B some, never for the same k, and a sum at most 32
// products with one: each sum fits exactly, 2^24 for float, 2^53 for double, 2^31 for int.
// Strassen's sums of several k do not fit. A kernel that may round its inputs can hold these.
static real large_value(uint32_t bits)
{
    const uint32_t most = (1u << (sizeof(real) == 8 ? 30 : REAL_IS_INT ? 12 : 18)) - 1;
    const double number = (double)(bits % (2 * most + 1)) - most;
    return (real)(precision.roundoff > 0 ? fmod(number, 1 / precision.roundoff) : number);
}

// Row `row` of A or B. It is computed again after each run to find changed inputs, so the loop over
// most values has no branch: 0.5 ns an element instead of 2. Large values are where row and column
// are equal modulo a 16th of K: in A if the hash of k is odd, in B if it is even.
static void generate_row(const struct problem *p, const struct matrix *m, int row, real *out)
{
    const bool is_b = m == &p->B, whole = p->set == INTEGERS || REAL_IS_INT;
    const double scale = precision.scale > 0 ? precision.scale : 1;
    const double step = 0x1p-23 * (is_b ? 1 / scale : scale);
    const uint32_t cols = (uint32_t)m->cols, r = (uint32_t)row, first = r * cols;
    const uint32_t key = hash(2 * p->seed + is_b), stride = ((uint32_t)p->K + 15) / 16;
    for (uint32_t j = 0; j < cols; j++)
        out[j] = usual_value(whole, step, hash((first + j) ^ key));
    for (uint32_t j = r % stride; whole && j < cols; j += stride)
        if ((hash(is_b ? r : j) % 2 == 0) == is_b)
            out[j] = large_value(hash((first + j) ^ key));
}

static void fill_words(void *start, size_t bytes, uint32_t word)
{
    for (size_t i = 0; i < bytes / sizeof word; i++)
        memcpy((char *)start + i * sizeof word, &word, sizeof word);
}

void fill_inputs(struct problem *p, enum data_set set, uint32_t seed)
{
    p->set = set;
    p->seed = seed;
    struct matrix *inputs[] = {&p->A, &p->B};
    for (int i = 0; i < 2; i++) {
        struct matrix *m = inputs[i];
        for (int row = 0; row < m->rows; row++)
            generate_row(p, m, row, m->data + (size_t)row * (size_t)m->cols);
        fill_words(m->block, (size_t)GUARD_BYTES, input_guard);
        fill_words(m->data + elements_of(m), (size_t)GUARD_BYTES, input_guard);
    }
}

void poison_output(struct problem *p)
{
    memset(p->C.block, 0xFF, p->C.bytes);
    if (p->set == UNIFORM)
        fill_words(p->C.data, elements_of(&p->C) * sizeof(real), unset);
}

bool is_poison(real x)
{
    uint32_t words[sizeof x / sizeof poison];
    memcpy(words, &x, sizeof x);
    return words[0] == words[sizeof x / 4 - 1] && (words[0] == poison || words[0] == unset);
}

long broken_guards(const struct problem *p, const struct matrix *m, long *where)
{
    uint32_t expected = m == &p->C ? poison : input_guard, word;
    const char *sides[] = {m->block, (const char *)(m->data + elements_of(m))};
    long broken = 0;
    for (int side = 0; side < 2; side++)
        for (size_t at = 0; at + sizeof word <= (size_t)GUARD_BYTES; at += sizeof word) {
            memcpy(&word, sides[side] + at, sizeof word);
            if (word != expected && broken++ == 0)
                *where = (long)((sides[side] + at - (const char *)m->data) / (long)sizeof(real));
        }
    return broken;
}

long changed_elements(const struct problem *p, const struct matrix *m, long *where)
{
    size_t cols = (size_t)m->cols;
    real *expected = scratch(cols, sizeof *expected);
    long changed = 0;
    for (int row = 0; row < m->rows; row++) {
        const real *got = m->data + (size_t)row * cols;
        generate_row(p, m, row, expected);
        const bool same = memcmp(got, expected, cols * sizeof *got) == 0;
        for (size_t j = 0; !same && j < cols; j++)
            if (memcmp(&got[j], &expected[j], sizeof *got) != 0 && changed++ == 0)
                *where = (long)((size_t)row * cols + j);
    }
    free(expected);
    return changed;
}
