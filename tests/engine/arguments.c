// SPDX-License-Identifier: MIT
// arguments SOURCE: launches the kernels of arguments.cl, which is SOURCE, and prints what they
// compute, and which status wrong calls return: the same with every driver.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 16 };
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d\n", call, status);
    exit(1);
}

static cl_kernel kernel(const char *name)
{
    cl_int status;
    cl_kernel made = clCreateKernel(program, name, &status);
    check(status, name);
    return made;
}

static void set(cl_kernel of, cl_uint number, size_t size, const void *value)
{
    check(clSetKernelArg(of, number, size, value), "clSetKernelArg");
}

static cl_mem buffer(const void *from)
{
    static const float zeros[N];
    cl_int status;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeros,
                                 (void *)(from != NULL ? from : zeros), &status);
    check(status, "clCreateBuffer");
    return made;
}

static void print_numbers(const char *name, cl_mem from, int integers, int count)
{
    float numbers[N];
    check(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    printf("%s", name);
    for (int i = 0; i < count; i++)
        integers ? printf(" %d", ((int *)numbers)[i]) : printf(" %g", numbers[i]);
    printf("\n");
}

static void launch(cl_kernel of, cl_uint dimensions, const size_t *offset, const size_t *items,
                   const size_t *group)
{
    check(clEnqueueNDRangeKernel(queue, of, dimensions, offset, items, group, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
}

static void test_values(void)
{
    const struct {
        cl_int a;
        cl_float b;
    } small = {3, 4};
    const struct {
        cl_int a;
        cl_float b[5];
        cl_long c;
    } large = {5, {0, 0, 0, 0, 6}, 7};
    const cl_char c = -7;
    const cl_ushort s = 65535;
    const cl_double d = 0.5;
    const cl_float4 v = {{1, 0, 0, 2}};
    const cl_float8 w = {{3, 0, 0, 0, 0, 0, 0, 4}};
    const size_t one = 1;
    cl_kernel of = kernel("values");
    cl_mem out = buffer(NULL);
    set(of, 0, sizeof c, &c);
    set(of, 1, sizeof s, &s);
    set(of, 2, sizeof d, &d);
    set(of, 3, sizeof v, &v);
    set(of, 4, sizeof w, &w);
    set(of, 5, sizeof small, &small);
    set(of, 6, sizeof large, &large);
    set(of, 7, sizeof out, &out);
    launch(of, 1, NULL, &one, NULL);
    print_numbers("values", out, 0, 7);
    printf("wrong size %d, no such argument %d\n", clSetKernelArg(of, 0, sizeof w, &w),
           clSetKernelArg(of, 8, sizeof c, &c));
}

static void test_local(void)
{
    float numbers[N];
    for (int i = 0; i < N; i++)
        numbers[i] = (float)i;
    const size_t items = N, group = 4;
    cl_kernel of = kernel("reversed");
    cl_mem in = buffer(numbers), out = buffer(NULL);
    set(of, 0, group * sizeof(float), NULL);
    set(of, 1, sizeof in, &in);
    set(of, 2, sizeof out, &out);
    launch(of, 1, NULL, &items, &group);
    print_numbers("reversed", out, 0, N);
}

static void test_places(void)
{
    const size_t offset[] = {3, 5}, items[] = {4, 4}, group[] = {2, 2}, wrong[] = {3, 4};
    cl_kernel of = kernel("places"), fixed = kernel("required");
    cl_mem out = buffer(NULL);
    printf("no argument yet %d\n",
           clEnqueueNDRangeKernel(queue, of, 2, NULL, items, group, 0, NULL, NULL));
    set(of, 0, sizeof out, &out);
    launch(of, 2, offset, items, group);
    print_numbers("places", out, 1, N);
    launch(of, 2, NULL, items, NULL); // the driver chooses the size of a group
    print_numbers("places", out, 1, N);
    set(fixed, 0, sizeof out, &out);
    launch(fixed, 2, NULL, items, (const size_t[]){4, 2});
    print_numbers("required", out, 1, N);
    printf("no multiple %d, another size %d\n",
           clEnqueueNDRangeKernel(queue, of, 2, NULL, items, wrong, 0, NULL, NULL),
           clEnqueueNDRangeKernel(queue, fixed, 2, NULL, items, group, 0, NULL, NULL));
}

static void test_rectangle(void)
{
    float numbers[N], out[N] = {0};
    for (int i = 0; i < N; i++)
        numbers[i] = (float)i;
    const size_t one = sizeof(float), from[] = {one, 1, 0}, to[] = {2 * one, 0, 0};
    const size_t region[] = {2 * one, 3, 1};
    check(clEnqueueReadBufferRect(queue, buffer(numbers), CL_TRUE, from, to, region, 4 * one, 0,
                                  4 * one, 0, out, 0, NULL, NULL),
          "clEnqueueReadBufferRect");
    for (int i = 0; i < N; i++)
        printf("%g ", out[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    static char text[1 << 16];
    const char *source = text;
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0)
        return 2;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");
    test_values();
    test_local();
    test_places();
    test_rectangle();
    clCreateKernel(program, "no_such_kernel", &status);
    printf("no such kernel %d\n", status);
    return 0;
}
