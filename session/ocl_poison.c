// SPDX-License-Identifier: MIT
// A work-group finds the data of the previous one in local memory: with the same kernel, the right
// tile. PoCL begins with zeros. So local memory is overwritten before a verified run, as C is.
#include "session/opencl.h"
#include "session/session.h"

#include <string.h>

// A NaN with other bits than C's poison. volatile: the words are never read here. A group
// waits for those of other units, so that none of them does all the work; but not for ever.
const char *const ocl_poison_source =
    "__kernel void poison_local_memory(int words, __local volatile uint *memory, int units,\n"
    "                                  __global volatile int *begun)\n"
    "{\n"
    "    if (get_local_id(0) == 0) {\n"
    "        atomic_inc(begun);\n"
    "        for (int n = 0; n < 1000000 && atomic_add(begun, 0) < units; n++)\n"
    "            ;\n"
    "    }\n"
    "    for (int w = get_local_id(0); w < words; w += get_local_size(0))\n"
    "        memory[w] = 0x7FFDA5A5u;\n"
    "}\n";

cl_kernel ocl_poison_kernel(cl_program program)
{
    cl_int status;
    cl_kernel poison = clCreateKernel(program, "poison_local_memory", &status);
    CHECK_AS("clCreateKernel", status);
    return poison;
}

static cl_ulong local_bytes(cl_command_queue queue, cl_kernel kernel)
{
    cl_device_id device;
    cl_ulong bytes;
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    CHECK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                                   NULL));
    return bytes;
}

// As many groups as may run at once, each with the local memory of a group of `of`, and the padding
// between its arrays.
void ocl_poison_with(cl_command_queue queue, cl_kernel poison, cl_kernel of)
{
    enum { ITEMS = 64, OF_A_UNIT = 32, BETWEEN = 1024 };
    const size_t group = ITEMS;
    cl_device_id device;
    cl_context context;
    cl_int status, none = 0;
    cl_ulong bytes = local_bytes(queue, of), most;
    cl_uint units;
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof most, &most, NULL));
    CHECK(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    if (bytes == 0)
        return;
    bytes = bytes + BETWEEN < most ? bytes + BETWEEN : most;
    const int words = (int)(bytes / sizeof(cl_uint));
    const size_t items = (size_t)units * OF_A_UNIT * ITEMS;
    cl_mem begun = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof none,
                                  &none, &status);
    CHECK_AS("clCreateBuffer", status);
    CHECK(clSetKernelArg(poison, 0, sizeof words, &words));
    CHECK(clSetKernelArg(poison, 1, bytes, NULL));
    CHECK(clSetKernelArg(poison, 2, sizeof units, &units));
    CHECK(clSetKernelArg(poison, 3, sizeof begun, &begun));
    CHECK(clEnqueueNDRangeKernel(queue, poison, 1, NULL, &items, &group, 0, NULL, NULL));
    CHECK(clReleaseMemObject(begun)); // when it is done
}

void ocl_poison_local(const struct lab *lab, cl_command_queue queue, cl_kernel kernel)
{
    static cl_kernel poison; // made once
    cl_context context;
    cl_device_id device;
    cl_int status;
    // It verifies, and is not timed. The engine poisons the memory of each group itself.
    if (lab->run >= 2 || is_emulated(lab->session) || local_bytes(queue, kernel) == 0)
        return;
    if (poison == NULL) {
        CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
        CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL));
        cl_program program =
            clCreateProgramWithSource(context, 1, (const char **)&ocl_poison_source, NULL, &status);
        CHECK_AS("clCreateProgramWithSource", status);
        CHECK(clBuildProgram(program, 1, &device, OCL_STANDARD, NULL, NULL));
        poison = ocl_poison_kernel(program);
        CHECK(clReleaseProgram(program));
    }
    ocl_poison_with(queue, poison, kernel);
}
