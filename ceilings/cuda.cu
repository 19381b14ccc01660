// SPDX-License-Identifier: MIT
// The ceilings of a CUDA device. Prints one line of build/ceilings.tsv.
#include "gpu.h"
#include "session/config.h"

enum { BLOCK = 256, COPY_BYTES = 1 << 28 };

// Eight chains of dependent multiply-adds.
__global__ void multiply_add(int steps, real x, real *out)
{
    real sum[8];
    for (int c = 0; c < 8; c++)
        sum[c] = x + c;
    for (int step = 0; step < steps; step++)
#pragma unroll
        for (int c = 0; c < 8; c++)
            sum[c] = sum[c] * x + x;
    real total = 0;
    for (int c = 0; c < 8; c++)
        total += sum[c];
    out[blockIdx.x * BLOCK + threadIdx.x] = total;
}

__global__ void copy(const float4 *from, float4 *to)
{
    to[blockIdx.x * BLOCK + threadIdx.x] = from[blockIdx.x * BLOCK + threadIdx.x];
}

static cudaEvent_t before, after;

// Milliseconds since `before` was recorded, once the launch in between is done.
static double finish(void)
{
    float ms;
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(after));
    CHECK(cudaEventSynchronize(after));
    CHECK(cudaEventElapsedTime(&ms, before, after));
    return ms;
}

int main(int argc, char **argv)
{
    struct lab lab;
    struct tile tile = {1, 1, 1};
    lab_begin(&lab, argc, argv, "cuda", tile);
    cuda_choose_device(&lab);
    struct cudaDeviceProp properties;
    int device, steps = 256;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceProperties(&properties, device));
    char *from, *to;
    CHECK(cudaMalloc(&from, COPY_BYTES));
    CHECK(cudaMalloc(&to, COPY_BYTES));
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    unsigned blocks = (unsigned)properties.multiProcessorCount * 64;
    real x = (real)(argc > 100); // the compiler must not know it
    double gflops = 0, gbs = 0;
    for (int r = 0; r < 8; r++) { // the best of eight, the first ones getting longer up to 10 ms
        CHECK(cudaEventRecord(before));
        multiply_add<<<blocks, BLOCK>>>(steps, x, (real *)to);
        double ms = finish(), f = 2.0 * 8 * steps * BLOCK * blocks / ms * 1e-6;
        CHECK(cudaEventRecord(before));
        copy<<<COPY_BYTES / 16 / BLOCK, BLOCK>>>((const float4 *)from, (float4 *)to);
        double b = 2.0 * COPY_BYTES / finish() * 1e-6;
        gflops = f > gflops ? f : gflops;
        gbs = b > gbs ? b : gbs;
        steps *= ms < 10 ? 4 : 1;
    }
    printf("cuda\t%s\t%s\t%.2f\t%.2f\n", lab.device, config.type, gflops, gbs);
    return lab_end(&lab);
}
