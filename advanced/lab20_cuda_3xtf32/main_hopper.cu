// SPDX-License-Identifier: MIT
// Host program of a CUDA lab for Hopper: as the others', but it describes A and B to TMA (tensor
// maps), and copies matrices whose rows do not begin at multiples of 16 bytes to where they do.
#include "gpu.h"
#include "hopper.h"
#include "params_hopper.h"

// C (M x N) = A (M x K) * B (K x N), row-major, ldc = N. In kernel*.cu.
__global__ void gemm(int M, int N, int K, const __grid_constant__ CUtensorMap A,
                     const __grid_constant__ CUtensorMap B, float *C);

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

// Only compute capability 9.0 has these instructions, and it has shared memory enough.
static void require_hopper(void)
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
}

// Bytes from one row to the next, so that each begins at a multiple of 16.
static size_t pitch(const struct matrix *m)
{
    return (m->cols * sizeof(real) + 15) / 16 * 16;
}

// The matrix itself, where its rows begin so; else memory for a copy whose rows do.
static real *create_rows(const struct matrix *m, real *data)
{
    real *rows = data;
    if (pitch(m) != m->cols * sizeof(real))
        CHECK(cudaMalloc(&rows, m->rows * pitch(m)));
    return rows;
}

static void copy_rows(const struct matrix *m, real *rows, const real *data)
{
    const size_t bytes = m->cols * sizeof(real);
    if (rows != data)
        CHECK(cudaMemcpy2DAsync(rows, pitch(m), data, bytes, bytes, m->rows,
                                cudaMemcpyDeviceToDevice));
}

static void free_rows(real *rows, const real *data)
{
    if (rows != data)
        CHECK(cudaFree(rows));
}

int main(int argc, char **argv)
{
    struct lab lab;
    struct tile tile = {TILE_M, TILE_N, TILE_K};
    lab_begin(&lab, argc, argv, "cuda", tile);

    double start = now_ms();
    cuda_choose_device(&lab);
    lab.context_ms = now_ms() - start;

    require_hopper();
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
        real *A_rows = create_rows(&p->A, A), *B_rows = create_rows(&p->B, B);
        lab.alloc_ms = now_ms() - start;

        const CUtensorMap A_map =
            make_tensor_map(A_rows, pitch(&p->A), p->M, p->K, TILE_M, TILE_K, TENSOR_MAP_TYPE);
        const CUtensorMap B_map =
            make_tensor_map(B_rows, pitch(&p->B), p->K, p->N, TILE_K, BOX_COLS_B, TENSOR_MAP_TYPE);
        const unsigned tiles = ceil_div(p->M, TILE_M) * ceil_div(p->N, TILE_N);
        const unsigned blocks = ceil_div((int)tiles, CLUSTER) * CLUSTER; // whole clusters

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
                copy_rows(&p->A, A_rows, A); // where it must, and then it counts
                copy_rows(&p->B, B_rows, B);
                gemm<<<blocks, THREADS, SHARED_BYTES>>>(p->M, p->N, p->K, A_map, B_map, C);
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

        free_rows(A_rows, A);
        free_rows(B_rows, B);
        CHECK(cudaFree(A_block));
        CHECK(cudaFree(B_block));
        CHECK(cudaFree(C_block));
    }
    CHECK(cudaEventDestroy(before));
    CHECK(cudaEventDestroy(after));
    return lab_end(&lab);
}
