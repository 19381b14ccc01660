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

// C (M x N) = A (M x K) * B (K x N), row-major, leading dimensions N, K, N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    int columns = (N + 7) / 8 * 8; // of B, with columns of zeros up to a whole register
    float *T = calloc((size_t)columns * (size_t)K, sizeof *T); // B transposed, leading dimension K
    if (T == NULL)
        abort();
    for (int k = 0; k < K; k++)
        for (int j = 0; j < N; j++)
            T[j * K + k] = B[k * N + j];

    for (int i = 0; i < M; i += BLOCK)         // first row of a block of C (0..M-1)
        for (int j = 0; j < N; j += BLOCK)     // its first column (0..N-1)
            for (int k = 0; k < K; k += BLOCK) // first k of a block (0..K-1)
                for (int ii = i; ii < min(i + BLOCK, M); ii++)
                    for (int jj = j; jj < min(j + BLOCK, N); jj += 8) {
                        __m256i lanes = first_lanes(N - jj);
                        __m256 sum = k == 0 ? _mm256_setzero_ps()
                                            : _mm256_maskload_ps(&C[ii * N + jj], lanes);
                        for (int kk = k; kk < min(k + BLOCK, K); kk++) {
                            const float *t = &T[jj * K + kk];
                            __m256 b = _mm256_setr_ps(t[0], t[K], t[2 * K], t[3 * K], t[4 * K],
                                                      t[5 * K], t[6 * K], t[7 * K]);
                            sum = _mm256_fmadd_ps(_mm256_broadcast_ss(&A[ii * K + kk]), b, sum);
                        }
                        _mm256_maskstore_ps(&C[ii * N + jj], lanes, sum);
                    }
    free(T);
}
