// SPDX-License-Identifier: MIT
// OpenCL host code of every program: errors by name, a device, a program, times.
#ifndef OCL_H
#define OCL_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // clCreateCommandQueue: 1.2 devices have no other
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include "lab.h"

// A driver would take the newest OpenCL C that it knows, in which other names are reserved.
#define OCL_STANDARD "-cl-std=CL1.2"

// CHECK(clFinish(queue)); or CHECK_AS("clCreateBuffer", status) if the call returns an object. An
// error is exit status 2, and one line with the call, its place and the code.
#define CHECK(call) ocl_check(call, #call, __FILE__, __LINE__)
#define CHECK_AS(call, status) ocl_check(status, call, __FILE__, __LINE__)
void ocl_check(cl_int status, const char *call, const char *file, int line);
const char *ocl_error_name(cl_int status);

// A GPU if there is one, else the first device. Exit status 77 if there is none, or in session/ if
// it cannot compute with `real`. Fills in lab->device.
cl_device_id ocl_choose_device(struct lab *lab);

// Compiles a kernel file for the device; `defines` are compiler options. A compile error prints the
// build log, exit status 2.
cl_program ocl_build(const struct lab *lab, cl_context context, cl_device_id device,
                     const char *kernel_file, const char *defines);

// Exit status 2 if the device cannot run this kernel with work-groups of x * y work-items.
void ocl_check_group(cl_kernel kernel, cl_device_id device, size_t x, size_t y);

// session/ overwrites the local memory that this kernel finds, before a run that verifies.
void ocl_poison_local(const struct lab *lab, cl_command_queue queue, cl_kernel kernel);

// How long a command with a profiling event ran on the device, in ms. Waits for it, releases it.
double ocl_event_ms(cl_event event);

// Launches of an in-order queue that are timed together.
struct span {
    cl_event first, last;
};
// One more launch, whose event it releases; `anew`: it is the first.
void ocl_extend(struct span *span, cl_event launch, bool anew);
// From the start of the first to the end of the last, by the device's clock. Waits, releases both.
double ocl_span_ms(struct lab *lab, struct span span);
void ocl_watch(struct lab *lab, cl_event last); // waits, and watches a GPU meanwhile
#endif
