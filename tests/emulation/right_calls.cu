// SPDX-License-Identifier: MIT
// The runtime's calls that samples make beside those of right.cu: prints "right".
#include "right.h"

#define OK(x) WANT((x) == cudaSuccess)

__managed__ int counter;

__global__ void add(int *x, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < unsigned(n))
        x[i] += 1;
    if (i == 0)
        counter++;
}

// To the host, eight bytes that are a pointer look the same.
struct shape {
    int M, N;
};

__global__ void add_area(int *x, shape s)
{
    *x += s.M * s.N;
}

static void set_flag(void *flag)
{
    *(int *)flag = 1;
}

int main()
{
    for (const auto kind : {cudaMemcpyHostToHost, cudaMemcpyDefault}) // needs <initializer_list>
        OK(cudaMemcpy(nullptr, nullptr, 0, kind));
    int *managed, *pinned, *device, *mapped;
    OK(cudaMallocManaged(&managed, 40));
    for (int i = 0; i < 10; i++)
        managed[i] = i;
    add<<<1, 32>>>(managed, 10);
    OK(cudaDeviceSynchronize());
    WANT(managed[9] == 10 && counter == 1);

    cudaSharedMemConfig banks;
    OK(cudaDeviceGetSharedMemConfig(&banks));
    WANT(banks == cudaSharedMemBankSizeFourByte);

    OK(cudaMallocHost(&pinned, 40));
    OK(cudaHostAlloc(&mapped, 40, cudaHostAllocMapped));
    OK(cudaMalloc(&device, 40));
    for (int i = 0; i < 10; i++)
        pinned[i] = 2 * i;
    cudaStream_t stream;
    cudaEvent_t event;
    int flag = 0;
    OK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 0));
    OK(cudaEventCreate(&event, cudaEventDisableTiming));
    OK(cudaMemcpyAsync(device, pinned, 40, cudaMemcpyHostToDevice, stream));
    pinned[1] = 100; // pinned memory is read when the copy is made
    add<<<1, 32, 0, stream>>>(device, 10);
    OK(cudaLaunchHostFunc(stream, set_flag, &flag));
    OK(cudaMemcpyAsync(mapped, device, 40, cudaMemcpyDefault, stream));
    OK(cudaEventRecord(event, stream));
    WANT(flag == 0 && cudaStreamQuery(stream) == cudaErrorNotReady);
    while (cudaEventQuery(event) == cudaErrorNotReady) {
    }
    WANT(flag == 1 && mapped[9] == 19 && mapped[1] == 101);
    OK(cudaStreamDestroy(stream));
    OK(cudaEventDestroy(event));
    WANT(cudaMemcpy(device, pinned, 40, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    cudaGetLastError();

    char *rows, back[3 * 8];
    size_t pitch;
    OK(cudaMallocPitch(&rows, &pitch, 8, 3));
    for (int i = 0; i < 24; i++)
        back[i] = char(i);
    OK(cudaMemcpy2D(rows, pitch, back, 8, 8, 3, cudaMemcpyHostToDevice));
    OK(cudaMemset2D(rows, pitch, 7, 4, 2));
    OK(cudaMemcpy2D(back, 8, rows, pitch, 8, 3, cudaMemcpyDeviceToHost));
    WANT(pitch >= 8 && back[0] == 7 && back[4] == 4 && back[11] == 7 && back[16] == 16);

    // The sanitizers map memory of their own where these would point to.
    int *sum, area = 0, found;
    OK(cudaMalloc(&sum, sizeof *sum));
    OK(cudaMemset(sum, 0, sizeof *sum));
    for (int N = 1; N < 16384; N += 37) {
        add_area<<<1, 1>>>(sum, shape{64, N});
        area += 64 * N;
    }
    OK(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
    WANT(found == area);
    OK(cudaFree(sum));

    cudaDeviceProp p;
    int threads, blocks, warp;
    size_t unused, total;
    OK(cudaGetDeviceProperties(&p, 0));
    OK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
    WANT(warp == 32 && p.maxThreadsPerBlock == 1024 && p.multiProcessorCount > 0 &&
         p.totalGlobalMem > 0);
    OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, add, 0, 0));
    WANT(threads == 1024 && blocks >= p.multiProcessorCount);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
    WANT(blocks == 8);
    OK(cudaMemGetInfo(&unused, &total));
    WANT(unused < total);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, pinned));
    WANT(attributes.type == cudaMemoryTypeHost);
    OK(cudaFreeHost(pinned));
    WANT(cudaFree(mapped) == cudaErrorInvalidValue);
    OK(cudaFree(managed));
    OK(cudaDeviceReset());
    WANT(cudaFree(device) == cudaErrorInvalidValue); // is gone
    return end();
}
