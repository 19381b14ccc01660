// SPDX-License-Identifier: MIT
// Tensor cores, used as they should not be, each in the line whose comment begins with its name:
// ./wrong_tensor NAME.
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

typedef wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a_part;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b_part;
typedef wmma::fragment<wmma::accumulator, 16, 16, 8, float> c_part;

__global__ void half_a_warp(const float *from, float *to)
{
    a_part a;
    b_part b;
    c_part c;
    wmma::load_matrix_sync(a, from, 8);
    wmma::load_matrix_sync(b, from, 16);
    wmma::fill_fragment(c, 0.0f);
    if (threadIdx.x < 16)
        wmma::mma_sync(c, a, b, c); // half_a_warp: plain waits at this mma_sync
    wmma::store_matrix_sync(to, c, 16, wmma::mem_row_major);
}

// lanes_gone: plain takes all 32 lanes of the warp, and there are 31
__global__ void lanes_gone(const float *from, float *to)
{
    a_part a;
    if (threadIdx.x == 7)
        return;
    wmma::load_matrix_sync(a, from, 8); // lanes_gone
    to[threadIdx.x] = a.x[0];
}

// small_block: plain takes all 32 lanes of the warp, and there are 16
__global__ void small_block(const float *from, float *to)
{
    a_part a;
    wmma::load_matrix_sync(a, from, 8); // small_block
    to[threadIdx.x] = a.x[0];
}

// other_addresses: plain give other addresses
__global__ void other_addresses(const float *from, float *to)
{
    a_part a;
    wmma::load_matrix_sync(a, from + threadIdx.x / 16 * 128, 8); // other_addresses
    to[threadIdx.x] = a.x[0];
}

__global__ void odd_ld(const float *from, float *to)
{
    a_part a;
    wmma::load_matrix_sync(a, from, 9); // odd_ld: plain must be a multiple of 4
    to[threadIdx.x] = a.x[0];
}

__global__ void misaligned(const float *from, float *to)
{
    a_part a;
    wmma::load_matrix_sync(a, from + 4, 8); // misaligned: plain multiple of 32 bytes
    to[threadIdx.x] = a.x[0];
}

__global__ void large_ld(const float *from, float *to)
{
    a_part a;
    wmma::load_matrix_sync(a, from, 20); // large_ld: BOUNDS
    to[threadIdx.x] = a.x[0];
}

// What other lanes have stored is there after a __syncwarp.
__global__ void no_syncwarp(const float *, float *to)
{
    __shared__ alignas(32) float tile[256];
    c_part c;
    wmma::fill_fragment(c, 1.0f);
    wmma::store_matrix_sync(tile, c, 16, wmma::mem_row_major);
    to[threadIdx.x] = tile[threadIdx.x]; // no_syncwarp: RACE
}

__global__ void unwritten(const float *from, float *to)
{
    __shared__ alignas(32) float tile[128];
    a_part a;
    b_part b;
    c_part c;
    wmma::load_matrix_sync(a, tile, 8);
    wmma::load_matrix_sync(b, from, 16);
    wmma::fill_fragment(c, 0.0f);
    wmma::mma_sync(c, a, b, c); // unwritten: nowhere first nan; UNWRITTEN
    wmma::store_matrix_sync(to, c, 16, wmma::mem_row_major);
}

// What nobody wrote is known as such when it is a half, or a bfloat16, and has come from another
// lane.
__global__ void converted(const float *, float *to)
{
    __shared__ float tile[32];
    const float x = __half2float(__float2half(tile[threadIdx.x]));
    const float y = __bfloat162float(__float2bfloat16(__shfl_sync(~0u, x, 0)));
    to[threadIdx.x] = 2 * y; // converted: nowhere first nan; UNWRITTEN
}

// A store of wmma whose last rows are past the end of C.
__global__ void past_c(const float *, float *to)
{
    c_part c;
    wmma::fill_fragment(c, 1.0f);
    wmma::store_matrix_sync(to + 128, c, 2048, wmma::mem_row_major); // past_c: plain writes at
}

int main(int, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(const float *, float *);
        int threads;
    } kernels[] = {{"half_a_warp", half_a_warp, 32}, {"lanes_gone", lanes_gone, 32},
                   {"small_block", small_block, 16}, {"other_addresses", other_addresses, 32},
                   {"odd_ld", odd_ld, 32},           {"misaligned", misaligned, 32},
                   {"large_ld", large_ld, 32},       {"no_syncwarp", no_syncwarp, 32},
                   {"unwritten", unwritten, 32},     {"past_c", past_c, 32},
                   {"converted", converted, 32}};
    float *from, *to, host[256];
    cudaMalloc(&from, 256 * sizeof(float));
    cudaMalloc(&to, sizeof host);
    cudaMemset(from, 0, 256 * sizeof(float));
    cudaMemset(to, 0, sizeof host);
    for (auto &k : kernels)
        if (strcmp(argv[1], k.name) == 0) {
            const auto wrong = k.kernel;
            wrong<<<1, k.threads>>>(from, to);
        }
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    printf("first %g\n", host[0]);
    return 0;
}
