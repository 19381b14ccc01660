// SPDX-License-Identifier: MIT
// Host program of an OpenCL lab: compiles kernel.cl, copies A and B to the device, launches gemm(),
// copies C back, verifies it and times each part.
#include "ocl.h"
#include "params.h"

// How many tiles of `size` cover `count` elements.
static size_t ceil_div(int count, int size)
{
    return (size_t)((count - 1) / size + 1);
}

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

    start = now_ms();
    cl_program program = ocl_build(&lab, context, device, KERNEL_FILE, DEFINES);
    cl_kernel kernel = clCreateKernel(program, "gemm", &status);
    CHECK_AS("clCreateKernel", status);
    ocl_check_group(kernel, device, GROUP_X, GROUP_Y);
    lab.build_ms = now_ms() - start;

    while (next_problem(&lab)) { // the size asked for, or each of --check
        struct problem *p = &lab.problem;
        cl_mem A, B, C; // between the guards

        start = now_ms();
        cl_mem A_block = create_buffer(context, &p->A, &A);
        cl_mem B_block = create_buffer(context, &p->B, &B);
        cl_mem C_block = create_buffer(context, &p->C, &C);
        lab.alloc_ms = now_ms() - start;

        CHECK(clSetKernelArg(kernel, 0, sizeof p->M, &p->M));
        CHECK(clSetKernelArg(kernel, 1, sizeof p->N, &p->N));
        CHECK(clSetKernelArg(kernel, 2, sizeof p->K, &p->K));
        CHECK(clSetKernelArg(kernel, 3, sizeof A, &A));
        CHECK(clSetKernelArg(kernel, 4, sizeof B, &B));
        CHECK(clSetKernelArg(kernel, 5, sizeof C, &C));

        // Enough work-groups of GROUP_X x GROUP_Y work-items to cover C with tiles.
        const size_t group[] = {GROUP_X, GROUP_Y};
        const size_t items[] = {ceil_div(p->N, TILE_N) * GROUP_X, ceil_div(p->M, TILE_M) * GROUP_Y};

        while (next_run(&lab)) { // two runs to warm up, then the timed ones
            struct times times = {0};
            times.h2d =
                copy_to_device(queue, &p->A, A_block) + copy_to_device(queue, &p->B, B_block);
            copy_to_device(queue, &p->C, C_block); // the poison
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
    CHECK(clReleaseKernel(kernel));
    CHECK(clReleaseProgram(program));
    CHECK(clReleaseCommandQueue(queue));
    CHECK(clReleaseContext(context));
    return lab_end(&lab);
}
