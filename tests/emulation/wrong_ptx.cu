// SPDX-License-Identifier: MIT
// Inline PTX, used as it should not be, each in the line whose comment begins with its name:
// ./wrong_ptx NAME.
#include <cstdint>
#include <cstring>

// unknown: plain asm: bar.sync is not emulated: it needs nvcc and a GPU
__global__ void unknown(const float *from, float *to)
{
    to[threadIdx.x] = from[threadIdx.x];
    asm volatile("bar.sync 0;"); // unknown
}

__global__ void small_cg(const float *from, float *)
{
    __shared__ float tile[32];
    const uint32_t to = (uint32_t)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 4;" // small_cg: COPY
                 ::"r"(to),
                 "l"(&from[threadIdx.x]));
}

__global__ void no_wait(const float *from, float *to)
{
    __shared__ alignas(16) float tile[128];
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(&tile[4 * threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" // no_wait: address COPY
                 ::"r"(address),
                 "l"(from + 4 * threadIdx.x));
    asm volatile("cp.async.commit_group;");
    to[threadIdx.x] = tile[4 * threadIdx.x] + 1; // no_wait
    asm volatile("cp.async.wait_all;");
}

__global__ void no_barrier(const float *from, float *to)
{
    __shared__ float tile[32];
    const uint32_t address = (uint32_t)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address),
                 "l"(from + threadIdx.x));
    asm volatile("cp.async.wait_all;");
    to[threadIdx.x] = tile[threadIdx.x ^ 1]; // no_barrier: RACE
}

__global__ void not_shared(const float *from, float *to)
{
    to[0] = float(__cvta_generic_to_shared(from)); // not_shared: plain none to shared memory
}

// odd_row: plain multiple of 16 bytes
__global__ void odd_row(const float *, float *to)
{
    __shared__ alignas(16) float tile[64];
    uint32_t r;
    tile[threadIdx.x] = 0;
    __syncthreads();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" // odd_row
                 : "=r"(r)
                 : "r"((uint32_t)__cvta_generic_to_shared(tile + threadIdx.x)));
    to[threadIdx.x] = float(r);
}

int main(int, char **argv)
{
    static const struct {
        const char *name;
        void (*kernel)(const float *, float *);
    } kernels[] = {{"unknown", unknown},       {"small_cg", small_cg},     {"no_wait", no_wait},
                   {"no_barrier", no_barrier}, {"not_shared", not_shared}, {"odd_row", odd_row}};
    float *from, *to, host[128];
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&to, sizeof host);
    cudaMemset(from, 0, sizeof host);
    for (auto &k : kernels)
        if (strcmp(argv[1], k.name) == 0)
            k.kernel<<<1, 32>>>(from, to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    printf("first %g\n", host[0]);
    return 0;
}
