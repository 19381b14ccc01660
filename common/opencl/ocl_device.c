// SPDX-License-Identifier: MIT
// OpenCL: which device?
#include "opencl/ocl.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEVICES = 32 };

// What a reader of a report wants to know of a device, in one line.
static void describe_device(cl_device_id device, char *facts, size_t size)
{
    cl_device_type type;
    cl_uint units, mhz;
    cl_ulong memory, local;
    size_t group;
    char version[256], driver[256];
    CHECK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof group, &group, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL));
    CHECK(clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL));
    snprintf(facts, size,
             "%s, %u compute units, %u MHz, %lu MiB of memory, %lu KiB of local memory, "
             "work-group limit %zu, %.60s, driver %.30s",
             type & CL_DEVICE_TYPE_GPU ? "GPU" : "CPU", units, mhz, (unsigned long)(memory >> 20),
             (unsigned long)(local >> 10), group, version, driver);
}

cl_device_id ocl_choose_device(struct lab *lab)
{
    // PoCL compiles a kernel again for small problems and for large ones, each with its group size
    // as a constant: up to 2 s more, which pays if the kernel is timed.
    if (!is_timed(lab))
        setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
    cl_device_id devices[MAX_DEVICES];
    cl_uint count = ocl_find_devices(devices, MAX_DEVICES), fallback = 0;
    char names[MAX_DEVICES][256], facts[MAX_DEVICES][256], lacks[2048];
    if (count == 0)
        exit_with(EXIT_SKIPPED, "skipped: no OpenCL device here: %s",
                  ocl_lacks_driver(lacks, sizeof lacks) ? lacks
                                                        : "run ./setup, which installs PoCL");

    cl_device_type best = 0; // CL_DEVICE_TYPE_CPU is 2, _GPU 4, _ACCELERATOR 8
    for (cl_uint d = 0; d < count; d++) {
        cl_device_type type;
        CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof names[d], names[d], NULL));
        CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_TYPE, sizeof type, &type, NULL));
        if (lab->opt.list_devices)
            describe_device(devices[d], facts[d], sizeof facts[d]);
        if (type & CL_DEVICE_TYPE_GPU)
            type = CL_DEVICE_TYPE_ACCELERATOR + 1; // before any other
        if (type > best) {
            best = type;
            fallback = d;
        }
    }
    int choice = choose_device(&lab->opt, (int)count, names, facts, (int)fallback);
    snprintf(lab->device, sizeof lab->device, "%s", names[choice]);
    if (strcmp(lab->device, OCL_ENGINE) == 0)
        lab->backend = "emulated";
    cl_device_fp_config fp64 = 0;
    if (sizeof(real) == 8 && (clGetDeviceInfo(devices[choice], CL_DEVICE_DOUBLE_FP_CONFIG,
                                              sizeof fp64, &fp64, NULL) != CL_SUCCESS ||
                              fp64 == 0))
        exit_with(EXIT_SKIPPED, "skipped: %s has no double precision", lab->device);
    return devices[choice];
}
