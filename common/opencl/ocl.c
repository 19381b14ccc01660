// SPDX-License-Identifier: MIT
// OpenCL: errors by name, limits of the device, times.
#include "opencl/ocl.h"

#include <string.h>

enum { ILLEGAL_ACCESS_NV = -9999 }; // NVIDIA's, in no header

const char *ocl_error_name(cl_int status)
{
#define NAME(code)                                                                                 \
    case code:                                                                                     \
        return #code
    switch (status) {
        NAME(CL_DEVICE_NOT_FOUND);
        NAME(CL_DEVICE_NOT_AVAILABLE);
        NAME(CL_COMPILER_NOT_AVAILABLE);
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        NAME(CL_OUT_OF_RESOURCES);
        NAME(CL_OUT_OF_HOST_MEMORY);
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        NAME(CL_BUILD_PROGRAM_FAILURE);
        NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        NAME(CL_INVALID_VALUE);
        NAME(CL_INVALID_DEVICE);
        NAME(CL_INVALID_CONTEXT);
        NAME(CL_INVALID_COMMAND_QUEUE);
        NAME(CL_INVALID_MEM_OBJECT);
        NAME(CL_INVALID_BUILD_OPTIONS);
        NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        NAME(CL_INVALID_KERNEL_NAME);
        NAME(CL_INVALID_KERNEL_DEFINITION);
        NAME(CL_INVALID_ARG_INDEX);
        NAME(CL_INVALID_ARG_SIZE);
        NAME(CL_INVALID_KERNEL_ARGS);
        NAME(CL_INVALID_WORK_GROUP_SIZE);
        NAME(CL_INVALID_WORK_ITEM_SIZE);
        NAME(CL_INVALID_BUFFER_SIZE);
        NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    case ILLEGAL_ACCESS_NV:
        return "illegal memory access";
    default:
        return "see CL/cl.h";
    }
#undef NAME
}

void ocl_check(cl_int status, const char *call, const char *file, int line)
{
    if (status == CL_SUCCESS)
        return;
    bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
                  status == CL_INVALID_BUFFER_SIZE;
    bool other = strncmp(call, "clSetKernelArg", 14) == 0 || status == CL_INVALID_KERNEL_ARGS;
    exit_with(EXIT_USAGE, "%s:%d: %.*s failed: %s (%d)%s", file, line, (int)strcspn(call, "("),
              call, ocl_error_name(status), status,
              memory  ? ": choose a smaller size"
              : other ? ": gemm has other parameters than main gives it: (int M, int N, int K, "
                        "__global const real *A, ... *B, __global real *C)"
              : status == ILLEGAL_ACCESS_NV ? ": an index is outside an array, global or local; "
                                              "make race finds the line"
                                            : "");
}

void ocl_check_group(cl_kernel kernel, cl_device_id device, size_t x, size_t y)
{
    size_t most;
    cl_ulong local, have;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof have, &have, NULL));
    CHECK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local,
                                   NULL));
    // The device's limit, not the kernel's: NVIDIA's driver answers 256 for any kernel, and runs
    // 1024.
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    if (local > have)
        exit_with(EXIT_USAGE,
                  "not supported by the device: local memory limit %lu bytes, this kernel "
                  "needs %lu: make the tile smaller",
                  (unsigned long)have, (unsigned long)local);
    if (x * y > most)
        exit_with(EXIT_USAGE,
                  "not supported by the device: work-group limit %zu, this kernel asks for "
                  "%zu x %zu: make the work-group smaller",
                  most, x, y);
}

double ocl_event_ms(cl_event event)
{
    cl_ulong start, end;
    CHECK(clWaitForEvents(1, &event));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    CHECK(clReleaseEvent(event));
    return (double)(end - start) * 1e-6;
}
