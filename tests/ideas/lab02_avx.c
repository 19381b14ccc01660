// SPDX-License-Identifier: MIT
// Ways to write lab 02, for tests/check/test_limits.py: WAY, whether the idea is there, settings.
// 1 yes: full vectors, then single columns
// 2 yes: multiplied and added by two instructions
// 3 yes: the sums of 16 columns
// 4 yes: a column at a time from a transposed B, eight k in a register
// 5 yes: k in the middle loop, sums in C
// 6 yes: registers of the language's own vectors
// 7 yes: k unrolled by four
// 8 yes: four columns in a register of SSE
// 9 yes: a copy of each row of B's columns, aligned
// 10 yes: in a function that is not inlined
// 11 yes: the last columns through a buffer with zeros
// 12 no: the kernel of lab 01
// 13 no: the kernel of lab 01, k in the middle loop
// 14 no: eight sums, none of them in a vector
// 15 no: intrinsics for one float
#include "params.h"

#include <immintrin.h>
#include <stdlib.h>
#include <string.h>
#define EACH(n, count) for (int n = 0; n < count; n++)

#if WAY == 10
__attribute__((noinline)) static __m256 dot(int N, int K, const real *a, const real *b)
{
    __m256 sum = _mm256_setzero_ps();
    for (int k = 0; k < K; k++)
        sum = _mm256_fmadd_ps(_mm256_set1_ps(a[k]), _mm256_loadu_ps(&b[k * N]), sum);
    return sum;
}
#elif WAY == 6
typedef float vector __attribute__((vector_size(32), aligned(4)));
#endif

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
#if WAY == 4
    real *column = malloc((size_t)K * sizeof *column);
    if (column == NULL)
        abort();
    EACH(j, N)
    {
        EACH(k, K) column[k] = B[k * N + j];
        EACH(i, M)
        {
            __m256 sums = _mm256_setzero_ps();
            int k = 0;
            for (; k + 8 <= K; k += 8)
                sums = _mm256_fmadd_ps(_mm256_loadu_ps(&A[i * K + k]), _mm256_loadu_ps(&column[k]),
                                       sums);
            real each[8], sum = 0;
            _mm256_storeu_ps(each, sums);
            EACH(n, 8) sum += each[n];
            for (; k < K; k++)
                sum += A[i * K + k] * column[k];
            C[i * N + j] = sum;
        }
    }
    free(column);
#elif WAY == 5
    memset(C, 0, (size_t)M * (size_t)N * sizeof *C);
    EACH(i, M)
    EACH(k, K)
    {
        const __m256 a = _mm256_set1_ps(A[i * K + k]);
        int j = 0;
        for (; j + 8 <= N; j += 8)
            _mm256_storeu_ps(&C[i * N + j], _mm256_fmadd_ps(a, _mm256_loadu_ps(&B[k * N + j]),
                                                            _mm256_loadu_ps(&C[i * N + j])));
        for (; j < N; j++)
            C[i * N + j] += A[i * K + k] * B[k * N + j];
    }
#elif WAY == 13
    memset(C, 0, (size_t)M * (size_t)N * sizeof *C);
    EACH(i, M)
    EACH(k, K)
#pragma GCC novector
    EACH(j, N) * (volatile real *)&C[i * N + j] += A[i * K + k] * B[k * N + j];
#elif WAY == 9
    real *copy = aligned_alloc(64, ((size_t)K * 8 * sizeof *copy + 63) / 64 * 64);
    if (copy == NULL)
        abort();
    for (int j = 0; j < N; j += 8) {
        EACH(k, K) EACH(n, 8) copy[k * 8 + n] = j + n < N ? B[k * N + j + n] : 0;
        EACH(i, M)
        {
            __m256 sum = _mm256_setzero_ps();
            real each[8];
            EACH(k, K)
            sum = _mm256_fmadd_ps(_mm256_set1_ps(A[i * K + k]), _mm256_load_ps(&copy[k * 8]), sum);
            _mm256_storeu_ps(each, sum);
            EACH(n, 8) if (j + n < N) C[i * N + j + n] = each[n];
        }
    }
    free(copy);
#elif WAY == 11
    EACH(i, M)
    for (int j = 0; j < N; j += 8) {
        const int many = N - j < 8 ? N - j : 8;
        real buffer[8] = {0};
        __m256 sum = _mm256_setzero_ps();
        EACH(k, K)
        {
            if (many < 8)
                memcpy(buffer, &B[k * N + j], (size_t)many * sizeof *buffer);
            sum = _mm256_fmadd_ps(_mm256_broadcast_ss(&A[i * K + k]),
                                  _mm256_loadu_ps(many < 8 ? buffer : &B[k * N + j]), sum);
        }
        _mm256_storeu_ps(buffer, sum);
        memcpy(&C[i * N + j], buffer, (size_t)many * sizeof *buffer);
    }
#else
    EACH(i, M)
    {
        const real *a = &A[i * K];
        int j = 0;
#if WAY == 3
        for (; j + 16 <= N; j += 16) {
            __m256 left = _mm256_setzero_ps(), right = left;
            EACH(k, K)
            {
                const __m256 one = _mm256_broadcast_ss(&a[k]);
                left = _mm256_fmadd_ps(one, _mm256_loadu_ps(&B[k * N + j]), left);
                right = _mm256_fmadd_ps(one, _mm256_loadu_ps(&B[k * N + j + 8]), right);
            }
            _mm256_storeu_ps(&C[i * N + j], left);
            _mm256_storeu_ps(&C[i * N + j + 8], right);
        }
#elif WAY == 8
        for (; j + 4 <= N; j += 4) {
            __m128 sum = _mm_setzero_ps();
            EACH(k, K) sum = _mm_fmadd_ps(_mm_set1_ps(a[k]), _mm_loadu_ps(&B[k * N + j]), sum);
            _mm_storeu_ps(&C[i * N + j], sum);
        }
#elif WAY == 14
        for (; j + 8 <= N; j += 8) {
            volatile real sums[8] = {0};
            EACH(k, K) EACH(n, 8) sums[n] += a[k] * B[k * N + j + n];
            EACH(n, 8) C[i * N + j + n] = sums[n];
        }
#elif WAY == 15
        for (; j < N; j++) {
            __m128 sum = _mm_setzero_ps();
            EACH(k, K) sum = _mm_fmadd_ss(_mm_load_ss(&a[k]), _mm_load_ss(&B[k * N + j]), sum);
            _mm_store_ss(&C[i * N + j], sum);
        }
#elif WAY != 12
        for (; j + 8 <= N; j += 8) {
            const real *b = &B[j];
#if WAY == 6
            vector sum = {0};
            EACH(k, K) sum += a[k] * *(const vector *)&b[k * N];
            *(vector *)&C[i * N + j] = sum;
#elif WAY == 10
            _mm256_storeu_ps(&C[i * N + j], dot(N, K, a, b));
#else
            __m256 sum = _mm256_setzero_ps();
            int k = 0;
#if WAY == 7
            for (; k + 4 <= K; k += 4)
                EACH(n, 4)
            sum = _mm256_fmadd_ps(_mm256_set1_ps(a[k + n]), _mm256_loadu_ps(&b[(k + n) * N]), sum);
#endif
            for (; k < K; k++) {
                const __m256 one = _mm256_set1_ps(a[k]), eight = _mm256_loadu_ps(&b[k * N]);
#if WAY == 2
                sum = _mm256_add_ps(_mm256_mul_ps(one, eight), sum);
#else
                sum = _mm256_fmadd_ps(one, eight, sum);
#endif
            }
            _mm256_storeu_ps(&C[i * N + j], sum);
#endif
        }
#endif
        for (; j < N; j++) {
            real sum = 0;
            EACH(k, K) sum += a[k] * B[k * N + j];
            C[i * N + j] = sum;
        }
    }
#endif
}
