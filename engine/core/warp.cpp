// SPDX-License-Identifier: MIT
// The lanes of a warp meet: all that the mask names and that have not returned come to the same
// call with the same mask, as CUDA demands. Nothing else orders them.
#include "emulation.h"
#include "sanitizers.h"

#include <cstdio>
#include <cstring>

namespace emulation
{
// What a lane gets from one that is not there. A device gives anything; this shows in the result.
static const unsigned long long NOTHING = 0x7FFDA5A57FEDA5A5;

received block::meet(const char *call, unsigned mask, given mine, place at)
{
    thread *t = self->running;
    const unsigned lane = t->number % WARP;
    if (!(mask >> lane & 1)) {
        fail("%s:%d: warp divergence: lane %u calls this %s, whose mask 0x%08x does not name it",
             at.file, at.line, lane, call, mask);
        fiber::suspend();
    }
    t->at = at;
    t->call = call;
    t->mask = mask;
    t->mine = mine;
    t->met = nullptr;
    warps[t->number / WARP].waiting |= 1u << lane;
    release(&t->arrived);
    while (t->met == nullptr && !try_to_meet(t)) {
        t->state = thread::AT_WARP_CALL;
        fiber::suspend();
    }
    acquire(t->met);
    return t->theirs;
}

static bool is_same(const thread *a, const thread *b)
{
    return a->mask == b->mask && (a->call == b->call || strcmp(a->call, b->call) == 0) &&
           a->mine.together == b->mine.together;
}

// If all that this thread waits for have come, each gets what is for it, and the others go on, too.
bool block::try_to_meet(thread *t)
{
    warp &w = warps[t->number / WARP];
    thread **lanes = &threads[t->number / WARP * WARP];
    const unsigned present = t->mask & w.live;
    unsigned votes = 0;
    if ((present & ~w.waiting) != 0)
        return false;
    for (unsigned i = 0; i < WARP; i++)
        if (present >> i & 1) {
            if (!is_same(lanes[i], t))
                return false;
            votes |= unsigned(lanes[i]->mine.vote) << i;
        }

    if (t->mine.together != nullptr && present != ~0u) {
        fail("%s:%d: warp divergence: this %s takes all 32 lanes of the warp, and there are %d",
             t->at.file, t->at.line, t->call, __builtin_popcount(present));
        fiber::suspend();
    }
    uint64_t *passed = &t->passed[t->meetings++ % 2];
    for (unsigned i = 0; i < WARP; i++)
        if (present >> i & 1)
            acquire(&lanes[i]->arrived);
    if (t->mine.together != nullptr) {
        void *parts[WARP];
        for (unsigned i = 0; i < WARP; i++)
            parts[i] = lanes[i]->mine.part;
        t->mine.together(parts);
    }
    release(passed);
    w.waiting &= ~present;
    for (unsigned i = 0; i < WARP; i++)
        if (present >> i & 1) {
            const unsigned source = lanes[i]->mine.source;
            const bool is_there = source < WARP && (present >> source & 1);
            lanes[i]->theirs = {votes, is_there ? lanes[source]->mine.value : NOTHING};
            lanes[i]->met = passed;
            if (lanes[i]->state == thread::AT_WARP_CALL)
                make_runnable(lanes[i]);
        }
    return true;
}

// No thread of the block can go on, and this one waits in a call of its warp.
void block::report_warp_divergence(const thread *t)
{
    const warp &w = warps[t->number / WARP];
    unsigned lane = 0;
    const thread *other = nullptr;
    for (unsigned i = 0; i < WARP && other == nullptr; i++)
        if (t->mask & w.live & 1u << i) {
            const thread *o = threads[t->number / WARP * WARP + i];
            if (o->state != thread::AT_WARP_CALL || !is_same(o, t)) {
                other = o;
                lane = i;
            }
        }
    char does[96];
    if (other->state != thread::AT_WARP_CALL)
        snprintf(does, sizeof does, "waits at the __syncthreads() in line %d", other->at.line);
    else
        snprintf(does, sizeof does, "waits at the %s in line %d with the mask 0x%08x", other->call,
                 other->at.line, other->mask);
    fail("%s:%d: warp divergence: thread (%u,%u) of block (%u,%u) waits at this %s with the mask "
         "0x%08x for lane %u, which %s",
         t->at.file, t->at.line, t->index.x, t->index.y, index.x, index.y, t->call, t->mask, lane,
         does);
}

// ---- what kernels call ------------------------------------------------------------------------
unsigned lane()
{
    return self->running->number % WARP;
}

received meet(const char *call, unsigned mask, given mine, place at)
{
    return self->running->home->meet(call, mask, mine, at);
}
} // namespace emulation
