// SPDX-License-Identifier: MIT
// Host program of a lab with several GPUs: gives each its part of A and B, has kernel.cu multiply,
// collects C, verifies it and times each step. The parts lie on the GPUs when the clock starts, and
// so does C when it stops.
#include "gpu.h"
#include "gpus.h"

#include <string.h>

#ifdef CUDA_EMULATED
enum { COUNT = GPUS > 0 ? GPUS : 5 }; // so many that each buffer for rows of B is reused
#else
enum { COUNT = GPUS > 0 ? GPUS : 2 };
#endif

// Elements of a matrix with a guard at either end, as in the matrix on the host.
static real *create_buffer(size_t elements)
{
    char *block;
    CHECK(cudaMalloc(&block, elements * sizeof(real) + 2 * GUARD_BYTES));
    return (real *)(block + GUARD_BYTES);
}

static void free_buffer(real *data)
{
    CHECK(cudaFree((char *)data - GUARD_BYTES));
}

static char *guard(const struct matrix *m, int side)
{
    return (char *)m->block + (side == 0 ? 0 : m->bytes - GUARD_BYTES);
}

// `rows` rows from `first` on go to a GPU, and the guards around the matrix with them.
static void send(const struct matrix *m, int first, int rows, real *to)
{
    const size_t count = (size_t)rows * (size_t)m->cols;
    const char *from = (const char *)(m->data + (size_t)first * (size_t)m->cols);
    char *block = (char *)to - GUARD_BYTES, *end = (char *)(to + count);
    CHECK(cudaMemcpy(block, guard(m, 0), GUARD_BYTES, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(to, from, count * sizeof(real), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(end, guard(m, 1), GUARD_BYTES, cudaMemcpyHostToDevice));
}

// Back again. What a GPU has changed of its guards is seen in those of the host.
static void collect(struct matrix *m, int first, int rows, const real *from)
{
    static char seen[GUARD_BYTES + 1]; // more than nothing, where there are no guards
    const size_t count = (size_t)rows * (size_t)m->cols;
    const char *sides[] = {(const char *)from - GUARD_BYTES, (const char *)(from + count)};
    CHECK(cudaMemcpy(m->data + (size_t)first * (size_t)m->cols, from, count * sizeof(real),
                     cudaMemcpyDeviceToHost));
    for (int side = 0; side < 2; side++) {
        CHECK(cudaMemcpy(seen, sides[side], GUARD_BYTES, cudaMemcpyDeviceToHost));
        for (size_t b = 0; b < GUARD_BYTES; b++)
            if (seen[b] != guard(m, side)[b])
                guard(m, side)[b] = seen[b];
    }
}

// More shared memory than each device has for a block must be asked for, and may not be there.
static void require_shared_memory(int number)
{
    struct cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, number));
    if (device.sharedMemPerBlockOptin < SHARED_BYTES)
        exit_with(EXIT_SKIPPED,
                  "skipped: a block needs %d KiB of shared memory, and has %d here: STAGES=2",
                  SHARED_BYTES / 1024, (int)(device.sharedMemPerBlockOptin / 1024));
    CHECK(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
}

static void open_gpu(struct gpu *g, int number)
{
    g->device = number;
    CHECK(cudaSetDevice(number));
    require_shared_memory(number);
    CHECK(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&g->copies, cudaStreamNonBlocking));
    for (int buffer = 0; buffer < 2; buffer++) {
        CHECK(cudaEventCreateWithFlags(&g->copied[buffer], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&g->computed[buffer], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&g->done[buffer], cudaEventDisableTiming));
    }
    CHECK(cudaEventCreateWithFlags(&g->begun, cudaEventDisableTiming));
    CHECK(cudaEventCreate(&g->before));
    CHECK(cudaEventCreate(&g->after));
    for (int peer = 0; peer < COUNT; peer++) {
        int can = 0;
        if (peer != number)
            CHECK(cudaDeviceCanAccessPeer(&can, number, peer));
        if (can) // then a copy needs no way through the host
            CHECK(cudaDeviceEnablePeerAccess(peer, 0));
    }
}

static void close_gpu(struct gpu *g)
{
    CHECK(cudaSetDevice(g->device));
    CHECK(cudaStreamDestroy(g->stream));
    CHECK(cudaStreamDestroy(g->copies));
    for (int buffer = 0; buffer < 2; buffer++) {
        CHECK(cudaEventDestroy(g->copied[buffer]));
        CHECK(cudaEventDestroy(g->computed[buffer]));
        CHECK(cudaEventDestroy(g->done[buffer]));
    }
    CHECK(cudaEventDestroy(g->begun));
    CHECK(cudaEventDestroy(g->before));
    CHECK(cudaEventDestroy(g->after));
}

// Where part `n` of `count` begins: parts of equal size, a multiple of `unit`, and the last one
// shorter.
static int first_of(int count, int unit, int n)
{
    const int size = ((count - 1) / COUNT / unit + 1) * unit;
    return n * size < count ? n * size : count;
}

// Rows of B as full tiles: then a part of a row of A begins where vectors may.
static void create_parts(struct gpu *g, const struct problem *p, int n)
{
    CHECK(cudaSetDevice(g->device));
    g->rows = first_of(p->M, 1, n + 1) - first_of(p->M, 1, n);
    g->from = first_of(p->K, TILE_K, n);
    g->depth = first_of(p->K, TILE_K, n + 1) - g->from;
    g->A = create_buffer((size_t)g->rows * (size_t)p->K);
    g->B = create_buffer((size_t)g->depth * (size_t)p->N);
    g->C = create_buffer((size_t)g->rows * (size_t)p->N);
    for (int buffer = 0; buffer < 2; buffer++)
        g->next[buffer] = create_buffer((size_t)first_of(p->K, TILE_K, 1) * (size_t)p->N);
}

static void free_parts(struct gpu *g)
{
    CHECK(cudaSetDevice(g->device));
    free_buffer(g->A);
    free_buffer(g->B);
    free_buffer(g->C);
    free_buffer(g->next[0]);
    free_buffer(g->next[1]);
}

// Until all GPUs have done what they were given.
static void wait_for_all(const struct gpu *gpus)
{
    for (int n = 0; n < COUNT; n++) {
        CHECK(cudaSetDevice(gpus[n].device));
        CHECK(cudaDeviceSynchronize());
    }
}

// What a GPU's streams are given from now on begins after what its null stream has been given.
static void begin_product(const struct gpu *g)
{
    CHECK(cudaEventRecord(g->begun));
    CHECK(cudaStreamWaitEvent(g->stream, g->begun));
    CHECK(cudaStreamWaitEvent(g->copies, g->begun));
}

// And its null stream goes on after all that they were given.
static void end_product(const struct gpu *g)
{
    CHECK(cudaSetDevice(g->device));
    CHECK(cudaEventRecord(g->done[0], g->stream));
    CHECK(cudaEventRecord(g->done[1], g->copies));
    CHECK(cudaStreamWaitEvent(0, g->done[0]));
    CHECK(cudaStreamWaitEvent(0, g->done[1]));
}

// Milliseconds of the GPU that took longest, each by its own clock.
static double elapsed_ms(const struct gpu *gpus)
{
    float most = 0, ms;
    for (int n = 0; n < COUNT; n++) {
        CHECK(cudaEventElapsedTime(&ms, gpus[n].before, gpus[n].after));
        most = ms > most ? ms : most;
    }
    return most;
}

int main(int argc, char **argv)
{
    struct lab lab;
    static struct gpu gpus[COUNT];
    struct tile tile = {TILE_M, TILE_N, TILE_K};
    char name[sizeof lab.device];
    int there = 0;
    lab_begin(&lab, argc, argv, "cuda", tile);
#ifdef CUDA_EMULATED
    emulation::devices = COUNT;
#endif

    double start = now_ms();
    cuda_choose_device(&lab);
    CHECK(cudaGetDeviceCount(&there));
    if (there < COUNT)
        exit_with(EXIT_SKIPPED, "skipped: it takes %d GPUs, and there %s %d: GPUS=%d", COUNT,
                  there == 1 ? "is" : "are", there, there);
    snprintf(name, sizeof name, "%d x %.200s", COUNT, lab.device);
    memcpy(lab.device, name, sizeof name);
    for (int n = 0; n < COUNT; n++)
        open_gpu(&gpus[n], n);
    lab.context_ms = now_ms() - start;

    while (next_problem(&lab)) { // the size asked for, or each of --check
        struct problem *p = &lab.problem;
        start = now_ms();
        for (int n = 0; n < COUNT; n++)
            create_parts(&gpus[n], p, n);
        lab.alloc_ms = now_ms() - start;

        while (next_run(&lab)) { // two runs to warm up, then the timed ones
            struct times times = {};
            start = now_ms();
            for (int n = 0; n < COUNT; n++) {
                struct gpu *g = &gpus[n];
                CHECK(cudaSetDevice(g->device));
                send(&p->A, first_of(p->M, 1, n), g->rows, g->A);
                send(&p->B, g->from, g->depth, g->B);
            }
            times.h2d = now_ms() - start;
            for (int n = 0; n < COUNT; n++) { // the poison
                CHECK(cudaSetDevice(gpus[n].device));
                send(&p->C, first_of(p->M, 1, n), gpus[n].rows, gpus[n].C);
            }
            wait_for_all(gpus);

            // Until the gate is opened all of them wait, and all of this is queued: between the
            // events there is no time of the host. It is one product; in the last run many, the
            // first half to warm up.
            for (int n = 0; n < COUNT; n++) {
                CHECK(cudaSetDevice(gpus[n].device));
                close_gate(&lab);
            }
            for (int product = 0; product < lab.launches; product++) {
                for (int n = 0; n < COUNT; n++) {
                    CHECK(cudaSetDevice(gpus[n].device));
                    if (product == lab.launches / 2)
                        CHECK(cudaEventRecord(gpus[n].before));
                    begin_product(&gpus[n]);
                }
                multiply(gpus, COUNT, p->N, p->K);
                for (int n = 0; n < COUNT; n++)
                    end_product(&gpus[n]);
            }
            for (int n = 0; n < COUNT; n++) {
                CHECK(cudaSetDevice(gpus[n].device));
                CHECK(cudaEventRecord(gpus[n].after));
            }
            open_gate(&lab, gpus[0].after);
            wait_for_all(gpus); // and reports a failed run
            times.kernel = elapsed_ms(gpus);

            start = now_ms();
            for (int n = 0; n < COUNT; n++) {
                CHECK(cudaSetDevice(gpus[n].device));
                collect(&p->C, first_of(p->M, 1, n), gpus[n].rows, gpus[n].C);
            }
            times.d2h = now_ms() - start;
            for (int n = 0; n < COUNT; n++) { // to see that the kernel left them alone
                CHECK(cudaSetDevice(gpus[n].device));
                collect(&p->A, first_of(p->M, 1, n), gpus[n].rows, gpus[n].A);
                collect(&p->B, gpus[n].from, gpus[n].depth, gpus[n].B);
            }
            end_run(&lab, times); // verifies
        }
        print_report(&lab);
        for (int n = 0; n < COUNT; n++)
            free_parts(&gpus[n]);
    }
    for (int n = 0; n < COUNT; n++)
        close_gpu(&gpus[n]);
    return lab_end(&lab);
}
