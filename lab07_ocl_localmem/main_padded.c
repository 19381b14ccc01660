// SPDX-License-Identifier: MIT
// Host program of an OpenCL lab whose kernel has no bounds checks: A, B and C are copied into
// larger matrices, with zeros up to whole tiles, before they go to the device.
#include "ocl.h"
#include "params.h"

#include <stdlib.h>
#include <string.h>

static int round_up(int count, int size)
{
    return (count - 1) / size * size + size;
}

// A matrix with more rows and columns than the lab's, on the host and on the device.
struct padded {
    size_t rows, cols;
    real *host;
    cl_mem device;
};

static struct padded create_padded(cl_context context, int rows, int cols)
{
    cl_int status;
    struct padded d = {.rows = (size_t)rows, .cols = (size_t)cols};
    d.host = scratch(d.rows * d.cols, sizeof(real)); // zeros
    d.device =
        clCreateBuffer(context, CL_MEM_READ_WRITE, d.rows * d.cols * sizeof(real), NULL, &status);
    CHECK_AS("clCreateBuffer", status);
    return d;
}

static void free_padded(struct padded d)
{
    CHECK(clReleaseMemObject(d.device));
    free(d.host);
}

// The matrix goes into the upper left corner of the zeros. The host's part of that is in the time.
static double copy_to_device(cl_command_queue queue, const struct matrix *m, struct padded d)
{
    const double start = now_ms();
    const size_t cols = (size_t)m->cols;
    for (size_t row = 0; row < (size_t)m->rows; row++)
        memcpy(&d.host[row * d.cols], &m->data[row * cols], cols * sizeof(real));
    const double padding = now_ms() - start;
    cl_event event;
    CHECK(clEnqueueWriteBuffer(queue, d.device, CL_TRUE, 0, d.rows * d.cols * sizeof(real), d.host,
                               0, NULL, &event));
    return padding + ocl_event_ms(event);
}

static double copy_to_host(cl_command_queue queue, struct matrix *m, struct padded d)
{
    cl_event event;
    CHECK(clEnqueueReadBuffer(queue, d.device, CL_TRUE, 0, d.rows * d.cols * sizeof(real), d.host,
                              0, NULL, &event));
    const double start = now_ms();
    const size_t cols = (size_t)m->cols;
    for (size_t row = 0; row < (size_t)m->rows; row++)
        memcpy(&m->data[row * cols], &d.host[row * d.cols], cols * sizeof(real));
    return ocl_event_ms(event) + now_ms() - start;
}

int main(int argc, char **argv)
{
    struct lab lab;
    lab_begin(&lab, argc, argv, "opencl", (struct tile){TILE_M, TILE_N, TILE_K});
    cl_int status;

    double start = now_ms();
    cl_device_id device = ocl_choose_device(&lab);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK_AS("clCreateContext", status);
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    CHECK_AS("clCreateCommandQueue", status);
    lab.context_ms = now_ms() - start;

    start = now_ms();
    cl_program program = ocl_build(&lab, context, device, KERNEL_FILE, DEFINES);
    cl_kernel kernel = clCreateKernel(program, "gemm", &status);
    CHECK_AS("clCreateKernel", status);
    ocl_check_group(kernel, device, GROUP_X, GROUP_Y);
    lab.build_ms = now_ms() - start;

    while (next_problem(&lab)) { // the size asked for, or each of --check
        struct problem *p = &lab.problem;
        const int M = round_up(p->M, TILE), N = round_up(p->N, TILE), K = round_up(p->K, TILE);

        start = now_ms();
        struct padded A = create_padded(context, M, K);
        struct padded B = create_padded(context, K, N);
        struct padded C = create_padded(context, M, N);
        lab.alloc_ms = now_ms() - start;

        CHECK(clSetKernelArg(kernel, 0, sizeof M, &M));
        CHECK(clSetKernelArg(kernel, 1, sizeof N, &N));
        CHECK(clSetKernelArg(kernel, 2, sizeof K, &K));
        CHECK(clSetKernelArg(kernel, 3, sizeof A.device, &A.device));
        CHECK(clSetKernelArg(kernel, 4, sizeof B.device, &B.device));
        CHECK(clSetKernelArg(kernel, 5, sizeof C.device, &C.device));

        const size_t group[] = {TILE, TILE};
        const size_t items[] = {(size_t)N, (size_t)M};

        while (next_run(&lab)) { // two runs to warm up, then the timed ones
            struct times times = {0};
            times.h2d = copy_to_device(queue, &p->A, A) + copy_to_device(queue, &p->B, B);
            copy_to_device(queue, &p->C, C);       // the poison
            ocl_poison_local(&lab, queue, kernel); // and of local memory

            // One launch; in the last run many, back to back, the first half to warm up. By the
            // device's clock, from the start of one kernel to the end of one: there is no time of
            // the host in it.
            struct span timed = {0};
            for (int n = 0; n < lab.launches; n++) {
                cl_event launch;
                CHECK(
                    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, items, group, 0, NULL, &launch));
                ocl_extend(&timed, launch, n <= lab.launches / 2);
            }
            times.kernel = ocl_span_ms(&lab, timed);

            times.d2h = copy_to_host(queue, &p->C, C);
            copy_to_host(queue, &p->A, A); // to see that the kernel left them alone
            copy_to_host(queue, &p->B, B);
            end_run(&lab, times); // verifies
        }
        print_report(&lab);

        free_padded(A);
        free_padded(B);
        free_padded(C);
    }
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    return lab_end(&lab);
}
