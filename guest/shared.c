// SPDX-License-Identifier: MIT
// The memory that host and guest share. It lies in files without a name, of exactly the size of
// the matrices and a page on either side of each: those hold the guards, or nothing may touch them.
// Behind them each process has SPARE bytes of its own, which a wrong kernel may overwrite before
// the mistake is reported. On either side of all that there is nothing for GAP bytes, so that a
// stray access crashes, and its matrix is known.
#define _GNU_SOURCE // memfd_create
#include "guest/guest.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010 // Linux 5.1; older headers lack it
#endif
#ifndef MAP_POPULATE
#define MAP_POPULATE 0
#endif

enum { GAP = 16 << 20, SPARE = 1 << 18 };

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t data_bytes(const struct matrix *m)
{
    return elements_of(m) * sizeof(real);
}

static size_t data_pages(const struct matrix *m)
{
    return (data_bytes(m) + page_size() - 1) / page_size() * page_size();
}

// The page that its first element lies in has one before it.
static char *region_of(const struct matrix *m)
{
    return (char *)m->data - (uintptr_t)m->data % page_size() - page_size();
}

static size_t region_bytes(const struct matrix *m)
{
    return data_pages(m) + 2 * page_size();
}

size_t mapped_bytes(const struct problem *p)
{
    return region_bytes(&p->A) + region_bytes(&p->B) + region_bytes(&p->C) + 3 * (size_t)SPARE +
           4 * (size_t)GAP;
}

static int file_of(size_t bytes)
{
#ifdef __linux__
    int file = memfd_create("matrices", MFD_CLOEXEC | MFD_ALLOW_SEALING);
#else
    char name[64];
    snprintf(name, sizeof name, "/gemm.%ld", (long)getpid());
    int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    shm_unlink(name);
#endif
    struct rlimit was, most; // the soft limit is for what a program writes
    getrlimit(RLIMIT_FSIZE, &was);
    most = (struct rlimit){was.rlim_max, was.rlim_max};
    setrlimit(RLIMIT_FSIZE, &most);
    const bool is_sized = file >= 0 && ftruncate(file, (off_t)bytes) == 0;
    setrlimit(RLIMIT_FSIZE, &was);
    return is_sized ? file : -1;
}

bool create_files(const struct problem *p, int files[FILES])
{
    files[INPUTS] = file_of(region_bytes(&p->A) + region_bytes(&p->B));
    files[OUTPUT] = file_of(region_bytes(&p->C));
    return files[INPUTS] >= 0 && files[OUTPUT] >= 0;
}

bool seal_files(const int files[FILES], bool inputs_too)
{
#ifdef __linux__
    const int sizes = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    const int of_inputs = sizes | (inputs_too ? F_SEAL_FUTURE_WRITE : 0);
    return fcntl(files[INPUTS], F_ADD_SEALS, of_inputs) == 0 &&
           fcntl(files[OUTPUT], F_ADD_SEALS, sizes) == 0;
#else
    (void)files;
    (void)inputs_too;
    return false;
#endif
}

bool map_matrices(struct problem *p, const int files[FILES], int inputs)
{
    struct matrix *all[] = {&p->A, &p->B, &p->C};
    size_t offsets[] = {0, region_bytes(&p->A), 0};
    char *at =
        mmap(NULL, mapped_bytes(p), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    for (int m = 0; m < 3; m++) {
        at += GAP;
        const char *region = mmap(at, region_bytes(all[m]), m < 2 ? inputs : PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                                  files[m < 2 ? INPUTS : OUTPUT], (off_t)offsets[m]);
        all[m]->data = (real *)(at + page_size());
        at += region_bytes(all[m]);
        if (region == MAP_FAILED || mprotect(at, SPARE, PROT_READ | PROT_WRITE) != 0) {
            unmap_matrices(p);
            return false;
        }
        at += SPARE;
    }
    place_matrices(p, WITH_ROOM);
    return true;
}

void unmap_matrices(struct problem *p)
{
    if (p->A.data != NULL)
        munmap(region_of(&p->A) - GAP, mapped_bytes(p));
    *p = (struct problem){0};
}

void place_matrices(struct problem *p, enum edge edge)
{
    struct matrix *all[] = {&p->A, &p->B, &p->C};
    for (int m = 0; m < 3; m++) {
        const size_t spare = data_pages(all[m]) - data_bytes(all[m]);
        char *data = region_of(all[m]) + page_size();
        data += edge == AT_END ? spare / ALIGNMENT * ALIGNMENT : 0;
        all[m]->data = (real *)data;
        all[m]->block = data - GUARD_BYTES;
        all[m]->bytes = data_bytes(all[m]) + 2 * (size_t)GUARD_BYTES;
    }
}

void set_edges(const struct problem *p, enum edge edge)
{
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    for (int m = 0; m < 3; m++) {
        char *before = region_of(all[m]), *behind = before + page_size() + data_pages(all[m]);
        const int open = m < 2 ? PROT_READ : PROT_READ | PROT_WRITE;
        if (mprotect(before, page_size(), edge == AT_BEGINNING ? PROT_NONE : open) != 0 ||
            mprotect(behind, page_size() + SPARE, edge == AT_END ? PROT_NONE : open) != 0)
            exit_with(EXIT_USAGE, "the pages beside the matrices cannot be protected");
    }
}

int matrix_near(const struct problem *p, const char *address, long *element)
{
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    for (int m = 0; m < 3 && p->A.data != NULL; m++)
        if (address >= region_of(all[m]) - GAP / 2 &&
            address < region_of(all[m]) + region_bytes(all[m]) + SPARE + GAP / 2) {
            const long bytes = (long)(address - (const char *)all[m]->data), size = sizeof(real);
            *element = (bytes < 0 ? bytes - size + 1 : bytes) / size;
            return m;
        }
    return 3;
}
