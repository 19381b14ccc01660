// SPDX-License-Identifier: MIT
// What a session does on an OpenCL device beside ocl.h.
#ifndef OPENCL_H
#define OPENCL_H

#include "ocl.h"

// The device that engine/ is, as engine/opencl/host.cpp names it. Its times mean nothing.
#define OCL_ENGINE "OpenCL emulated on the CPU"

// ---- ocl_drivers.c: compiled alone by ./setup, too ----------------------------------------------
// The devices of all drivers, at most so many. Call it first, because it prepares PoCL.
cl_uint ocl_find_devices(cl_device_id *devices, cl_uint most);
// Is a driver missing that is asked for? Says which, why and how to repair it.
bool ocl_lacks_driver(char *what, size_t size);

// ---- ocl_poison.c -------------------------------------------------------------------------------
// Overwrites local memory by a kernel of a program that has this source, before its own.
extern const char *const ocl_poison_source;
cl_kernel ocl_poison_kernel(cl_program program);
void ocl_poison_with(cl_command_queue queue, cl_kernel poison, cl_kernel of);
#endif
