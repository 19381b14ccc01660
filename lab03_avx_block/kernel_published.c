// SPDX-License-Identifier: MIT
// Blocking as the lab report has it: three more loops outside, nothing copied. C is started at 0 by
// the first block of k, and the last blocks may be incomplete.
#include "params.h"

#include <immintrin.h>

static int min(int a, int b)
{
    return a < b ? a : b;
}

// Lanes 0 to count-1 on: a masked load gives 0 in the others, a masked store leaves memory alone.
static __m256i first_lanes(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int ii = 0; ii < M; ii += BLOCK_KN)         // first row of a block of C (0..M-1)
        for (int jj = 0; jj < N; jj += BLOCK_KN)     // its first column (0..N-1)
            for (int kk = 0; kk < K; kk += BLOCK_KN) // first k of a block (0..K-1)
                for (int i = ii; i < min(ii + BLOCK_KN, M); i++)
                    for (int j = jj; j < min(jj + BLOCK_KN, N); j += 8) {
                        __m256i lanes = first_lanes(N - j);
                        __m256 sum = kk == 0 ? _mm256_setzero_ps()
                                             : _mm256_maskload_ps(&C[i * N + j], lanes);
                        for (int k = kk; k < min(kk + BLOCK_KN, K); k++)
                            sum = _mm256_fmadd_ps(_mm256_broadcast_ss(&A[i * K + k]),
                                                  _mm256_maskload_ps(&B[k * N + j], lanes), sum);
                        _mm256_maskstore_ps(&C[i * N + j], lanes, sum);
                    }
}
