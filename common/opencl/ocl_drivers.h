// SPDX-License-Identifier: MIT
// The OpenCL drivers of this machine. ./setup compiles this alone, to see what labs will find.
#ifndef OCL_DRIVERS_H
#define OCL_DRIVERS_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS // clCreateCommandQueue: 1.2 devices have no other
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include <stdbool.h>
#include <stddef.h>

// The devices of all drivers, at most so many. Before anything else, as it prepares PoCL.
cl_uint ocl_find_devices(cl_device_id *devices, cl_uint most);

// Is a driver missing that is asked for? Says which, why and what to do.
bool ocl_lacks_driver(char *what, size_t size);
#endif
