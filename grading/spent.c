// SPDX-License-Identifier: MIT
// Times of a call, and the cores of both guests. Other load on the machine meets both, or counts
// for neither.
//
//     wall        from continuing the guest until all of its threads have stopped; counts for
//                 several threads and for a GPU
//     processor   processor time of all threads of the guest, including those that have ended;
//                 counts for one thread. The system measures it in nanoseconds at each switch.
//     waited      time in which threads could have run and had no core (run delay); with the wall
//                 clock also that of the host, which has to see that they have stopped
#define _GNU_SOURCE // cpu_set_t
#include "judge.h"
#include "guest/process.h"

#include <sched.h>
#include <unistd.h>

static cpu_set_t others;

void enter_cores(int count)
{
    cpu_set_t shared;
    const int first = sched_getcpu(); // the system has just chosen a free one
    CPU_ZERO(&shared);
    if (count == 0 || first < 0 || sched_getaffinity(0, sizeof others, &others) != 0)
        return;
    for (int c = 0; c < CPU_SETSIZE && CPU_COUNT(&shared) < count; c++) {
        const size_t core = (size_t)(first + c) % CPU_SETSIZE;
        if (!CPU_ISSET(core, &others))
            continue;
        CPU_SET(core, &shared);
        CPU_CLR(core, &others);
    }
    sched_setaffinity(0, sizeof shared, &shared);
}

void leave_cores(void)
{
    if (CPU_COUNT(&others) > 0)
        sched_setaffinity(0, sizeof others, &others);
}

// The guest is stopped, and so are its clocks.
struct spent spent_so_far(pid_t pid, enum clock clock)
{
    struct spent now = {.processor = processor_ms(pid), .waited = run_delay(pid)};
    now.waited += clock == WALL ? run_delay(getpid()) : 0;
    now.wall = now_ms();
    return now;
}

struct spent spent_since(pid_t pid, enum clock clock, struct spent before)
{
    const double wall = now_ms();
    struct spent now = spent_so_far(pid, clock);
    now.wall = wall - before.wall;
    now.processor -= before.processor;
    now.waited = now.waited > before.waited ? now.waited - before.waited : 0; // a thread has ended
    return now;
}

// Another process takes a core for a time slice of about a millisecond or more. Waking takes some
// microseconds on an idle machine, and more with many threads: see usual_wait() in pairs.c.
bool had_to_wait(const struct spent *spent)
{
    double unseen = 0.01 * spent->wall;
    return spent->waited - 2 * spent->usual > (unseen > 0.1 ? unseen : 0.1);
}
