// SPDX-License-Identifier: MIT
// CUDA host code that is the same in every program: errors by name, choice of a device.
#ifndef GPU_H
#define GPU_H

#include <cuda_runtime.h>
#include "session/session.h"

// CHECK(cudaMalloc(...)): an error leaves with status 2 and names the call, the line and the code.
#define CHECK(call) cuda_check(call, #call, __FILE__, __LINE__)

static inline const char *cuda_remedy(cudaError_t status)
{
    if (status == cudaErrorMemoryAllocation)
        return ": choose a smaller size";
    if (status == cudaErrorLaunchOutOfResources) // of nvcc's choice; the kernel itself may be right
        return ": fewer registers are left to each thread of so large a block; make it smaller, or "
               "give the kernel __launch_bounds__(threads of a block)";
    if (status == cudaErrorIllegalAddress)
        return ": an index is outside an array; make race finds the line";
    return "";
}

static inline void cuda_check(cudaError_t status, const char *call, const char *file, int line)
{
    int length = 0;
    if (status == cudaSuccess)
        return;
    while (call[length] != '\0' && call[length] != '(')
        length++;
    exit_with(EXIT_USAGE, "%s:%d: %.*s failed: %s (%s)%s", file, line, length, call,
              cudaGetErrorName(status), cudaGetErrorString(status), cuda_remedy(status));
}

// Makes the device that --device asks for, or the first, the current one, and creates its context.
// Exit 77 where there is none. Fills in lab->device.
static inline void cuda_choose_device(struct lab *lab)
{
#ifdef CUDA_EMULATED
    emulation::guard_bytes = GUARD_BYTES; // no kernel may touch the guards
    emulation::exit_with = exit_with;
    lab->backend = "emulated";
#endif
    enum { MAX_DEVICES = 32 };
    char names[MAX_DEVICES][256], facts[MAX_DEVICES][256];
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0)
        exit_with(EXIT_SKIPPED, "skipped: no CUDA device here (%s)", cudaGetErrorName(status));
    for (int d = 0; d < count && d < MAX_DEVICES; d++) {
        struct cudaDeviceProp properties;
        CHECK(cudaGetDeviceProperties(&properties, d));
        snprintf(names[d], sizeof names[d], "%s", properties.name);
#ifdef CUDA_EMULATED
        snprintf(facts[d], sizeof facts[d], "no device: right or wrong, never how fast");
#else
        int driver;
        CHECK(cudaDriverGetVersion(&driver));
        snprintf(facts[d], sizeof facts[d],
                 "GPU, %d multiprocessors, %.0f MiB of memory, %.0f KiB of shared memory for a "
                 "block, block limit %d, compute capability %d.%d, driver for CUDA %d.%d",
                 properties.multiProcessorCount, properties.totalGlobalMem / 1048576.0,
                 properties.sharedMemPerBlock / 1024.0, properties.maxThreadsPerBlock,
                 properties.major, properties.minor, driver / 1000, driver % 1000 / 10);
#endif
    }
    int choice =
        choose_device(&lab->opt, count < MAX_DEVICES ? count : MAX_DEVICES, names, facts, 0);
    snprintf(lab->device, sizeof lab->device, "%s", names[choice]);
    CHECK(cudaSetDevice(choice));
    CHECK(cudaFree(0)); // the context is created by the first call that needs one
}
#endif
