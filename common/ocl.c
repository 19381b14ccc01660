// SPDX-License-Identifier: MIT
#include "ocl.h"

#include <stdlib.h>
#include <string.h>

enum { ILLEGAL_ACCESS_NV = -9999 }; // NVIDIA's, in no header

const char *ocl_error_name(cl_int status)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
    // clang-format off
#define NAME(code) {CL_##code, "CL_" #code}
        NAME(DEVICE_NOT_FOUND), NAME(OUT_OF_RESOURCES), NAME(MEM_OBJECT_ALLOCATION_FAILURE),
        NAME(OUT_OF_HOST_MEMORY), NAME(INVALID_VALUE), NAME(MISALIGNED_SUB_BUFFER_OFFSET),
        NAME(BUILD_PROGRAM_FAILURE), NAME(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        NAME(COMPILER_NOT_AVAILABLE), NAME(INVALID_BUILD_OPTIONS), NAME(INVALID_KERNEL_NAME),
        NAME(INVALID_KERNEL_DEFINITION), NAME(INVALID_KERNEL_ARGS), NAME(INVALID_ARG_INDEX),
        NAME(INVALID_ARG_SIZE), NAME(INVALID_WORK_GROUP_SIZE), NAME(INVALID_WORK_ITEM_SIZE),
        NAME(INVALID_BUFFER_SIZE), {ILLEGAL_ACCESS_NV, "illegal memory access"},
        // clang-format on
    };
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
        if (names[n].code == status)
            return names[n].name;
    return "see CL/cl.h";
}

void ocl_check(cl_int status, const char *call, const char *file, int line)
{
    if (status == CL_SUCCESS)
        return;
    const char *remedy = "";
    if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
        status == CL_INVALID_BUFFER_SIZE)
        remedy = ": choose a smaller size";
    if (strncmp(call, "clSetKernelArg", 14) == 0 || status == CL_INVALID_KERNEL_ARGS)
        remedy = ": gemm has other parameters than main gives it: (int M, int N, int K, __global "
                 "const real *A, ... *B, __global real *C)";
    if (status == ILLEGAL_ACCESS_NV)
        remedy = ": an index is outside an array, global or local; make race finds the line";
    exit_with(EXIT_USAGE, "%s:%d: %.*s failed: %s (%d)%s", file, line, (int)strcspn(call, "("),
              call, ocl_error_name(status), status, remedy);
}

// ---- device and program -------------------------------------------------------------------------
FALLBACK cl_device_id ocl_choose_device(struct lab *lab)
{
    const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
    cl_platform_id platforms[8];
    cl_device_id device = NULL;
    cl_uint count = 0;
    // The ICD loader fails if no driver is installed: that is "no device", not an error.
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint n = 0; n < 2 * count && device == NULL; n++)
        if (clGetDeviceIDs(platforms[n % count], types[n / count], 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    if (device == NULL)
        exit_with(EXIT_SKIPPED, "skipped: no OpenCL device here: install a driver, such as PoCL");
    CHECK(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof lab->device, lab->device, NULL));
    return device;
}

FALLBACK cl_program ocl_build(const struct lab *lab, cl_context context, cl_device_id device,
                              const char *kernel_file, const char *defines)
{
    char options[1024], log[8192] = "", *source = NULL;
    size_t size = 0;
    cl_int status;
    FILE *file = fopen(kernel_file, "r");
    (void)lab;
    if (file == NULL || getdelim(&source, &size, '\0', file) < 0)
        exit_with(EXIT_USAGE, "cannot read %s: run the program in its folder", kernel_file);
    cl_program program =
        clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &status);
    CHECK_AS("clCreateProgramWithSource", status);
    snprintf(options, sizeof options, OCL_STANDARD " -I. %s", defines);
    status = clBuildProgram(program, 1, &device, options, NULL, NULL);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    if (status != CL_SUCCESS)
        exit_with(EXIT_USAGE, "%s does not compile\n%s", kernel_file, log);
    fclose(file);
    free(source);
    return program;
}

FALLBACK void ocl_check_group(cl_kernel kernel, cl_device_id device, size_t x, size_t y)
{
    (void)kernel, (void)device, (void)x, (void)y; // the launch fails
}

FALLBACK void ocl_poison_local(const struct lab *lab, cl_command_queue queue, cl_kernel kernel)
{
    (void)lab, (void)queue, (void)kernel;
}

// ---- times --------------------------------------------------------------------------------------
static double elapsed_ms(cl_event first, cl_event last)
{
    cl_ulong start, end;
    CHECK(clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    CHECK(clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    return (double)(end - start) * 1e-6;
}

double ocl_event_ms(cl_event event)
{
    CHECK(clWaitForEvents(1, &event));
    const double ms = elapsed_ms(event, event);
    CHECK(clReleaseEvent(event));
    return ms;
}

void ocl_extend(struct span *span, cl_event launch, bool anew)
{
    if (span->last != NULL)
        CHECK(clReleaseEvent(span->last));
    if (anew && span->first != NULL)
        CHECK(clReleaseEvent(span->first));
    if (anew)
        CHECK(clRetainEvent(launch));
    span->first = anew ? launch : span->first;
    span->last = launch;
}

void ocl_watch(struct lab *lab, cl_event last)
{
    cl_command_queue queue;
    cl_int state = CL_QUEUED; // negative: it failed
    CHECK(clGetEventInfo(last, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
    CHECK(clFlush(queue));
    while (lab->back_to_back && lab->is_timed && state > CL_COMPLETE) {
        watch_gpu(lab);
        CHECK(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    }
    CHECK(clWaitForEvents(1, &last));
}

double ocl_span_ms(struct lab *lab, struct span span)
{
    ocl_watch(lab, span.last);
    const double ms = elapsed_ms(span.first, span.last);
    CHECK(clReleaseEvent(span.first));
    CHECK(clReleaseEvent(span.last));
    return ms;
}
