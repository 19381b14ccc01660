// SPDX-License-Identifier: MIT
// cuBLAS on tensor cores: A and B are rounded to TF32, products and sums are those of float.
#include "../cublas.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    multiply(COMPUTE_TF32, M, N, K, A, B, C);
}
