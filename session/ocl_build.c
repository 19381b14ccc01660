// SPDX-License-Identifier: MIT
// OpenCL: from a kernel file to a program.
#include "ocl.h"
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

// Limit of processor seconds for the compilation of a kernel, also in make grade
// (workbook/teacher/grade/compiling): those of the labs take one or two.
enum { COMPILER_SECONDS = 20 };

static char *read_file(const char *name) // of this lab's folder
{
    char path[PATH_MAX], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", config.folder, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        exit_with(
            EXIT_USAGE,
            "cannot read %s: removed? make restore or make start brings one back; or moved? make "
            "clean all",
            path);
    errno = 0;
    if (getdelim(&text, &size, '\0', file) < 0)
        exit_with(EXIT_USAGE, "cannot read %s: %s", path,
                  errno != 0 ? strerror(errno) : "it is empty");
    fclose(file);
    return text;
}

// A driver may reuse a compiled program if only an included file has changed. A hash of params.h
// (FNV-1a) in the options makes the program a different one.
static unsigned hash_params(void)
{
    unsigned hash = 2166136261u;
    char *params = read_file("params.h");
    for (const char *c = params; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    free(params);
    return hash;
}

// PoCL compiles a temporary file, so #line names the kernel's file. Other drivers name no file, and
// NVIDIA's compiler would count it as a line.
static cl_program create_program(cl_context context, cl_device_id device, const char *kernel_file)
{
    cl_int status;
    char version[256] = "", line[PATH_MAX] = "", *source = read_file(kernel_file);
    clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL);
    if (strstr(version, "PoCL") != NULL || strstr(version, "pocl") != NULL)
        snprintf(line, sizeof line, "#line 1 \"%s\"\n", kernel_file);
    bool marked = strncmp(source, "\xEF\xBB\xBF", 3) == 0; // as UTF-8: to a compiler it is no code
    const char *parts[] = {line, marked ? source + 3 : source};
    cl_program program = clCreateProgramWithSource(context, 2, parts, NULL, &status);
    CHECK_AS("clCreateProgramWithSource", status);
    free(source);
    return program;
}

static struct {
    int to; // stderr, which is elsewhere meanwhile
    char said[512];
} late;

// The compiler was interrupted anywhere, perhaps in malloc: the record stays incomplete.
static void end_late(int number)
{
    (void)number;
    _exit(write(late.to, late.said, strlen(late.said)) < 0 ? EXIT_WRONG : EXIT_USAGE);
}

static void limit_compiler(long seconds) // 0: it is ready
{
    const struct itimerval limit = {.it_value.tv_sec = seconds};
    signal(SIGPROF, end_late);
    setitimer(ITIMER_PROF, &limit, NULL);
}

// Compiles inside the lab's folder, so that "-I." finds params.h even if the path contains spaces.
// PoCL's message on stderr, "1 error generated.", is dropped: its log tells more.
static cl_int compile(cl_program program, cl_device_id device, const char *kernel_file,
                      const char *options)
{
    int back = open(".", O_RDONLY);
    if (chdir(config.folder) != 0)
        exit_with(EXIT_USAGE, "cannot enter %s: moved? run make clean all", config.folder);
    int messages = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    late.to = messages;
    snprintf(late.said, sizeof late.said,
             "gemm: %s/%s does not compile: the OpenCL driver needs more than %d s of the "
             "processor for it: unroll less, as nested loops multiply, or have fewer barriers\n",
             config.lab, kernel_file, COMPILER_SECONDS);
    limit_compiler(COMPILER_SECONDS);
    cl_int built = clBuildProgram(program, 1, &device, options, NULL, NULL);
    limit_compiler(0);
    dup2(messages, STDERR_FILENO);
    close(messages);
    close(nowhere);
    if (back < 0 || fchdir(back) != 0)
        exit_with(EXIT_USAGE, "cannot go back to the working directory: %s", strerror(errno));
    close(back);
    return built;
}

static char *build_log(cl_program program, cl_device_id device)
{
    size_t size = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = scratch(size + 1, 1);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return log;
}

static void print_line(FILE *out, const char *text, int line, int column)
{
    for (int l = 1; l < line && text != NULL; l++) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    if (text != NULL)
        fprintf(out, "%5d | %.*s\n      | %*s\n", line, (int)strcspn(text, "\n"), text, column,
                "^");
}

// PoCL's log names a line, "error: kernel.cl:9:19: ...", and does not show it.
static char *with_lines(const char *log, const char *kernel_file)
{
    char *text = NULL, *source = read_file(kernel_file);
    size_t size = 0;
    bool shown = strchr(log, '^') != NULL;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        exit_with(EXIT_USAGE, "no memory for what the compiler says of %s", kernel_file);
    for (size_t length; *log != '\0'; log += length + (log[length] == '\n')) {
        int line, column;
        const char *place = strstr(log, kernel_file);
        length = strcspn(log, "\n");
        fprintf(out, "%.*s\n", (int)length, log);
        if (!shown && place != NULL && place < log + length &&
            sscanf(place + strlen(kernel_file), ":%d:%d:", &line, &column) == 2)
            print_line(out, source, line, column);
    }
    fclose(out);
    free(source);
    return text;
}

static void write_binary(const char *name, cl_program program)
{
    size_t size;
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = scratch(size, 1);
    FILE *file = fopen(name, "wb");
    if (file == NULL)
        exit_with(EXIT_USAGE, "cannot write %s: choose another --binary file", name);
    CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    bool written = fwrite(binary, 1, size, file) == size;
    if (fclose(file) != 0 || !written)
        exit_with(EXIT_USAGE, "cannot write %s: %s", name, strerror(errno));
    free(binary);
}

cl_program ocl_build(const struct lab *lab, cl_context context, cl_device_id device,
                     const char *kernel_file, const char *defines)
{
    char options[1024], vendor[64] = "";
    clGetDeviceInfo(device, CL_DEVICE_VENDOR, sizeof vendor, vendor, NULL);
    bool verbose = lab->session->opt.binary != NULL && strstr(vendor, "NVIDIA") != NULL;
    snprintf(options, sizeof options, OCL_STANDARD " -I. -DHASH_OF_PARAMS=%u %s%s", hash_params(),
             defines, verbose ? " -cl-nv-verbose" : ""); // registers and spills, into the log

    cl_program program = create_program(context, device, kernel_file);
    cl_int built = compile(program, device, kernel_file, options);
    char *log = build_log(program, device);
    if (built != CL_SUCCESS)
        exit_with(EXIT_USAGE, "%s/%s does not compile (%s)\n%s", config.lab, kernel_file,
                  ocl_error_name(built), with_lines(log, kernel_file));
    if (verbose)
        fputs(log, stdout);
    free(log);
    if (lab->session->opt.binary != NULL)
        write_binary(lab->session->opt.binary, program);
    return program;
}
