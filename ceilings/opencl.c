// SPDX-License-Identifier: MIT
// The ceilings of an OpenCL device. Prints one line of build/ceilings.tsv.
#include "ocl.h"
#include "session/config.h"

#include <stdlib.h>

enum { GROUP = 256, COPY_BYTES = 1 << 28 };

static cl_kernel create_kernel(cl_program program, const char *name)
{
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    CHECK_AS("clCreateKernel", status);
    return kernel;
}

static cl_mem create_buffer(cl_context context)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, COPY_BYTES, NULL, &status);
    CHECK_AS("clCreateBuffer", status);
    return buffer;
}

static double run_ms(cl_command_queue queue, cl_kernel kernel, size_t items)
{
    cl_event launch;
    size_t group = GROUP;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, &launch));
    return ocl_event_ms(launch);
}

// The best GFLOP/s of eight runs, the first ones getting longer up to 10 ms. A vector has `lanes`.
static double multiply_add_gflops(cl_command_queue queue, cl_program program, size_t items, real x,
                                  int lanes, cl_mem out)
{
    cl_kernel kernel = create_kernel(program, "multiply_add");
    double best = 0;
    int steps = 256;
    CHECK(clSetKernelArg(kernel, 1, sizeof x, &x));
    CHECK(clSetKernelArg(kernel, 2, sizeof out, &out));
    for (int r = 0; r < 8; r++) {
        CHECK(clSetKernelArg(kernel, 0, sizeof steps, &steps));
        double ms = run_ms(queue, kernel, items);
        double f = 2.0 * 8 * lanes * steps * (double)items / ms * 1e-6;
        best = f > best ? f : best;
        steps *= ms < 10 ? 4 : 1;
    }
    return best;
}

static double copy_gbs(cl_command_queue queue, cl_program program, cl_mem from, cl_mem to)
{
    cl_kernel kernel = create_kernel(program, "copy");
    double best = 0;
    CHECK(clSetKernelArg(kernel, 0, sizeof from, &from));
    CHECK(clSetKernelArg(kernel, 1, sizeof to, &to));
    for (int r = 0; r < 8; r++) {
        double b = 2.0 * COPY_BYTES / run_ms(queue, kernel, COPY_BYTES / 16) * 1e-6;
        best = b > best ? b : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    struct lab lab;
    lab_begin(&lab, argc, argv, "opencl", (struct tile){1, 1, 1});
    cl_int status;
    cl_device_id device = ocl_choose_device(&lab);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    CHECK_AS("clCreateContext", status);
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    CHECK_AS("clCreateCommandQueue", status);
    cl_program vectors = ocl_build(&lab, context, device, "opencl.cl", DEFINES);
    cl_program scalars = ocl_build(&lab, context, device, "opencl.cl", DEFINES " -DSCALAR");
    cl_mem from = create_buffer(context), to = create_buffer(context);
    cl_uint units;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    size_t items = (size_t)units * 8 * GROUP;
    real x = (real)(argc > 100); // the compiler must not know it
    double gflops = multiply_add_gflops(queue, vectors, items, x, 8, to);
    double by_element = multiply_add_gflops(queue, scalars, items, x, 1, to);
    double gbs = copy_gbs(queue, vectors, from, to);
    gflops = by_element > gflops ? by_element : gflops;
    printf("opencl\t%s\t%s\t%.2f\t%.2f\n", lab.device, config.type, gflops, gbs);
    return lab_end(&lab);
}
