// SPDX-License-Identifier: MIT
// OpenCL: which device?
#include "session/opencl.h"
#include "session/session.h"

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

// As in CL/cl_ext.h, from NVIDIA alone.
enum { PCI_BUS_NV = 0x4008, PCI_SLOT_NV = 0x4009, PCI_DOMAIN_NV = 0x400A };

static void find_bus_id(cl_device_id device, char *bus_id, size_t size)
{
    const cl_device_info keys[] = {PCI_DOMAIN_NV, PCI_BUS_NV, PCI_SLOT_NV};
    cl_uint at[] = {0, 0, 0};
    for (int n = 0; n < 3; n++)
        if (clGetDeviceInfo(device, keys[n], sizeof at[n], &at[n], NULL) != CL_SUCCESS)
            at[n] = 0; // at address 0000:00:00.0 there is no GPU
    snprintf(bus_id, size, "%04x:%02x:%02x.0", at[0], at[1], at[2]);
}

static bool is_gpu(cl_device_id device)
{
    cl_device_type type;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    return (type & CL_DEVICE_TYPE_GPU) != 0;
}

cl_device_id ocl_choose_device(struct lab *lab)
{
    // PoCL compiles a kernel again for small problems and for large ones, each with its group size
    // as a constant: up to 2 s more, which pays if the kernel is timed.
    if (!lab->is_timed)
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
        if (lab->session->opt.list_devices)
            describe_device(devices[d], facts[d], sizeof facts[d]);
        if (type & CL_DEVICE_TYPE_GPU)
            type = CL_DEVICE_TYPE_ACCELERATOR + 1; // before any other
        if (type > best) {
            best = type;
            fallback = d;
        }
    }
    int choice = choose_device(lab, (int)count, names, facts, (int)fallback);
    snprintf(lab->device, sizeof lab->device, "%s", names[choice]);
    find_bus_id(devices[choice], lab->bus_id, sizeof lab->bus_id);
    lab->back_to_back = is_gpu(devices[choice]);
    if (strcmp(lab->device, OCL_ENGINE) == 0)
        lab->backend = "emulated";
    cl_device_fp_config fp64 = 0;
    if (sizeof(real) == 8 && (clGetDeviceInfo(devices[choice], CL_DEVICE_DOUBLE_FP_CONFIG,
                                              sizeof fp64, &fp64, NULL) != CL_SUCCESS ||
                              fp64 == 0))
        exit_with(EXIT_SKIPPED, "skipped: %s has no double precision", lab->device);
    return devices[choice];
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
