// SPDX-License-Identifier: MIT
// Streams, events and several devices, used as they should be: prints "right" for any
// EMULATION_SEED.
#include "right.h"

enum { N = 64 };

__global__ void add(float *to, const float *from, float x)
{
    to[threadIdx.x] = from[threadIdx.x] + x;
}

static float first_of(const float *memory)
{
    float host[N];
    WANT(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 1; i < N; i++)
        WANT(host[i] == host[0]);
    return host[0];
}

int main()
{
    emulation::devices = 2;
    int count, can;
    float *a[2], *b;
    cudaStream_t first, second, other;
    cudaEvent_t done, there;
    WANT(cudaGetDeviceCount(&count) == cudaSuccess && count == 2);
    WANT(cudaSetDevice(2) == cudaErrorInvalidDevice && cudaGetLastError() != cudaSuccess);
    for (int device = 1; device >= 0; device--) {
        cudaSetDevice(device);
        cudaMalloc(&a[device], N * sizeof(float));
        cudaMemset(a[device], 0, N * sizeof(float));
    }
    cudaMalloc(&b, N * sizeof(float));
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreate(&second);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventCreate(&there);

    // In one stream in order; from one to the other by an event.
    add<<<1, N, 0, first>>>(b, a[0], 1);
    add<<<1, N, 0, first>>>(b, b, 2);
    cudaEventRecord(done, first);
    cudaStreamWaitEvent(second, done);
    add<<<1, N, 0, second>>>(b, b, 4);
    WANT(cudaStreamSynchronize(second) == cudaSuccess);
    WANT(first_of(b) == 7);

    // To another device, and back.
    cudaSetDevice(1);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    WANT(cudaEventRecord(done, other) == cudaErrorInvalidResourceHandle);
    WANT(cudaMemcpyPeerAsync(a[1], 1, b, 1, N, other) == cudaErrorInvalidValue);
    cudaGetLastError();
    WANT(cudaMemcpyPeerAsync(a[1], 1, b, 0, N * sizeof(float), other) == cudaSuccess);
    add<<<1, N, 0, other>>>(a[1], a[1], 8);
    WANT(cudaDeviceSynchronize() == cudaSuccess);
    WANT(first_of(a[1]) == 15);
    cudaSetDevice(0);
    WANT(cudaMemcpyPeer(b, 0, a[1], 1, N * sizeof(float)) == cudaSuccess);
    WANT(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess && can == 1);
    WANT(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrNativeAtomicSupported, 0, 1) ==
             cudaSuccess &&
         can == 1);
    WANT(cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 0) == cudaSuccess &&
         can == 0);
    WANT(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
    WANT(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
    cudaGetLastError();
    add<<<1, N>>>(b, a[1], 16); // waits for the second stream, not for the first
    WANT(first_of(b) == 31);

    // What an event says of time, and the null stream's waiting.
    float ms;
    cudaEventRecord(done, second);
    cudaEventRecord(there, second);
    WANT(cudaEventSynchronize(there) == cudaSuccess);
    WANT(cudaEventElapsedTime(&ms, done, there) == cudaSuccess && ms >= 0);
    add<<<1, N, 0, second>>>(b, b, 32);
    WANT(first_of(b) == 63);
    cudaEventDestroy(done);
    cudaEventDestroy(there);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(b);
    return end();
}
