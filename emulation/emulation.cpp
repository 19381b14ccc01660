// SPDX-License-Identifier: MIT
// Runs CUDA kernels on the CPU. Every thread of a block is a fiber: a function with a stack of its
// own, which can stop at a barrier and go on later. Blocks are spread over the cores:
//
//     launch()      one worker per core; each takes the next block until none is left
//     run_block()   phase after phase: every thread, in random order, up to its next barrier
//     resume()      into a fiber;  suspend()  back to its worker
//
// Compile this file without -fsanitize: it finds out at run time which sanitizer the kernel was built
// with, and tells it about the fibers. Its own reads and writes are nobody's concern.
#include "cuda_runtime.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

// ---- sanitizers: functions that are null where the program is linked without ----------------
#define WEAK __attribute__((weak))
extern "C" {
WEAK void *__tsan_get_current_fiber();
WEAK void *__tsan_create_fiber(unsigned flags);
WEAK void __tsan_switch_to_fiber(void *fiber, unsigned flags);
WEAK void __tsan_set_fiber_name(void *fiber, const char *name);
WEAK void __tsan_acquire(void *address);
WEAK void __tsan_release(void *address);
WEAK void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size);
WEAK void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *size);
WEAK void __asan_poison_memory_region(const void *start, size_t bytes);
WEAK void __asan_unpoison_memory_region(const void *start, size_t bytes);
}

namespace
{
const bool tsan = &__tsan_create_fiber != nullptr;
const bool asan = &__asan_poison_memory_region != nullptr;

void forbid(void *start, size_t bytes)
{
    if (asan)
        __asan_poison_memory_region(start, bytes);
}

void allow(void *start, size_t bytes)
{
    if (asan)
        __asan_unpoison_memory_region(start, bytes);
}

// Who acquires an address comes after everybody who has released it.
void release(void *address)
{
    if (tsan)
        __tsan_release(address);
}

void acquire(void *address)
{
    if (tsan)
        __tsan_acquire(address);
}
} // namespace

// ---- contexts: where a function stopped -------------------------------------------------------
#if defined __x86_64__ && defined __linux__ && !defined EMULATION_UCONTEXT
// swapcontext() does the same, but calls the operating system each time: 30 times as slow.
struct context {
    void *stack_pointer;
};

extern "C" void emulation_switch(context *from, const context *to);
__asm__(".text\n"
        "emulation_switch:\n" // saves the registers that a function must leave as they were
        "    push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov (%rsi), %rsp\n"
        "    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
        "    ret\n");

static void prepare(context *c, char *stack, size_t bytes, void (*start)())
{
    void **top = reinterpret_cast<void **>(stack + bytes / 16 * 16);
    memset(top - 8, 0, 8 * sizeof *top);
    top[-2] = reinterpret_cast<void *>(start); // where `ret` goes to
    c->stack_pointer = top - 8;                // below it the six registers
}
#else
#include <ucontext.h>
struct context {
    ucontext_t u;
};

static void emulation_switch(context *from, const context *to)
{
    swapcontext(&from->u, &to->u);
}

static void prepare(context *c, char *stack, size_t bytes, void (*start)())
{
    getcontext(&c->u);
    c->u.uc_stack.ss_sp = stack;
    c->u.uc_stack.ss_size = bytes;
    makecontext(&c->u, start, 0);
}
#endif

namespace
{
// ---- threads, blocks, workers -----------------------------------------------------------------
enum {
    MAX_THREADS = 1024,       // of a block
    SHARED_BYTES = 48 * 1024, // of a block
    ARENA_BYTES = 64 * 1024,  // the same with gaps between variables
    GAP = 64,
    CANARY = 0x5A,
};

// Not a power of two, so that the tops of all stacks do not meet in one set of the cache.
const size_t stack_bytes = (tsan || asan ? 256 : 64) * 1024 + 192;

struct fiber {
    std::unique_ptr<char[]> stack{new char[stack_bytes]};
    void *tsan_fiber = tsan ? __tsan_create_fiber(0) : nullptr;
    void *asan_stack = nullptr;
    context stopped;
    uint3 index;      // threadIdx
    const char *file; // of the barrier that it waits at; null: it has returned
    int line;
};

struct thread {
    unsigned number;
    fiber *runs_on; // null: it has not begun
};

struct shared_variable {
    const void *declaration;
    void *memory;
};

struct worker { // one per thread of the operating system
    context stopped;
    void *tsan_fiber, *asan_stack;
    const void *stack_bottom; // of its own stack
    size_t stack_size;
    char signal_stack[64 * 1024]; // a thread's own may be what overflowed
    std::vector<fiber> fibers;
    std::deque<fiber *> idle; // those of them that run no thread
    fiber *running = nullptr;
    uint3 block;    // blockIdx
    unsigned phase; // how many barriers its block has passed
    char *arena;    // the block's shared memory: [ gap | dynamic | gap | variable | gap | ... ]
    size_t arena_used, shared_used;
    std::vector<shared_variable> variables;
    std::vector<char *> arenas;
};

thread_local worker *self; // null outside of launches

struct { // the launch that is running
    emulation::configuration where{1, 1};
    void (*thread)(const void *);
    const void *context;
    uint64_t seed;
    std::vector<uint32_t> order; // of the blocks
    std::atomic<size_t> next;
    std::atomic<bool> stop;
    char started, ended; // addresses to release and acquire
} now;

std::mutex failure_mutex;
std::string failure;           // what is wrong with the kernel
cudaError_t last_error;        // what cudaGetLastError() returns
std::atomic<cudaError_t> lost; // why the device is lost; from then on every call returns it

auto &allocated = *new std::map<char *, size_t>; // never destroyed, so that nothing seems leaked
size_t allocated_bytes;

uint64_t random_number(uint64_t *state) // splitmix64, public domain
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

template <class T> void shuffle(std::vector<T> &items, uint64_t *state)
{
    for (size_t i = items.size(); i > 1; i--)
        std::swap(items[i - 1], items[(random_number(state) >> 32) * i >> 32]);
}

// Memory that was never written is NaN. Every other float of it, and every double, is a signalling
// one, which can be trapped: see work().
void fill(char *start, size_t bytes)
{
    static const unsigned char nan[8] = {0xA5, 0xA5, 0xA5, 0x7F, 0xA5, 0xA5, 0xF5, 0x7F};
    for (size_t i = 0; i < bytes; i++)
        start[i] = char(nan[i % 8]);
}

// The kernel is wrong: all workers stop, and launch() ends the program.
__attribute__((format(printf, 1, 2))) void fail(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::lock_guard<std::mutex> lock(failure_mutex);
    if (failure.empty())
        failure = text;
    now.stop = true;
}

void suspend(bool forever = false)
{
    worker *w = self;
    fiber *f = w->running;
    if (asan)
        __sanitizer_start_switch_fiber(forever ? nullptr : &f->asan_stack, w->stack_bottom,
                                       w->stack_size);
    if (tsan)
        __tsan_switch_to_fiber(w->tsan_fiber, 1); // 1: which puts nothing in order
    emulation_switch(&f->stopped, &w->stopped);
    if (asan)
        __sanitizer_finish_switch_fiber(f->asan_stack, &w->stack_bottom, &w->stack_size);
}

void run_thread() // where a fiber begins; it does not return
{
    if (asan)
        __sanitizer_finish_switch_fiber(nullptr, &self->stack_bottom, &self->stack_size);
    acquire(&now.started);
    now.thread(now.context);
    release(&now.ended);
    self->running->file = nullptr;
    suspend(true);
}

void resume(worker *w, fiber *f)
{
    w->running = f;
    if (asan)
        __sanitizer_start_switch_fiber(&w->asan_stack, f->stack.get(), stack_bytes);
    if (tsan)
        __tsan_switch_to_fiber(f->tsan_fiber, 1);
    emulation_switch(&w->stopped, &f->stopped);
    if (asan)
        __sanitizer_finish_switch_fiber(w->asan_stack, nullptr, nullptr);
    w->running = nullptr;
    if (f->stack[0] != CANARY)
        fail("a thread of the kernel needs more than %zu KiB of stack", stack_bytes / 1024);
}

// A fiber for a thread. To ThreadSanitizer, all that one fiber does is in order, and it would see no
// race between threads that took turns on one. There, a fiber rests while many others run, so that
// races within a block, and with the blocks that ran just before it, are seen.
fiber *start(worker *w, unsigned number)
{
    const dim3 size = now.where.block;
    const size_t enough = tsan ? std::max(2 * size.x * size.y * size.z, 512u) : 1;
    if (w->idle.empty() || w->fibers.size() < enough) {
        w->fibers.emplace_back();
        w->idle.push_front(&w->fibers.back());
    }
    fiber *f = w->idle.front();
    w->idle.pop_front();
    f->index = {number % size.x, number / size.x % size.y, number / size.x / size.y};
    f->stack[0] = CANARY;
    prepare(&f->stopped, f->stack.get(), stack_bytes, run_thread);
    if (tsan) {
        char name[64];
        snprintf(name, sizeof name, "thread (%u,%u) of block (%u,%u)", f->index.x, f->index.y,
                 w->block.x, w->block.y);
        __tsan_set_fiber_name(f->tsan_fiber, name);
    }
    return f;
}

// Some threads wait at a barrier. Do all of the block, and at the same?
void check_barrier(const worker *w, const std::vector<thread> &waiting, size_t returned)
{
    const fiber *first = waiting[0].runs_on, *last = first; // by their lines
    for (const thread &t : waiting) {
        first = t.runs_on->line < first->line ? t.runs_on : first;
        last = t.runs_on->line > last->line ? t.runs_on : last;
    }
    char others[64];
    if (first->line != last->line)
        snprintf(others, sizeof others, "others at the one in line %d", last->line);
    else if (returned > 0)
        snprintf(others, sizeof others, "%zu have returned", returned);
    else
        return;
    fail(
        "%s:%d: barrier divergence: threads of block (%u,%u) wait at this __syncthreads(), %s: all "
        "threads of a block must come to the same",
        first->file, first->line, w->block.x, w->block.y, others);
}

// Shared memory belongs to nobody until take_shared_memory() gives it out.
void clear_shared_memory(worker *w)
{
    if (w->arenas.empty() || tsan) { // ThreadSanitizer remembers who used it: take new memory
        w->arenas.push_back(static_cast<char *>(aligned_alloc(GAP, ARENA_BYTES)));
        w->arena_used = ARENA_BYTES;
    }
    w->arena = w->arenas.back();
    allow(w->arena, w->arena_used);
    fill(w->arena, w->arena_used);
    forbid(w->arena, w->arena_used);
    w->variables.clear();
    w->arena_used = w->shared_used = 0;
}

void *take_shared_memory(worker *w, size_t bytes)
{
    char *memory = w->arena + w->arena_used + GAP;
    w->shared_used += bytes;
    w->arena_used += GAP + (bytes + GAP - 1) / GAP * GAP;
    if (w->shared_used > SHARED_BYTES || w->arena_used > ARENA_BYTES) {
        fail("a block of the kernel has more than %d KiB of shared memory", SHARED_BYTES / 1024);
        suspend(true);
    }
    allow(memory, bytes);
    return memory;
}

void run_block(worker *w, unsigned number)
{
    const dim3 size = now.where.block, grid = now.where.grid;
    uint64_t random = now.seed + number;
    w->block = {number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y};
    clear_shared_memory(w);
    take_shared_memory(w, now.where.shared);
    release(&now.started);

    std::vector<thread> threads(size.x * size.y * size.z);
    for (unsigned i = 0; i < threads.size(); i++)
        threads[i] = {i, nullptr};
    for (w->phase = 0; !threads.empty() && !now.stop; w->phase++) {
        size_t waiting = 0, running = threads.size();
        shuffle(threads, &random);
        for (thread t : threads) {
            if (t.runs_on == nullptr)
                t.runs_on = start(w, t.number);
            resume(w, t.runs_on);
            if (now.stop)
                return;
            if (t.runs_on->file != nullptr)
                threads[waiting++] = t;
            else
                w->idle.insert(tsan ? w->idle.end() : w->idle.begin(), t.runs_on);
        }
        threads.resize(waiting);
        if (waiting > 0)
            check_barrier(w, threads, running - waiting);
    }
}

// A kernel that touches memory that is not there loses the device, as on a GPU.
void lose_device(int signal_number)
{
    if (self == nullptr || self->running == nullptr) { // not in a kernel
        signal(signal_number, SIG_DFL);
        raise(signal_number);
        return;
    }
    lost = signal_number == SIGFPE ? cudaErrorLaunchFailure : cudaErrorIllegalAddress;
    now.stop = true;
    suspend(true);
}

void work(worker *w)
{
    stack_t stack = {};
    stack.ss_sp = w->signal_stack;
    stack.ss_size = sizeof w->signal_stack;
    if (tsan)
        w->tsan_fiber = __tsan_get_current_fiber();
    else if (!asan) // the sanitizers have their own
        sigaltstack(&stack, nullptr);
#ifdef __GLIBC__
    if (asan) // which then names the line that computes with memory that was never written
        feenableexcept(FE_INVALID);
#endif
    self = w;
    for (size_t i; (i = now.next++) < now.order.size() && !now.stop;)
        run_block(w, now.order[i]);
    self = nullptr;
#ifdef __GLIBC__
    if (asan)
        fedisableexcept(FE_INVALID);
#endif
}

// For AddressSanitizer: kernels may touch all but the guards, the host program nothing.
void allow_device_memory(bool to_kernels)
{
    for (auto &a : allocated) {
        const size_t guard = a.second > 2 * emulation::guard_bytes ? emulation::guard_bytes : 0;
        forbid(a.first, a.second);
        if (to_kernels)
            allow(a.first + guard, a.second - 2 * guard);
    }
}

bool is_valid(const emulation::configuration &c)
{
    const dim3 &b = c.block, &g = c.grid;
    return b.x > 0 && b.y > 0 && b.z > 0 && b.x <= 1024 && b.y <= 1024 && b.z <= 64 &&
           b.x * b.y * b.z <= MAX_THREADS && g.x > 0 && g.y > 0 && g.z > 0 && g.x <= 0x7FFFFFFF &&
           g.y <= 65535 && g.z <= 65535;
}

void print_and_exit(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}
} // namespace

// ---- what cuda_runtime.h declares: the language -----------------------------------------------
size_t emulation::guard_bytes = 0;
void (*emulation::leave)(int status, const char *format, ...) = print_and_exit;

uint3 emulation::thread_index()
{
    return self->running->index;
}

uint3 emulation::block_index()
{
    return self->block;
}

dim3 emulation::block_size()
{
    return now.where.block;
}

dim3 emulation::grid_size()
{
    return now.where.grid;
}

void __syncthreads(const char *file, int line)
{
    // Two addresses of the block's own take turns: nobody learns from a thread a phase ahead.
    char *phase = self->arena + 8 * (self->phase & 1);
    self->running->file = file;
    self->running->line = line;
    release(phase);
    suspend();
    acquire(phase);
}

void *emulation::shared_memory(const void *declaration, size_t bytes)
{
    for (const shared_variable &v : self->variables)
        if (v.declaration == declaration)
            return v.memory;
    self->variables.push_back({declaration, take_shared_memory(self, bytes)});
    return self->variables.back().memory;
}

void *emulation::dynamic_memory()
{
    return self->arena + GAP;
}

void emulation::launch(const configuration &where, void (*thread)(const void *),
                       const void *context)
{
    static auto &workers = *new std::vector<std::unique_ptr<worker>>;
    static uint64_t launches;
    if (lost != cudaSuccess)
        return;
    if (!is_valid(where) || where.shared > SHARED_BYTES) {
        last_error = is_valid(where) ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
        return;
    }
    const char *seed = getenv("EMULATION_SEED");
    uint64_t random = (seed != nullptr ? strtoull(seed, nullptr, 10) : 0) + (launches++ << 32);
    now.where = where;
    now.thread = thread;
    now.context = context;
    now.order.resize(size_t(where.grid.x) * where.grid.y * where.grid.z);
    std::iota(now.order.begin(), now.order.end(), 0);
    shuffle(now.order, &random);
    now.seed = random;
    now.next = 0;
    now.stop = false;

    if (workers.empty()) { // one for ThreadSanitizer: races must not depend on who runs when
        for (unsigned i = 0; i < (tsan ? 1 : std::max(1u, std::thread::hardware_concurrency()));
             i++) {
            workers.emplace_back(new worker);
            workers[i]->fibers.reserve(2 * MAX_THREADS); // they must stay where they are
        }
        struct sigaction action = {};
        action.sa_handler = lose_device;
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        for (int signal_number : {SIGSEGV, SIGBUS, SIGFPE})
            if (!tsan && !asan) // they say more
                sigaction(signal_number, &action, nullptr);
    }
    allow_device_memory(true);
    std::vector<std::thread> others;
    for (size_t i = 1; i < std::min(workers.size(), now.order.size()); i++)
        others.emplace_back(work, workers[i].get());
    work(workers[0].get());
    for (std::thread &t : others)
        t.join();
    allow_device_memory(false);

    if (!failure.empty())
        leave(1, "%s", failure.c_str());
    acquire(&now.ended);
    for (auto &w : workers)
        for (; tsan && !w->arenas.empty(); w->arenas.pop_back())
            free(w->arenas.back());
}

// ---- what cuda_runtime.h declares: the runtime ------------------------------------------------
#define NAME(name, number, text)                                                                   \
    case name:                                                                                     \
        return #name;
#define TEXT(name, number, text)                                                                   \
    case name:                                                                                     \
        return text;

const char *cudaGetErrorName(cudaError_t error)
{
    switch (error) {
        CUDA_ERRORS(NAME)
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
        CUDA_ERRORS(TEXT)
    }
    return "unrecognized error code";
}

static cudaError_t result(cudaError_t error)
{
    if (error == cudaSuccess)
        error = lost;
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

cudaError_t cudaGetLastError()
{
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError()
{
    return last_error;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    *properties = {};
    snprintf(properties->name, sizeof properties->name, "CUDA emulated on the CPU");
    properties->totalGlobalMem = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
    properties->sharedMemPerBlock = SHARED_BYTES;
    properties->maxThreadsPerBlock = MAX_THREADS;
    properties->multiProcessorCount = int(std::thread::hardware_concurrency());
    return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize()
{
    return result(cudaSuccess); // a launch returns when its last thread has
}

// The allocation that these bytes are part of, or end().
static std::map<char *, size_t>::iterator find(const void *start, size_t bytes)
{
    char *first = static_cast<char *>(const_cast<void *>(start));
    auto a = allocated.upper_bound(first);
    if (a == allocated.begin())
        return allocated.end();
    --a;
    const size_t offset = size_t(first - a->first);
    return offset <= a->second && bytes <= a->second - offset ? a : allocated.end();
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    cudaDeviceProp device;
    void *start = nullptr;
    cudaGetDeviceProperties(&device, 0);
    if (bytes > device.totalGlobalMem - allocated_bytes || posix_memalign(&start, 256, bytes) != 0)
        return result(cudaErrorMemoryAllocation);
    *memory = start;
    fill(static_cast<char *>(start), bytes);
    forbid(start, bytes);
    allocated[static_cast<char *>(start)] = bytes;
    allocated_bytes += bytes;
    return result(cudaSuccess);
}

cudaError_t cudaFree(void *memory)
{
    auto a = find(memory, 0);
    if (memory == nullptr)
        return result(cudaSuccess);
    if (a == allocated.end() || a->first != memory)
        return result(cudaErrorInvalidValue);
    allow(a->first, a->second);
    free(memory);
    allocated_bytes -= a->second;
    allocated.erase(a);
    return result(cudaSuccess);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const bool to_device = find(to, bytes) != allocated.end();
    const bool from_device = find(from, bytes) != allocated.end();
    if (kind != cudaMemcpyDefault && kind != 2 * from_device + to_device)
        return result(cudaErrorInvalidValue);
    if (to_device)
        allow(to, bytes);
    if (from_device)
        allow(const_cast<void *>(from), bytes);
    memmove(to, from, bytes);
    allow_device_memory(false);
    return result(cudaSuccess);
}

cudaError_t cudaMemset(void *memory, int byte, size_t bytes)
{
    if (find(memory, bytes) == allocated.end())
        return result(cudaErrorInvalidValue);
    allow(memory, bytes);
    memset(memory, byte, bytes);
    allow_device_memory(false);
    return result(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new double(-1); // milliseconds; negative: not recorded
    return result(cudaSuccess);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return result(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event)
{
    auto since = std::chrono::steady_clock::now().time_since_epoch();
    *event = std::chrono::duration<double, std::milli>(since).count();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return result(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    if (*start < 0 || *stop < 0)
        return result(cudaErrorInvalidResourceHandle);
    *ms = float(*stop - *start);
    return result(cudaSuccess);
}
