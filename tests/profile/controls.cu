// SPDX-License-Identifier: MIT
// Kernels whose cost is known on paper: the negative controls of docs/counters.md. Each walks over
// matrices of M x N x K as a product does, and adds up what it reads.
//   controls M N K
#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline.h>
#include <vector>

#define TILE 32
// One thread for each element of C, in blocks of 32 x 8; lanes are neighbours in a row.
#define GLOBAL(name, ...)                                                                          \
    __global__ void name(int M, int N, int K, const float *A, float *C)                            \
    {                                                                                              \
        const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;         \
        if (row >= M || col >= N)                                                                  \
            return;                                                                                \
        float sum = 0;                                                                             \
        for (int k = 0; k < K; k++) {                                                              \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        C[row * N + col] = sum;                                                                    \
    }
GLOBAL(contiguous, sum += A[k * N + col])
GLOBAL(stride_2, sum += A[2 * (k * N + col)])
GLOBAL(column, sum += A[col * K + k])
GLOBAL(broadcast, sum += A[row * K + k])
GLOBAL(misaligned_row, sum += A[k * (N + 1) + col + 1])
GLOBAL(float4_contiguous, const float4 four = ((const float4 *)A)[k * N + col];
       sum += four.x + four.y + four.z + four.w)
GLOBAL(double_contiguous, sum += (float)((const double *)A)[k * N + col])
// Of four lanes the first comes to the load once for each k, the last four times.
GLOBAL(divergent_loops, for (int i = 0; i <= col % 4; i++) sum += A[(k + i) * N + col])

// Blocks of 32 x 32 write a tile along its rows, and read it as `index` says.
#define SHARED(name, type, rows, columns, index)                                                   \
    __global__ void name(int M, int N, int K, const float *A, float *C)                            \
    {                                                                                              \
        __shared__ __align__(16) type tile[rows][columns];                                         \
        const int x = threadIdx.x, y = threadIdx.y;                                                \
        const int col = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;                        \
        float sum = 0;                                                                             \
        for (int k0 = 0; k0 < K; k0 += TILE) {                                                     \
            tile[y][x] = value<type>(row < M && k0 + x < K ? A[row * K + k0 + x] : 0);             \
            __syncthreads();                                                                       \
            if (col < N)                                                                           \
                sum += number(tile index);                                                         \
            __syncthreads();                                                                       \
        }                                                                                          \
        if (row < M && col < N)                                                                    \
            C[row * N + col] = sum;                                                                \
    }
template <typename type> static __device__ type value(float x)
{
    return type(x);
}
template <> __device__ float4 value<float4>(float x)
{
    return make_float4(x, x, x, x);
}
static __device__ float number(double x)
{
    return float(x);
}
static __device__ float number(float4 x)
{
    return x.x + x.y + x.z + x.w;
}
SHARED(shared_row, float, 32, 32, [y][31 - x])
SHARED(shared_stride_2, float, 32, 64, [y][2 * (31 - x)])
SHARED(shared_column, float, 32, 32, [x][y])
SHARED(shared_column_padded, float, 32, 33, [x][y])
SHARED(shared_column_swizzled, float, 32, 32, [x][y ^ x])
SHARED(shared_broadcast, float, 32, 32, [y][7])
SHARED(shared_double, double, 32, 32, [y][31 - x])
SHARED(shared_float4, float4, 32, 32, [y][31 - x])
SHARED(shared_float4_in_pairs, float4, 32, 32, [y][(31 - x) / 2])
SHARED(shared_float4_column, float4, 32, 32, [x][y])

// Asynchronous copies of 4 bytes: of a row of A by a warp, and of eight elements of four rows each,
// to a tile that is transposed on the way without a conflict, as lab 17 copies A.
#define COPIES(name, rows, to)                                                                     \
    __global__ void name(int M, int N, int K, const float *A, float *C)                            \
    {                                                                                              \
        __shared__ float tile[8][8][TILE + 4];                                                     \
        const int x = threadIdx.x, y = threadIdx.y;                                                \
        const int r = x / (TILE / rows), k = x % (TILE / rows);                                    \
        const int col = blockIdx.x * TILE + x, row = blockIdx.y * 8 + y;                           \
        float sum = 0;                                                                             \
        for (int k0 = 0; k0 < K; k0 += TILE) {                                                     \
            __pipeline_memcpy_async(&tile[y] to, &A[min(row + r, M - 1) * K + min(k0 + k, K - 1)], \
                                    sizeof(float));                                                \
            __pipeline_commit();                                                                   \
            __pipeline_wait_prior(0);                                                              \
            __syncthreads();                                                                       \
            sum += tile[y] to;                                                                     \
            __syncthreads();                                                                       \
        }                                                                                          \
        if (row < M && col < N)                                                                    \
            C[row * N + col] = sum;                                                                \
    }
COPIES(copy_row, 1, [0][x])
COPIES(copy_four_rows, 4, [k][r])

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const int M = atoi(argv[1]), N = atoi(argv[2]), K = atoi(argv[3]);
    const dim3 small(32, 8), large(TILE, TILE);
    const dim3 rows((N + 31) / 32, (M + 7) / 8), tiles((N + 31) / TILE, (M + 31) / TILE);
    const std::size_t enough = std::size_t(4) * (M + N + 8) * (K + N + 8) * sizeof(float);
    const std::vector<char> zeros(enough);
    float *A, *C, result;
    cudaMalloc(&A, enough);
    cudaMalloc(&C, std::size_t(M) * N * sizeof *C);
    cudaMemcpy(A, zeros.data(), enough, cudaMemcpyHostToDevice);
    contiguous<<<rows, small>>>(M, N, K, A, C);
    stride_2<<<rows, small>>>(M, N, K, A, C);
    column<<<rows, small>>>(M, N, K, A, C);
    broadcast<<<rows, small>>>(M, N, K, A, C);
    misaligned_row<<<rows, small>>>(M, N, K, A, C);
    float4_contiguous<<<rows, small>>>(M, N, K, A, C);
    double_contiguous<<<rows, small>>>(M, N, K, A, C);
    divergent_loops<<<rows, small>>>(M, N, K, A, C);
    shared_row<<<tiles, large>>>(M, N, K, A, C);
    shared_stride_2<<<tiles, large>>>(M, N, K, A, C);
    shared_column<<<tiles, large>>>(M, N, K, A, C);
    shared_column_padded<<<tiles, large>>>(M, N, K, A, C);
    shared_column_swizzled<<<tiles, large>>>(M, N, K, A, C);
    shared_broadcast<<<tiles, large>>>(M, N, K, A, C);
    shared_double<<<tiles, large>>>(M, N, K, A, C);
    shared_float4<<<tiles, large>>>(M, N, K, A, C);
    shared_float4_in_pairs<<<tiles, large>>>(M, N, K, A, C);
    shared_float4_column<<<tiles, large>>>(M, N, K, A, C);
    copy_row<<<rows, small>>>(M, N, K, A, C);
    copy_four_rows<<<rows, small>>>(M, N, K, A, C);
    cudaMemcpy(&result, C, sizeof result, cudaMemcpyDeviceToHost);
    const cudaError_t said = cudaGetLastError();
    if (said != cudaSuccess)
        std::fprintf(stderr, "controls: %s\n", cudaGetErrorString(said));
    return said != cudaSuccess;
}
