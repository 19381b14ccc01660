// SPDX-License-Identifier: MIT
// Streams and devices, used as they should not be: ./wrong_streams NAME. The names stand in the
// lines that are told, where one is.
#include <cstdio>
#include <cstring>

enum { N = 32 };

__global__ void add(float *to, const float *from, float x)
{
    to[threadIdx.x] = from[threadIdx.x] + x;
}

// right: nowhere right
// no_event: nowhere wrong
// no_synchronize: nowhere wrong
int main(int, char **argv)
{
    emulation::devices = 2;
    auto is = [argv](const char *which) { return strcmp(argv[1], which) == 0; };
    float *a, *b, *far, host[N];
    cudaStream_t one, two;
    cudaEvent_t event;
    cudaSetDevice(1);
    cudaMalloc(&far, sizeof host);
    cudaSetDevice(0);
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    bool wrong = false;
    for (int run = 0; run < 20; run++) {
        cudaMemset(a, 0, sizeof host);
        cudaMemset(b, 0, sizeof host);
        if (is("other_device"))
            add<<<1, N>>>(a, far, 1); // other_device: plain points to memory of device 1
        add<<<1, N, 0, one>>>(a, a, 1);
        cudaEventRecord(event, one);
        if (is("right"))
            cudaStreamWaitEvent(two, event);
        add<<<1, N, 0, two>>>(b, a, 1); // the other stream may come first
        if (!is("no_synchronize"))
            cudaStreamSynchronize(two);
        cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost); // waits for no such stream
        wrong = wrong || host[0] != 2;
        cudaDeviceSynchronize();
    }
    cudaEventDestroy(event);
    printf("%s\n", wrong ? "wrong" : "right");
    return 0;
}
