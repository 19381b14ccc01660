// SPDX-License-Identifier: MIT
// Runs the threads of a block, each on a fiber, phase after phase: in a phase every thread runs, in
// random order, up to its next barrier. And gives out the block's shared memory.
#include "emulation.h"
#include "sanitizers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace emulation
{
static thread_local multiprocessor *self;

// ---- threads ----------------------------------------------------------------------------------
void multiprocessor::run_block(unsigned number)
{
    const dim3 size = now.where.block, grid = now.where.grid;
    uint64_t random = now.seed + number;
    self = this;
    block = {number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
    clear_shared_memory();
    take_shared_memory(now.where.shared);
    release(&now.started);

    std::vector<unsigned> order(size.x * size.y * size.z);
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, &random);
    waiting.clear();
    phase = 0;
    for (unsigned i : order)
        if (!now.stop)
            run(start(i));
    while (!waiting.empty() && !now.stop) {
        check_barrier();
        std::vector<thread *> runnable;
        runnable.swap(waiting);
        shuffle(runnable, &random);
        phase++;
        for (thread *t : runnable)
            if (!now.stop)
                run(t);
    }
}

static void call_kernel() // what every fiber does
{
    acquire(&now.started);
    now.thread();
    release(&now.ended);
    self->running->file = nullptr;
}

// To ThreadSanitizer, all that one fiber does is in order, and it would see no race between threads
// that take turns on one. There, a fiber rests while many others run, so that it sees the races
// within a block, and with the blocks that ran just before it.
thread *multiprocessor::start(unsigned number)
{
    const dim3 size = now.where.block;
    const size_t enough = tsan ? std::max(2 * size.x * size.y * size.z, 512u) : 1;
    threads.reserve(2 * MAX_THREADS); // once and for all: they must stay where they are
    if (idle.empty() || threads.size() < enough) {
        threads.emplace_back();
        idle.push_front(&threads.back());
    }
    thread *t = idle.front();
    idle.pop_front();
    t->index = {number % size.x, number / size.x % size.y, number / size.x / size.y};
    t->runs_on.start(call_kernel);
    if (tsan) {
        char name[64];
        snprintf(name, sizeof name, "thread (%u,%u) of block (%u,%u)", t->index.x, t->index.y,
                 block.x, block.y);
        t->runs_on.set_name(name);
    }
    return t;
}

void multiprocessor::run(thread *t)
{
    running = t;
    t->runs_on.resume();
    if (t->runs_on.overflowed()) // at once: it wrote over what others need
        leave(1, "a thread of the kernel needs more than %zu KiB of stack",
              fiber::stack_bytes / 1024);
    if (t->file != nullptr)
        waiting.push_back(t);
    else
        idle.push_back(t);
}

void multiprocessor::wait_at_barrier(const char *file, int line, int number)
{
    // ThreadSanitizer: what all threads release before the barrier, and acquire after it. A place in
    // the block's own memory, or it would put blocks in order; two that take turns, or a thread would
    // learn from those that are a phase ahead.
    char *passed = arenas.back() + phase % 2 * 8;
    running->file = file;
    running->line = line;
    running->number = number;
    release(passed);
    fiber::suspend();
    acquire(passed);
}

// Some threads wait at a barrier. Do all of the block, and at the same?
void multiprocessor::check_barrier()
{
    const dim3 size = now.where.block;
    const size_t returned = size.x * size.y * size.z - waiting.size();
    auto [first, last] =
        std::minmax_element(waiting.begin(), waiting.end(),
                            [](const thread *a, const thread *b) { return a->number < b->number; });
    char others[64];
    if ((*first)->number != (*last)->number)
        snprintf(others, sizeof others, "others at the one in line %d", (*last)->line);
    else if (returned > 0)
        snprintf(others, sizeof others, "%zu have returned", returned);
    else
        return;
    fail("%s:%d: barrier divergence: threads of block (%u,%u) wait at this __syncthreads(), %s: "
         "all threads of a block must come to the same one",
         (*first)->file, (*first)->line, block.x, block.y, others);
}

// ---- shared memory: [ gap | dynamic | gap | variable | gap | variable | ... ] -----------------
enum { GAP = 64, ARENA_BYTES = 64 * 1024 };

// All of it is unwritten, and belongs to nobody until take_shared_memory() gives it out.
void multiprocessor::clear_shared_memory()
{
    if (arenas.empty() || tsan) { // which remembers who used memory: each block takes new
        arenas.push_back(static_cast<char *>(aligned_alloc(GAP, ARENA_BYTES)));
        arena_used = ARENA_BYTES;
    }
    char *arena = arenas.back();
    allow(arena, arena_used);
    fill_with_nan(arena, arena_used);
    forbid(arena, arena_used);
    variables.clear();
    arena_used = shared_used = 0;
}

void *multiprocessor::take_shared_memory(size_t bytes)
{
    char *memory = arenas.back() + arena_used + GAP;
    shared_used += bytes;
    arena_used += GAP + (bytes + GAP - 1) / GAP * GAP;
    if (shared_used > MAX_SHARED_BYTES || arena_used > ARENA_BYTES) {
        fail("a block of the kernel has more than %d KiB of shared memory",
             MAX_SHARED_BYTES / 1024);
        fiber::suspend();
    }
    allow(memory, bytes);
    return memory;
}

void *multiprocessor::dynamic_memory()
{
    if (now.where.shared == 0) {
        fail("an extern __shared__ array gets no memory: the launch gives its bytes, as the third "
             "of <<<grid, block, bytes>>>");
        fiber::suspend();
    }
    return arenas.back() + GAP;
}

void *multiprocessor::shared_variable(const void *declaration, size_t bytes)
{
    for (const variable &v : variables)
        if (v.declaration == declaration)
            return v.memory;
    variables.push_back({declaration, take_shared_memory(bytes)});
    return variables.back().memory;
}

void multiprocessor::free_arenas()
{
    for (char *arena : arenas)
        free(arena);
    arenas.clear();
}

// ---- what cuda_runtime.h declares -------------------------------------------------------------
uint3 thread_index()
{
    return self->running->index;
}

uint3 block_index()
{
    return self->block;
}

dim3 block_size()
{
    return now.where.block;
}

dim3 grid_size()
{
    return now.where.grid;
}

void *shared_memory(const void *declaration, size_t bytes)
{
    return self->shared_variable(declaration, bytes);
}

void *dynamic_memory()
{
    return self->dynamic_memory();
}

void barrier(const char *file, int line, int number)
{
    self->wait_at_barrier(file, line, number);
}
} // namespace emulation
