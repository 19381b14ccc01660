// SPDX-License-Identifier: MIT
// Host program of an OpenCL lab, but for the kernel, which is a library's: copies A and B to the
// device, calls gemm() of kernel.c, copies C back, verifies it and times each part.
#include "ocl.h"
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major with lda = K, ldb = N, ldc = N, lab->launches
// times; how many ms those that are timed took on the device. In kernel.c.
double gemm(struct lab *lab, cl_command_queue queue, int M, int N, int K, cl_mem A, cl_mem B,
            cl_mem C);

// A buffer as large as the matrix and its guards, and the part of it between the guards.
static cl_mem create_buffer(cl_context context, const struct matrix *m, cl_mem *data)
{
    cl_int status;
    cl_mem block = clCreateBuffer(context, CL_MEM_READ_WRITE, m->bytes, NULL, &status);
    CHECK_AS("clCreateBuffer", status);
    cl_buffer_region region = {GUARD_BYTES, m->bytes - 2 * GUARD_BYTES};
    *data =
        clCreateSubBuffer(block, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    CHECK_AS("clCreateSubBuffer", status);
    return block;
}

static double copy_to_device(cl_command_queue queue, const struct matrix *m, cl_mem block)
{
    cl_event event;
    CHECK(clEnqueueWriteBuffer(queue, block, CL_TRUE, 0, m->bytes, m->block, 0, NULL, &event));
    return ocl_event_ms(event);
}

static double copy_to_host(cl_command_queue queue, struct matrix *m, cl_mem block)
{
    cl_event event;
    CHECK(clEnqueueReadBuffer(queue, block, CL_TRUE, 0, m->bytes, m->block, 0, NULL, &event));
    return ocl_event_ms(event);
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

    while (next_problem(&lab)) { // the size asked for, or each of --check
        struct problem *p = &lab.problem;
        cl_mem A, B, C; // between the guards

        start = now_ms();
        cl_mem A_block = create_buffer(context, &p->A, &A);
        cl_mem B_block = create_buffer(context, &p->B, &B);
        cl_mem C_block = create_buffer(context, &p->C, &C);
        lab.alloc_ms = now_ms() - start;

        while (next_run(&lab)) { // two runs to warm up, then the timed ones
            struct times times = {0};
            times.h2d =
                copy_to_device(queue, &p->A, A_block) + copy_to_device(queue, &p->B, B_block);
            copy_to_device(queue, &p->C, C_block); // the poison

            times.kernel = gemm(&lab, queue, p->M, p->N, p->K, A, B, C);

            times.d2h = copy_to_host(queue, &p->C, C_block);
            copy_to_host(queue, &p->A, A_block); // to see that the kernel left them alone
            copy_to_host(queue, &p->B, B_block);
            end_run(&lab, times); // verifies
        }
        print_report(&lab);

        cl_mem buffers[] = {A, B, C, A_block, B_block, C_block};
        for (int b = 0; b < 6; b++)
            CHECK(clReleaseMemObject(buffers[b]));
    }
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    return lab_end(&lab);
}
