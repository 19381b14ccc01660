// SPDX-License-Identifier: MIT
// Host program of a CUDA lab: copies A and B to the device, launches gemm() of kernel.cu, copies C
// back, verifies it and times each part.
#include "gpu.h"
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major with lda = K, ldb = N, ldc = N. In kernel.cu.
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C);

// How many tiles of `size` cover `count` elements.
static unsigned ceil_div(int count, int size)
{
    return (unsigned)((count - 1) / size + 1);
}

// Memory as large as the matrix and its guards, and the part of it between the guards.
static char *create_buffer(const struct matrix *m, real **data)
{
    char *block;
    CHECK(cudaMalloc(&block, m->bytes));
    *data = (real *)(block + GUARD_BYTES);
    return block;
}

static void copy_to_device(const struct matrix *m, char *block)
{
    CHECK(cudaMemcpy(block, m->block, m->bytes, cudaMemcpyHostToDevice));
}

static void copy_to_host(struct matrix *m, const char *block)
{
    CHECK(cudaMemcpy(m->block, block, m->bytes, cudaMemcpyDeviceToHost));
}

// Milliseconds between two events that have been recorded.
static double elapsed_ms(cudaEvent_t start, cudaEvent_t stop)
{
    float ms;
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms;
}

int main(int argc, char **argv)
{
    struct lab lab;
    struct tile tile = {TILE_M, TILE_N, TILE_K};
    lab_begin(&lab, argc, argv, "cuda", tile);

    double start = now_ms();
    cuda_choose_device(&lab);
    lab.context_ms = now_ms() - start;

    cudaEvent_t before, after;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));

    while (next_problem(&lab)) { // the size asked for, or each of --check
        struct problem *p = &lab.problem;
        real *A, *B, *C; // on the device, between the guards

        start = now_ms();
        char *A_block = create_buffer(&p->A, &A);
        char *B_block = create_buffer(&p->B, &B);
        char *C_block = create_buffer(&p->C, &C);
        lab.alloc_ms = now_ms() - start;

        // Enough blocks to cover C with tiles of TILE_M x TILE_N.
        dim3 block(THREADS);
        dim3 grid(ceil_div(p->N, TILE_N), ceil_div(p->M, TILE_M));

        while (next_run(&lab)) { // two runs to warm up, then the timed ones
            struct times times = {};
            CHECK(cudaEventRecord(before));
            copy_to_device(&p->A, A_block);
            copy_to_device(&p->B, B_block);
            CHECK(cudaEventRecord(after));
            times.h2d = elapsed_ms(before, after);
            copy_to_device(&p->C, C_block); // the poison

            // Until the gate is opened the device waits, and all of this is queued: between the
            // events there is no time of the host. It is one launch; in the last run many, the
            // first half to warm up.
            close_gate(&lab);
            for (int n = 0; n < lab.launches; n++) {
                if (n == lab.launches / 2)
                    CHECK(cudaEventRecord(before));
                gemm<<<grid, block>>>(p->M, p->N, p->K, A, B, C);
                CHECK(cudaGetLastError()); // of the launch
            }
            CHECK(cudaEventRecord(after));
            open_gate(&lab, after);
            times.kernel = elapsed_ms(before, after); // waits, and reports a failed run

            CHECK(cudaEventRecord(before));
            copy_to_host(&p->C, C_block);
            CHECK(cudaEventRecord(after));
            times.d2h = elapsed_ms(before, after);
            copy_to_host(&p->A, A_block); // to see that the kernel left them alone
            copy_to_host(&p->B, B_block);
            end_run(&lab, times); // verifies
        }
        print_report(&lab);

        CHECK(cudaFree(A_block));
        CHECK(cudaFree(B_block));
        CHECK(cudaFree(C_block));
    }
    CHECK(cudaEventDestroy(before));
    CHECK(cudaEventDestroy(after));
    return lab_end(&lab);
}
