// SPDX-License-Identifier: MIT
// Host program for a matrix that is too large for one device: C is computed in pieces of at most
// PIECE x PIECE elements, as if a device could hold no more, and the pieces are shared out over all
// devices of the platform. A CPU is split into sub-devices, one for each of its cores.
#include "ocl.h"
#include "params.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 128, MAX_DEVICES = 16 };

// A device with what it works with. Its queue is in order: the next piece waits for this one.
struct worker {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem A, B, C; // of a piece
};

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t round_up(size_t count, size_t size)
{
    return (count + size - 1) / size * size;
}

// All devices of the platform of this one and of its type; where there is one alone, its
// sub-devices, and where it cannot be split, the device itself.
static cl_uint find_devices(cl_device_id chosen, cl_device_id devices[MAX_DEVICES])
{
    cl_platform_id platform;
    cl_device_type type;
    cl_uint units, count = 0;
    CHECK(clGetDeviceInfo(chosen, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    CHECK(clGetDeviceInfo(chosen, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    CHECK(clGetDeviceIDs(platform, type, MAX_DEVICES, devices, &count));
    if (count > 1)
        return count < MAX_DEVICES ? count : MAX_DEVICES;
    CHECK(clGetDeviceInfo(chosen, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    const cl_uint each = (units + MAX_DEVICES - 1) / MAX_DEVICES; // one, of no more than 16
    const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_EQUALLY, each, 0};
    if (clCreateSubDevices(chosen, parts, MAX_DEVICES, devices, &count) == CL_SUCCESS)
        return count;
    devices[0] = chosen;
    return 1;
}

static struct worker create_worker(const struct lab *lab, cl_device_id device)
{
    cl_int status;
    struct worker w = {.device = device};
    w.context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK_AS("clCreateContext", status);
    w.queue = clCreateCommandQueue(w.context, device, 0, &status);
    CHECK_AS("clCreateCommandQueue", status);
    w.program = ocl_build(lab, w.context, device, KERNEL_FILE, DEFINES);
    w.kernel = clCreateKernel(w.program, "gemm", &status);
    CHECK_AS("clCreateKernel", status);
    ocl_check_group(w.kernel, device, GROUP_X, GROUP_Y);
    return w;
}

static cl_mem create_buffer(cl_context context, size_t elements)
{
    cl_int status;
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE, elements * sizeof(real), NULL, &status);
    CHECK_AS("clCreateBuffer", status);
    return buffer;
}

// B in bands of PIECE columns, each contiguous: on the host they are not.
static void pack_bands(const struct problem *p, real *bands)
{
    const size_t K = (size_t)p->K, N = (size_t)p->N;
    for (size_t col = 0; col < N; col += PIECE) {
        const size_t cols = min(PIECE, N - col);
        for (size_t k = 0; k < K; k++)
            memcpy(&bands[col * K + k * cols], &p->B.data[k * N + col], cols * sizeof(real));
    }
}

// Queues all of a piece whose first element is (row, col): a band of A's rows, one of B's columns,
// the kernel, and the rectangle of C.
static void queue_piece(struct worker *w, const struct problem *p, const real *bands, size_t row,
                        size_t col)
{
    const size_t K = (size_t)p->K, N = (size_t)p->N, one = sizeof(real);
    const size_t rows = min(PIECE, (size_t)p->M - row), cols = min(PIECE, N - col);
    const int sizes[] = {(int)rows, (int)cols, p->K};
    const size_t zero[] = {0, 0, 0}, origin[] = {col * one, row, 0};
    const size_t rectangle[] = {cols * one, rows, 1};
    const size_t group[] = {GROUP_X, GROUP_Y};
    const size_t items[] = {round_up(cols, GROUP_X), round_up(rows, GROUP_Y)};

    CHECK(clEnqueueWriteBuffer(w->queue, w->A, CL_FALSE, 0, rows * K * one, &p->A.data[row * K], 0,
                               NULL, NULL));
    CHECK(clEnqueueWriteBuffer(w->queue, w->B, CL_FALSE, 0, K * cols * one, &bands[col * K], 0,
                               NULL, NULL));
    for (cl_uint n = 0; n < 3; n++)
        CHECK(clSetKernelArg(w->kernel, n, sizeof sizes[n], &sizes[n]));
    CHECK(clEnqueueNDRangeKernel(w->queue, w->kernel, 2, NULL, items, group, 0, NULL, NULL));
    CHECK(clEnqueueReadBufferRect(w->queue, w->C, CL_FALSE, zero, origin, rectangle, cols * one, 0,
                                  N * one, 0, p->C.data, 0, NULL, NULL));
}

int main(int argc, char **argv)
{
    struct lab lab;
    lab_begin(&lab, argc, argv, "opencl", (struct tile){PIECE, PIECE, TILE_K});

    double start = now_ms();
    cl_device_id devices[MAX_DEVICES];
    const cl_uint count = find_devices(ocl_choose_device(&lab), devices);
    lab.context_ms = now_ms() - start;

    start = now_ms();
    struct worker workers[MAX_DEVICES];
    for (cl_uint w = 0; w < count; w++)
        workers[w] = create_worker(&lab, devices[w]);
    lab.build_ms = now_ms() - start;

    while (next_problem(&lab)) { // the size asked for, or each of --check
        const struct problem *p = &lab.problem;
        const size_t M = (size_t)p->M, N = (size_t)p->N, K = (size_t)p->K;

        start = now_ms();
        for (cl_uint n = 0; n < count; n++) {
            struct worker *w = &workers[n];
            w->A = create_buffer(w->context, min(PIECE, M) * K);
            w->B = create_buffer(w->context, K * min(PIECE, N));
            w->C = create_buffer(w->context, min(PIECE, M) * min(PIECE, N));
            CHECK(clSetKernelArg(w->kernel, 3, sizeof w->A, &w->A));
            CHECK(clSetKernelArg(w->kernel, 4, sizeof w->B, &w->B));
            CHECK(clSetKernelArg(w->kernel, 5, sizeof w->C, &w->C));
        }
        real *bands = scratch(K * N, sizeof *bands);
        lab.alloc_ms = now_ms() - start;

        while (next_run(&lab)) { // two runs to warm up, then the timed ones
            // By the host's clock: copies of one device overlap with the kernels of another, and
            // their clocks need not agree. So the time has copies and packing in it.
            struct times times = {0};
            start = now_ms();
            pack_bands(p, bands);
            cl_uint turn = 0;
            for (size_t row = 0; row < M; row += PIECE)
                for (size_t col = 0; col < N; col += PIECE)
                    queue_piece(&workers[turn++ % count], p, bands, row, col);
            for (cl_uint n = 0; n < count; n++)
                CHECK(clFlush(workers[n].queue));
            for (cl_uint n = 0; n < count; n++)
                CHECK(clFinish(workers[n].queue));
            times.kernel = now_ms() - start;
            end_run(&lab, times); // verifies
        }
        print_report(&lab);
        if (lab.is_timed)
            printf(
                "  pieces         %zu, of at most %d x %d, over %u device%s; their copies are in "
                "the kernel's time\n",
                (M + PIECE - 1) / PIECE * ((N + PIECE - 1) / PIECE), PIECE, PIECE, count,
                count == 1 ? "" : "s");

        free(bands);
        for (cl_uint n = 0; n < count; n++) {
            CHECK(clReleaseMemObject(workers[n].A));
            CHECK(clReleaseMemObject(workers[n].B));
            CHECK(clReleaseMemObject(workers[n].C));
        }
    }
    for (cl_uint n = 0; n < count; n++) {
        CHECK(clReleaseKernel(workers[n].kernel));
        CHECK(clReleaseProgram(workers[n].program));
        CHECK(clReleaseCommandQueue(workers[n].queue));
        CHECK(clReleaseContext(workers[n].context));
        CHECK(
            clReleaseDevice(workers[n].device)); // of a device that is no part of another, nothing
    }
    return lab_end(&lab);
}
