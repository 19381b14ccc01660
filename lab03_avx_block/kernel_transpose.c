// SPDX-License-Identifier: MIT
// Blocking on a transposed B, the variant that the lab report found slower: eight columns of B are
// now eight rows apart, so that one register needs eight loads.
#include "params.h"

#include <immintrin.h>
#include <stdlib.h>

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
    int columns = (N + 7) / 8 * 8; // of B, with columns of zeros up to a whole register
    float *T = calloc((size_t)columns * (size_t)K, sizeof *T); // B transposed, leading dimension K
    if (T == NULL)
        abort();
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++)
            T[j * K + k] = B[k * N + j];

    for (int ii = 0; ii < M; ii += BLOCK_KN)         // first row of a block of C (0..M-1)
        for (int jj = 0; jj < N; jj += BLOCK_KN)     // its first column (0..N-1)
            for (int kk = 0; kk < K; kk += BLOCK_KN) // first k of a block (0..K-1)
                for (int i = ii; i < min(ii + BLOCK_KN, M); i++)
                    for (int j = jj; j < min(jj + BLOCK_KN, N); j += 8) {
                        __m256i lanes = first_lanes(N - j);
                        __m256 sum = kk == 0 ? _mm256_setzero_ps()
                                             : _mm256_maskload_ps(&C[i * N + j], lanes);
                        for (int k = kk; k < min(kk + BLOCK_KN, K); k++) {
                            const float *t = &T[j * K + k];
                            __m256 b = _mm256_setr_ps(t[0], t[K], t[2 * K], t[3 * K], t[4 * K],
                                                      t[5 * K], t[6 * K], t[7 * K]);
                            sum = _mm256_fmadd_ps(_mm256_broadcast_ss(&A[i * K + k]), b, sum);
                        }
                        _mm256_maskstore_ps(&C[i * N + j], lanes, sum);
                    }
    free(T);
}
