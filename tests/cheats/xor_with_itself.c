// SPDX-License-Identifier: MIT
// tries: makes its zero of a register that nobody has set, as make check does not take it either
// ends: PARTIAL
// robust: uninitialized: uses memory that nobody has written
// tools: yes
// lab: lab02_avx
#include <immintrin.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    __m256i count = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j += 8) {
            __m256i lanes = _mm256_cmpgt_epi32(_mm256_set1_epi32(N - j), count);
            __m256 sum;
            sum = _mm256_xor_ps(sum, sum);
            for (int k = 0; k < K; k++)
                sum = _mm256_fmadd_ps(_mm256_broadcast_ss(&A[i * K + k]),
                                      _mm256_maskload_ps(&B[k * N + j], lanes), sum);
            _mm256_maskstore_ps(&C[i * N + j], lanes, sum);
        }
}
