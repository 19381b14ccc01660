// SPDX-License-Identifier: MIT
// The worker of a CUDA lab where there is no GPU: gemm() runs on the emulated device.
//     worker BLOCK_X BLOCK_Y TILE_M TILE_N
#include "base.h"
#include "serve.h"

#include <cuda_runtime.h>
#include <stdlib.h>

// C (M x N) = A (M x K) * B (K x N), row-major with lda = K, ldb = N, ldc = N. A student's.
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C);

static struct {
    unsigned block_x, block_y, tile_m, tile_n;
    real *A, *B, *C; // copies on the device, for a tool
} host;

static void check(cudaError_t status)
{
    if (status == cudaErrorIllegalAddress)
        tell_where(emulation::lost_at);
    if (status != cudaSuccess)
        exit_with(EXIT_USAGE, "%s: %s", cudaGetErrorName(status), cudaGetErrorString(status));
}

static size_t bytes(int rows, int cols)
{
    return (size_t)rows * (size_t)cols * sizeof(real);
}

static real *copy_in(const real *from, size_t size)
{
    void *memory;
    check(cudaMalloc(&memory, size));
    check(cudaMemcpy(memory, from, size, cudaMemcpyHostToDevice));
    return (real *)memory;
}

// Of a copy on the device, which goes with this.
static void give_back(const char *name, real *memory, const real *original, size_t size)
{
    void *copy = malloc(size);
    if (copy == NULL)
        complain("no memory for a copy of %s", name);
    check(cudaMemcpy(copy, memory, size, cudaMemcpyDeviceToHost));
    require_same(name, copy, original, size);
    free(copy);
    check(cudaFree(memory));
}

static unsigned parts(int count, unsigned size)
{
    return ((unsigned)count - 1) / size + 1;
}

void prepare(int count, char **words)
{
    if (count != 5)
        exit_with(EXIT_USAGE, "usage: see cuda.cu");
    host.block_x = (unsigned)atoi(words[1]);
    host.block_y = (unsigned)atoi(words[2]);
    host.tile_m = (unsigned)atoi(words[3]);
    host.tile_n = (unsigned)atoi(words[4]);
    emulation::guard_bytes = 0; // its blocks have the sizes of the matrices
    emulation::exit_with = exit_with;
    limit_kernel();
}

static void launch(const struct request *r, const real *A, const real *B, real *C)
{
    dim3 block(host.block_x, host.block_y);
    dim3 grid(parts(r->N, host.tile_n), parts(r->M, host.tile_m));
    gemm<<<grid, block>>>(r->M, r->N, r->K, A, B, C);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
}

// On the judge's memory, where there is nothing beside the matrices.
static void launch_there(const struct request *r, const real *A, const real *B, real *C)
{
    void *memory[] = {const_cast<real *>(A), const_cast<real *>(B), C};
    const size_t sizes[] = {bytes(r->M, r->K), bytes(r->K, r->N), bytes(r->M, r->N)};
    for (int m = 0; m < MATRICES; m++)
        check(cudaHostRegister(memory[m], sizes[m], cudaHostRegisterMapped));
    launch(r, A, B, C);
    for (int m = 0; m < MATRICES; m++)
        check(cudaHostUnregister(memory[m]));
}

void serve(const struct request *r, const real *A, const real *B, real *C)
{
    if (r->phase == LOAD) {
        host.A = copy_in(A, bytes(r->M, r->K));
        host.B = copy_in(B, bytes(r->K, r->N));
        host.C = copy_in(C, bytes(r->M, r->N)); // the poison
    } else if (r->phase == RUN && host.C == nullptr) {
        launch_there(r, A, B, C);
    } else if (r->phase == RUN) {
        launch(r, host.A, host.B, host.C);
    } else {
        check(cudaMemcpy(C, host.C, bytes(r->M, r->N), cudaMemcpyDeviceToHost));
        give_back("A", host.A, A, bytes(r->M, r->K));
        give_back("B", host.B, B, bytes(r->K, r->N));
        check(cudaFree(host.C));
        host.C = nullptr;
    }
}
