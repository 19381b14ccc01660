// SPDX-License-Identifier: MIT
// CLBlast, by its C interface. A product is several kernels: copies that pad or transpose, and the
// one that multiplies. So its time goes from a marker before them to the end of the last. A device
// that has nothing else to do would wait for the host between them, which a lab's one kernel never
// does: it is held until all are queued. For the same reason the memory for the copies is there
// before.
#include "../library.h"
#include "ocl.h"
#include "params.h"

typedef int clblast_gemm(int layout, int transpose_a, int transpose_b, size_t M, size_t N, size_t K,
                         real alpha, cl_mem A, size_t a_offset, size_t lda, cl_mem B,
                         size_t b_offset, size_t ldb, real beta, cl_mem C, size_t c_offset,
                         size_t ldc, cl_command_queue *queue, cl_event *last, cl_mem copies);
typedef int clblast_size(int layout, int transpose_a, int transpose_b, size_t M, size_t N, size_t K,
                         size_t a_offset, size_t lda, size_t b_offset, size_t ldb, size_t c_offset,
                         size_t ldc, cl_command_queue *queue, size_t *bytes);
enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 }; // as in clblast_c.h

double gemm(struct lab *lab, cl_command_queue queue, int M, int N, int K, cl_mem A, cl_mem B,
            cl_mem C);

// In the kernel: called once, before the first product. It sets up the library, and used_library.
static void set_up(void *library, cl_device_id device);

static cl_context context_of(cl_command_queue queue)
{
    cl_context context;
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    return context;
}

static cl_device_id device_of(cl_command_queue queue)
{
    cl_device_id device;
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    return device;
}

static cl_mem create_memory(cl_command_queue queue, size_t bytes)
{
    cl_int status;
    cl_mem memory = clCreateBuffer(context_of(queue), CL_MEM_READ_WRITE, bytes, NULL, &status);
    CHECK_AS("clCreateBuffer", status);
    return memory;
}

static void check_clblast(int status)
{
    if (status != 0)
        exit_with(EXIT_USAGE, "CLBlast failed with status %d: see clblast_c.h", status);
}

// When a command ended, in ms of the device's clock. Waits for it, releases it.
static double end_of(cl_event event)
{
    cl_ulong end;
    CHECK(clWaitForEvents(1, &event));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    CHECK(clReleaseEvent(event));
    return (double)end * 1e-6;
}

// One work-item that adds up for so many steps, and is no product.
static cl_kernel create_wait(cl_command_queue queue)
{
    static const char *source = "kernel void wait(int steps, global float *out)\n"
                                "{\n"
                                "    float x = steps;\n"
                                "    for (int s = 0; s < steps; s++)\n"
                                "        x = x * 0.999f + 0.5f;\n"
                                "    *out = x;\n"
                                "}\n";
    cl_int status;
    cl_program program = clCreateProgramWithSource(context_of(queue), 1, &source, NULL, &status);
    CHECK_AS("clCreateProgramWithSource", status);
    CHECK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel wait = clCreateKernel(program, "wait", &status);
    CHECK_AS("clCreateKernel", status);
    cl_mem out = create_memory(queue, sizeof(float));
    CHECK(clSetKernelArg(wait, 1, sizeof out, &out));
    return wait;
}

// Begins to keep the device busy.
static cl_event start_wait(cl_command_queue queue, cl_kernel wait, int steps)
{
    const size_t one = 1;
    cl_event held;
    CHECK(clSetKernelArg(wait, 0, sizeof steps, &steps));
    CHECK(clEnqueueNDRangeKernel(queue, wait, 1, NULL, &one, &one, 0, NULL, &held));
    CHECK(clFlush(queue));
    return held;
}

// For longer than the host needs to queue a product, 0.3 ms beside an H200. How many steps that is,
// a try says.
static void hold(cl_command_queue queue)
{
    static cl_kernel wait;
    static int steps = 100000;
    const double ms = 3;
    if (wait == NULL) {
        wait = create_wait(queue);
        steps = (int)(steps * ms / ocl_event_ms(start_wait(queue, wait, steps)));
    }
    CHECK(clReleaseEvent(start_wait(queue, wait, steps)));
}

// For padded and transposed copies of A, B and C; at least one byte.
static cl_mem memory_for_copies(void *library, cl_command_queue queue, size_t M, size_t N, size_t K)
{
    static cl_mem memory;
    static size_t there;
    size_t bytes = 0;
    clblast_size *size = (clblast_size *)find(
        library, sizeof(real) == 8 ? "CLBlastDGemmTempBufferSize" : "CLBlastSGemmTempBufferSize");
    check_clblast(
        size(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, M, N, K, 0, K, 0, N, 0, N, &queue, &bytes));
    if (bytes >= there) {
        if (memory != NULL)
            CHECK(clReleaseMemObject(memory));
        there = bytes + 1;
        memory = create_memory(queue, there);
    }
    return memory;
}

double gemm(struct lab *lab, cl_command_queue queue, int M, int N, int K, cl_mem A, cl_mem B,
            cl_mem C)
{
    static void *library;
    if (library == NULL) {
        library = open_library();
        set_up(library, device_of(queue));
    }
    clblast_gemm *multiply = (clblast_gemm *)find(
        library, sizeof(real) == 8 ? "CLBlastDgemmWithTempBuffer" : "CLBlastSgemmWithTempBuffer");
    size_t m = (size_t)M, n = (size_t)N, k = (size_t)K;
    cl_mem copies = memory_for_copies(library, queue, m, n, k);
    cl_event before = NULL, last = NULL;
    if (lab->is_timed)
        hold(queue);
    for (int l = 0; l < lab->launches; l++) {
        if (l == lab->launches / 2)
            CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &before));
        if (last != NULL)
            CHECK(clReleaseEvent(last));
        check_clblast(multiply(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, m, n, k, 1, A, 0, k, B, 0, n,
                               0, C, 0, n, &queue, &last, copies));
    }
    ocl_watch(lab, last);
    double end = end_of(last);
    return end - end_of(before);
}
