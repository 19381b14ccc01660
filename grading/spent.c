// SPDX-License-Identifier: MIT
// What a call took, and on which cores: so that whatever else the machine does meets both workers,
// or counts for neither.
//
//     wall        from when the worker is let go until all of its threads stand: of several
//                 threads, and of a GPU
//     processor   what the threads of the worker computed, those that have ended with them: of one
//                 thread, for which it is the wall clock less every wait, whoever else is on its
//                 core. The kernel counts it in nanoseconds, at each switch; nobody in the sandbox
//                 can compute without it.
//     waited      how long threads could have run and had no core (run delay): of the wall clock,
//                 the judge as well, who has to see that they stand
#define _GNU_SOURCE // cpu_set_t
#include "judge.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static cpu_set_t shared_cores;
static int shared_count; // 0: they stay where the judge is

void share_cores(int count)
{
    cpu_set_t allowed, others;
    int first = sched_getcpu();
    if (count == 0 || first < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    CPU_ZERO(&shared_cores);
    others = allowed;
    for (int c = 0; c < CPU_SETSIZE && shared_count < count; c++) {
        size_t core = (size_t)(first + c) % CPU_SETSIZE; // the first one was just found free
        if (!CPU_ISSET(core, &allowed))
            continue;
        CPU_SET(core, &shared_cores);
        CPU_CLR(core, &others);
        shared_count++;
    }
    if (CPU_COUNT(&others) > 0)
        sched_setaffinity(0, sizeof others, &others);
}

void enter_shared_cores(void)
{
    if (shared_count > 0 && sched_setaffinity(0, sizeof shared_cores, &shared_cores) != 0)
        _exit(126);
}

// The second number of a thread's schedstat, in nanoseconds; 0 where it is no more.
static double delay_of(int folder, const char *thread)
{
    char path[sizeof((struct dirent *)0)->d_name + 16], text[128], *end;
    snprintf(path, sizeof path, "%s/schedstat", thread);
    int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    if (size <= 0)
        return 0;
    text[size] = '\0';
    strtoull(text, &end, 10);
    return (double)strtoull(end, NULL, 10);
}

static double run_delay(pid_t pid)
{
    char path[64];
    double sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (isdigit((unsigned char)entry->d_name[0]))
            sum += delay_of(dirfd(folder), entry->d_name);
    closedir(folder);
    return sum * 1e-6;
}

double processor_ms(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

// The worker stands: its own clocks do, too.
struct spent spent_so_far(const struct worker *w)
{
    struct spent now = {.processor = processor_ms(w->pid), .waited = run_delay(w->pid)};
    if (w->clock == WALL)
        now.waited += run_delay(getpid());
    now.wall = now_ms();
    return now;
}

struct spent spent_since(const struct worker *w, struct spent before)
{
    struct spent now = {.wall = now_ms()};
    now.processor = processor_ms(w->pid);
    now.waited = run_delay(w->pid);
    if (w->clock == WALL)
        now.waited += run_delay(getpid());
    now.wall -= before.wall;
    now.processor -= before.processor;
    now.waited = now.waited > before.waited ? now.waited - before.waited : 0; // a thread has ended
    return now;
}

// A neighbour has a core for a time slice, most of a millisecond or more; to be woken takes some
// microseconds on a machine where nothing else runs, and more where there are threads that wait for
// each other: see usual_wait().
bool had_to_wait(const struct spent *spent)
{
    double unseen = 0.01 * spent->wall;
    return spent->waited - 2 * spent->usual > (unseen > 0.1 ? unseen : 0.1);
}
