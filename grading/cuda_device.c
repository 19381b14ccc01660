// SPDX-License-Identifier: MIT
// The host program of a CUDA lab that is graded on a GPU. Of what was handed in it loads device
// code alone.
//     cuda_device BLOCK_X BLOCK_Y TILE_M TILE_N KERNEL.cubin
#include "lab.h"

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

static size_t bytes(const struct matrix *m)
{
    return elements_of(m) * sizeof(real);
}

static CUdeviceptr copy_in(const struct matrix *m)
{
    CUdeviceptr memory;
    CHECK(cuMemAlloc(&memory, bytes(m)));
    CHECK(cuMemcpyHtoD(memory, m->data, bytes(m)));
    return memory;
}

// The copy on the device goes with this.
static void copy_out(struct matrix *m, CUdeviceptr memory)
{
    CHECK(cuMemcpyDtoH(m->data, memory, bytes(m)));
    CHECK(cuMemFree(memory));
}

static unsigned parts(int count, int size)
{
    return (unsigned)((count - 1) / size + 1);
}

static void prepare(int count, char **words)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    if (count != 6)
        exit_with(EXIT_USAGE, "usage: see grading/cuda_device.c");
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

static void launch(const struct problem *p, int launches)
{
    int M = p->M, N = p->N, K = p->K;
    void *arguments[] = {&M, &N, &K, &host.A, &host.B, &host.C};
    for (int n = 0; n < launches; n++)
        CHECK(cuLaunchKernel(host.gemm, parts(N, host.tile_n), parts(M, host.tile_m), 1,
                             host.block_x, host.block_y, 1, 0, NULL, arguments, NULL));
    CHECK(cuCtxSynchronize());
}

int main(int count, char **words)
{
    struct lab lab;
    char *none[] = {words[0], NULL};
    lab_begin(&lab, 1, none, "cuda", (struct tile){1, 1, 1});
    prepare(count, words);
    while (next_problem(&lab)) {
        struct problem *p = &lab.problem;
        while (next_run(&lab)) {
            host.A = copy_in(&p->A);
            host.B = copy_in(&p->B);
            host.C = copy_in(&p->C); // the poison
            launch(p, lab.launches);
            copy_out(&p->C, host.C);
            copy_out(&p->A, host.A); // to see that the kernel left them alone
            copy_out(&p->B, host.B);
            end_run(&lab, (struct times){0});
        }
        print_report(&lab);
    }
    return lab_end(&lab);
}
