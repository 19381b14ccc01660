// SPDX-License-Identifier: MIT
// What LeakSanitizer tells in make check, for a worker: it stops one process from another, which no
// sandbox lets anybody do. A worker need not be stopped, as it has one thread, which looks itself:
// when all is over, a block is lost to which no variable, no stack and no other block that is not
// lost has an address. As there, one inside of it will do.
#define _GNU_SOURCE // dl_iterate_phdr, dladdr, pthread_getattr_np
#include "leaks.h"

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Of AddressSanitizer, where it is there.
#define WEAK __attribute__((weak))
WEAK size_t __sanitizer_get_current_allocated_bytes(void);
WEAK int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                                   void (*)(const volatile void *));
WEAK size_t __asan_get_alloc_stack(void *, void **, size_t, int *);
WEAK void __sanitizer_symbolize_pc(void *, const char *, char *, size_t);

struct block {
    uintptr_t at; // 0: none; GONE: none any more
    size_t size;
    bool of_kernel, found, held; // held: by one that is lost
};
enum { GONE = 1, LEAST = 1 << 12, FRAMES = 32 };

// All that are taken, by their addresses, in memory that is no block.
static struct {
    struct block *all;
    size_t room, used; // a power of two; with those that are gone
    bool closed;       // there was no memory for it, or it is looked at
} table;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Thread_local bool in_kernel;
static int threads_at_first;

static struct block *place_of(struct block *all, size_t room, uintptr_t at)
{
    size_t p = (at >> 4) * 0x9E3779B97F4A7C15u;
    for (p &= room - 1; all[p].at != 0 && all[p].at != at; p = (p + 1) & (room - 1))
        ;
    return &all[p];
}

static bool has_room(void)
{
    if (table.used < table.room / 2)
        return true;
    size_t room = table.room > 0 ? 2 * table.room : LEAST, used = 0;
    struct block *all =
        mmap(NULL, room * sizeof *all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return false;
    for (size_t b = 0; b < table.room; b++)
        if (table.all[b].at > GONE) {
            *place_of(all, room, table.all[b].at) = table.all[b];
            used++;
        }
    if (table.room > 0)
        munmap(table.all, table.room * sizeof *all);
    table.all = all;
    table.room = room;
    table.used = used;
    return true;
}

static void taken(const volatile void *at, size_t size)
{
    if (at == NULL || table.closed)
        return;
    while (atomic_flag_test_and_set(&busy))
        ;
    if (has_room()) {
        struct block *block = place_of(table.all, table.room, (uintptr_t)at);
        table.used += block->at == 0;
        *block = (struct block){.at = (uintptr_t)at, .size = size, .of_kernel = in_kernel};
    } else
        table.closed = true;
    atomic_flag_clear(&busy);
}

static void given_back(const volatile void *at)
{
    while (atomic_flag_test_and_set(&busy))
        ;
    if (at != NULL && table.room > 0 && !table.closed) {
        struct block *block = place_of(table.all, table.room, (uintptr_t)at);
        if (block->at != 0)
            block->at = GONE;
    }
    atomic_flag_clear(&busy);
}

void leaks_of_kernel(bool kernel)
{
    in_kernel = kernel;
}

size_t leaks_taken(void)
{
    return __sanitizer_get_current_allocated_bytes ? __sanitizer_get_current_allocated_bytes() : 0;
}

// ---- what is found -----------------------------------------------------------------------------
static struct block **sorted; // those that are there
static size_t count;
static struct block **work; // found, and not yet looked into
static size_t left;

static int by_address(const void *a, const void *b)
{
    const struct block *const *x = a, *const *y = b;
    return ((*x)->at > (*y)->at) - ((*x)->at < (*y)->at);
}

static struct block *holding(uintptr_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle]->at <= address)
            low = middle + 1;
        else
            high = middle;
    }
    struct block *block = low > 0 ? sorted[low - 1] : NULL;
    return block != NULL && address - block->at < (block->size > 0 ? block->size : 1) ? block
                                                                                      : NULL;
}

static void look(uintptr_t begin, uintptr_t end)
{
    begin = (begin + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    for (uintptr_t at = begin; at + sizeof(void *) <= end; at += sizeof(void *)) {
        uintptr_t address;
        memcpy(&address, (const void *)at, sizeof address);
        struct block *block = holding(address);
        if (block != NULL && !block->found) {
            block->found = true;
            work[left++] = block;
        }
    }
}

// The variables of the program and its libraries, and of this thread.
static int look_at_library(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int p = 0; p < library->dlpi_phnum; p++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[p];
        uintptr_t at = library->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) != 0)
            look(at, at + part->p_memsz);
        if (part->p_type == PT_TLS && library->dlpi_tls_data != NULL)
            look((uintptr_t)library->dlpi_tls_data,
                 (uintptr_t)library->dlpi_tls_data + part->p_memsz);
    }
    return 0;
}

static __attribute__((noinline)) void look_at_stack(void)
{
    pthread_attr_t about;
    void *low;
    size_t size;
    __builtin_unwind_init(); // what is in registers lies there, too
    if (pthread_getattr_np(pthread_self(), &about) != 0)
        return;
    pthread_attr_getstack(&about, &low, &size);
    pthread_attr_destroy(&about);
    look((uintptr_t)__builtin_frame_address(0), (uintptr_t)low + size);
}

static bool is_lost(const struct block *block)
{
    return block->of_kernel && !block->found;
}

// What one that is lost holds is lost with it, and not told: it would be there without.
static void pass_over_held(void)
{
    for (size_t b = 0; b < count; b++)
        for (size_t at = 0; is_lost(sorted[b]) && at + sizeof(void *) <= sorted[b]->size;
             at += sizeof(void *)) {
            uintptr_t address;
            memcpy(&address, (const char *)sorted[b]->at + at, sizeof address);
            struct block *other = holding(address);
            if (other != NULL && other != sorted[b] && !other->held && !sorted[b]->held)
                other->held = true;
        }
}

static size_t where(const struct block *block, void *frames[FRAMES])
{
    int thread;
    memset(frames, 0, FRAMES * sizeof *frames);
    return __asan_get_alloc_stack((void *)block->at, frames, FRAMES, &thread);
}

// Is it the program that takes it? What a library does for itself, as UndefinedBehaviorSanitizer
// for a report, has a trace that does not lead here.
static bool is_taken_here(const struct block *block)
{
    void *frames[FRAMES];
    Dl_info here, caller;
    size_t deep = where(block, frames);
    if (dladdr(&table, &here) == 0)
        return false;
    for (size_t f = 0; f < deep && f < FRAMES; f++)
        if (dladdr(frames[f], &caller) != 0 && caller.dli_fbase == here.dli_fbase)
            return true;
    return false;
}

// As LeakSanitizer has it, of the first one, and all that were taken in the same place.
static void tell(const struct block *first)
{
    void *frames[FRAMES], *others[FRAMES];
    size_t deep = where(first, frames), bytes = 0;
    for (size_t b = 0; b < count; b++) {
        if (!is_lost(sorted[b]) || sorted[b]->held)
            continue;
        where(sorted[b], others);
        bytes += memcmp(frames, others, sizeof frames) == 0 ? sorted[b]->size : 0;
    }
    dprintf(STDERR_FILENO, "\nDirect leak of %zu byte(s) allocated from:\n", bytes);
    for (size_t f = 0; f < deep && f < FRAMES; f++) {
        char said[512] = "";
        __sanitizer_symbolize_pc((char *)frames[f] - 1, "%p in %f %S", said, sizeof said);
        dprintf(STDERR_FILENO, "    #%zu %s\n", f, said);
    }
}

// Beside this one there may be AddressSanitizer's own, which watches over memory.
static int threads(void)
{
    int found = 0;
    DIR *folder = opendir("/proc/self/task");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        found += entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return found;
}

// Of a kernel's own threads each has a stack and variables, which nobody but themselves finds: none
// is looked for, then.
static void find_leaks(void)
{
    const size_t most = table.room;
    if (table.closed || most == 0 || threads() != threads_at_first)
        return;
    table.closed = true;
    const size_t size = 2 * most * sizeof *sorted;
    sorted = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sorted == MAP_FAILED)
        return;
    work = sorted + most;
    for (size_t b = 0; b < most; b++)
        if (table.all[b].at > GONE)
            sorted[count++] = &table.all[b];
    qsort(sorted, count, sizeof *sorted, by_address);
    dl_iterate_phdr(look_at_library, NULL);
    look_at_stack();
    for (size_t b = 0; b < count; b++) // of a library, which has its own ways to find it
        if (!sorted[b]->of_kernel && !sorted[b]->found) {
            sorted[b]->found = true;
            work[left++] = sorted[b];
        }
    while (left > 0) {
        const struct block *block = work[--left];
        look(block->at, block->at + block->size);
    }
    pass_over_held();
    for (size_t b = 0; b < count; b++)
        if (is_lost(sorted[b]) && !sorted[b]->held && is_taken_here(sorted[b])) {
            tell(sorted[b]);
            return;
        }
}

bool leaks_watched(void)
{
    if (!__sanitizer_install_malloc_and_free_hooks || !__asan_get_alloc_stack ||
        !__sanitizer_symbolize_pc)
        return false;
    __sanitizer_install_malloc_and_free_hooks(taken, given_back);
    threads_at_first = threads();
    atexit(find_leaks); // behind what a kernel has for its own end
    return true;
}
