// SPDX-License-Identifier: MIT
// The process that a kernel runs in: one request at a time, until the judge ends it. Nothing here
// is trusted, as the kernel may overwrite it.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "serve.h"

#include "diagnosis/room.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// On either side of what a worker has of a file there is nothing, for so many bytes.
static const size_t gap = (size_t)16 << 20;

static struct {
    char *memory; // where the file would begin
    size_t size;
} files[MATRICES];
static struct request now;
static bool limited; // its memory, to what a kernel may have

static void map(int matrix, int protection)
{
    struct stat about;
    const int file = A_FD + matrix;
    char *memory = MAP_FAILED;
    size_t size = fstat(file, &about) == 0 ? (size_t)about.st_size : 0;
    if (size > 0)
        memory = mmap(NULL, size + 2 * gap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mmap(memory + gap + MARGIN, size - 2 * (size_t)MARGIN, protection,
                                     MAP_SHARED | MAP_FIXED, file, MARGIN) == MAP_FAILED) {
        perror("worker: no shared memory");
        exit(2);
    }
    files[matrix].memory = memory + gap;
    files[matrix].size = size;
}

static void answer(int matrix, long element)
{
    struct answer answer = {now.token, matrix, element};
    send(CONTROL_FD, &answer, sizeof answer, MSG_DONTWAIT);
}

void tell_where(const void *address)
{
    const char *there = address;
    for (int m = 0; m < MATRICES; m++) {
        const char *memory = files[m].memory;
        if (there < memory - gap || there >= memory + files[m].size + gap)
            continue;
        long bytes = there - (memory + now.at[m]), size = sizeof(real);
        answer(m + 1, (bytes < 0 ? bytes - size + 1 : bytes) / size);
    }
}

void limit_kernel(void)
{
    limited = true;
}

// False: it is under a tool, which reserves more.
static bool limit(void)
{
    struct rlimit limit;
    size_t others = 0;
    for (int m = 0; m < MATRICES; m++)
        others += files[m].size + 2 * gap;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_max == RLIM_INFINITY)
        return false;
    limit_memory(others);
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_max = limit.rlim_cur; // for good
    setrlimit(RLIMIT_AS, &limit);
    return true;
}

// Elsewhere, the signal ends this process.
static void trespass(int number, siginfo_t *about, void *context)
{
    (void)context;
    const enum lack lack = what_lacks(about->si_addr);
    if (limited && lack != NOTHING_LACKS)
        answer(MATRICES + (int)lack, 0);
    else
        tell_where(about->si_addr);
    signal(number, SIG_DFL); // and back, to do it again
}

// Not under a tool, which has its own handlers, and copies of the matrices.
static void watch(void)
{
    static char stack[1 << 14]; // the kernel's may be what has no more room
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = trespass;
    sigaltstack(&own, NULL);
    sigaction(SIGSEGV, &action, NULL);
}

void complain(const char *format, ...)
{
    char said[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(said, sizeof said, format, arguments);
    va_end(arguments);
    dprintf(FOUND_FD, "%s\n", said);
    dprintf(STDERR_FILENO, "\nworker: %s\n", said);
    exit(2);
}

void require_same(const char *name, const void *copy, const void *original, size_t size)
{
    if (memcmp(copy, original, size) != 0)
        complain("the kernel writes to %s, which is to be read alone", name);
}

static void say(uint64_t token)
{
    struct answer answer = {.token = token};
    if (send(CONTROL_FD, &answer, sizeof answer, 0) != sizeof answer)
        exit(2);
}

// For who reads what is printed. By write alone, as dprintf takes calls that the filter has not.
static bool tell_refused(void)
{
    char said[128];
    const int size = snprintf(said, sizeof said, "\nworker: %s\n", lack_in_words(MEMORY_LACKS));
    return write(STDERR_FILENO, said, (size_t)size) == size;
}

int main(int count, char **words)
{
    bool watched = false, copies = false, told = false;
    const char *prints = getenv("GEMM_PRINTS"); // where stdout is a tool's
    if (prints != NULL)
        dup2(atoi(prints), STDOUT_FILENO);
    prepare(count, words);
    for (int m = 0; m < MATRICES; m++)
        map(m, A_FD + m == C_FD ? PROT_READ | PROT_WRITE : PROT_READ);
    limited = limited && limit();
    say(0);
    while (recv(CONTROL_FD, &now, sizeof now, 0) == sizeof now) {
        copies = copies || now.phase == LOAD;
        if (now.phase == RUN && !copies && !watched) {
            watch();
            watched = true;
        }
        errno = 0;
        if (now.phase != NOTHING)
            serve(&now, (const real *)(files[0].memory + now.at[0]),
                  (const real *)(files[1].memory + now.at[1]),
                  (real *)(files[2].memory + now.at[2]));
        if (limited && is_refused_memory() != NOTHING_LACKS && !told)
            told = tell_refused();
        say(now.token);
    }
    return 0;
}
