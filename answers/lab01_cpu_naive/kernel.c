// SPDX-License-Identifier: MIT
// Three loops: the definition of the product, C(i,j) = sum over k of A(i,k) * B(k,j).
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++) {     // row of C (0..M-1)
        for (int j = 0; j < N; j++) { // column of C (0..N-1)
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
    }
}
