// SPDX-License-Identifier: MIT
// The process that a kernel runs in: one request at a time, until the judge ends it. Nothing here is
// trusted, as the kernel may overwrite it.
#include "serve.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void *map(int file, int protection)
{
    struct stat about;
    void *memory = MAP_FAILED;
    if (fstat(file, &about) == 0)
        memory = mmap(NULL, (size_t)about.st_size, protection, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        perror("worker: no shared memory");
        exit(2);
    }
    return memory;
}

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    fputs("\nworker: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

void require_same(const char *name, const void *copy, const void *original, size_t size)
{
    if (memcmp(copy, original, size) != 0)
        complain("the kernel writes to %s, which is to be read alone", name);
}

static void say(uint64_t token)
{
    struct answer answer = {token};
    if (send(CONTROL_FD, &answer, sizeof answer, 0) != sizeof answer)
        exit(2);
}

int main(int count, char **words)
{
    struct request r;
    prepare(count, words);
    const char *inputs = map(INPUTS_FD, PROT_READ);
    char *output = map(OUTPUT_FD, PROT_READ | PROT_WRITE);
    say(0);
    while (recv(CONTROL_FD, &r, sizeof r, 0) == sizeof r) {
        if (r.phase != NOTHING)
            serve(&r, (const real *)(inputs + r.A), (const real *)(inputs + r.B),
                  (real *)(output + r.C));
        say(r.token);
    }
    return 0;
}
