// SPDX-License-Identifier: MIT
// Filled in from the starting point, hint by hint.
#include "params.h"

#include <immintrin.h>

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j += 8) {
            __m256i on = _mm256_cmpgt_epi32(_mm256_set1_epi32(N - j),
                                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
            __m256 acc = _mm256_setzero_ps();
            for (int k = 0; k < K; k++) {
                __m256 one = _mm256_broadcast_ss(&A[i * K + k]);
                __m256 eight = _mm256_maskload_ps(&B[k * N + j], on);
                acc = _mm256_fmadd_ps(one, eight, acc);
            }
            _mm256_maskstore_ps(&C[i * N + j], on, acc);
        }
}
