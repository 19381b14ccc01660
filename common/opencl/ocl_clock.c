// SPDX-License-Identifier: MIT
// OpenCL: how long launches took that follow each other, and the clock of the GPU meanwhile.
#include "opencl/ocl.h"

#include <time.h>

// As in CL/cl_ext.h, from NVIDIA alone: where on the PCI bus it is.
enum { PCI_BUS_NV = 0x4008, PCI_SLOT_NV = 0x4009, PCI_DOMAIN_NV = 0x400A };

static void find_bus_id(cl_device_id device, char *bus_id, size_t size)
{
    const cl_device_info keys[] = {PCI_DOMAIN_NV, PCI_BUS_NV, PCI_SLOT_NV};
    cl_uint at[] = {0, 0, 0};
    for (int n = 0; n < 3; n++)
        if (clGetDeviceInfo(device, keys[n], sizeof at[n], &at[n], NULL) != CL_SUCCESS)
            at[n] = 0; // on device 0000:00:00.0 there is no GPU
    snprintf(bus_id, size, "%04x:%02x:%02x.0", at[0], at[1], at[2]);
}

void ocl_watch(struct lab *lab, cl_event last)
{
    const struct timespec pause = {0, 1000000};
    const double start = now_ms();
    struct clocks now = {0};
    cl_command_queue queue;
    cl_device_id device;
    cl_device_type type;
    cl_int state = CL_COMPLETE;
    char bus_id[32];
    CHECK(clGetEventInfo(last, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL));
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    CHECK(clFlush(queue));
    lab->back_to_back = (type & CL_DEVICE_TYPE_GPU) != 0;
    if (lab->back_to_back && is_timed(lab)) {
        find_bus_id(device, bus_id, sizeof bus_id);
        do {
            now = clocks_now(bus_id);
            nanosleep(&pause, NULL);
            CHECK(clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state,
                                 NULL));
        } while (state > CL_COMPLETE); // negative: it failed
        note_device(lab, now, now_ms() - start);
    }
    CHECK(clWaitForEvents(1, &last));
}

void ocl_extend(struct span *span, cl_event launch, bool anew)
{
    if (span->last != NULL)
        CHECK(clReleaseEvent(span->last));
    span->last = launch;
    if (!anew)
        return;
    if (span->first != NULL)
        CHECK(clReleaseEvent(span->first));
    span->first = launch;
    CHECK(clRetainEvent(launch));
}

double ocl_span_ms(struct lab *lab, struct span span)
{
    cl_ulong start, end;
    ocl_watch(lab, span.last);
    CHECK(clGetEventProfilingInfo(span.first, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                  NULL));
    CHECK(clGetEventProfilingInfo(span.last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    CHECK(clReleaseEvent(span.first));
    CHECK(clReleaseEvent(span.last));
    return (double)(end - start) * 1e-6;
}
