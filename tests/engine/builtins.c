// SPDX-License-Identifier: MIT
// builtins SOURCE RESULTS KERNEL...: runs the kernels of builtins.cl, which is SOURCE, and writes
// their results to a file, kernel by kernel: 12 arrays of N results for each pair of types.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 240, TYPES = 10, ARRAYS = 7, TAME = 3, PAIRS = 10, RESULTS = 12, GROUP = 16 };
static const int sizes[TYPES] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8}; // char, uchar ... float, double

static void check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", call, status);
    exit(1);
}

static unsigned long long random_bits(void) // the same on each machine
{
    static unsigned long long state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static long long an_integer(int bits, int array, int i)
{
    const unsigned long long top = 1ull << (bits - 1);
    const unsigned long long special[] = {0, 1, -1, 2, -2, top, top - 1, top + 1, 7, -7, 100};
    const int n = sizeof special / sizeof *special;
    if (array == TAME)
        return (long long)(random_bits() % 101);
    if (i < n * n)
        return (long long)special[array == 0 ? i % n : array == 1 ? i / n : (i + i / n) % n];
    return (long long)(random_bits() >> random_bits() % 64);
}

static double a_real(int bits, int array, int i)
{
    const double least = bits == 32 ? 0x1p-149 : 0x1p-1074,
                 most = bits == 32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    const double special[] = {0.0, -0.0, 1,   -1, INFINITY, -INFINITY, NAN,
                              0.5, -1.5, 2.5, 3,  least,    -most,     1e10};
    const int n = sizeof special / sizeof *special;
    if (array == TAME)
        return (double)(random_bits() % 801) / 8;
    if (i < n * n)
        return special[array == 0 ? i % n : array == 1 ? i / n : (i + i / n) % n];
    return ((double)(random_bits() >> 11) * 0x1p-52 - 1) * (i % 3 == 0 ? 1 : i % 3 == 1 ? 20 : 1e6);
}

static void fill(char *in)
{
    for (int type = 0; type < TYPES; type++)
        for (int array = 0; array < ARRAYS; array++)
            for (int i = 0; i < N; i++) {
                char *to = in + (type * ARRAYS + array) * N * 8 + i * sizes[type];
                const long long whole = an_integer(8 * sizes[type], array % 4, i);
                const double any = a_real(8 * sizes[type], array % 4, i),
                             real = array > TAME && !isfinite(any) ? i : any;
                const float single = (float)real;
                memcpy(to,
                       type < 8    ? (const void *)&whole
                       : type == 8 ? (const void *)&single
                                   : &real,
                       (size_t)sizes[type]);
            }
}

static char *text_of(const char *name)
{
    FILE *file = fopen(name, "r");
    char *text = calloc(1, 1 << 20);
    if (file == NULL || text == NULL || fread(text, 1, (1 << 20) - 1, file) == 0)
        check(1, name);
    fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    static char in[TYPES * ARRAYS * N * 8], out[PAIRS * RESULTS * N * 8];
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    if (argc < 3)
        return 2;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    const char *source = text_of(argv[1]);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL), "clBuildProgram");

    fill(in);
    cl_mem from =
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in, &status);
    check(status, "clCreateBuffer");
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &status);
    check(status, "clCreateBuffer");
    FILE *results = fopen(argv[2], "wb");
    if (results == NULL)
        check(1, argv[2]);
    for (int k = 3; k < argc; k++) {
        const size_t items = N, group = GROUP;
        memset(out, 0, sizeof out);
        check(clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
        char renamed
            [512]; // PoCL's header renames acos as _cl_acos, in the name of the kernel as well
        snprintf(renamed, sizeof renamed, "_cl_%s", argv[k]);
        cl_kernel kernel = clCreateKernel(program, argv[k], &status);
        if (status == CL_INVALID_KERNEL_NAME)
            kernel = clCreateKernel(program, renamed, &status);
        check(status, argv[k]);
        check(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg");
        check(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL),
              argv[k]);
        check(clFinish(queue), argv[k]);
        check(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        clReleaseKernel(kernel);
        size_t pairs = 0;
        for (const char *at = argv[k]; (at = strstr(at, "__")) != NULL; at++)
            pairs++;
        fwrite(out, RESULTS * N * 8, pairs, results);
    }
    fclose(results);
    return 0;
}
