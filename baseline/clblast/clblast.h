// SPDX-License-Identifier: MIT
// CLBlast, by its C interface. A product is several kernels: copies that pad or transpose, and the one that
// multiplies. So its time begins where a marker before them is reached, and ends with the last. What the host
// does between them is part of it, as it is for whoever calls the library; a lab's one kernel has none.
#include "../library.h"
#include "ocl.h"
#include "params.h"

typedef int clblast_gemm(int layout, int transpose_a, int transpose_b, size_t M, size_t N, size_t K,
                         real alpha, cl_mem A, size_t a_offset, size_t lda, cl_mem B,
                         size_t b_offset, size_t ldb, real beta, cl_mem C, size_t c_offset,
                         size_t ldc, cl_command_queue *queue, cl_event *last);
enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 }; // as in clblast_c.h

double gemm(cl_command_queue queue, int M, int N, int K, cl_mem A, cl_mem B, cl_mem C);

// In the kernel: called once, before the first product. It sets up the library, and used_library.
static void set_up(void *library, cl_device_id device);

static inline clblast_gemm *load(cl_command_queue queue)
{
    cl_device_id device;
    void *library = open_library();
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    set_up(library, device);
    return (clblast_gemm *)find(library, sizeof(real) == 8 ? "CLBlastDgemm" : "CLBlastSgemm");
}

// When a command ended, in ms of the device's clock. Waits for it, releases it.
static inline double end_of(cl_event event)
{
    cl_ulong end;
    CHECK(clWaitForEvents(1, &event));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    CHECK(clReleaseEvent(event));
    return (double)end * 1e-6;
}

double gemm(cl_command_queue queue, int M, int N, int K, cl_mem A, cl_mem B, cl_mem C)
{
    static clblast_gemm *multiply;
    if (multiply == NULL)
        multiply = load(queue);
    cl_event before, last = NULL;
    size_t m = (size_t)M, n = (size_t)N, k = (size_t)K;
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &before));
    int status = multiply(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, m, n, k, 1, A, 0, k, B, 0, n, 0, C,
                          0, n, &queue, &last);
    if (status != 0)
        leave(EXIT_USAGE, "CLBlast failed with status %d: see clblast_c.h", status);
    double end = end_of(last);
    return end - end_of(before);
}
