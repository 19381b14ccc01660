// SPDX-License-Identifier: MIT
// Matrices with guards: seeded inputs, poisoned outputs, and the question whether anything that
// should not change did.
//
//     block   [ guard | row 0 | row 1 | ... | row rows-1 | guard ]
//     A, B      NaN     the inputs                          NaN      a stray read gives NaN
//     C         ~0      unset until written                 ~0       a stray write changes a word
//
// The two NaNs differ in their bits, so that a stray read that is written out again shows as well.
// Unset is a NaN (~0), or with UNIFORM inputs a number: wrong for who takes a NaN for 0, too.
#include "fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Quiet NaNs, as float and as double; 1234.567, which is 3e22 as double.
static const uint32_t input_guard = 0x7FFDA5A5u, poison = 0xFFFFFFFFu, unset = 0x449A522Bu;
static const size_t guard_bytes = GUARD_BYTES;
enum { PAGE_BYTES = 4096 }; // all matrices begin at the same place of a page
// Behind the guard nobody uses this much: a wrong kernel that writes there does not harm malloc,
// which would end the program before the mistake is told. None where a tool looks for such writes.
static const size_t spare_bytes = GUARD_BYTES > 0 ? 1 << 18 : 0;

bool matrix_create(struct matrix *m, int rows, int cols)
{
    size_t count = (size_t)rows * (size_t)cols;
    *m = (struct matrix){.rows = rows, .cols = cols};
    m->bytes = count * sizeof(real) + 2 * guard_bytes;
    if (posix_memalign(&m->block, PAGE_BYTES, m->bytes + spare_bytes) != 0)
        m->block = NULL;
    m->data = (real *)((char *)m->block + guard_bytes);
    return m->block != NULL;
}

static void require_matrix(struct matrix *m, const char *name, int rows, int cols)
{
    if (!matrix_create(m, rows, cols))
        exit_with(EXIT_USAGE, "no memory for %s, %d x %d: choose a smaller size", name, rows, cols);
}

void size_problem(struct problem *p, struct tile tile, int M, int N, int K)
{
    *p = (struct problem){.M = M, .N = N, .K = K, .tile = tile};
    p->A = (struct matrix){.rows = M, .cols = K};
    p->B = (struct matrix){.rows = K, .cols = N};
    p->C = (struct matrix){.rows = M, .cols = N};
}

void problem_create(struct problem *p, struct tile tile, int M, int N, int K)
{
    size_problem(p, tile, M, N, K);
    require_matrix(&p->A, "A", M, K);
    require_matrix(&p->B, "B", K, N);
    require_matrix(&p->C, "C", M, N);
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

// What most elements are: 1 and -1, or of [-1, 1) in steps of 2^-23. For tensor cores A is larger
// and B smaller: half precision has TF32's bits, not its exponents, and to it these are infinite or
// next to 0.
static real usual_value(const struct problem *p, bool is_b, bool whole, uint32_t bits)
{
    const double step = !p->tensor_cores ? 0x1p-23 : is_b ? 0x1p-43 : 0x1p-3;
    return whole ? (real)1 - (real)(bits % 2 * 2)
                 : (real)((int32_t)(bits >> 8) - (1 << 23)) * (real)step;
}

// Integers of up to 18 bits and a sign are more than two bfloat16, or a fixed point of 16 bits, can
// hold. A and B both have some, never for the same k, and at most 32 products of a sum have one:
// each sum fits exactly, 2^24 for float, 2^53 for double, 2^31 for int. Strassen's sums of elements
// of several k bring two of them together, whose product does not fit.
static real input_value(const struct problem *p, bool is_b, uint32_t row, uint32_t col,
                        uint32_t bits)
{
    const bool whole = p->set == INTEGERS || REAL_IS_INT;
    const uint32_t most = (1u << (sizeof(real) == 8 ? 30 : REAL_IS_INT ? 12 : 18)) - 1;
    const uint32_t stride = ((uint32_t)p->K + 15) / 16;
    if (!whole || (hash(is_b ? row : col) % 2 == 0) != is_b || row % stride != col % stride)
        return usual_value(p, is_b, whole, bits);
    const double number = (double)(bits % (2 * most + 1)) - most;
    return (real)(p->roundoff > 0 ? fmod(number, 1 / p->roundoff) : number);
}

// Row `row` of A or B, each element an input_value(): had again after each run, to find changed
// inputs. So most values have a loop without branches, which takes 0.5 ns an element and not 2.
static void generate_row(const struct problem *p, const struct matrix *m, int row, real *out)
{
    const bool is_b = m == &p->B, whole = p->set == INTEGERS || REAL_IS_INT;
    const uint32_t cols = (uint32_t)m->cols, first = (uint32_t)row * cols;
    const uint32_t key = hash(2 * p->seed + is_b), stride = ((uint32_t)p->K + 15) / 16;
    for (uint32_t j = 0; j < cols; j++)
        out[j] = usual_value(p, is_b, whole, hash((first + j) ^ key));
    for (uint32_t j = (uint32_t)row % stride; whole && j < cols; j += stride)
        out[j] = input_value(p, is_b, (uint32_t)row, j, hash((first + j) ^ key));
}

static void fill_words(void *start, size_t bytes, uint32_t word)
{
    for (size_t i = 0; i < bytes / sizeof word; i++)
        memcpy((char *)start + i * sizeof word, &word, sizeof word);
}

size_t elements_of(const struct matrix *m)
{
    return (size_t)m->rows * (size_t)m->cols;
}

void fill_inputs(struct problem *p, enum data_set set, uint32_t seed)
{
    p->set = set;
    p->seed = seed;
    struct matrix *inputs[] = {&p->A, &p->B};
    for (int i = 0; i < 2; i++)
        for (int row = 0; row < inputs[i]->rows; row++)
            generate_row(p, inputs[i], row,
                         inputs[i]->data + (size_t)row * (size_t)inputs[i]->cols);
    guard_inputs(p);
}

void guard_inputs(struct problem *p)
{
    struct matrix *inputs[] = {&p->A, &p->B};
    for (int i = 0; i < 2; i++) {
        fill_words(inputs[i]->block, guard_bytes, input_guard);
        fill_words(inputs[i]->data + elements_of(inputs[i]), guard_bytes, input_guard);
    }
}

void poison_output(struct problem *p)
{
    memset(p->C.block, POISON_BYTE, p->C.bytes);
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
        for (size_t at = 0; at < guard_bytes; at += sizeof word) {
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
