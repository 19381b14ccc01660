// SPDX-License-Identifier: MIT
// The worker of a CPU lab under a tool: calls gemm() on blocks of its own that are no larger than
// the matrices, so that the tool sees what is touched outside, and what of C is used before it is
// written.
#include "serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// C (M x N) = A (M x K) * B (K x N), row-major with lda = K, ldb = N, ldc = N. A student's.
void gemm(int M, int N, int K, const real *A, const real *B, real *C);

static real *a, *b, *c;

// What a kernel prints is not among what the tool says, which has stderr's file for itself.
void prepare(int count, char **words)
{
    (void)count;
    (void)words;
    stderr = stdout;
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

// Of AddressSanitizer, where it is there: bytes that were taken and not given back. Its own search
// for leaks stops a process from another one, which no sandbox lets anybody do.
__attribute__((weak)) size_t __sanitizer_get_current_allocated_bytes(void);

static size_t taken(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}

// By so many calls more; 0: none.
static size_t growth(const struct request *r, int calls)
{
    size_t before = taken();
    while (calls-- > 0)
        gemm(r->M, r->N, r->K, a, b, c);
    return taken() > before ? taken() - before : 0;
}

// What is kept from call to call may grow and shrink with the problem: it is no more behind the
// same call again, or behind some where a kernel has several buffers, and uses them in turn.
static void run(const struct request *r)
{
    const int some = 4;
    size_t leak;
    growth(r, 1);
    if (growth(r, 1) > 0 && growth(r, some) > 0 && (leak = growth(r, some)) > 0)
        complain("memory leak: %zu bytes of %d calls are never freed", leak, some);
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
        memcpy(C, c, of_c);
        free(a);
        free(b);
        free(c);
    }
}
