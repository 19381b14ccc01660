// SPDX-License-Identifier: MIT
// CUDA host code that is the same in every program: errors by name, a device, a gate for timing.
#ifndef GPU_H
#define GPU_H

#include <cuda_runtime.h>
#include "lab.h"

#include <string.h>

// CHECK(cudaMalloc(...)): an error leaves with status 2 and names the call, the line and the code.
#define CHECK(call) cuda_check(call, #call, __FILE__, __LINE__)

static inline void cuda_check(cudaError_t status, const char *call, const char *file, int line)
{
    const char *remedy = "";
    if (status == cudaErrorMemoryAllocation)
        remedy = ": choose a smaller size";
    if (status == cudaErrorIllegalAddress)
        remedy = ": an index is outside an array; make race finds the line";
    if (status == cudaErrorLaunchOutOfResources) // of nvcc's choice; the kernel itself may be right
        remedy = ": a thread of so large a block has fewer registers; make it smaller, or give the "
                 "kernel __launch_bounds__(threads of a block)";
    if (status != cudaSuccess)
        exit_with(EXIT_USAGE, "%s:%d: %.*s failed: %s (%s)%s", file, line, (int)strcspn(call, "("),
                  call, cudaGetErrorName(status), cudaGetErrorString(status), remedy);
}

// Makes a device, usually the first, the current one, and creates its context. Exit status 77 if
// there is none. Fills in lab->device and lab->bus_id.
static inline void cuda_choose_device(struct lab *lab)
{
#ifdef CUDA_EMULATED
    emulation::guard_bytes = GUARD_BYTES; // no kernel may touch the guards
    emulation::exit_with = exit_with;
    lab->backend = "emulated";
#endif
    enum { MOST = 32 };
    char names[MOST][256], facts[MOST][256];
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0)
        exit_with(EXIT_SKIPPED, "skipped: no CUDA device here (%s)", cudaGetErrorName(status));
    for (int d = 0; d < count && d < MOST; d++) {
        struct cudaDeviceProp is;
        CHECK(cudaGetDeviceProperties(&is, d));
        snprintf(names[d], sizeof names[d], "%s", is.name);
#ifdef CUDA_EMULATED
        snprintf(facts[d], sizeof facts[d], "no device: right or wrong, never how fast");
#else
        int driver;
        CHECK(cudaDriverGetVersion(&driver));
        snprintf(facts[d], sizeof facts[d],
                 "GPU, %d multiprocessors, %.0f MiB of memory, %.0f KiB of shared memory for a "
                 "block, block limit %d, compute capability %d.%d, driver for CUDA %d.%d",
                 is.multiProcessorCount, is.totalGlobalMem / 1048576.0,
                 is.sharedMemPerBlock / 1024.0, is.maxThreadsPerBlock, is.major, is.minor,
                 driver / 1000, driver % 1000 / 10);
#endif
    }
    int choice = choose_device(lab, count < MOST ? count : MOST, names, facts, 0);
    snprintf(lab->device, sizeof lab->device, "%s", names[choice]);
    CHECK(cudaSetDevice(choice));
#ifndef CUDA_EMULATED
    CHECK(cudaDeviceGetPCIBusId(lab->bus_id, sizeof lab->bus_id, choice));
#endif
    CHECK(cudaFree(0)); // the context is created by the first call that needs one
}

// ---- the gate -----------------------------------------------------------------------------------
// The time between two events contains every wait of the device for the host: microseconds for a
// launch, 0.1 ms if a library first chooses a kernel. So the device waits until all is queued.
#ifdef CUDA_EMULATED // without times, and the engine overwrites shared memory itself
static inline void close_gate(struct lab *)
{
}
static inline void open_gate(struct lab *, cudaEvent_t)
{
}
#else
static volatile int *gate; // open if not 0; in host memory that the device sees

// For a limited time: a call, or a tool, may wait for the device before the gate is open.
static __global__ void wait_at_gate(const volatile int *is_open)
{
    const long long cycles = 20000000, start = clock64(); // 10 ms, about
    while (!*is_open && clock64() - start < cycles)
        ;
}

// Shared memory still holds the data of the previous block, which would hide a missing load: of the
// same kernel, the right tile. All bits set: NaN, or -1. volatile: the words are never read.
static __global__ void poison_block(int words)
{
    extern __shared__ volatile unsigned shared_words[];
    for (int w = threadIdx.x; w < words; w += blockDim.x)
        shared_words[w] = 0xFFFFFFFFu;
}

// On each multiprocessor, because each block takes all that a block may have.
static inline void poison_shared_memory(void)
{
    int device, bytes, multiprocessors;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaFuncSetAttribute(poison_block, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    poison_block<<<multiprocessors, 1024, bytes>>>(bytes / (int)sizeof(unsigned));
    CHECK(cudaGetLastError());
}

// Poisons shared memory before a run that is not timed. In a timed run, all that is queued from now
// on waits. Many launches need no gate: the first half of them keeps the device busy.
static inline void close_gate(struct lab *lab)
{
    lab->back_to_back = true;
    if (lab->run < 2)
        poison_shared_memory();
    if (!lab->is_timed || lab->launches > 1)
        return;
    if (gate == NULL)
        CHECK(cudaHostAlloc((void **)&gate, sizeof *gate, cudaHostAllocMapped));
    *gate = false;
    wait_at_gate<<<1, 1>>>(gate);
    CHECK(cudaGetLastError());
}

// Opens it, and waits for the last event. The call that asks for the time reports an error.
static inline void open_gate(struct lab *lab, cudaEvent_t last)
{
    if (!lab->is_timed)
        return;
    *gate = true;
    do
        watch_gpu(lab);
    while (cudaEventQuery(last) == cudaErrorNotReady);
    (void)cudaGetLastError(); // "not ready" is kept there, as if it were an error
}
#endif
#endif
