// SPDX-License-Identifier: MIT
// OpenMP for ThreadSanitizer: what gcc makes of the pragmas calls these in place of libgomp, whose
// way of waiting the sanitizer does not see, so that every loop would be a race. Threads and
// barriers are those of pthreads; nothing else orders who shares a loop. make race links it, with
// SAN=thread; a pragma that it does not know is a function that the linker misses.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOOPS = 1 << 16 }; // of one parallel region

static struct {
    pthread_barrier_t barrier;
    int threads;
    void (*work)(void *);
    void *data;
    long *taken; // of each dynamic loop, in the order in which a thread comes to them: its chunks
} region = {.threads = 1};

static _Thread_local int me;
static _Thread_local struct {
    int number;
    long start, end, step, chunk;
} loop;

int omp_get_thread_num(void)
{
    return me;
}

int omp_get_num_threads(void)
{
    return region.threads;
}

int omp_get_max_threads(void)
{
    return 4;
}

void GOMP_barrier(void)
{
    if (region.threads > 1)
        pthread_barrier_wait(&region.barrier);
}

static void *begin(void *number)
{
    me = (int)(long)number;
    loop.number = -1;
    GOMP_barrier(); // or the first would have done all before the last is there
    region.work(region.data);
    return NULL;
}

// Calls `work` in each of `threads` threads (0: as many as there are), this one included.
void GOMP_parallel(void (*work)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    pthread_t others[64];
    region.threads = threads == 0 ? omp_get_max_threads() : (int)threads;
    region.work = work;
    region.data = data;
    region.taken = calloc(LOOPS, sizeof *region.taken);
    if (region.taken == NULL || region.threads > 64 ||
        pthread_barrier_init(&region.barrier, NULL, (unsigned)region.threads) != 0)
        abort();
    for (long t = 1; t < region.threads; t++)
        if (pthread_create(&others[t], NULL, begin, (void *)t) != 0)
            abort();
    begin((void *)0);
    for (int t = 1; t < region.threads; t++)
        pthread_join(others[t], NULL);
    pthread_barrier_destroy(&region.barrier);
    free(region.taken);
    region.threads = 1;
}

// The next chunk of a dynamic loop, [*first, *past); false: there is none. Relaxed, as taking a
// chunk orders nothing.
bool GOMP_loop_nonmonotonic_dynamic_next(long *first, long *past)
{
    sched_yield(); // others have their turn
    long *taken = &region.taken[loop.number % LOOPS];
    long step = loop.step * loop.chunk;
    *first = loop.start + __atomic_fetch_add(taken, 1, __ATOMIC_RELAXED) * step;
    *past = *first + step;
    bool down = loop.step < 0;
    if (down ? *past < loop.end : *past > loop.end)
        *past = loop.end;
    return down ? *first > loop.end : *first < loop.end;
}

bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk, long *first,
                                          long *past)
{
    loop.number++;
    loop.start = start;
    loop.end = end;
    loop.step = step;
    loop.chunk = chunk;
    return GOMP_loop_nonmonotonic_dynamic_next(first, past);
}

void GOMP_loop_end_nowait(void)
{
}

void GOMP_loop_end(void)
{
    GOMP_barrier();
}
