// SPDX-License-Identifier: MIT
// As the book chapter's pseudocode has it: for each element of C its row of A and its column of B
// are copied first, so that the sum reads two contiguous arrays.
#include "params.h"

#include <stdlib.h>

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    real *row = malloc((size_t)K * sizeof *row), *column = malloc((size_t)K * sizeof *column);
    if (row == NULL || column == NULL)
        abort();
    for (int i = 0; i < M; i++) {     // row of C (0..M-1)
        for (int j = 0; j < N; j++) { // column of C (0..N-1)
            for (int k = 0; k < K; k++)
                row[k] = A[i * K + k];
            for (int k = 0; k < K; k++)
                column[k] = B[k * N + j];
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += row[k] * column[k];
            C[i * N + j] = sum;
        }
    }
    free(row);
    free(column);
}
