// SPDX-License-Identifier: MIT
// What a call took, and on which cores: so that whatever else the machine does meets both guests,
// or counts for neither.
//
//     wall        from when the guest is let go until all of its threads stand: of several
//                 threads, and of a GPU
//     processor   what the threads of the guest computed, those that have ended with them: of one
//                 thread, for which it is the wall clock less every wait, whoever else is on its
//                 core. The kernel counts it in nanoseconds, at each switch; nobody in the sandbox
//                 can compute without it.
//     waited      how long threads could have run and had no core (run delay): of the wall clock,
//                 the judge as well, who has to see that they stand
#define _GNU_SOURCE // cpu_set_t
#include "judge.h"
#include "guest/process.h"

#include <sched.h>
#include <unistd.h>

static cpu_set_t others;

void enter_cores(int count)
{
    cpu_set_t shared;
    const int first = sched_getcpu(); // the system has just found it free
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

// The guest stands: its own clocks do, too.
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

// A neighbour has a core for a time slice, most of a millisecond or more; to be woken takes some
// microseconds on a machine where nothing else runs, and more where there are threads that wait for
// each other: see usual_wait() in pairs.c.
bool had_to_wait(const struct spent *spent)
{
    double unseen = 0.01 * spent->wall;
    return spent->waited - 2 * spent->usual > (unseen > 0.1 ? unseen : 0.1);
}
