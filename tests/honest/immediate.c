// SPDX-License-Identifier: MIT
// what: gives a shuffle a constant that is one only where the compiler optimises
// lab: lab02_avx
// tools: yes
#include <immintrin.h>

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int swap = 0x4E; // the halves of each lane
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            __m256 sums = _mm256_setzero_ps();
            real sum = 0;
            int k = 0;
            for (; k + 8 <= K; k += 8) {
                __m256 b = _mm256_setr_ps(
                    B[k * N + j], B[(k + 1) * N + j], B[(k + 2) * N + j], B[(k + 3) * N + j],
                    B[(k + 4) * N + j], B[(k + 5) * N + j], B[(k + 6) * N + j], B[(k + 7) * N + j]);
                sums = _mm256_add_ps(sums, _mm256_mul_ps(_mm256_loadu_ps(&A[i * K + k]), b));
            }
            sums = _mm256_add_ps(sums, _mm256_permute_ps(sums, swap));
            sum = sums[0] + sums[1] + sums[4] + sums[5];
            for (; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
