// SPDX-License-Identifier: MIT
// cuBLAS on tensor cores: A and B are bfloat16, products and sums are those of float, and so is C.
#include "../cublas.h"
#include "bf16.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda and ldb padded, ldc = N.
void gemm(int M, int N, int K, const bf16 *A, const bf16 *B, float *C)
{
    multiply_as(COMPUTE_32F, CUDA_R_16BF, M, N, K, A, (int)padded(K), B, (int)padded(N), C);
}
