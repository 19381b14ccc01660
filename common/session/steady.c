// SPDX-License-Identifier: MIT
// The last run of a GPU: launches back to back, until it is as warm as it gets.
#include "session/session.h"

#include <math.h>

// For 0.3 s: an H200 on tensor cores meets its limit of power after 0.07. What is over in 0.02 ms
// ends before the host has queued the next one; what takes half of all that is steady by itself.
static const double steady_ms = 300, shortest_ms = 0.02;

int steady_launches(const struct lab *lab)
{
    if (!is_timed(lab) || !lab->back_to_back || lab->rehearsal || lab->failed)
        return 0;
    double ms = summarize(lab, offsetof(struct times, kernel)).minimum;
    return ms < shortest_ms || ms > steady_ms / 2 ? 0 : 2 * (int)ceil(steady_ms / 2 / ms);
}

void note_device(struct lab *lab, struct clocks clock, double ahead_ms)
{
    lab->ahead_ms = ahead_ms;
    lab->clock = clock;
}

// A host that is slower than the device is never ahead of it, and the device waits for each launch.
void end_steady_run(struct lab *lab, double ms)
{
    if (lab->ahead_ms > steady_ms / 50)
        lab->steady = (struct steady){lab->launches, ms};
    lab->launches = 0;
}
