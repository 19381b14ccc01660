// SPDX-License-Identifier: MIT
#include "ocl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_DEVICES = 32 };

static const char *error_name(cl_int status)
{
#define NAME(code)                                                                                 \
    case code:                                                                                     \
        return #code
    switch (status) {
        NAME(CL_DEVICE_NOT_FOUND);
        NAME(CL_DEVICE_NOT_AVAILABLE);
        NAME(CL_COMPILER_NOT_AVAILABLE);
        NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
        NAME(CL_OUT_OF_RESOURCES);
        NAME(CL_OUT_OF_HOST_MEMORY);
        NAME(CL_PROFILING_INFO_NOT_AVAILABLE);
        NAME(CL_BUILD_PROGRAM_FAILURE);
        NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        NAME(CL_INVALID_VALUE);
        NAME(CL_INVALID_DEVICE);
        NAME(CL_INVALID_CONTEXT);
        NAME(CL_INVALID_COMMAND_QUEUE);
        NAME(CL_INVALID_MEM_OBJECT);
        NAME(CL_INVALID_BUILD_OPTIONS);
        NAME(CL_INVALID_PROGRAM_EXECUTABLE);
        NAME(CL_INVALID_KERNEL_NAME);
        NAME(CL_INVALID_KERNEL_DEFINITION);
        NAME(CL_INVALID_ARG_INDEX);
        NAME(CL_INVALID_ARG_SIZE);
        NAME(CL_INVALID_KERNEL_ARGS);
        NAME(CL_INVALID_WORK_GROUP_SIZE);
        NAME(CL_INVALID_WORK_ITEM_SIZE);
        NAME(CL_INVALID_BUFFER_SIZE);
        NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    default:
        return "see CL/cl.h";
    }
#undef NAME
}

void ocl_check(cl_int status, const char *call, const char *file, int line)
{
    if (status == CL_SUCCESS)
        return;
    bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
                  status == CL_INVALID_BUFFER_SIZE;
    leave(EXIT_USAGE, "%s:%d: %.*s failed: %s (%d)%s", file, line, (int)strcspn(call, "("), call,
          error_name(status), status, memory ? ": choose a smaller size" : "");
}

// PoCL learns from /sys, through hwloc, what the CPU is like, and aborts where /sys is not mounted, as
// in a bare chroot. There hwloc is told the number of cores and the memory.
static void describe_cpu(void)
{
    char cpu[128];
    if (access("/sys/devices/system/cpu", R_OK) == 0)
        return;
    snprintf(cpu, sizeof cpu, "[numa(memory=%.0f)] core:%ld pu:1",
             (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE),
             sysconf(_SC_NPROCESSORS_ONLN));
    setenv("HWLOC_SYNTHETIC", cpu, 0);
}

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
    describe_cpu();
    cl_platform_id platforms[MAX_DEVICES];
    cl_device_id devices[MAX_DEVICES];
    cl_uint platform_count = 0, count = 0, fallback = 0;
    char names[MAX_DEVICES][256], facts[MAX_DEVICES][256];
    // The ICD loader fails here when no driver is installed: that is "no device", not an error.
    if (clGetPlatformIDs(MAX_DEVICES, platforms, &platform_count) != CL_SUCCESS)
        platform_count = 0;
    for (cl_uint p = 0; p < platform_count && p < MAX_DEVICES; p++) {
        cl_uint found = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES - count, devices + count,
                           &found) == CL_SUCCESS)
            count += found < MAX_DEVICES - count ? found : MAX_DEVICES - count;
    }
    if (count == 0)
        leave(EXIT_SKIPPED, "skipped: no OpenCL device here: run ./setup, which installs PoCL");

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
    cl_device_fp_config fp64 = 0;
    if (sizeof(real) == 8 && (clGetDeviceInfo(devices[choice], CL_DEVICE_DOUBLE_FP_CONFIG,
                                              sizeof fp64, &fp64, NULL) != CL_SUCCESS ||
                              fp64 == 0))
        leave(EXIT_SKIPPED, "skipped: %s has no double precision", lab->device);
    return devices[choice];
}

static char *read_file(const char *name)
{
    FILE *file = fopen(name, "r");
    char *text = NULL;
    size_t size = 0;
    if (file == NULL || getdelim(&text, &size, '\0', file) < 0)
        leave(EXIT_USAGE, "cannot read %s/%s: moved? run make clean all", LAB_DIR, name);
    fclose(file);
    return text;
}

// A driver may reuse a compiled program when only an included file has changed; a hash of params.h
// among the options (FNV-1a) tells it that the program is another one.
static unsigned hash_text(const char *text)
{
    unsigned hash = 2166136261u;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static void write_binary(const struct lab *lab, cl_program program)
{
    size_t size;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    FILE *file = fopen(lab->opt.binary, "wb");
    if (binary == NULL || file == NULL)
        leave(EXIT_USAGE, "cannot write %s: choose another --binary file", lab->opt.binary);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    bool written = fwrite(binary, 1, size, file) == size;
    if (fclose(file) != 0 || !written)
        leave(EXIT_USAGE, "cannot write %s: %s", lab->opt.binary, strerror(errno));
    free(binary);
}

cl_program ocl_build(const struct lab *lab, cl_context context, cl_device_id device,
                     const char *kernel_file, const char *defines)
{
    // Compiled from inside the lab's folder, so that #include "params.h" is found by "-I." even
    // where the path has spaces in it.
    int back = open(".", O_RDONLY);
    if (chdir(LAB_DIR) != 0)
        leave(EXIT_USAGE, "cannot enter %s: moved? run make clean all", LAB_DIR);
    char *source = read_file(kernel_file), *params = read_file("params.h"), options[1024];
    char vendor[64] = "";
    clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof vendor, vendor, NULL);
    bool verbose = lab->opt.binary != NULL && strstr(vendor, "NVIDIA") != NULL;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -I. -DPARAMS_H=%u %s%s", hash_text(params),
             defines, verbose ? " -cl-nv-verbose" : ""); // registers and spills, into the log

    cl_int status;
    cl_program program =
        clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &status);
    CHECK_AS("clCreateProgramWithSource", status);
    cl_int built = clBuildProgram(program, 1, &device, options, NULL, NULL);
    size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(size + 1, 1);
    if (log != NULL)
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    if (built != CL_SUCCESS)
        leave(EXIT_USAGE, "%s/%s does not compile (%s), options: %s\n%s", LAB_DIR, kernel_file,
              error_name(built), options, log != NULL ? log : "");
    if (verbose && log != NULL)
        fputs(log, stdout);
    if (back < 0 || fchdir(back) != 0)
        leave(EXIT_USAGE, "cannot go back to the working directory: %s", strerror(errno));
    close(back);
    if (lab->opt.binary != NULL)
        write_binary(lab, program);
    free(log);
    free(params);
    free(source);
    return program;
}

void ocl_check_group(cl_kernel kernel, cl_device_id device, size_t x, size_t y)
{
    size_t most;
    cl_ulong local, have;
    CHECK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof have, &have, NULL));
    CHECK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local,
                                   NULL));
    // The device's limit, not the kernel's: NVIDIA's driver answers 256 for any kernel, and runs 1024.
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    if (local > have)
        leave(EXIT_USAGE,
              "not supported by the device: local memory limit %lu bytes, this kernel "
              "needs %lu: make the tile smaller",
              (unsigned long)have, (unsigned long)local);
    if (x * y > most)
        leave(EXIT_USAGE,
              "not supported by the device: work-group limit %zu, this kernel asks for "
              "%zu x %zu: make the work-group smaller",
              most, x, y);
}

double ocl_event_ms(cl_event event)
{
    cl_ulong start, end;
    CHECK(clWaitForEvents(1, &event));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    CHECK(clReleaseEvent(event));
    return (double)(end - start) * 1e-6;
}
