// SPDX-License-Identifier: MIT
// As the tutorial has it, and BLAS and Fortran: column-major. Read by columns, the host's row-major
// matrices are their own transposes, and the transpose of A * B is that of B times that of A. So
// the host's B comes first here, its N is M, and not an element moves.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), column-major, lda = M, ldb = K, ldc = M, below 2^31 elements.
__kernel void gemm(int N, int M, int K, __global const real *B, __global const real *A,
                   __global real *C)
{
    const int row = get_global_id(0); // row of C (0..M-1), or past it
    const int col = get_global_id(1); // column of C (0..N-1), or past it

    if (row < M && col < N) {
        real sum = 0;
        for (int k = 0; k < K; k++)
            sum += A[k * M + row] * B[col * K + k];
        C[col * M + row] = sum;
    }
}
