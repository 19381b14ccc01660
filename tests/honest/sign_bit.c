// SPDX-License-Identifier: MIT
// what: makes a mask of 1 << 31, which C11 leaves undefined, and compilers do not
// lab: lab02_avx
// tools: yes
#include <immintrin.h>

static __m256i first(int lanes)
{
    int bits[8];
    for (int x = 0; x < 8; x++)
        bits[x] = x < lanes ? 1 << 31 : 0;
    return _mm256_loadu_si256((const __m256i *)bits);
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j += 8) {
            __m256 sum = _mm256_setzero_ps();
            for (int k = 0; k < K; k++)
                sum = _mm256_fmadd_ps(_mm256_set1_ps(A[i * K + k]),
                                      _mm256_maskload_ps(&B[k * N + j], first(N - j)), sum);
            _mm256_maskstore_ps(&C[i * N + j], first(N - j), sum);
        }
}
