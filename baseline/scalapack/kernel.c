// SPDX-License-Identifier: MIT
// ScaLAPACK's product of matrices that are spread over ranks, psgemm, each rank with OpenBLAS and
// its kernels for Haswell, AVX2 and FMA, in one thread.
#include "../library.h"
#include "params.h"
#include "ranks.h"

#include <stdlib.h>

const char instructions[] = "avx2";

// As in ScaLAPACK's Users' Guide: a matrix by columns, block-cyclic over a grid of processes.
struct descriptor {
    int kind, context, rows, cols, row_block, col_block, first_row, first_col, leading;
};
typedef void pgemm(const char *transpose_a, const char *transpose_b, const int *M, const int *N,
                   const int *K, const real *alpha, const real *A, const int *ia, const int *ja,
                   const struct descriptor *a, const real *B, const int *ib, const int *jb,
                   const struct descriptor *b, const real *beta, real *C, const int *ic,
                   const int *jc, const struct descriptor *c);

static int context; // of BLACS: the grid

void gemm(int M, int N, int K, const real *A, const real *B, real *C);

// Its references to BLAS find OpenBLAS, whichever the system prefers, as that is there before.
static pgemm *load(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    void *blas = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_GLOBAL);
    if (blas == NULL)
        exit_with(EXIT_SKIPPED, "skipped: %s: apt install libopenblas0-pthread", dlerror());
    void *library = open_library();
    void (*begin)(int *, int *) = (void (*)(int *, int *))find(library, "Cblacs_pinfo");
    void (*get)(int, int, int *) = (void (*)(int, int, int *))find(library, "Cblacs_get");
    void (*make_grid)(int *, const char *, int, int) =
        (void (*)(int *, const char *, int, int))find(library, "Cblacs_gridinit");
    int rank, ranks;
    begin(&rank, &ranks);
    get(0, 0, &context);
    make_grid(&context, "Column", grid.cols, grid.rows); // transposed, as the matrices are
    snprintf(used_library, sizeof used_library, "ScaLAPACK, OpenBLAS Haswell on each rank");
    return (pgemm *)find(library, sizeof(real) == 8 ? "pdgemm_" : "psgemm_");
}

// A matrix by rows, rows x cols, is for a library that has them by columns its transpose, cols x
// rows.
static struct descriptor transposed(int rows, int cols)
{
    int mine = size_of(cols, grid.cols, grid.col);
    return (struct descriptor){.kind = 1, // dense
                               .context = context,
                               .rows = cols,
                               .cols = rows,
                               .row_block = ceil_div(cols, grid.cols),
                               .col_block = ceil_div(rows, grid.rows),
                               .leading = mine > 0 ? mine : 1};
}

// C (M x N) = A (M x K) * B (K x N), of which this rank has its part, so C^T (N x M) = B^T (N x K)
// * A^T (K x M).
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static pgemm *multiply;
    if (multiply == NULL) {
        require_instructions();
        multiply = load();
    }
    const struct descriptor a = transposed(M, K), b = transposed(K, N), c = transposed(M, N);
    const real one = 1, zero = 0;
    const int first = 1;
    multiply("N", "N", &N, &M, &K, &one, B, &first, &first, &b, A, &first, &first, &a, &zero, C,
             &first, &first, &c);
}
