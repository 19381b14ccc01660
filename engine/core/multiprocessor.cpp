// SPDX-License-Identifier: MIT
// Runs blocks on one core: two at a time, so that one may come between two barriers, or atomics, of
// the other, as on a device. And lends them its threads.
#include "emulation.h"
#include "sanitizers.h"

#include <algorithm>

namespace emulation
{
thread_local multiprocessor *self;

// One block in so many phases gives way to the other, whose threads must come into the caches then.
enum { STAY = 8 };

// ThreadSanitizer sees what two blocks do to each other without that.
multiprocessor::multiprocessor() : running(nullptr), blocks(tsan ? 1 : 2)
{
}

void multiprocessor::run_blocks()
{
    uint64_t random = now.seed;
    std::vector<block *> resident;
    unsigned number;
    self = this;
    for (block &b : blocks)
        if (take_block(&number)) {
            b.start(number);
            resident.push_back(&b);
        }
    for (size_t i = 0; !resident.empty() && !now.stop;) {
        if (random_below(STAY, &random) == 0)
            i = random_below(resident.size(), &random);
        if (resident[i]->go_on())
            continue;
        if (take_block(&number)) {
            resident[i]->start(number);
        } else {
            resident[i] = resident.back();
            resident.pop_back();
            i = 0;
        }
    }
    if (tsan && now.stop) // threads that a crash leaves in the middle have ended, too
        for (thread &t : threads)
            t.runs_on.release(&now.ended);
}

// To ThreadSanitizer, all that one fiber does is in order, and it would see no race between threads
// that take turns on one. There, a fiber rests while the others run, so that it sees the races
// within a block, and with the block that ran just before it: few pairs of threads of the two have
// the same fiber, and others each time. A fiber takes a millisecond to make.
thread *multiprocessor::take_thread()
{
    const dim3 size = now.where.block;
    const size_t enough = tsan ? std::max(size.x * size.y * size.z + 32, 256u) : 1;
    if (idle.empty() || threads.size() < enough) {
        threads.emplace_back();
        idle.push_front(&threads.back());
    }
    thread *t = idle.front();
    idle.pop_front();
    return t;
}

void multiprocessor::run(thread *t)
{
    running = t;
    trap_nan(true);
    t->runs_on.resume();
    trap_nan(false);
    if (t->state != thread::RETURNED)
        return;
    if (tsan)
        idle.push_back(t);
    else
        idle.push_front(t); // what it used is in the caches
}

void multiprocessor::free_arenas()
{
    for (block &b : blocks)
        b.free_arenas();
}
} // namespace emulation
