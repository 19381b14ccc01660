// SPDX-License-Identifier: MIT
// The last run on a GPU: launches back to back, until it is as warm as it gets.
#include "session/session.h"

#include <math.h>
#include <time.h>

// For 0.3 s: an H200 on tensor cores meets its limit of power after 0.07. A launch of 0.02 ms ends
// before the host has queued the next one. One that takes half of all that is steady by itself.
static const double steady_ms = 300, shortest_ms = 0.02;

int steady_launches(const struct session *s)
{
    if (!s->lab->is_timed || !s->lab->back_to_back || s->failed)
        return 0;
    double ms = summary_of(s, offsetof(struct times, kernel)).minimum;
    return ms < shortest_ms || ms > steady_ms / 2 ? 0 : 2 * (int)ceil(steady_ms / 2 / ms);
}

void watch_gpu(struct lab *lab)
{
    const struct timespec pause = {0, 1000000};
    struct session *s = lab->session;
    if (s->watched_from == 0)
        s->watched_from = now_ms();
    s->clock = clocks_now(lab->bus_id);
    nanosleep(&pause, NULL);
    s->ahead_ms = now_ms() - s->watched_from;
}

// A host that is slower than the device is never ahead of it, and the device waits for each launch.
void end_steady_run(struct session *s, double ms)
{
    if (s->ahead_ms > steady_ms / 50)
        s->steady = (struct steady){s->lab->launches, ms};
    s->lab->launches = 0;
}
