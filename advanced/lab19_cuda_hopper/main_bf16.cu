// SPDX-License-Identifier: MIT
// Host program of the variant bf16: it rounds A and B to bfloat16 on the device, with rows that
// begin at multiples of 16 bytes, and describes these copies to TMA (tensor maps). Rounding is not
// part of the kernel's time, because a program that multiplies in bfloat16 stores such matrices.
#include "gpu.h"
#include "session/session.h"
#include "bf16.h"
#include "hopper.h"
#include "params_bf16.h"

#include <limits.h>

// C (M x N) = A (M x K) * B (K x N), row-major, ldc = N. In kernel_bf16.cu.
__global__ void gemm(int M, int N, int K, int columns, const __grid_constant__ CUtensorMap A,
                     const __grid_constant__ CUtensorMap B, float *C);

// How many tiles of `size` cover `count` elements.
static unsigned ceil_div(unsigned count, unsigned size)
{
    return (count - 1) / size + 1;
}

// How many clusters compute C if a tile has so many columns.
static unsigned count_clusters(const struct problem *p, unsigned columns)
{
    return ceil_div(p->M, CLUSTER * TILE_M) * ceil_div(p->N, columns);
}

// The width of the tiles. If few tiles are left for the last turn (wave quantization), narrower
// ones may need as many turns. A turn takes as long as its tiles are wide, and as 32 columns more,
// because narrow tiles move more bytes: without that 8192 has tiles of 224 columns, and loses 2
// percent on an H200.
static unsigned choose_columns(const struct problem *p, unsigned at_a_time)
{
    unsigned best = TILE_N, least = UINT_MAX;
    for (unsigned columns = TILE_N; columns >= TILE_N_LEAST; columns -= TILE_N_STEP) {
        const unsigned time = ceil_div(count_clusters(p, columns), at_a_time) * (columns + 32);
        if (time < least) {
            best = columns;
            least = time;
        }
    }
    return best;
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

// Only compute capability 9.0 has these instructions. Returns how many clusters run at a time: a
// multiprocessor has one block.
static unsigned require_hopper(void)
{
    struct cudaDeviceProp device;
    int number;
    CHECK(cudaGetDevice(&number));
    CHECK(cudaGetDeviceProperties(&device, number));
    if (device.major != 9 || device.minor != 0)
        exit_with(EXIT_SKIPPED,
                  "skipped: it needs a GPU of compute capability 9.0, Hopper, and this has %d.%d",
                  device.major, device.minor);
    CHECK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
    return (unsigned)device.multiProcessorCount / CLUSTER;
}

// A row-major matrix of bfloat16 in boxes.
static CUtensorMap make_map(const struct matrix *m, const bf16 *data, int box_rows, int box_cols)
{
    return make_tensor_map(data, padded(m->cols) * sizeof(bf16), m->rows, m->cols, box_rows,
                           box_cols, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
}

int main(int argc, char **argv)
{
    struct lab lab;
    struct tile tile = {TILE_M, TILE_N, TILE_K};
    lab_begin(&lab, argc, argv, "cuda", tile);

    double start = now_ms();
    cuda_choose_device(&lab);
    lab.context_ms = now_ms() - start;

    const unsigned at_a_time = require_hopper();
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

        const CUtensorMap A_map = make_map(&p->A, A_bf16, TILE_M, TILE_K);
        const CUtensorMap B_map = make_map(&p->B, B_bf16, TILE_K, BOX_COLS_B);
        // The shapes of --check have few tiles: one cluster computes them all, one after the other.
        const unsigned most = lab.session->opt.check ? 1 : at_a_time;

        while (next_run(&lab)) { // two runs to warm up, then the timed ones
            struct times times = {};
            // The three runs of a shape of --check have three widths.
            const unsigned columns = lab.session->opt.check ? TILE_N - lab.run % 3 * TILE_N_STEP
                                                            : choose_columns(p, at_a_time);
            const unsigned tiles = count_clusters(p, columns);
            // As few clusters as need the same number of turns: nearly all work in the last, too.
            const unsigned blocks = ceil_div(tiles, ceil_div(tiles, most)) * CLUSTER;
            CHECK(cudaEventRecord(before));
            copy_to_device(&p->A, A_block);
            copy_to_device(&p->B, B_block);
            CHECK(cudaEventRecord(after));
            times.h2d = elapsed_ms(before, after);
            copy_to_device(&p->C, C_block); // the poison
            CHECK(cudaEventRecord(before));
            copy_to_bf16(&p->A, A, A_bf16);
            copy_to_bf16(&p->B, B, B_bf16);
            CHECK(cudaEventRecord(after));
            const double rounding_ms = elapsed_ms(before, after);
            if (lab.launches > 1) // the last run
                printf("  to bfloat16    %.3f ms, not in the kernel's time\n", rounding_ms);

            // Until the gate is opened the device waits, and all of this is queued: between the
            // events there is no time of the host. It is one launch; in the last run many, the
            // first half to warm up.
            close_gate(&lab);
            for (int n = 0; n < lab.launches; n++) {
                if (n == lab.launches / 2)
                    CHECK(cudaEventRecord(before));
                gemm<<<blocks, THREADS, SHARED_BYTES>>>(p->M, p->N, p->K, columns, A_map, B_map, C);
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
