// SPDX-License-Identifier: MIT
// Two events of CUDA also count how long the device waits for the host between them: some
// microseconds for a launch, and 0.1 ms where a library first chooses its kernel. So the device is
// held at a gate until all is queued.
#ifndef GATE_H
#define GATE_H

#include "cuda/gpu.h"

#ifdef CUDA_EMULATED
// No times, so no gate.
static void close_gate(struct lab *)
{
}

static void open_gate(struct lab *, cudaEvent_t)
{
}
#else
#include <time.h>
#include "cuda/poison.h"

static struct {
    volatile int *is_open; // in memory of the host that the device sees
    char bus_id[32];       // of the device
} gate;

// Not for ever: where a call, or a tool, waits for the device before the gate is open, it never
// would be.
static __global__ void wait_at_gate(const volatile int *is_open)
{
    const long long cycles = 20000000, start = clock64(); // 10 ms, about
    while (!*is_open && clock64() - start < cycles)
        ;
}

static void build_gate(void)
{
    int device;
    CHECK(cudaHostAlloc((void **)&gate.is_open, sizeof *gate.is_open, cudaHostAllocMapped));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetPCIBusId(gate.bus_id, sizeof gate.bus_id, device));
}

// What is queued from now on waits; not where there are no times, as tools have their own ways with
// the device. Many launches need no gate: those that are timed wait for the others.
static void close_gate(struct lab *lab)
{
    lab->back_to_back = true;
    if (lab->run < 2) // it verifies, and is not timed
        poison_shared_memory();
    if (!is_timed(lab) || lab->launches > 1)
        return;
    if (gate.is_open == NULL)
        build_gate();
    *gate.is_open = false;
    wait_at_gate<<<1, 1>>>(gate.is_open);
    CHECK(cudaGetLastError());
}

// Opens it, and looks at the clock until the last event has been recorded. What went wrong until
// then is told to who asks for the time.
static void open_gate(struct lab *lab, cudaEvent_t last)
{
    const struct timespec pause = {0, 1000000};
    const double start = now_ms();
    struct clocks now;
    if (!is_timed(lab))
        return;
    *gate.is_open = true;
    do {
        now = clocks_now(gate.bus_id);
        nanosleep(&pause, NULL);
    } while (cudaEventQuery(last) == cudaErrorNotReady);
    (void)cudaGetLastError(); // "not ready" is kept there, as if it were an error
    note_device(lab, now, now_ms() - start);
}
#endif
#endif
