// SPDX-License-Identifier: MIT
// gemm() of a CPU lab, by a library with the C interface of BLAS. The kernel that includes this
// says which instructions the library is to use, and how it is loaded.
#ifndef CBLAS_H
#define CBLAS_H

#include "../library.h"
#include "params.h"

#include <stdlib.h>
#include <unistd.h>

typedef void cblas_gemm(int order, int transpose_a, int transpose_b, int M, int N, int K,
                        real alpha, const real *A, int lda, const real *B, int ldb, real beta,
                        real *C, int ldc);
enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 }; // as every cblas.h has them

void gemm(int M, int N, int K, const real *A, const real *B, real *C);

// In the kernel: called once, before the first product. It has set up the library, and
// used_library.
static cblas_gemm *load(void);

static inline cblas_gemm *find_gemm(void *library)
{
    return (cblas_gemm *)find(library, sizeof(real) == 8 ? "cblas_dgemm" : "cblas_sgemm");
}

// Libraries read such variables when they are loaded, or first called.
static inline void set_threads(const char *variable)
{
    char number[16];
    snprintf(number, sizeof number, "%ld", THREADS > 0 ? THREADS : sysconf(_SC_NPROCESSORS_ONLN));
    setenv(variable, number, 1);
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static cblas_gemm *multiply;
    if (multiply == NULL) {
        require_instructions();
        multiply = load();
    }
    multiply(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, M, N, K, 1, A, K, B, N, 0, C, N);
}
#endif
