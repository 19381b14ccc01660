// SPDX-License-Identifier: MIT
// What emulation/ knows of CUDA, used as it should be: prints "right".
#include <cassert>
#include <vector>
struct pair {
    int first;
    float second;
};
struct view {
    const float *data;
    long n;
};
__constant__ float table[4];
__device__ unsigned counter;
static __device__ float scratch[64];
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        cudaError_t e_ = (x);                                                                      \
        if (e_ != cudaSuccess) {                                                                   \
            printf("%d: %s\n", __LINE__, cudaGetErrorName(e_));                                    \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)
#define WANT(x)                                                                                    \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            printf("line %d: not %s\n", __LINE__, #x);                                             \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

template <int B, class T> __device__ __noinline__ T twice(T x)
{
    return x * B;
}
template <int B, class T> __global__ void __launch_bounds__(B) deduced(T *x, T y)
{
    __shared__ struct {
        T v[B];
        pair p;
    } s, t[2];
    __shared__ __align__(1024) pair pairs[B];
    assert(__cvta_generic_to_shared(pairs) % 1024 == 0 && size_t(pairs) % 1024 == 0);
    s.v[threadIdx.x] = y;
    pairs[threadIdx.x].first = threadIdx.x;
    t[1].v[threadIdx.x] = 1;
    __syncthreads();
    x[threadIdx.x] =
        twice<2>(s.v[B - 1 - threadIdx.x]) + pairs[B - 1 - threadIdx.x].first + t[1].v[0];
}
__global__ void warps(float *sum, int *votes, double *d)
{
    assert(warpSize == 32);
    float v = threadIdx.x;
    for (int w = 16; w > 0; w /= 2)
        v += __shfl_down_sync(~0u, v, w);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, v);
    int lane = threadIdx.x % 32;
    int x = __shfl_xor_sync(0xffffffff, lane, 1), u = __shfl_up_sync(0xffffffff, lane, 1),
        i = __shfl_sync(~0u, lane, 5);
    assert(x == (lane ^ 1) && u == (lane ? lane - 1 : 0) && i == 5);
    assert(__shfl_down_sync(~0u, lane, 3, 8) == (lane % 8 < 5 ? lane + 3 : lane));
    assert(__any_sync(~0u, lane == 3) && !__all_sync(~0u, lane == 3) &&
           __ballot_sync(~0u, lane < 4) == 15);
    double dd = __shfl_sync(~0u, double(lane), 7);
    if (lane < 16) {
        __syncwarp(0xffff);
        dd += __shfl_sync(0xffff, dd, 3);
    }
    if (lane >= 30)
        return;
    int rest = __shfl_sync(~0u, lane, 29);
    if (rest == 29 && threadIdx.x == 0)
        *d = dd;
    atomicMax(votes, int(__popc(__ballot_sync(~0u, 1))));
}
__global__ void counts(int *n)
{
    int c = __syncthreads_count(threadIdx.x < 5);
    int o = __syncthreads_or(threadIdx.x == 70), a = __syncthreads_and(threadIdx.x < 70);
    if (threadIdx.x == 0)
        n[0] = c, n[1] = o, n[2] = a;
}
__global__ void last_block(const float *x, float *sums, float *total)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = x[blockIdx.x] * table[blockIdx.x % 4];
        __threadfence();
        last = atomicAdd(&counter, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float t = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            t += sums[i];
        *total = t;
        counter = 0; // for the next launch: after the atomics of all
    }
}
__device__ int lock;
__global__ void locked(int *n)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
        *n += 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
}
// As CUDA's guide adds doubles: to read what atomicCAS then compares is no race.
__global__ void by_cas(float *sum, int *largest)
{
    int *bits = reinterpret_cast<int *>(sum);
    int old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(1 + __int_as_float(assumed)));
    } while (assumed != old);
    int now = largest[1];
    while (now < int(threadIdx.x)) {
        const int seen = atomicCAS(&largest[1], now, threadIdx.x);
        if (seen == now)
            break;
        now = seen;
    }
}
__global__ void dynamic(float *x)
{
    extern __shared__ __align__(1024) float d[];
    assert(size_t(d) % 1024 == 0);
    for (int i = threadIdx.x; i < 50000; i += blockDim.x)
        d[i] = i;
    __syncthreads();
    x[threadIdx.x] = d[49999 - threadIdx.x];
}
__global__ void vectors(const float4 *in, float4 *out, view v)
{
    float4 a = in[threadIdx.x], b = __ldg(in + threadIdx.x);
    uchar4 c = make_uchar4(1, 2, 3, 4);
    float3 f = make_float3(1, 2, 3);
    unsigned u = min(threadIdx.x, 3) + max(2u, 1u);
    double m = max(1.0f, 2.0);
    out[threadIdx.x] =
        make_float4(a.x + b.x, fmaf(a.y, 2, 1) + __fmaf_rn(1, 2, 3), c.w + f.z + m, u + v.data[0]);
    printf("%ld", v.n);
}
// Warps that meet before any barrier: the first that a block's threads do.
__global__ void many_warps(int *n)
{
    if (__any_sync(~0u, threadIdx.x % 32 == 5) && threadIdx.x % 32 == 0)
        atomicAdd(n, 1);
}
int main()
{
    int *first, warps_there;
    CHECK(cudaMalloc(&first, sizeof *first));
    CHECK(cudaMemset(first, 0, sizeof *first));
    many_warps<<<1, 1024>>>(first);
    CHECK(cudaMemcpy(&warps_there, first, sizeof *first, cudaMemcpyDeviceToHost));
    WANT(warps_there == 32);
    CHECK(cudaFree(first));
    float *x, host[128], h4[4] = {1, 2, 3, 4};
    int *n, hn[4];
    double *d, hd;
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMalloc(&n, 16));
    CHECK(cudaMalloc(&d, 8));
    deduced<32><<<dim3(1), 32>>>(x, 3.0f);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpyAsync(host, x, 128, cudaMemcpyDeviceToHost));
    WANT(host[0] == 38 && host[31] == 7);
    CHECK(cudaMemset(x, 0, 128));
    CHECK(cudaMemset(n, 0, 16));
    cudaStream_t none = 0;
    warps<<<1, 64, 0, none>>>(x, n, d);
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaMemcpy(host, x, 128, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hn, n, 16, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&hd, d, 8, cudaMemcpyDeviceToHost));
    WANT(host[0] == 2016 && hn[0] == 30 && hd == 14);
    counts<<<1, 70, 0, 0>>>(n);
    CHECK(cudaMemcpy(hn, n, 16, cudaMemcpyDeviceToHost));
    WANT(hn[0] == 5 && hn[1] == 0 && hn[2] == 1);
    CHECK(cudaMemcpyToSymbol(table, h4, sizeof table));
    float sums[8];
    for (int i = 0; i < 8; i++)
        host[i] = 1;
    CHECK(cudaMemcpy(x, host, 32, cudaMemcpyHostToDevice));
    last_block<<<8, 4>>>(x, x + 8, x + 16);
    CHECK(cudaMemcpy(sums, x + 16, 4, cudaMemcpyDeviceToHost));
    WANT(sums[0] == 20);
    unsigned got = 1;
    CHECK(cudaMemcpyFromSymbol(&got, counter, sizeof got));
    WANT(got == 0);
    CHECK(cudaMemset(n, 0, 16));
    locked<<<20, 32>>>(n);
    CHECK(cudaMemcpy(hn, n, 16, cudaMemcpyDeviceToHost));
    WANT(hn[0] == 20);
    CHECK(cudaMemset(x, 0, 4));
    CHECK(cudaMemset(n, 0, 16));
    by_cas<<<8, 32>>>(x, n);
    CHECK(cudaMemcpy(host, x, 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(hn, n, 16, cudaMemcpyDeviceToHost));
    WANT(host[0] == 256 && hn[1] == 31);
    dynamic<<<1, 32, 200000>>>(x);
    WANT(cudaGetLastError() == cudaErrorInvalidValue);
    WANT(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              227 * 1024 + 1) == cudaErrorInvalidValue &&
         cudaGetLastError() != cudaSuccess);
    CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
    dynamic<<<1, 32, 200000>>>(x);
    CHECK(cudaMemcpy(host, x, 128, cudaMemcpyDeviceToHost));
    WANT(host[0] == 49999);
    int wrong = 0;
    WANT(cudaMemcpyToSymbol(wrong, h4, 4) == cudaErrorInvalidSymbol &&
         cudaMemcpyToSymbol(table, h4, 17) == cudaErrorInvalidValue);
    CHECK((cudaGetLastError(), cudaSuccess));
    void *address;
    CHECK(cudaGetSymbolAddress(&address, scratch));
    view v = {x, 7};
    CHECK(cudaMemset(x, 0, 64));
    vectors<<<1, 1>>>((const float4 *)x, (float4 *)address, v);
    CHECK(cudaMemcpyFromSymbol(host, scratch, 16));
    WANT(host[0] == 0 && host[1] == 6 && host[2] == 9 && host[3] == 2);
    CHECK(cudaFree(x));
    puts(" right");
    return wrong;
}
