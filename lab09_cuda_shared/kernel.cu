// SPDX-License-Identifier: MIT
// One thread per element of C; a block stages BLOCK x BLOCK tiles of A and B in shared memory, and
// each element that it loads from global memory is used BLOCK times. A thread loads its two
// elements of the next tiles before it computes with the current ones (prefetching), which hides
// the latency of the loads.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    __shared__ real a_tile[BLOCK][BLOCK];
    __shared__ real b_tile[BLOCK][BLOCK];
    const int x = threadIdx.x, y = threadIdx.y; // index in the tile (0..BLOCK-1)
    const int col = blockIdx.x * BLOCK + x;     // column of C (0..N-1), or past it
    const int row = blockIdx.y * BLOCK + y;     // row of C (0..M-1), or past it
    // Every thread reaches the barriers: partial tiles are padded with zeros.
    real a_next = row < M && x < K ? A[row * K + x] : 0;
    real b_next = y < K && col < N ? B[y * N + col] : 0;
    real sum = 0;

    for (int k0 = 0; k0 < K; k0 += BLOCK) { // first k of the tiles (0..K-1)
        a_tile[y][x] = a_next;
        b_tile[y][x] = b_next;
        __syncthreads(); // the tiles are complete

        const int next = k0 + BLOCK; // first k of the next tiles
        a_next = row < M && next + x < K ? A[row * K + next + x] : 0;
        b_next = next + y < K && col < N ? B[(next + y) * N + col] : 0;
        for (int k = 0; k < BLOCK; k++)
            sum += a_tile[y][k] * b_tile[k][x];
        __syncthreads(); // the tiles may be overwritten
    }

    if (row < M && col < N)
        C[row * N + col] = sum;
}
