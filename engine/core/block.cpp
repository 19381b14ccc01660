// SPDX-License-Identifier: MIT
// Runs the threads of a block, each on a fiber, phase after phase: in a phase every thread runs, in
// random order, up to its next barrier. And gives out the block's shared memory.
#include "counting.h"
#include "emulation.h"
#include "sanitizers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>

namespace emulation
{
// ---- threads ----------------------------------------------------------------------------------
void block::start(unsigned number)
{
    const dim3 size = now.where.block, grid = now.where.grid;
    const unsigned count = size.x * size.y * size.z;
    random = now.seed + number;
    index = {number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
    clear_shared_memory();
    release(&now.started);

    unstarted.resize(count);
    std::iota(unstarted.begin(), unstarted.end(), 0);
    shuffle(unstarted, &random);
    runnable.clear();
    runnable.reserve(
        count); // ThreadSanitizer would see how a vector grows in the fibers that share it
    variables.reserve(MAX_VARIABLES);
    group_copies.clear();
    threads.assign(count, nullptr);
    warps.assign((count - 1) / WARP + 1, {~0u, 0});
    if (count % WARP != 0)
        warps.back().live = (1u << count % WARP) - 1;
    at_barrier = returned = phase = 0;
    voting = counted = 0;
}

static void call_kernel() // what every fiber does
{
    acquire(&now.started);
    now.thread->run();
    release(&now.ended);
    self->running->home->leave();
}

// The thread that runs has come to its end.
void block::leave()
{
    thread *t = self->running;
    warp &w = warps[t->number / WARP];
    if (!t->group_copies.empty())
        fail("%s:%d: asynchronous copy: no wait_group_events() waits for it",
             t->group_copies[0].at.file, t->group_copies[0].at.line);
    t->state = thread::RETURNED;
    returned++;
    w.live &= ~(1u << t->number % WARP);
    for (unsigned lane = 0; w.waiting >> lane != 0 && lane < WARP; lane++) // for nobody else?
        if (w.waiting >> lane & 1) {
            thread *other = threads[t->number / WARP * WARP + lane];
            if (other->state == thread::AT_WARP_CALL && (other->mask & w.live & ~w.waiting) == 0)
                make_runnable(other);
        }
}

thread *block::next()
{
    if (runnable.empty() && unstarted.empty())
        return nullptr;
    thread *t;
    if (unstarted.empty() || (!runnable.empty() && random_below(2, &random) == 0)) {
        t = runnable.back();
        runnable.pop_back();
        return t;
    }
    const dim3 size = now.where.block;
    t = self->take_thread();
    t->home = this;
    t->number = unstarted.back();
    t->index = {t->number % size.x, t->number / size.x % size.y, t->number / size.x / size.y};
    t->at = {nullptr, 0};
    t->has_fenced = false;
    t->copies.clear();
    t->copies_of_object.clear();
    t->group_copies.clear();
    t->group_copies_begun = 0;
    t->batches = 0;
    t->runs_on.start(call_kernel);
    if (tsan) {
        char name[64];
        snprintf(name, sizeof name, "%s (%u,%u) of %s (%u,%u)", spoken.thread, t->index.x,
                 t->index.y, spoken.block, index.x, index.y);
        t->runs_on.set_name(name);
    }
    threads[t->number] = t;
    unstarted.pop_back();
    return t;
}

void block::make_runnable(thread *t)
{
    t->state = thread::RUNNABLE;
    runnable.push_back(t);
    std::swap(runnable.back(), runnable[random_below(runnable.size(), &random)]);
}

bool block::go_on()
{
    while (thread *t = next()) {
        self->run(t);
        if (now.stop)
            return false;
        if (t->state == thread::GIVES_WAY) {
            make_runnable(t);
            return true;
        }
    }
    if (returned == threads.size()) {
        if (count_phase != nullptr)
            count_phase(this);
        return false;
    }
    end_phase();
    return true;
}

// The other threads of this block go on, or another block.
void block::give_way_sometimes()
{
    if (random_below(4, &random) != 0)
        return;
    self->running->state = thread::GIVES_WAY;
    fiber::suspend();
}

// ---- barriers ---------------------------------------------------------------------------------
int block::wait_at_barrier(place at, int number, bool vote, bool orders)
{
    // ThreadSanitizer: what all threads release before the barrier, and acquire after it. A place
    // in the block's own memory, or it would put blocks in order; two that take turns, or a thread
    // would learn from those that are a phase ahead.
    char *passed = arenas.back() + phase % 2 * 8;
    thread *t = self->running;
    t->state = thread::AT_BARRIER;
    t->at = at;
    t->barrier = number;
    at_barrier++;
    voting += vote;
    if (orders)
        release(passed);
    fiber::suspend();
    if (orders)
        acquire(passed);
    return counted;
}

// No thread can go on. Do all of the block wait at the same barrier?
void block::end_phase()
{
    for (const thread *t : threads)
        if (t->home == this && t->state == thread::AT_OBJECT) {
            report_object_divergence(t);
            return;
        } else if (t->home == this && t->state == thread::AT_WARP_CALL) {
            report_warp_divergence(t);
            return;
        }
    const int number = threads[0]->barrier;
    if (returned > 0 || std::any_of(threads.begin(), threads.end(),
                                    [&](const thread *t) { return t->barrier != number; })) {
        report_barrier_divergence();
        return;
    }
    if (count_phase != nullptr)
        count_phase(this);
    at_barrier = 0;
    counted = voting;
    voting = 0;
    phase++;
    for (thread *t : threads)
        make_runnable(t);
}

// Is there a warp of which some threads wait at this barrier and others do not?
bool block::have_warps_diverged(int barrier) const
{
    for (size_t first = 0; first < threads.size(); first += WARP) {
        const size_t end = std::min<size_t>(first + WARP, threads.size());
        size_t waiting = 0;
        for (size_t i = first; i < end; i++) // another may have the fiber of one that returned
            waiting += (warps[i / WARP].live >> i % WARP & 1) && threads[i]->barrier == barrier;
        if (waiting != 0 && waiting != end - first)
            return true;
    }
    return false;
}

void block::report_barrier_divergence()
{
    std::vector<const thread *> waiting;
    for (size_t i = 0; i < threads.size(); i++)
        if (warps[i / WARP].live >> i % WARP & 1)
            waiting.push_back(threads[i]);
    auto [first, last] =
        std::minmax_element(waiting.begin(), waiting.end(), [](const thread *a, const thread *b) {
            return a->barrier < b->barrier;
        });
    char others[64];
    if ((*first)->barrier != (*last)->barrier)
        snprintf(others, sizeof others, "others at the one in line %d", (*last)->at.line);
    else
        snprintf(others, sizeof others, "%zu have returned", returned);
    fail("%s:%d: barrier divergence: %ss of %s (%u,%u) wait at this %s, %s: all %ss of a %s must "
         "come to the same one%s",
         (*first)->at.file, (*first)->at.line, spoken.thread, spoken.block, index.x, index.y,
         spoken.barrier, others, spoken.thread, spoken.block,
         have_warps_diverged((*first)->barrier) ? ""
                                                : " (a GPU counts warps, and may let these pass)");
}

// ---- shared memory: [ gap | dynamic | gap | variable | gap | variable | ... ] -----------------
enum { GAP = 128, MAX_ALIGNMENT = 1024, GAPS = 16 * 1024 };

static size_t round_up(size_t bytes, size_t multiple)
{
    return (bytes + multiple - 1) / multiple * multiple;
}

// All of it is unwritten, and belongs to nobody until take_shared_memory() gives it out: here what
// is dynamic.
void block::clear_shared_memory()
{
    const size_t bytes =
        round_up(spoken.shared_bytes + GAPS + MAX_ALIGNMENT + now.where.shared, MAX_ALIGNMENT);
    if (!arenas.empty() && arena_bytes < bytes)
        free_arenas();
    if (arenas.empty() || tsan) { // which remembers who used memory: each block takes new
        arenas.push_back(static_cast<char *>(aligned_alloc(MAX_ALIGNMENT, bytes)));
        arena_bytes = arena_used = bytes;
    }
    char *arena = arenas.back();
    allow(arena, arena_used);
    forget(arena, arena_used);
    forbid(arena, arena_used);
    on_their_way.assign(arena_bytes / sizeof(word), false);
    variables.clear();
    arena_used = shared_used = 0;
    take_shared_memory(now.where.shared, MAX_ALIGNMENT);
}

void *block::take_shared_memory(size_t bytes, size_t alignment)
{
    const size_t start = round_up(arena_used + GAP, alignment);
    shared_used += bytes;
    arena_used = round_up(start + bytes, GAP);
    if (shared_used - now.where.shared > spoken.shared_bytes || shared_used > now.shared_limit ||
        arena_used > arena_bytes) {
        fail("a %s of the kernel has more than %zu KiB of shared memory", spoken.block,
             std::min<size_t>(now.shared_limit, spoken.shared_bytes + now.where.shared) / 1024);
        fiber::suspend();
    }
    allow(arenas.back() + start, bytes);
    return arenas.back() + start;
}

void *block::dynamic_memory()
{
    if (now.where.shared == 0) {
        fail("an extern __shared__ array gets no memory: the launch gives its bytes, as the third "
             "of <<<grid, block, bytes>>>");
        fiber::suspend();
    }
    return arenas.back() + MAX_ALIGNMENT;
}

void *block::shared_variable(const void *declaration, size_t bytes, size_t alignment)
{
    for (const variable &v : variables)
        if (v.declaration == declaration)
            return v.memory;
    variables.push_back({declaration, take_shared_memory(bytes, alignment)});
    return variables.back().memory;
}

// Is this all in the block's own?
bool block::is_shared(const void *start, size_t bytes) const
{
    const char *first = static_cast<const char *>(start), *arena = arenas.back();
    return first >= arena && first + bytes <= arena + arena_used;
}

bool block::is_near(const void *address) const
{
    const char *a = static_cast<const char *>(address), *arena = arenas.back();
    return a >= arena - MAX_ALIGNMENT && a < arena + arena_bytes + MAX_ALIGNMENT;
}

// 0: the dynamic memory, or none of the variables; else their number, in the order in which they
// were first come to.
unsigned block::shared_array(const void *address) const
{
    for (size_t i = variables.size(); i > 0; i--)
        if (address >= variables[i - 1].memory)
            return unsigned(i);
    return 0;
}

unsigned block::shared_arrays() const
{
    return unsigned(variables.size());
}

size_t block::shared_start(unsigned array) const
{
    return array == 0 ? size_t(MAX_ALIGNMENT) : shared_address(variables[array - 1].memory);
}

// Nothing has the number 0, and an end of what there is has one, too.
size_t block::shared_address(const void *pointer) const
{
    const char *p = static_cast<const char *>(pointer), *arena = arenas.back();
    return p >= arena && p <= arena + arena_used ? size_t(p - arena) : 0;
}

void *block::shared_pointer(size_t address) const
{
    return address > 0 && address <= arena_used ? arenas.back() + address : nullptr;
}

void block::free_arenas()
{
    for (char *arena : arenas) {
        allow(arena, arena_bytes);
        free(arena);
    }
    arenas.clear();
}

// ---- what kernels call ------------------------------------------------------------------------
uint3 __thread_index()
{
    return self->running->index;
}

uint3 __block_index()
{
    return self->running->home->index;
}

dim3 __block_size()
{
    return now.where.block;
}

dim3 __grid_size()
{
    return now.where.grid;
}

void *shared_memory(const void *declaration, size_t bytes, size_t alignment)
{
    return self->running->home->shared_variable(declaration, bytes, alignment);
}

void *dynamic_memory()
{
    return self->running->home->dynamic_memory();
}

size_t shared_address(const void *pointer, place at)
{
    const size_t address = self->running->home->shared_address(pointer);
    if (address == 0) {
        fail("%s:%d: this pointer is none to shared memory of the block", at.file, at.line);
        fiber::suspend();
    }
    return address;
}

void *shared_pointer(size_t address, place at)
{
    void *pointer = self->running->home->shared_pointer(address);
    if (pointer == nullptr) {
        fail("%s:%d: this is no address in shared memory of the block", at.file, at.line);
        fiber::suspend();
    }
    return pointer;
}

int __barrier(place at, int number, bool vote, bool orders)
{
    return self->running->home->wait_at_barrier(at, number, vote, orders);
}

void fence()
{
    self->running->has_fenced = true;
}

// ThreadSanitizer: who uses this atomic later comes after what this thread did before its fence.
// (And after what it did between the fence and now, which a device does not promise.)
void before_atomic(void *address)
{
    if (self->running->has_fenced)
        release(address);
    self->running->home->give_way_sometimes();
}

// The atomic itself comes before, too: the last of all may set the counter to 0 without one.
void after_atomic(void *address)
{
    if (self->running->has_fenced)
        release(address);
}

void __within_bounds(place at, unsigned threads, unsigned, unsigned)
{
    const dim3 size = now.where.block;
    if (size.x * size.y * size.z <= threads)
        return;
    fail("%s:%d: too many threads: %u in a block, but __launch_bounds__ promises %u at most, and a "
         "device refuses this launch (cudaErrorInvalidValue)",
         at.file, at.line, size.x * size.y * size.z, threads);
    fiber::suspend();
}

void refuse(place at, const char *what)
{
    fail("%s:%d: %s is not emulated: it needs nvcc and a GPU", at.file, at.line, what);
    fiber::suspend();
}

bool is_private(const void *address)
{
    return fiber::owns(address);
}

void misaligned(place at, size_t alignment)
{
    static const char format[] =
        "%s:%d: misaligned address: what is read or written here must begin "
        "at a multiple of %zu bytes%s";
    if (!fiber::inside())
        exit_with(1, format, at.file, at.line, alignment, spoken.misaligned);
    fail(format, at.file, at.line, alignment, spoken.misaligned);
    fiber::suspend();
    abort(); // does not come here: nobody resumes it
}
} // namespace emulation

void __nanosleep(unsigned)
{
    emulation::self->running->home->give_way_sometimes();
}

long long clock64()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    emulation::self->running->home->give_way_sometimes();
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}
