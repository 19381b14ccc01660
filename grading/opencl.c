// SPDX-License-Identifier: MIT
// The host program of an OpenCL lab that is graded: it owns queue, buffers and events; the kernel
// is source, and nothing else. On a CPU it is compiled beforehand, in a sandbox of its own, as the
// driver starts a linker for that:
//
//     opencl launch GROUP_X GROUP_Y TILE_M TILE_N SOURCE
//         has the driver compile for this size of work-groups, which it does for a launch
//     opencl compile GROUP_X GROUP_Y TILE_M TILE_N SOURCE PROGRAM
//         then writes PROGRAM
//     opencl shared GROUP_X GROUP_Y TILE_M TILE_N PROGRAM
//         a guest, on the judge's memory, on a CPU
//     opencl source GROUP_X GROUP_Y TILE_M TILE_N SOURCE
//         a guest, on a device with memory of its own; on the engine for a tool
#include "session/opencl.h"
#include "session/session.h"
#include "seal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { SMALL = 1 << 21 };   // products: what is timed has more of them
enum { FIRST_SECONDS = 3 }; // of the processor for a first launch, once it is compiled

static struct {
    bool shared, first; // memory with the judge; a launch for which the driver compiles
    size_t group[2];    // work-items of a work-group along a row of C, along a column
    int tile_m, tile_n;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel, poison; // of local memory; none on the engine, which does it itself
    cl_mem A, B, C;
} host;

static size_t bytes(const struct matrix *m)
{
    return elements_of(m) * sizeof(real);
}

static cl_mem buffer(size_t size, const void *memory, cl_mem_flags access)
{
    cl_int status;
    cl_mem_flags how = memory != NULL ? CL_MEM_USE_HOST_PTR : 0;
    cl_mem made = clCreateBuffer(host.context, access | how, size, (void *)memory, &status);
    CHECK_AS("clCreateBuffer", status);
    return made;
}

static void copy_in(cl_mem to, const void *from, size_t size)
{
    CHECK(clEnqueueWriteBuffer(host.queue, to, CL_TRUE, 0, size, from, 0, NULL, NULL));
}

static void load(const struct problem *p)
{
    host.A = buffer(bytes(&p->A), host.shared ? p->A.data : NULL, CL_MEM_READ_ONLY);
    host.B = buffer(bytes(&p->B), host.shared ? p->B.data : NULL, CL_MEM_READ_ONLY);
    host.C = buffer(bytes(&p->C), host.shared ? p->C.data : NULL, CL_MEM_READ_WRITE);
    if (host.shared)
        return;
    copy_in(host.A, p->A.data, bytes(&p->A));
    copy_in(host.B, p->B.data, bytes(&p->B));
    copy_in(host.C, p->C.data, bytes(&p->C)); // the poison
}

static size_t parts(int count, int size)
{
    return (size_t)((count - 1) / size + 1);
}

// Once the driver has compiled a kernel and begun with it, SIGPROF ends it if it does not end.
static void limit_launch(cl_event event)
{
    cl_int status = CL_QUEUED;
    CHECK(clFlush(host.queue));
    while (status > CL_RUNNING && nanosleep(&(struct timespec){0, 1000000}, NULL) == 0)
        CHECK(
            clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = FIRST_SECONDS}, NULL);
}

// At least so many work-groups along a row.
static void launch(const struct problem *p, size_t least)
{
    const size_t groups = parts(p->N, host.tile_n);
    const size_t items[] = {(groups > least ? groups : least) * host.group[0],
                            parts(p->M, host.tile_m) * host.group[1]};
    CHECK(clSetKernelArg(host.kernel, 0, sizeof p->M, &p->M));
    CHECK(clSetKernelArg(host.kernel, 1, sizeof p->N, &p->N));
    CHECK(clSetKernelArg(host.kernel, 2, sizeof p->K, &p->K));
    CHECK(clSetKernelArg(host.kernel, 3, sizeof host.A, &host.A));
    CHECK(clSetKernelArg(host.kernel, 4, sizeof host.B, &host.B));
    CHECK(clSetKernelArg(host.kernel, 5, sizeof host.C, &host.C));
    if (host.poison != NULL && (double)p->M * p->N * p->K <= SMALL)
        ocl_poison_with(host.queue, host.poison, host.kernel);
    cl_event event;
    CHECK(clEnqueueNDRangeKernel(host.queue, host.kernel, 2, NULL, items, host.group, 0, NULL,
                                 &event));
    if (host.first)
        limit_launch(event);
    CHECK(clFinish(host.queue));
    CHECK(clReleaseEvent(event));
}

static void copy_out(cl_mem from, void *to, size_t size)
{
    CHECK(clEnqueueReadBuffer(host.queue, from, CL_TRUE, 0, size, to, 0, NULL, NULL));
}

static void fetch(struct problem *p)
{
    if (!host.shared) {
        copy_out(host.C, p->C.data, bytes(&p->C));
        copy_out(host.A, p->A.data, bytes(&p->A)); // to see that the kernel left them alone
        copy_out(host.B, p->B.data, bytes(&p->B));
    }
    CHECK(clReleaseMemObject(host.A));
    CHECK(clReleaseMemObject(host.B));
    CHECK(clReleaseMemObject(host.C));
}

// ---- the program -------------------------------------------------------------------------------
static unsigned char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *text = NULL;
    *size = 0;
    if (file == NULL)
        exit_with(EXIT_USAGE, "cannot read %s", path);
    for (size_t room = 1 << 20, got = 1; got > 0; room *= 2) {
        text = realloc(text, room + 1);
        if (text == NULL)
            exit_with(EXIT_USAGE, "no memory for %s", path);
        got = fread(text + *size, 1, room - *size, file);
        *size += got;
    }
    text[*size] = '\0';
    fclose(file);
    return text;
}

// Ours before it, which no macro of his changes; his lines have their numbers of the preprocessor.
static cl_program from_source(const char *path, bool poisons)
{
    size_t size;
    char *source = (char *)read_whole(path, &size), log[16384] = "";
    const char *parts[] = {poisons ? ocl_poison_source : "", source};
    cl_int status;
    cl_program program = clCreateProgramWithSource(host.context, 2, parts, NULL, &status);
    CHECK_AS("clCreateProgramWithSource", status);
    status = clBuildProgram(program, 1, &host.device, OCL_STANDARD " -Dreal=float", NULL, NULL);
    clGetProgramBuildInfo(program, host.device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    fputs(log, stderr);
    CHECK_AS("clBuildProgram", status);
    free(source);
    return program;
}

static cl_program from_binary(const char *path)
{
    size_t size;
    const unsigned char *binary = read_whole(path, &size);
    cl_int status, of_device;
    cl_program program = clCreateProgramWithBinary(host.context, 1, &host.device, &size, &binary,
                                                   &of_device, &status);
    CHECK_AS("clCreateProgramWithBinary", status);
    CHECK(clBuildProgram(program, 1, &host.device, OCL_STANDARD, NULL, NULL));
    return program;
}

static void write_binary(cl_program program, const char *path)
{
    size_t size;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(binary, 1, size, file) != size || fclose(file) != 0)
        exit_with(EXIT_USAGE, "cannot write %s", path);
}

// Of the smallest problem. A kernel that does not look where C ends finds room behind it. PoCL
// compiles a kernel once more for a launch of 65,536 work-items along a dimension.
static void launch_once(void)
{
    static real A[1 << 16], B[1 << 22], C[1 << 22];
    struct problem p;
    const size_t least[] = {0, (1 << 16) / host.group[0] + 1};
    size_problem(&p, (struct tile){1, 1, 1}, 1, 1, 1);
    p.A.data = A;
    p.B.data = B;
    p.C.data = C;
    host.shared = host.first = true;
    for (int i = 0; i < 2; i++) {
        load(&p);
        launch(&p, least[i]);
        setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
        fetch(&p);
    }
}

static void prepare(struct lab *lab, const char *mode, char **words)
{
    cl_int status;
    host.shared = strcmp(mode, "shared") == 0;
    host.group[0] = (size_t)atoi(words[2]);
    host.group[1] = (size_t)atoi(words[3]);
    host.tile_m = atoi(words[4]);
    host.tile_n = atoi(words[5]);
    host.device = ocl_choose_device(lab);
    host.context = clCreateContext(NULL, 1, &host.device, NULL, NULL, &status);
    CHECK_AS("clCreateContext", status);
    host.queue = clCreateCommandQueue(host.context, host.device, 0, &status);
    CHECK_AS("clCreateCommandQueue", status);
    const bool poisons = strcmp(mode, "source") != 0;
    cl_program program = host.shared ? from_binary(words[6]) : from_source(words[6], poisons);
    host.kernel = clCreateKernel(program, "gemm", &status);
    CHECK_AS("clCreateKernel", status);
    host.poison = poisons ? ocl_poison_kernel(program) : NULL;
    ocl_check_group(host.kernel, host.device, host.group[0], host.group[1]);
    if (strcmp(mode, "compile") == 0)
        write_binary(program, words[7]);
}

static int be_guest(struct lab *lab)
{
    while (next_problem(lab)) {
        while (next_run(lab)) {
            load(&lab->problem);
            for (int n = 0; n < lab->launches; n++)
                launch(&lab->problem, 0);
            fetch(&lab->problem);
            end_run(lab, (struct times){0});
        }
        print_report(lab);
    }
    return lab_end(lab);
}

int main(int count, char **words)
{
    struct lab lab;
    static struct session session;
    char *none[] = {words[0], NULL};
    if (count != 7 && count != 8)
        exit_with(EXIT_USAGE, "usage: see grading/opencl.c");
    const char *mode = words[1];
    const bool shared = strcmp(mode, "shared") == 0, guest = shared || strcmp(mode, "source") == 0;
    // Where they share memory, a CPU runs the kernel on A, B and C as they lie there.
    if (guest)
        lab_begin(&lab, 1, none, shared ? "cpu" : "opencl", (struct tile){1, 1, 1});
    else
        begin_session(&session, &lab, "opencl", (struct tile){1, 1, 1});
    prepare(&lab, mode, words);
    if (strcmp(mode, "launch") == 0)
        launch_once();
    if (shared) // native code
        seal(getenv("POCL_CACHE_DIR"));
    return guest ? be_guest(&lab) : EXIT_SUCCESS;
}
