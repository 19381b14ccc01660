// SPDX-License-Identifier: MIT
// cuBLAS with the arithmetic of the type: on a GPU's cores for float or double.
#include "../cublas.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    multiply(sizeof(real) == 8 ? COMPUTE_64F : COMPUTE_32F, M, N, K, A, B, C);
}
