// SPDX-License-Identifier: MIT
// The worker of a CPU lab under a tool: calls gemm() on blocks of its own that are no larger than
// the matrices, so that the tool sees what is touched outside, and what of C is used before it is
// written.
#include "leaks.h"
#include "serve.h"
#include "session/growth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// C (M x N) = A (M x K) * B (K x N), row-major with lda = K, ldb = N, ldc = N. A student's.
void gemm(int M, int N, int K, const real *A, const real *B, real *C);

static real *a, *b, *c;
static bool watched; // is what the kernel takes known?

// What a kernel prints is not among what the tool says, which has stderr's file for itself.
void prepare(int count, char **words)
{
    (void)count;
    (void)words;
    stderr = stdout;
    watched = leaks_watched();
}

static size_t bytes(int rows, int cols)
{
    return (size_t)rows * (size_t)cols * sizeof(real);
}

// Begins where a page does, as in the labs, and ends with the matrix.
static void make(real **block, size_t size)
{
    void *memory;
    if (posix_memalign(&memory, 4096, size) != 0)
        abort();
    *block = memory;
}

// Under AddressSanitizer once more, until it is known whether what the kernel keeps grows with each
// call.
static void run(const struct request *r)
{
    static struct growth growth;
    growth.calls = 0;
    for (int calls = watched ? GROWTH_FIRST : 1; calls > 0; calls--) {
        leaks_of_kernel(true);
        gemm(r->M, r->N, r->K, a, b, c);
        leaks_of_kernel(false);
        if (watched)
            calls += growth_behind(&growth, leaks_taken(), (double)r->M * r->N * r->K);
    }
    if (growth.grown > 0)
        complain(GROWTH_SAID, growth.grown, GROWTH_CALLS);
}

// As the verification of a lab does: of what is copied alone valgrind does not say that nobody has
// set it.
static void look_at(const real *element, size_t count)
{
    static volatile size_t nans;
    for (size_t e = 0; e < count; e++)
        if (element[e] != element[e])
            nans = nans + 1;
}

void serve(const struct request *r, const real *A, const real *B, real *C)
{
    size_t of_a = bytes(r->M, r->K), of_b = bytes(r->K, r->N), of_c = bytes(r->M, r->N);
    if (r->phase == LOAD) {
        make(&a, of_a);
        make(&b, of_b);
        make(&c, of_c);
        memcpy(a, A, of_a);
        memcpy(b, B, of_b);
    } else if (r->phase == RUN) {
        run(r);
    } else {
        require_same("A", a, A, of_a);
        require_same("B", b, B, of_b);
        look_at(c, of_c / sizeof(real));
        memcpy(C, c, of_c);
        free(a);
        free(b);
        free(c);
    }
}
