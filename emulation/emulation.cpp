// SPDX-License-Identifier: MIT
// Runs CUDA kernels on the CPU. Every thread of a block is a fiber: a function with a stack of its
// own, that can stop at a barrier and go on later. Blocks are spread over the cores:
//
//     launch()      one worker per core, each takes the next block until none is left
//     run_block()   phase after phase: every thread, in random order, up to its next barrier
//     resume()      into a fiber;  suspend()  back to the worker
//
// Compile it without -fsanitize: it finds out at run time which sanitizer the program is linked with,
// and tells it about the fibers. What is not instrumented cannot be reported either.
#include "cuda_runtime.h"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstdint>
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

// ---- sanitizers: null where the program is linked without -----------------------------------
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
static const bool tsan = &__tsan_create_fiber != nullptr;
static const bool asan = &__asan_poison_memory_region != nullptr;

static void forbid(void *start, size_t bytes)
{
    if (asan)
        __asan_poison_memory_region(start, bytes);
}

static void allow(void *start, size_t bytes)
{
    if (asan)
        __asan_unpoison_memory_region(start, bytes);
}

// What was done before release() is known after acquire() of the same address.
static void release(void *address)
{
    if (tsan)
        __tsan_release(address);
}

static void acquire(void *address)
{
    if (tsan)
        __tsan_acquire(address);
}

// ---- contexts: where a function stopped -------------------------------------------------------
#if defined __x86_64__ && defined __linux__ && !defined EMULATION_UCONTEXT
// swapcontext() asks the kernel for the signal mask each time, which takes 30 times as long.
struct context {
    void *stack_pointer;
};

extern "C" void emulation_switch(context *from, const context *to);
__asm__(
    ".text\n"
    "emulation_switch:\n" // saves what a function must not change, and the place where it stopped
    "    push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
    "    mov %rsp, (%rdi)\n"
    "    mov (%rsi), %rsp\n"
    "    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
    "    ret\n");

static void prepare(context *c, char *stack, size_t bytes, void (*start)())
{
    void **top = reinterpret_cast<void **>(stack + bytes / 16 * 16);
    memset(top - 8, 0, 8 * sizeof *top);
    top[-2] = reinterpret_cast<void *>(start); // `ret` goes there
    c->stack_pointer = top - 8;                // below it, six registers
}
#else
#include <ucontext.h>
struct context {
    ucontext_t c;
};

static void emulation_switch(context *from, const context *to)
{
    swapcontext(&from->c, &to->c);
}

static void prepare(context *c, char *stack, size_t bytes, void (*start)())
{
    getcontext(&c->c);
    c->c.uc_stack.ss_sp = stack;
    c->c.uc_stack.ss_size = bytes;
    makecontext(&c->c, start, 0);
}
#endif

// ---- threads, blocks, workers -----------------------------------------------------------------
namespace
{
enum {
    MAX_THREADS = 1024,
    SHARED_BYTES = 48 * 1024, // of a block
    ARENA_BYTES = 64 * 1024,  // the same with gaps, which AddressSanitizer guards
    GAP = 64,
    CANARY = 0x5A,
};

// Not a power of two, so that the tops of the stacks do not meet in one set of the cache.
const size_t stack_bytes = (tsan || asan ? 256 : 64) * 1024 + 192;

struct fiber {
    std::unique_ptr<char[]> stack{new char[stack_bytes]};
    void *tsan_fiber = tsan ? __tsan_create_fiber(0) : nullptr;
    void *asan_stack = nullptr;
    context stopped;
    uint3 index;      // threadIdx
    const char *file; // of the barrier it waits at; null: it has returned
    int line;
};

struct shared_variable {
    const void *declaration;
    void *memory;
};

struct thread {
    unsigned number;
    fiber *runs_on; // null: it has not begun
};

// One per operating system thread.
struct worker {
    context stopped;
    void *tsan_fiber, *asan_stack;
    const void *asan_bottom; // of the stack of the worker itself
    size_t asan_size;
    std::vector<fiber> fibers;
    std::deque<fiber *> idle; // those of them that run no thread
    std::vector<char *> arenas;
    fiber *running = nullptr;
    uint3 block;    // blockIdx
    unsigned phase; // how many barriers the block has passed
    char *arena;    // its shared memory: [ gap | dynamic | gap | variable | gap | variable ... ]
    size_t arena_used, shared_used;
    std::vector<shared_variable> variables;
    char signal_stack[64 * 1024]; // a thread's own may be what overflowed
};

thread_local worker *self; // null outside of launches

// The launch that is running.
struct {
    emulation::configuration where{1, 1};
    void (*thread)(const void *);
    const void *context;
    uint64_t seed;
    size_t block_count;
    std::vector<uint32_t> order; // of the blocks
    std::atomic<size_t> next;
    std::atomic<bool> stop;
    char started, ended; // for acquire and release
} now;

std::mutex failure_mutex;
std::string failure;           // what is wrong with the kernel
cudaError_t last_error;        // what cudaGetLastError returns
std::atomic<cudaError_t> lost; // the device after a kernel that failed
std::map<char *, size_t> allocated;
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

// From a fiber back to its worker.
void suspend(bool forever = false)
{
    worker *w = self;
    fiber *f = w->running;
    if (asan)
        __sanitizer_start_switch_fiber(forever ? nullptr : &f->asan_stack, w->asan_bottom,
                                       w->asan_size);
    if (tsan)
        __tsan_switch_to_fiber(w->tsan_fiber, 1); // 1: this alone orders nothing
    emulation_switch(&f->stopped, &w->stopped);
    if (asan)
        __sanitizer_finish_switch_fiber(f->asan_stack, &w->asan_bottom, &w->asan_size);
}

// Where a fiber begins. It never returns; the next thread begins anew.
void run_thread()
{
    if (asan)
        __sanitizer_finish_switch_fiber(nullptr, &self->asan_bottom, &self->asan_size);
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
        fail("a thread of the kernel uses more than %zu KiB of stack", stack_bytes / 1024);
}

// A fiber for a thread of this block. For ThreadSanitizer, what one fiber does is in order, so it
// would see no race between two threads that took turns on one: there, a fiber rests until many
// others have run, and races between a block and those that ran just before it are seen as well.
fiber *start(worker *w, unsigned number)
{
    const dim3 size = now.where.block;
    const size_t enough = tsan ? std::max(2 * size.x * size.y * size.z, FIB) : 1;
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

// Is every thread at the same barrier?
void check_barrier(const worker *w, const std::vector<thread> &waiting, size_t returned)
{
    const fiber *first = waiting[0].runs_on, *other = nullptr;
    size_t elsewhere = 0;
    for (const thread &t : waiting)
        if (t.runs_on->line != first->line || strcmp(t.runs_on->file, first->file) != 0) {
            other = t.runs_on;
            elsewhere++;
        }
    char rest[64];
    if (other != nullptr)
        snprintf(rest, sizeof rest, "%zu at the one in line %d", elsewhere, other->line);
    else if (returned > 0)
        snprintf(rest, sizeof rest, "%zu have returned", returned);
    else
        return;
    fail(
        "%s:%d: barrier divergence: %zu threads of block (%u,%u) wait at this __syncthreads(), %s: "
        "all must come to the same",
        first->file, first->line, waiting.size() - elsewhere, w->block.x, w->block.y, rest);
}

// Shared memory that was never written is NaN, and out of bounds until a variable gets it.
void clear_shared_memory(worker *w)
{
    // ThreadSanitizer remembers who used what; new memory has no history.
    if (w->arenas.empty() || tsan)
        w->arenas.push_back(static_cast<char *>(aligned_alloc(GAP, ARENA_BYTES)));
    w->arena = w->arenas.back();
    allow(w->arena, ARENA_BYTES);
    memset(w->arena, 0xFF, ARENA_BYTES);
    forbid(w->arena, ARENA_BYTES);
    w->variables.clear();
    w->arena_used = w->shared_used = 0;
}

// The next `bytes` of it, in whole gaps, so that what follows is out of bounds.
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
    for (w->phase = 0; !threads.empty(); w->phase++) {
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
    if (!tsan && !asan) // they have their own
        sigaltstack(&stack, nullptr);
    self = w;
    if (tsan)
        w->tsan_fiber = __tsan_get_current_fiber();
    for (size_t i; (i = now.next++) < now.block_count && !now.stop;)
        run_block(w, now.order[i]);
    self = nullptr;
}

// AddressSanitizer: during a launch, everything but the guards may be used; otherwise, nothing.
void allow_device_memory(bool during_launch)
{
    for (auto &a : allocated) {
        const size_t guard = a.second > 2 * emulation::guard_bytes ? emulation::guard_bytes : 0;
        forbid(a.first, a.second);
        if (during_launch)
            allow(a.first + guard, a.second - 2 * guard);
    }
}

// The allocation that these bytes are part of, or end().
std::map<char *, size_t>::iterator find(const void *start, size_t bytes)
{
    char *first = static_cast<char *>(const_cast<void *>(start));
    auto a = allocated.upper_bound(first);
    if (a == allocated.begin())
        return allocated.end();
    --a;
    size_t offset = size_t(first - a->first);
    return offset <= a->second && bytes <= a->second - offset ? a : allocated.end();
}

cudaError_t result(cudaError_t error)
{
    if (error == cudaSuccess)
        error = lost;
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

// A device copy, or a memset, of device memory.
template <class F> cudaError_t change(F operation)
{
    if (lost == cudaSuccess) {
        for (auto &a : allocated)
            allow(a.first, a.second);
        operation();
        allow_device_memory(false);
    }
    return result(cudaSuccess);
}

void print_and_exit(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(status);
}

bool valid(const emulation::configuration &c)
{
    const dim3 &b = c.block, &g = c.grid;
    return b.x > 0 && b.y > 0 && b.z > 0 && b.x <= 1024 && b.y <= 1024 && b.z <= 64 &&
           b.x * b.y * b.z <= MAX_THREADS && g.x > 0 && g.y > 0 && g.z > 0 && g.x <= 0x7FFFFFFF &&
           g.y <= 65535 && g.z <= 65535;
}
} // namespace

// ---- what cuda_runtime.h declares -------------------------------------------------------------
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
    // Two addresses take turns, so that nobody learns from a thread that is a phase ahead.
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
    static std::vector<std::unique_ptr<worker>> workers;
    static uint64_t launches;
    if (lost != cudaSuccess)
        return;
    if (!valid(where) || where.shared > SHARED_BYTES) {
        last_error = valid(where) ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
        return;
    }
    const char *seed = getenv("EMULATION_SEED");
    uint64_t random = (seed != nullptr ? strtoull(seed, nullptr, 10) : 0) + (launches++ << 32);
    now.where = where;
    now.thread = thread;
    now.context = context;
    now.block_count = size_t(where.grid.x) * where.grid.y * where.grid.z;
    now.order.resize(now.block_count);
    std::iota(now.order.begin(), now.order.end(), 0);
    shuffle(now.order, &random);
    now.seed = random;
    now.next = 0;
    now.stop = false;

    if (workers.empty()) {
        // ThreadSanitizer sees every fiber of one worker, whatever the operating system does.
        workers.resize(tsan ? 1 : std::max(1u, std::thread::hardware_concurrency()));
        for (auto &w : workers)
            w.reset(new worker);
        struct sigaction action = {};
        action.sa_handler = lose_device;
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        for (int signal_number : {SIGSEGV, SIGBUS, SIGFPE})
            if (!tsan && !asan) // they say more
                sigaction(signal_number, &action, nullptr);
    }
    allow_device_memory(true);
    std::vector<std::thread> others;
    for (size_t i = 1; i < std::min(workers.size(), now.block_count); i++)
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

struct emulated_event {
    double ms; // negative: not recorded
};

static const struct {
    cudaError_t error;
    const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
};

const char *cudaGetErrorName(cudaError_t error)
{
    for (auto &e : errors)
        if (e.error == error)
            return e.name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (auto &e : errors)
        if (e.error == error)
            return e.text;
    return "unrecognized error code";
}

cudaError_t cudaGetLastError()
{
    cudaError_t error = last_error;
    last_error = lost;
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

static size_t memory_size()
{
    return size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    *p = {};
    snprintf(p->name, sizeof p->name, "CUDA emulated on the CPU");
    p->totalGlobalMem = memory_size();
    p->sharedMemPerBlock = SHARED_BYTES;
    p->maxThreadsPerBlock = MAX_THREADS;
    p->multiProcessorCount = int(std::thread::hardware_concurrency());
    return result(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSynchronize()
{
    return result(cudaSuccess); // a launch returns when its last thread has
}

cudaError_t cudaDeviceReset()
{
    return result(cudaSuccess);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    void *start = nullptr;
    if (bytes > memory_size() - allocated_bytes || posix_memalign(&start, 256, bytes) != 0)
        return result(cudaErrorMemoryAllocation);
    memset(start, 0xFF, bytes);
    forbid(start, bytes);
    allocated[static_cast<char *>(start)] = bytes;
    allocated_bytes += bytes;
    *memory = start;
    return result(cudaSuccess);
}

cudaError_t cudaFree(void *memory)
{
    auto a = find(memory, 0);
    if (memory != nullptr && (a == allocated.end() || a->first != memory))
        return result(cudaErrorInvalidValue);
    if (memory != nullptr) {
        allow(a->first, a->second);
        free(memory);
        allocated_bytes -= a->second;
        allocated.erase(a);
    }
    return result(cudaSuccess);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const bool to_device = find(to, bytes) != allocated.end();
    const bool from_device = find(from, bytes) != allocated.end();
    if (kind != cudaMemcpyDefault &&
        (to_device != (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) ||
         from_device != (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)))
        return result(cudaErrorInvalidValue);
    return change([&] { memmove(to, from, bytes); });
}

cudaError_t cudaMemset(void *memory, int byte, size_t bytes)
{
    if (find(memory, bytes) == allocated.end())
        return result(cudaErrorInvalidValue);
    return change([&] { memset(memory, byte, bytes); });
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    *total = memory_size();
    *free = *total - allocated_bytes;
    return result(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = new emulated_event{-1};
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
    event->ms = std::chrono::duration<double, std::milli>(since).count();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return result(cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    if (start->ms < 0 || stop->ms < 0)
        return result(cudaErrorInvalidResourceHandle);
    *ms = float(stop->ms - start->ms);
    return result(cudaSuccess);
}
