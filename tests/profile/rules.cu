// SPDX-License-Identifier: MIT
// A kernel for each rule of engine/count/rules.h: one block of one warp. test_counts.py lists what
// each must count.
#include "../../advanced/common/tensor.h"
#include <cuda_pipeline.h>
#include <cstdio>

#define KERNEL(name, ...)                                                                          \
    __global__ void name(const float *A, float *C)                                                 \
    {                                                                                              \
        const int x = threadIdx.x;                                                                 \
        __VA_ARGS__                                                                                \
    }
// Global memory. What is loaded is stored next to each other.
KERNEL(contiguous, C[x] = A[x];)
KERNEL(stride_2, C[x] = A[2 * x];)
KERNEL(column, C[x] = A[32 * x];)
KERNEL(broadcast, C[x] = A[0];)
KERNEL(misaligned_row, C[x] = A[x + 1];)
KERNEL(one_lane, if (x == 5) C[x] = A[x];)
KERNEL(vectors, *(float4 *)&C[4 * x] = ((const float4 *)A)[x];)
KERNEL(doubles, ((double *)C)[x] = ((const double *)A)[x];)
// Lanes of odd numbers come to the load twice, the others once.
KERNEL(diverging, for (int i = 0; i <= x % 2; i++) C[x] = A[x + 32 * i];)
// A structure that is aligned to 4 bytes: four loads.
struct four {
    float at[4];
};
KERNEL(structures, *(four *)&C[4 * x] = ((const four *)A)[x];)
KERNEL(adds, atomicAdd(&C[0], A[x]);)
// Shared memory: what is loaded, of an array that is written without a conflict.
#define SHARED(name, type, elements, index)                                                        \
    __global__ void name(const float *A, float *C)                                                 \
    {                                                                                              \
        __shared__ __align__(16) type tile[elements];                                              \
        const int x = threadIdx.x;                                                                 \
        for (int i = 0; i < elements; i++)                                                         \
            if (i % 32 == x)                                                                       \
                tile[i] = type();                                                                  \
        __syncthreads();                                                                           \
        const type one = tile[index];                                                              \
        C[x] = *(const float *)&one + A[0];                                                        \
    }
SHARED(shared_row, float, 32, x)
SHARED(shared_column, float, 32 * 32, 32 * x)
SHARED(shared_padded, float, 32 * 33, 33 * x)
SHARED(shared_stride_2, float, 64, 2 * x)
SHARED(shared_swizzled, float, 32 * 32, 32 * x + (5 ^ x))
SHARED(shared_broadcast, float, 32, 7)
SHARED(shared_doubles, double, 32, x)
SHARED(shared_vectors, float4, 32, x)
SHARED(shared_vectors_in_pairs, float4, 32, x / 2)
SHARED(shared_vectors_in_far_pairs, float4, 32, x / 4 * 2 + x % 2)
SHARED(shared_vectors_in_eights, float4, 32, x % 8)
SHARED(shared_vectors_by_quarters, float4, 32 * 8, x % 8 * 8 + x / 8)
SHARED(shared_doubles_in_pairs, double, 32, x / 2)
SHARED(shared_vectors_in_a_column, float4, 32 * 8, 8 * x)
__global__ void stored_in_pairs(const float *A, float *C)
{
    __shared__ float4 tile[32];
    const int x = threadIdx.x;
    tile[x / 2] = ((const float4 *)A)[x];
    __syncthreads();
    C[x] = tile[x].x;
}
// Of 4 bytes: of one row; of eight elements of four rows, to 32 banks, and to four of them, eight
// each; of no row at all.
#define COPIES(name, zeros, from, to)                                                              \
    __global__ void name(const float *A, float *C)                                                 \
    {                                                                                              \
        __shared__ float tile[32 * 8];                                                             \
        const int x = threadIdx.x;                                                                 \
        __pipeline_memcpy_async(&tile[to], &A[from], 4, zeros);                                    \
        __pipeline_commit();                                                                       \
        __pipeline_wait_prior(0);                                                                  \
        __syncthreads();                                                                           \
        C[x] = tile[x];                                                                            \
    }
COPIES(row_copied, 0, x + 3, x)
COPIES(rows_copied, 0, x / 8 * 512 + x % 8, x)
COPIES(conflicts_copied, 0, x / 8 * 512 + x % 8, x % 8 * 32 + x / 8)
COPIES(zeros_copied, 4, 0, x)
__global__ void copied(const float *A, float *C)
{
    __shared__ __align__(16) float tile[128];
    const int x = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * x], &A[4 * x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    C[x] = tile[x];
}
// ldmatrix: of rows of 16 bytes each matrix has eight, `ld` floats apart.
#define MATRICES(name, ld)                                                                         \
    __global__ void name(const float *A, float *C)                                                 \
    {                                                                                              \
        __shared__ __align__(16) float tile[32 * ld];                                              \
        float to[4];                                                                               \
        const int x = threadIdx.x;                                                                 \
        for (int i = x; i < 32 * ld; i += 32)                                                      \
            tile[i] = A[i];                                                                        \
        __syncthreads();                                                                           \
        ldmatrix(to, &tile[x * ld]);                                                               \
        C[x] = to[0] + to[1] + to[2] + to[3];                                                      \
    }
MATRICES(matrices, 32)
MATRICES(matrices_padded, 36)
__global__ void two_matrices(const float *A, float *C)
{
    __shared__ __align__(16) float tile[16 * 4];
    unsigned to[2];
    const int x = threadIdx.x;
    tile[x] = A[x];
    tile[32 + x] = A[32 + x];
    __syncthreads();
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"((unsigned)__cvta_generic_to_shared(&tile[x % 16 * 4])));
    C[x] = to[0] + to[1];
}

int main()
{
    float *A, *C, result;
    cudaMalloc(&A, 4096 * sizeof *A);
    cudaMalloc(&C, 4096 * sizeof *C);
    cudaMemset(A, 0, 4096 * sizeof *A);
    cudaMemset(C, 0, 4096 * sizeof *C);
    contiguous<<<1, 32>>>(A, C);
    stride_2<<<1, 32>>>(A, C);
    column<<<1, 32>>>(A, C);
    broadcast<<<1, 32>>>(A, C);
    misaligned_row<<<1, 32>>>(A, C);
    one_lane<<<1, 32>>>(A, C);
    vectors<<<1, 32>>>(A, C);
    doubles<<<1, 32>>>(A, C);
    diverging<<<1, 32>>>(A, C);
    structures<<<1, 32>>>(A, C);
    adds<<<1, 32>>>(A, C);
    shared_row<<<1, 32>>>(A, C);
    shared_column<<<1, 32>>>(A, C);
    shared_padded<<<1, 32>>>(A, C);
    shared_stride_2<<<1, 32>>>(A, C);
    shared_swizzled<<<1, 32>>>(A, C);
    shared_broadcast<<<1, 32>>>(A, C);
    shared_doubles<<<1, 32>>>(A, C);
    shared_vectors<<<1, 32>>>(A, C);
    shared_vectors_in_pairs<<<1, 32>>>(A, C);
    shared_vectors_in_far_pairs<<<1, 32>>>(A, C);
    shared_vectors_in_eights<<<1, 32>>>(A, C);
    shared_vectors_by_quarters<<<1, 32>>>(A, C);
    shared_doubles_in_pairs<<<1, 32>>>(A, C);
    shared_vectors_in_a_column<<<1, 32>>>(A, C);
    stored_in_pairs<<<1, 32>>>(A, C);
    row_copied<<<1, 32>>>(A, C);
    rows_copied<<<1, 32>>>(A, C);
    conflicts_copied<<<1, 32>>>(A, C);
    zeros_copied<<<1, 32>>>(A, C);
    copied<<<1, 32>>>(A, C);
    matrices<<<1, 32>>>(A, C);
    matrices_padded<<<1, 32>>>(A, C);
    two_matrices<<<1, 32>>>(A, C);
    cudaMemcpy(&result, C, sizeof result, cudaMemcpyDeviceToHost);
    contiguous<<<1, 32>>>(A, C); // after the result is taken nothing is counted
    cudaMemcpy(&result, C, sizeof result, cudaMemcpyDeviceToHost);
}
