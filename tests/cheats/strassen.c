// SPDX-License-Identifier: MIT
// tries: Strassen's seven products of halves in the place of eight
// ends: PARTIAL large
// off: whole
// size: 256
#include <stdlib.h>
#define LEAST 64

// C = A B of n x n, each with its leading dimension.
static void product(int n, const real *A, int lda, const real *B, int ldb, real *C, int ldc)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            C[i * ldc + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                C[i * ldc + j] += A[i * lda + k] * B[k * ldb + j];
    }
}

// T = X + sign * Y of h x h.
static const real *sum(int h, const real *X, const real *Y, real sign, int ld, real *T)
{
    for (int i = 0; i < h; i++)
        for (int j = 0; j < h; j++)
            T[i * h + j] = X[i * ld + j] + sign * Y[i * ld + j];
    return T;
}

static void add(int h, real sign, const real *P, real *C, int ldc)
{
    for (int i = 0; i < h; i++)
        for (int j = 0; j < h; j++)
            C[i * ldc + j] += sign * P[i * h + j];
}

static void strassen(int levels, int n, const real *A, int lda, const real *B, int ldb, real *C,
                     int ldc)
{
    if (levels == 0 || n % 2 != 0 || n <= LEAST) {
        product(n, A, lda, B, ldb, C, ldc);
        return;
    }
    int h = n / 2;
    size_t size = (size_t)h * (size_t)h;
    real *room = malloc(3 * size * sizeof *room), *S = room, *T = S + size, *P = T + size;
    const real *A11 = A, *A12 = A + h, *A21 = A + h * lda, *A22 = A21 + h;
    const real *B11 = B, *B12 = B + h, *B21 = B + h * ldb, *B22 = B21 + h;
    real *C11 = C, *C12 = C + h, *C21 = C + h * ldc, *C22 = C21 + h;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[i * ldc + j] = 0;
    levels--;
    strassen(levels, h, sum(h, A11, A22, 1, lda, S), h, sum(h, B11, B22, 1, ldb, T), h, P, h);
    add(h, 1, P, C11, ldc), add(h, 1, P, C22, ldc);
    strassen(levels, h, sum(h, A21, A22, 1, lda, S), h, B11, ldb, P, h);
    add(h, 1, P, C21, ldc), add(h, -1, P, C22, ldc);
    strassen(levels, h, A11, lda, sum(h, B12, B22, -1, ldb, T), h, P, h);
    add(h, 1, P, C12, ldc), add(h, 1, P, C22, ldc);
    strassen(levels, h, A22, lda, sum(h, B21, B11, -1, ldb, T), h, P, h);
    add(h, 1, P, C11, ldc), add(h, 1, P, C21, ldc);
    strassen(levels, h, sum(h, A11, A12, 1, lda, S), h, B22, ldb, P, h);
    add(h, -1, P, C11, ldc), add(h, 1, P, C12, ldc);
    strassen(levels, h, sum(h, A21, A11, -1, lda, S), h, sum(h, B11, B12, 1, ldb, T), h, P, h);
    add(h, 1, P, C22, ldc);
    strassen(levels, h, sum(h, A12, A22, -1, lda, S), h, sum(h, B21, B22, 1, ldb, T), h, P, h);
    add(h, 1, P, C11, ldc);
    free(room);
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    if (M == N && N == K) {
        strassen(1, N, A, N, B, N, C, N);
        return;
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
