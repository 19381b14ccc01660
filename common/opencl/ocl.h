// SPDX-License-Identifier: MIT
// OpenCL host code that is the same in every program: errors by name, choice of a device, building.
#ifndef OCL_H
#define OCL_H

#include "opencl/ocl_drivers.h"
#include "session/session.h"

// The OpenCL C that a kernel is written in: without it a driver takes the newest that it knows, in
// which other names are taken.
#define OCL_STANDARD "-cl-std=CL1.2"

// CHECK(clFinish(queue)); or, where a call returns an object: CHECK_AS("clCreateBuffer", status);
// An error leaves with status 2 and names the call, the line and the code.
#define CHECK(call) ocl_check(call, #call, __FILE__, __LINE__)
#define CHECK_AS(call, status) ocl_check(status, call, __FILE__, __LINE__)
const char *ocl_error_name(cl_int status);
void ocl_check(cl_int status, const char *call, const char *file, int line);

// The device that engine/ is, as engine/opencl/host.cpp names it. Its times mean nothing.
#define OCL_ENGINE "OpenCL emulated on the CPU"

// The device that --device asks for; without it a GPU, else an accelerator, else a CPU. Exit 77
// where there is none, or none that can compute with `real`. Fills in lab->device.
cl_device_id ocl_choose_device(struct lab *lab);

// Compiles a kernel file of this lab's folder for the device; `defines` are compiler options. A
// compile error prints the build log, exit 2.
cl_program ocl_build(const struct lab *lab, cl_context context, cl_device_id device,
                     const char *kernel_file, const char *defines);

// Exit 2 where the device cannot run this kernel with work-groups of x * y work-items.
void ocl_check_group(cl_kernel kernel, cl_device_id device, size_t x, size_t y);

// Overwrites the local memory that this kernel finds, before a run that verifies.
void ocl_poison_local(const struct lab *lab, cl_command_queue queue, cl_kernel kernel);
// The same by a kernel of a program that has this source, before its own.
extern const char *const ocl_poison_source;
cl_kernel ocl_poison_kernel(cl_program program);
void ocl_poison_with(cl_command_queue queue, cl_kernel poison, cl_kernel of);

// How long a command with a profiling event ran on the device, in ms. Waits for it, releases it.
double ocl_event_ms(cl_event event);

// Launches of an in-order queue that are timed together.
struct span {
    cl_event first, last;
};
// One more launch, whose event is given away; `anew`: it is the first.
void ocl_extend(struct span *span, cl_event launch, bool anew);
// From the start of the first to the end of the last, by the device's clock. Waits for it, releases
// both.
double ocl_span_ms(struct lab *lab, struct span span);
// Waits for the last command of a run, and notes the clock of a GPU meanwhile.
void ocl_watch(struct lab *lab, cl_event last);
#endif
