// SPDX-License-Identifier: MIT
// Eight columns of C at a time: one AVX register holds 8 floats, one FMA multiplies and adds all 8.
#include "params.h"

#include <immintrin.h>

// Lanes 0 to count-1 on: a masked load gives 0 in the others, a masked store leaves memory alone.
static __m256i first_lanes(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++) {        // row of C (0..M-1)
        for (int j = 0; j < N; j += 8) { // first of 8 columns of C (0..N-1)
            __m256i lanes = first_lanes(N - j);
            __m256 sum = _mm256_setzero_ps();
            for (int k = 0; k < K; k++)
                sum = _mm256_fmadd_ps(_mm256_broadcast_ss(&A[i * K + k]),
                                      _mm256_maskload_ps(&B[k * N + j], lanes), sum);
            _mm256_maskstore_ps(&C[i * N + j], lanes, sum);
        }
    }
}
