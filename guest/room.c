// SPDX-License-Identifier: MIT
// The limit is one of addresses, so malloc, which reserves them, fails and returns NULL.
// errno is ENOMEM then, and a kernel that uses NULL crashes soon after.
#include "guest/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const size_t mib = (size_t)1 << 20;
// The last one is for the C library.
enum { KERNEL_MIB = 2048, STACK_MIB = 8, LIBRARY_MIB = 24 };
// So far below the beginning of a stack Linux has nothing else. Above main's part of it lie the
// environment and the command line.
enum { BELOW_STACK_MIB = 100, ABOVE_MAIN_MIB = 1 };

static const char *main_frame;

void limit_memory(size_t others)
{
    struct rlimit limit;
    main_frame = __builtin_frame_address(0);
    if (getrlimit(RLIMIT_AS, &limit) != 0)
        return;
    const rlim_t most = others + (KERNEL_MIB + LIBRARY_MIB) * mib;
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
}

// ---- a lab's program ---------------------------------------------------------------------------
static struct {
    struct rlimit had; // before the call
    size_t before;     // 0: no call has begun
    size_t kept;       // of the kernel, from call to call
    enum lack refused;
} memory;

// All addresses of this process; 0: unknown.
static size_t addresses(void)
{
    char text[64] = "";
    const int file = open("/proc/self/statm", O_RDONLY);
    unsigned long pages = 0;
    if (file < 0)
        return 0;
    if (read(file, text, sizeof text - 1) < 0 || sscanf(text, "%lu", &pages) != 1)
        pages = 0;
    close(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// The kernel's; those of ours are few.
static size_t static_arrays(void)
{
#ifdef __linux__
    extern char __bss_start, _end;
    return (size_t)((uintptr_t)&_end - (uintptr_t)&__bss_start);
#else
    return 0;
#endif
}

// OpenMP, gcc's or clang's: a stack for each thread, and what malloc reserves for it, is more than
// 2 GiB on a machine with 200 cores. A sanitizer takes 1 MiB or more for each emulated thread.
static bool others_take_more(void)
{
#ifdef __linux__
    extern void GOMP_parallel(void) __attribute__((weak));
    extern void __kmpc_fork_call(void) __attribute__((weak));
    extern void __asan_init(void) __attribute__((weak));
    extern void __tsan_init(void) __attribute__((weak));
    return GOMP_parallel != NULL || __kmpc_fork_call != NULL || __asan_init != NULL ||
           __tsan_init != NULL;
#else
    return false;
#endif
}

// A sandbox without libraries has no /proc either.
static bool is_static(void)
{
#ifdef __linux__
    extern char _DYNAMIC[] __attribute__((weak));
    return _DYNAMIC == NULL;
#else
    return false;
#endif
}

void begin_memory(size_t matrices)
{
    const bool limits = !others_take_more() && getrlimit(RLIMIT_AS, &memory.had) == 0;
    memory.before = limits ? addresses() : 0;
    if (memory.before > 0)
        limit_memory(memory.before - memory.kept - static_arrays());
    else if (limits && is_static())
        limit_memory(matrices);
    errno = 0;
}

void end_memory(void)
{
    memory.refused = is_refused_memory();
    if (memory.before == 0)
        return;
    memory.kept += addresses() - memory.before; // less, if it frees some
    memory.before = 0;
    setrlimit(RLIMIT_AS, &memory.had);
}

enum lack was_refused_memory(void)
{
    return memory.refused;
}

// ---- the missing memory -------------------------------------------------------------------------
enum lack is_refused_memory(void)
{
    return errno == ENOMEM ? MEMORY_LACKS : NOTHING_LACKS;
}

enum lack what_lacks(const void *address)
{
    const uintptr_t top = (uintptr_t)main_frame, at = (uintptr_t)address;
    if (main_frame != NULL && at < top - (STACK_MIB - ABOVE_MAIN_MIB) * mib &&
        at > top - BELOW_STACK_MIB * mib)
        return STACK_LACKS;
    return is_refused_memory();
}

const char *lack_in_words(enum lack l)
{
    static const char *const words[] = {
        [MEMORY_LACKS] =
            "a kernel has 2 GiB of memory, static arrays included, and malloc gave NULL",
        [STACK_LACKS] = "a kernel has 8 MiB of stack, and needs more: larger arrays take malloc",
    };
    return words[l];
}
