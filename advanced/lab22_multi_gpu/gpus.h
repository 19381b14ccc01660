// SPDX-License-Identifier: MIT
// What main.cu and kernel.cu know of the GPUs. Each has some rows of A and the same ones of C, and
// some rows of B:
//
//     A   M x K   [ 0 ]     B   K x N   [ 0 ]     C   M x N   [ 0 ]
//                 [ 1 ]                 [ 1 ]                 [ 1 ]
#ifndef GPUS_H
#define GPUS_H

#include "gpu.h"
#include "params.h"

struct gpu {
    int device;      // its index
    int rows;        // of A and C
    int from, depth; // its rows of B: from..from+depth-1
    real *A, *B, *C; // rows x K, depth x N, rows x N; row-major
    real *next[2];   // buffers for the rows of B of another GPU
    cudaStream_t stream, copies;
    cudaEvent_t copied[2], computed[2];        // of `next`: it is there; it has been used
    cudaEvent_t before, begun, done[2], after; // for the clock in main.cu
};

// C (M x N) (+)= A (M x K, leading dimension lda) * B (K x N), row-major; add: to what C holds.
__global__ void gemm(int M, int N, int K, int lda, const real *A, const real *B, real *C, bool add);

// All of C, by `count` GPUs; N and K are those of the whole. Returns before it is done.
void multiply(struct gpu *gpus, int count, int N, int K);
#endif
