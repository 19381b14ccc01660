// SPDX-License-Identifier: MIT
// Kernels that compute with memory that nobody wrote, and drop what comes of it: prints "right".
#include "right.h"
#include <algorithm>
#include <mma.h>
using namespace nvcuda;

// Right of the diagonal, of which nothing is stored.
__global__ void below_the_diagonal(const float *from, float *to)
{
    __shared__ float tile[32][33];
    const int x = threadIdx.x;
    float scaled[32], largest[32];
    int positive[32];
    for (int row = x; row < 32; row++)
        tile[row][x] = from[row];
    __syncwarp();
    for (int row = 0; row < 32; row++) {
        scaled[row] = 0 * tile[row][x];
        largest[row] = fmaxf(tile[row][x], 1);
        positive[row] = tile[row][x] > 2;
    }
    for (int row = x; row < 32; row++)
        to[row * 32 + x] = scaled[row] + largest[row] + positive[row];
}

// The last four of each row of four elements and two, of which the last two are nobody's.
__global__ void rows_of_six(const float4 *from, float *to)
{
    float4 x = from[2 * threadIdx.x + 1];
    for (float *part : {&x.x, &x.y, &x.z, &x.w})
        *part *= 2;
    const float all[4] = {x.x, x.y, x.z, x.w};
    for (int i = 4; i < 6; i++)
        to[threadIdx.x * 6 + i] = all[i - 4];
    for (int i = 0; i < 4; i++)
        to[threadIdx.x * 6 + i] = 0;
}

// Of whole numbers, too: three times what nobody wrote is more than an int has.
__global__ void whole_numbers(const float *from, float *to)
{
    __shared__ int tile[32][33];
    const int x = threadIdx.x;
    int sums[32];
    for (int row = x; row < 32; row++)
        tile[row][x] = int(from[row]);
    __syncwarp();
    for (int row = 0; row < 32; row++)
        sums[row] = 3 * tile[row][x] + 1;
    for (int row = x; row < 32; row++)
        to[row * 32 + x] = float(sums[row]);
}

// One element ahead, past the end.
__global__ void prefetched(const float *from, float *to, int count)
{
    float next = 2 * from[0];
    for (int i = 0; i < count; i++) {
        to[i] = next;
        next = 2 * from[i + 1];
        __syncthreads();
    }
}

// Four rows of A and no more.
__global__ void rows_of_mma(const float *from, float *to)
{
    __shared__ alignas(32) float a_tile[16][8], c_tile[16][16];
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
    a_tile[threadIdx.x / 8][threadIdx.x % 8] = from[threadIdx.x];
    __syncwarp();
    wmma::load_matrix_sync(a, &a_tile[0][0], 8);
    wmma::load_matrix_sync(b, from, 8);
    wmma::fill_fragment(c, 0.0f);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(&c_tile[0][0], c, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 64; i += 32)
        to[i] = c_tile[i / 16][i % 16];
}

int main()
{
    enum { SIZE = 1024 };
    float *from, *to, host[SIZE];
    std::fill_n(host, SIZE, 3.0f);
    cudaMalloc(&from, SIZE * sizeof(float));
    cudaMalloc(&to, SIZE * sizeof(float));
    auto all_are = [&](int count, float want) {
        cudaMemcpy(host, to, count * sizeof(float), cudaMemcpyDeviceToHost);
        return std::count(host, host + count, want) == count;
    };

    cudaMemcpy(from, host, 128 * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(to, 0, SIZE * sizeof(float));
    below_the_diagonal<<<1, 32>>>(from, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    WANT(std::count(host, host + SIZE, 4.0f) == 528 && std::count(host, host + SIZE, 0.0f) == 496);
    whole_numbers<<<1, 32>>>(from, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    WANT(std::count(host, host + SIZE, 10.0f) == 528);
    rows_of_mma<<<1, 32>>>(from, to);
    WANT(all_are(64, 72));
    prefetched<<<1, 1>>>(from, to, 128);
    WANT(all_are(128, 6));

    float *rows;
    cudaMalloc(&rows, 32 * 8 * sizeof(float));
    std::fill_n(host, SIZE, 3.0f);
    cudaMemcpy2D(rows, 8 * sizeof(float), host, 6 * sizeof(float), 6 * sizeof(float), 32,
                 cudaMemcpyHostToDevice);
    rows_of_six<<<1, 32>>>((const float4 *)rows, to);
    cudaMemcpy(host, to, 6 * 32 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 6 * 32; i++)
        WANT(host[i] == (i % 6 < 4 ? 0 : 6));
    return end();
}
