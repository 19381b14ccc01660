// SPDX-License-Identifier: MIT
// Host program of a library whose gemm() is a function of the host, for matrices of bfloat16: as
// the others', but it rounds A and B on the device before the kernel's time begins.
#include "gpu.h"
#include "bf16.h"
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda and ldb padded, ldc = N. In kernel.cu.
void gemm(int M, int N, int K, const bf16 *A, const bf16 *B, float *C);

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
        bf16 *A_bf16 = create_bf16(&p->A), *B_bf16 = create_bf16(&p->B);
        lab.alloc_ms = now_ms() - start;

        while (next_run(&lab)) { // two runs to warm up, then the timed ones
            struct times times = {};
            CHECK(cudaEventRecord(before));
            copy_to_device(&p->A, A_block);
            copy_to_device(&p->B, B_block);
            CHECK(cudaEventRecord(after));
            times.h2d = elapsed_ms(before, after);
            copy_to_device(&p->C, C_block); // the poison
            copy_to_bf16(&p->A, A, A_bf16);
            copy_to_bf16(&p->B, B, B_bf16);
            CHECK(cudaDeviceSynchronize());

            // Until the gate is opened the device waits, and all of this is queued: between the
            // events there is no time of the host. It is one launch; in the last run many, the
            // first half to warm up.
            close_gate(&lab);
            for (int n = 0; n < lab.launches; n++) {
                if (n == lab.launches / 2)
                    CHECK(cudaEventRecord(before));
                gemm(p->M, p->N, p->K, A_bf16, B_bf16, C);
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

        CHECK(cudaFree(A_bf16));
        CHECK(cudaFree(B_bf16));
        CHECK(cudaFree(A_block));
        CHECK(cudaFree(B_block));
        CHECK(cudaFree(C_block));
    }
    CHECK(cudaEventDestroy(before));
    CHECK(cudaEventDestroy(after));
    return lab_end(&lab);
}
