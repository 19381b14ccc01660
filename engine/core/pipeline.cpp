// SPDX-License-Identifier: MIT
// Copies that are on their way from global to shared memory: of each thread its own, or with a
// cuda::barrier.
#include "counting.h"
#include "emulation.h"
#include "sanitizers.h"

#include <cstdio>
#include <cstring>

namespace emulation
{
void check_copy(const void *to, const void *from, std::size_t bytes, std::size_t zeros, place at)
{
    const block *here = self->running->home;
    if (bytes != 4 && bytes != 8 && bytes != 16)
        fail("%s:%d: asynchronous copy: of %zu bytes, where a device copies 4, 8 or 16", at.file,
             at.line, bytes);
    else if (zeros > bytes)
        fail("%s:%d: asynchronous copy: of %zu bytes, and %zu of them zeros", at.file, at.line,
             bytes, zeros);
    else if (!here->is_shared(to, bytes))
        fail("%s:%d: asynchronous copy: to what is no shared memory of this block", at.file,
             at.line);
    else if (here->is_shared(from, bytes))
        fail("%s:%d: asynchronous copy: from shared memory, where a device copies from global "
             "memory",
             at.file, at.line);
    else if (reinterpret_cast<std::uintptr_t>(to) % bytes != 0 ||
             reinterpret_cast<std::uintptr_t>(from) % bytes != 0)
        misaligned(at, bytes);
    else {
        if (count_copy != nullptr)
            count_copy(to, from, bytes, zeros, at);
        pause_counting(true);
        return;
    }
    fiber::suspend();
}

// Is it the second of eight bytes' two words, and the first is on its way, too?
bool block::set_on_its_way(const word *to, bool is)
{
    const std::size_t at = shared_address(to) / sizeof(word);
    on_their_way[at] = is;
    return at % 2 == 1 && on_their_way[at - 1];
}

// AddressSanitizer: nobody may touch what a copy is to come to. Of eight bytes it can forbid all or
// the last four, and not the first four alone: these are forbidden when there are both.
static void leave_alone(const copy &c)
{
    pause_counting(false);
    forbid(c.to, c.words * sizeof(word));
    if (c.words == 1 && self->running->home->set_on_its_way(c.to, true))
        forbid(c.to - 1, sizeof(word));
}

// A device may read what it copies at any time until then.
static void let_come(const copy &c)
{
    if (std::memcmp(c.from, c.data, c.bytes) != 0) {
        fail("%s:%d: asynchronous copy: what it copies was changed before it was waited for",
             c.at.file, c.at.line);
        fiber::suspend();
    }
    allow(c.to, c.words * sizeof(word));
    if (c.words == 1)
        self->running->home->set_on_its_way(c.to, false);
    pause_counting(true);
}

void begin_copy(const copy &c)
{
    thread *t = self->running;
    t->copies.push_back({c, t->batches, nullptr});
    leave_alone(c);
}

void end_batch()
{
    self->running->batches++;
}

static bool is_in(const copy &c, const void *address)
{
    const char *to = reinterpret_cast<const char *>(c.to);
    return address >= to && address < to + c.words * sizeof(word);
}

// Who has begun a copy to this address that has not come?
// All work-items of a group must give the same copies in the same order.
bool block::gives_alike(size_t number, const group_copy &c)
{
    if (number > group_copies.size())
        group_copies.push_back(c);
    const group_copy &first = group_copies[number - 1];
    return first.to == c.to && first.from == c.from && first.count == c.count &&
           first.bytes == c.bytes && first.to_stride == c.to_stride &&
           first.from_stride == c.from_stride;
}

const place *block::find_copy(const void *address) const
{
    const char *a = static_cast<const char *>(address);
    for (const thread *t : threads)
        if (t != nullptr && t->home == this)
            for (const group_copy &c : t->group_copies)
                if (a >= c.to && a < c.to + c.count * c.bytes * c.to_stride)
                    return &c.at;
    for (const thread *t : threads)
        if (t != nullptr && t->home == this)
            for (auto *copies : {&t->copies, &t->copies_of_object})
                for (const auto &c : *copies)
                    if (is_in(c.what, address))
                        return &c.what.at;
    return nullptr;
}

bool take_copy(std::size_t but, copy *c)
{
    thread *t = self->running;
    pause_counting(false);
    if (t->copies.empty() || t->copies.front().batch + but >= t->batches)
        return false;
    *c = t->copies.front().what;
    t->copies.erase(t->copies.begin());
    let_come(*c);
    return true;
}

// ---- cuda::barrier ----------------------------------------------------------------------------
// Moved is nothing but the last one: ThreadSanitizer would see the others move.
bool block::take_copy(const barrier_state *b, copy *c)
{
    pause_counting(false);
    for (thread *t : threads)
        if (t != nullptr && t->home == this)
            for (auto &one : t->copies_of_object)
                if (one.object == b) {
                    *c = one.what;
                    one = t->copies_of_object.back();
                    t->copies_of_object.pop_back();
                    let_come(*c);
                    return true;
                }
    return false;
}

void block::wake(const barrier_state *b)
{
    for (thread *t : threads)
        if (t != nullptr && t->home == this && t->state == thread::AT_OBJECT && t->object == b)
            make_runnable(t);
}

// No thread of the block can go on, and this one waits for others to arrive.
void block::report_object_divergence(const thread *t)
{
    fail("%s:%d: barrier divergence: threads of block (%u,%u) wait at this barrier, to which %u of "
         "%u have come",
         t->at.file, t->at.line, index.x, index.y, t->object->arrived, t->object->expected);
}

void copy_for(barrier_state *b, const copy &c)
{
    self->running->copies_of_object.push_back({c, 0, b});
    leave_alone(c);
}

bool take_copy(barrier_state *b, copy *c)
{
    return self->running->home->take_copy(b, c);
}

bool is_last_to_arrive(barrier_state *b, place at)
{
    if (b->expected == 0 || b->expected > spoken.threads) {
        fail("%s:%d: barrier divergence: nobody has initialised this barrier, or not before all "
             "threads came: is there a __syncthreads() after init?",
             at.file, at.line);
        fiber::suspend();
    }
    release(&b->passed[b->phase % 2]);
    if (++b->arrived != b->expected)
        return false;
    acquire(&b->passed[b->phase % 2]);
    return true;
}

void end_phase(barrier_state *b)
{
    release(&b->passed[b->phase % 2]); // what came by copies, too
    b->arrived = 0;
    b->phase++;
    self->running->home->wake(b);
}

void wait_for_phase(barrier_state *b, unsigned phase, place at)
{
    thread *t = self->running;
    while (b->phase == phase) {
        t->state = thread::AT_OBJECT;
        t->object = b;
        t->at = at;
        fiber::suspend();
    }
    acquire(&b->passed[phase % 2]);
}
} // namespace emulation
