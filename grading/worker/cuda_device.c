// SPDX-License-Identifier: MIT
// The worker of a CUDA lab on a GPU. The host is ours; of what was handed in it loads device code
// alone.
//     worker BLOCK_X BLOCK_Y TILE_M TILE_N KERNEL.cubin
#include "base.h"
#include "serve.h"

#include <cuda.h>
#include <stdlib.h>

static struct {
    unsigned block_x, block_y;
    int tile_m, tile_n;
    CUfunction gemm;
    CUdeviceptr A, B, C;
} host;

static void check(CUresult status, const char *call)
{
    const char *name = "an unknown error";
    if (status == CUDA_SUCCESS)
        return;
    cuGetErrorName(status, &name);
    exit_with(EXIT_USAGE, "%s: %s", call, name);
}
#define CHECK(call) check(call, #call)

static size_t bytes(int rows, int cols)
{
    return (size_t)rows * (size_t)cols * sizeof(real);
}

static CUdeviceptr copy_in(const real *from, size_t size)
{
    CUdeviceptr memory;
    CHECK(cuMemAlloc(&memory, size));
    CHECK(cuMemcpyHtoD(memory, from, size));
    return memory;
}

// Of a copy on the device, which goes with this.
static void give_back(const char *name, CUdeviceptr memory, const real *original, size_t size)
{
    void *copy = malloc(size);
    if (copy == NULL)
        complain("no memory for a copy of %s", name);
    CHECK(cuMemcpyDtoH(copy, memory, size));
    require_same(name, copy, original, size);
    free(copy);
    CHECK(cuMemFree(memory));
}

static unsigned parts(int count, int size)
{
    return (unsigned)((count - 1) / size + 1);
}

void prepare(int count, char **words)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    if (count != 6)
        exit_with(EXIT_USAGE, "usage: see cuda_device.c");
    host.block_x = (unsigned)atoi(words[1]);
    host.block_y = (unsigned)atoi(words[2]);
    host.tile_m = atoi(words[3]);
    host.tile_n = atoi(words[4]);
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoad(&module, words[5]));
    // void gemm(int, int, int, const float *, const float *, float *), as C++ calls it
    CHECK(cuModuleGetFunction(&host.gemm, module, "_Z4gemmiiiPKfS0_Pf"));
}

static void launch(const struct request *r)
{
    int M = r->M, N = r->N, K = r->K;
    void *arguments[] = {&M, &N, &K, &host.A, &host.B, &host.C};
    CHECK(cuLaunchKernel(host.gemm, parts(N, host.tile_n), parts(M, host.tile_m), 1, host.block_x,
                         host.block_y, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize());
}

void serve(const struct request *r, const real *A, const real *B, real *C)
{
    if (r->phase == LOAD) {
        host.A = copy_in(A, bytes(r->M, r->K));
        host.B = copy_in(B, bytes(r->K, r->N));
        host.C = copy_in(C, bytes(r->M, r->N)); // the poison
    } else if (r->phase == RUN) {
        launch(r);
    } else {
        CHECK(cuMemcpyDtoH(C, host.C, bytes(r->M, r->N)));
        give_back("A", host.A, A, bytes(r->M, r->K));
        give_back("B", host.B, B, bytes(r->K, r->N));
        CHECK(cuMemFree(host.C));
    }
}
