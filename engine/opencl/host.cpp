// SPDX-License-Identifier: MIT
// OpenCL's host API on the engine: linked in place of -lOpenCL. There is one device, which make has
// compiled the kernel for. Each command is done when it is enqueued.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "opencl.h"

#include <CL/cl.h>
#include <algorithm>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <thread>

using namespace emulation;

enum { MOST_ITEMS = 4096, LOCAL_BYTES = 8 << 20, ILLEGAL_ACCESS = -9999 }; // as NVIDIA's driver
enum { MOST_DEVICES = 64, MOST_ARGUMENTS = 64 };                           // sub-devices and all

// What a program may tell apart of objects that the engine has no use for.
struct _cl_device_id {
    cl_uint units;
} static devices_here[MOST_DEVICES];
struct _cl_command_queue {
    cl_device_id device;
};
struct _cl_event {
    cl_ulong start, end; // ns
    cl_command_queue queue;
    int references;
};
struct _cl_mem {
    char *start;
    size_t bytes;
    bool is_part;
};

struct argument {
    cl_ulong space, bytes; // of its type
    std::string value;     // or the pointer of a buffer
    bool is_set;
    size_t local_bytes;
};
enum space { VALUE, GLOBAL, CONSTANT, LOCAL }; // as clang counts them

struct _cl_kernel {
    void (*call)(const void *const *);
    std::string name;
    const cl_ulong *about; // see compile.py
    std::vector<argument> arguments;
};
static int nothing; // a platform, context or program

// What main links, in which common/ ends a program.
extern "C" __attribute__((weak)) void exit_with(int status, const char *format, ...);

template <class T> static T the()
{
    return reinterpret_cast<T>(&nothing);
}

static void set(cl_int *to, cl_int status)
{
    if (to != nullptr)
        *to = status;
}

static cl_int answer(const void *value, size_t bytes, size_t size, void *to, size_t *needs)
{
    if (needs != nullptr)
        *needs = bytes;
    if (to != nullptr && size < bytes)
        return CL_INVALID_VALUE;
    if (to != nullptr)
        memcpy(to, value, bytes);
    return CL_SUCCESS;
}

static cl_int text(const char *words, size_t size, void *to, size_t *needs)
{
    return answer(words, strlen(words) + 1, size, to, needs);
}

template <class T> static cl_int number(T value, size_t size, void *to, size_t *needs)
{
    return answer(&value, sizeof value, size, to, needs);
}

static cl_ulong now_ns()
{
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return cl_ulong(t.tv_sec) * 1000000000 + cl_ulong(t.tv_nsec);
}

static cl_int done(cl_event *event, cl_command_queue queue, cl_ulong start)
{
    if (event != nullptr)
        *event = new _cl_event{start, now_ns(), queue, 1};
    return CL_SUCCESS;
}

// ---- devices ----------------------------------------------------------------------------------
static void begin()
{
    spoken = {"work-item",
              "group",
              "barrier",
              "of a buffer",
              "",
              "",
              "",
              "global",
              "local",
              "private",
              {0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF},
              {MOST_ITEMS, MOST_ITEMS, MOST_ITEMS},
              MOST_ITEMS,
              0};
    if (::exit_with != nullptr)
        emulation::exit_with = ::exit_with;
    devices_here[0].units = std::max(1u, std::thread::hardware_concurrency());
}

cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *platforms, cl_uint *count)
{
    begin();
    if (n > 0 && platforms != nullptr)
        *platforms = the<cl_platform_id>();
    if (count != nullptr)
        *count = 1;
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info what, size_t size, void *to,
                         size_t *needs)
{
    return text(what == CL_PLATFORM_VERSION   ? "OpenCL 1.2 engine"
                : what == CL_PLATFORM_PROFILE ? "FULL_PROFILE"
                                              : "GEMM workbook",
                size, to, needs);
}

cl_int clGetDeviceIDs(cl_platform_id, cl_device_type type, cl_uint n, cl_device_id *devices,
                      cl_uint *count)
{
    if ((type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_DEFAULT)) == 0)
        return CL_DEVICE_NOT_FOUND;
    if (n > 0 && devices != nullptr)
        *devices = devices_here;
    if (count != nullptr)
        *count = 1;
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *to,
                       size_t *needs)
{
    const cl_ulong memory = all_memory();
    const size_t most[] = {MOST_ITEMS, MOST_ITEMS, MOST_ITEMS};
    switch (what) {
    case CL_DEVICE_TYPE:
        return number<cl_device_type>(CL_DEVICE_TYPE_CPU, size, to, needs);
    case CL_DEVICE_NAME:
        return text("OpenCL emulated on the CPU", size, to, needs);
    case CL_DEVICE_VENDOR:
        return text("GEMM workbook", size, to, needs);
    case CL_DEVICE_VERSION:
        return text("OpenCL 1.2 engine", size, to, needs);
    case CL_DEVICE_OPENCL_C_VERSION:
        return text("OpenCL C 1.2", size, to, needs);
    case CL_DRIVER_VERSION:
        return text("engine", size, to, needs);
    case CL_DEVICE_EXTENSIONS:
        return text("cl_khr_fp64", size, to, needs);
    case CL_DEVICE_PLATFORM:
        return number(the<cl_platform_id>(), size, to, needs);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        return number(device->units, size, to, needs);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        return number(size_t(MOST_ITEMS), size, to, needs);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
        return answer(most, sizeof most, size, to, needs);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        return number(cl_ulong(LOCAL_BYTES), size, to, needs);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        return number(memory, size, to, needs);
    case CL_DEVICE_DOUBLE_FP_CONFIG:
        return number(cl_device_fp_config(CL_FP_FMA | CL_FP_INF_NAN), size, to, needs);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
        return number(cl_uint(1024), size, to, needs); // bits
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
        return number(cl_uint(3), size, to, needs);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
        return number(cl_uint(1), size, to, needs);
    default:
        return CL_INVALID_VALUE;
    }
}

// By equal parts alone.
cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *how, cl_uint n,
                          cl_device_id *parts, cl_uint *count)
{
    static cl_uint used = 1;
    if (how[0] != CL_DEVICE_PARTITION_EQUALLY || how[1] <= 0)
        return CL_INVALID_VALUE;
    const cl_uint each = cl_uint(how[1]), found = device->units / each;
    if (found == 0 || used + found > MOST_DEVICES)
        return CL_DEVICE_PARTITION_FAILED;
    for (cl_uint i = 0; parts != nullptr && i < std::min(n, found); i++) {
        devices_here[used] = {each};
        parts[i] = &devices_here[used++];
    }
    if (count != nullptr)
        *count = found;
    return CL_SUCCESS;
}

cl_int clReleaseDevice(cl_device_id)
{
    return CL_SUCCESS;
}

cl_context clCreateContext(const cl_context_properties *, cl_uint, const cl_device_id *,
                           void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *,
                           cl_int *status)
{
    set(status, CL_SUCCESS);
    return the<cl_context>();
}

cl_int clReleaseContext(cl_context)
{
    return CL_SUCCESS;
}

cl_command_queue clCreateCommandQueue(cl_context, cl_device_id device, cl_command_queue_properties,
                                      cl_int *status)
{
    set(status, CL_SUCCESS);
    return new _cl_command_queue{device};
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t size,
                             void *to, size_t *needs)
{
    return what == CL_QUEUE_DEVICE ? number(queue->device, size, to, needs)
                                   : number(the<cl_context>(), size, to, needs);
}

cl_int clReleaseCommandQueue(cl_command_queue queue)
{
    delete queue;
    return CL_SUCCESS;
}

// ---- programs and kernels ---------------------------------------------------------------------
cl_program clCreateProgramWithSource(cl_context, cl_uint, const char **, const size_t *,
                                     cl_int *status)
{
    set(status, CL_SUCCESS);
    return the<cl_program>();
}

cl_program clCreateProgramWithBinary(cl_context, cl_uint, const cl_device_id *, const size_t *,
                                     const unsigned char **, cl_int *, cl_int *status)
{
    set(status, CL_INVALID_BINARY); // make compiles for the engine, from the source
    return nullptr;
}

cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *,
                      void(CL_CALLBACK *)(cl_program, void *), void *)
{
    return CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info what, size_t size,
                             void *to, size_t *needs)
{
    return what == CL_PROGRAM_BUILD_STATUS
               ? number(cl_build_status(CL_BUILD_SUCCESS), size, to, needs)
               : text("", size, to, needs);
}

cl_int clGetProgramInfo(cl_program, cl_program_info, size_t, void *, size_t *)
{
    return CL_INVALID_VALUE; // there is no binary
}

cl_int clReleaseProgram(cl_program)
{
    return CL_SUCCESS;
}

enum about { LOCAL_ARRAYS, GROUP, PARAMETERS = 4, FIRST };

cl_kernel clCreateKernel(cl_program, const char *name, cl_int *status)
{
    auto kernel = std::make_unique<_cl_kernel>();
    kernel->name = name;
    kernel->about = static_cast<const cl_ulong *>(
        dlsym(RTLD_DEFAULT, ("engine_about_" + kernel->name).c_str()));
    *reinterpret_cast<void **>(&kernel->call) =
        dlsym(RTLD_DEFAULT, ("engine_call_" + kernel->name).c_str());
    if (kernel->about == nullptr || kernel->call == nullptr ||
        kernel->about[PARAMETERS] > MOST_ARGUMENTS) {
        set(status, CL_INVALID_KERNEL_NAME);
        return nullptr;
    }
    for (cl_ulong i = 0; i < kernel->about[PARAMETERS]; i++) {
        const cl_ulong *of = kernel->about + FIRST + 2 * i;
        kernel->arguments.push_back({of[0], of[1], "", false, 0});
    }
    set(status, CL_SUCCESS);
    return kernel.release();
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint i, size_t bytes, const void *value)
{
    if (i >= kernel->arguments.size())
        return CL_INVALID_ARG_INDEX;
    argument &a = kernel->arguments[i];
    if (a.space == LOCAL) {
        if (value != nullptr)
            return CL_INVALID_ARG_VALUE;
        a.local_bytes = bytes;
    } else if (a.space == VALUE) {
        if (bytes != a.bytes)
            return CL_INVALID_ARG_SIZE;
        if (value == nullptr)
            return CL_INVALID_ARG_VALUE;
        a.value.assign(static_cast<const char *>(value), bytes);
    } else {
        cl_mem buffer = nullptr;
        if (bytes != sizeof buffer)
            return CL_INVALID_ARG_SIZE;
        if (value != nullptr)
            memcpy(&buffer, value, bytes);
        char *start = buffer != nullptr ? buffer->start : nullptr;
        a.value.assign(reinterpret_cast<char *>(&start), sizeof start);
    }
    a.is_set = true;
    return CL_SUCCESS;
}

static size_t local_bytes(const _cl_kernel *kernel)
{
    size_t bytes = kernel->about[LOCAL_ARRAYS];
    for (const argument &a : kernel->arguments)
        bytes += a.local_bytes;
    return bytes;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id, cl_kernel_work_group_info what,
                                size_t size, void *to, size_t *needs)
{
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        return number(size_t(MOST_ITEMS), size, to, needs);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        return answer(kernel->about + GROUP, 3 * sizeof(size_t), size, to, needs);
    case CL_KERNEL_LOCAL_MEM_SIZE:
        return number(cl_ulong(local_bytes(kernel)), size, to, needs);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        return number(size_t(1), size, to, needs);
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        return number(cl_ulong(0), size, to, needs);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int clReleaseKernel(cl_kernel kernel)
{
    delete kernel;
    return CL_SUCCESS;
}

// ---- buffers ----------------------------------------------------------------------------------
cl_mem clCreateBuffer(cl_context, cl_mem_flags flags, size_t bytes, void *from, cl_int *status)
{
    auto buffer = std::make_unique<_cl_mem>(_cl_mem{nullptr, bytes, false});
    void *memory = nullptr;
    guard_bytes = 0;
    if (bytes == 0 || cudaMalloc(&memory, bytes) != cudaSuccess) {
        set(status, bytes == 0 ? CL_INVALID_BUFFER_SIZE : CL_MEM_OBJECT_ALLOCATION_FAILURE);
        return nullptr;
    }
    buffer->start = static_cast<char *>(memory);
    if (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR))
        cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice);
    set(status, CL_SUCCESS);
    return buffer.release();
}

// What is before the first part of a buffer, and as much at its end, no kernel may touch.
cl_mem clCreateSubBuffer(cl_mem whole, cl_mem_flags, cl_buffer_create_type, const void *region,
                         cl_int *status)
{
    auto *r = static_cast<const cl_buffer_region *>(region);
    if (r->origin + r->size > whole->bytes) {
        set(status, CL_INVALID_VALUE);
        return nullptr;
    }
    if (r->origin + r->size + r->origin == whole->bytes)
        set_guard(whole->start, r->origin);
    set(status, CL_SUCCESS);
    return new _cl_mem{whole->start + r->origin, r->size, true};
}

cl_int clReleaseMemObject(cl_mem buffer)
{
    if (!buffer->is_part)
        cudaFree(buffer->start);
    delete buffer;
    return CL_SUCCESS;
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool, size_t offset,
                            size_t bytes, const void *from, cl_uint, const cl_event *,
                            cl_event *event)
{
    const cl_ulong start = now_ns();
    if (offset + bytes > buffer->bytes)
        return CL_INVALID_VALUE;
    cudaMemcpy(buffer->start + offset, from, bytes, cudaMemcpyHostToDevice);
    return done(event, queue, start);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool, size_t offset,
                           size_t bytes, void *to, cl_uint, const cl_event *, cl_event *event)
{
    const cl_ulong start = now_ns();
    if (offset + bytes > buffer->bytes)
        return CL_INVALID_VALUE;
    cudaMemcpy(to, buffer->start + offset, bytes, cudaMemcpyDeviceToHost);
    return done(event, queue, start);
}

// Rows and slices as long as the rectangle, where a pitch is 0.
static size_t at(const size_t *origin, size_t y, size_t z, size_t row, size_t slice)
{
    return origin[0] + (origin[1] + y) * row + (origin[2] + z) * slice;
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool,
                               const size_t *buffer_origin, const size_t *host_origin,
                               const size_t *region, size_t buffer_row, size_t buffer_slice,
                               size_t host_row, size_t host_slice, void *to, cl_uint,
                               const cl_event *, cl_event *event)
{
    const cl_ulong start = now_ns();
    buffer_row = buffer_row != 0 ? buffer_row : region[0];
    host_row = host_row != 0 ? host_row : region[0];
    buffer_slice = buffer_slice != 0 ? buffer_slice : region[1] * buffer_row;
    host_slice = host_slice != 0 ? host_slice : region[1] * host_row;
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++) {
            const size_t from = at(buffer_origin, y, z, buffer_row, buffer_slice);
            if (from + region[0] > buffer->bytes)
                return CL_INVALID_VALUE;
            cudaMemcpy(static_cast<char *>(to) + at(host_origin, y, z, host_row, host_slice),
                       buffer->start + from, region[0], cudaMemcpyDeviceToHost);
        }
    return done(event, queue, start);
}

// ---- launches ---------------------------------------------------------------------------------
// Where the program leaves the size of a group open: at most 16 along each dimension, a divisor.
static unsigned chosen(size_t items)
{
    unsigned size = 16;
    while (items % size != 0)
        size--;
    return size;
}

// By a work-item. Each group has local memory of its own.
static void call(const _cl_kernel &kernel)
{
    const void *arguments[MOST_ARGUMENTS], *local[MOST_ARGUMENTS];
    for (size_t i = 0; i < kernel.arguments.size(); i++) {
        const argument &a = kernel.arguments[i];
        if (a.space == LOCAL)
            local[i] = shared_memory(&a, a.local_bytes, 128);
        arguments[i] = a.space == LOCAL ? static_cast<const void *>(&local[i]) : a.value.data();
    }
    kernel.call(arguments);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t *offset, const size_t *items, const size_t *group,
                              cl_uint, const cl_event *, cl_event *event)
{
    const cl_ulong start = now_ns();
    unsigned blocks[3] = {1, 1, 1}, threads[3] = {1, 1, 1};
    for (cl_uint d = 0; d < dimensions; d++) {
        const cl_ulong required = kernel->about[GROUP + d];
        if (items[d] == 0)
            return CL_INVALID_GLOBAL_WORK_SIZE;
        threads[d] = group != nullptr ? unsigned(group[d])
                     : required != 0  ? unsigned(required)
                                      : chosen(items[d]);
        if (threads[d] == 0 || items[d] % threads[d] != 0 ||
            (required != 0 && threads[d] != required))
            return CL_INVALID_WORK_GROUP_SIZE;
        blocks[d] = unsigned(items[d] / threads[d]);
        launched.offset[d] = offset != nullptr ? offset[d] : 0;
    }
    if (size_t(threads[0]) * threads[1] * threads[2] > MOST_ITEMS)
        return CL_INVALID_WORK_GROUP_SIZE;
    launched.dimensions = dimensions;
    spoken.shared_bytes = local_bytes(kernel);
    if (spoken.shared_bytes > LOCAL_BYTES)
        return CL_OUT_OF_RESOURCES;
    const place here = {"", 0};
    for (size_t i = 0; i < kernel->arguments.size(); i++) {
        const argument &a = kernel->arguments[i];
        if (!a.is_set)
            return CL_INVALID_KERNEL_ARGS;
        if (a.space == GLOBAL || a.space == CONSTANT)
            check_pointer(*reinterpret_cast<void *const *>(a.value.data()), int(i + 1), here);
    }
    auto each = [kernel] { call(*kernel); };
    launch({dim3(blocks[0], blocks[1], blocks[2]), dim3(threads[0], threads[1], threads[2]), 0,
            nullptr, here},
           kernel->name.c_str(), reinterpret_cast<void *>(kernel->call),
           new work_of<decltype(each)>(each));
    cudaDeviceSynchronize();
    return cudaGetLastError() == cudaSuccess ? done(event, queue, start) : cl_int(ILLEGAL_ACCESS);
}

// ---- events -----------------------------------------------------------------------------------
cl_int clFinish(cl_command_queue)
{
    return CL_SUCCESS;
}

cl_int clFlush(cl_command_queue)
{
    return CL_SUCCESS;
}

cl_int clWaitForEvents(cl_uint, const cl_event *)
{
    return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *to, size_t *needs)
{
    return what == CL_EVENT_COMMAND_QUEUE ? number(event->queue, size, to, needs)
                                          : number(cl_int(CL_COMPLETE), size, to, needs);
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size, void *to,
                               size_t *needs)
{
    return number(what == CL_PROFILING_COMMAND_END ? event->end : event->start, size, to, needs);
}

cl_int clRetainEvent(cl_event event)
{
    event->references++;
    return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event)
{
    if (--event->references == 0)
        delete event;
    return CL_SUCCESS;
}
