// SPDX-License-Identifier: MIT
// Launches a kernel: one thread of the operating system per core, each of which takes the next block,
// in random order, until none is left. Ends the program if the kernel is wrong.
#include "emulation.h"
#include "sanitizers.h"

#include <algorithm>
#include <cfenv>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>

namespace emulation
{
running_launch now;

static std::vector<uint32_t> order; // of the blocks
static std::atomic<size_t> next_block;
static std::string failure;

uint64_t next_random(uint64_t *state) // splitmix64, public domain
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// ---- kernels that are wrong -------------------------------------------------------------------
static void print_and_exit(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(status);
}

void (*leave)(int status, const char *format, ...) = print_and_exit;

void fail(const char *format, ...)
{
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (failure.empty())
        failure = text;
    now.stop = true;
}

// A kernel that touches memory that is not there loses the device, as on a GPU.
static void lose_device(int signal_number)
{
    if (!fiber::inside()) { // it was the host program: let it happen again, and end the program
        signal(signal_number, SIG_DFL);
        return;
    }
    lost = signal_number == SIGFPE ? cudaErrorLaunchFailure : cudaErrorIllegalAddress;
    now.stop = true;
    fiber::suspend();
}

// Whether computing with memory that was never written stops the program. AddressSanitizer then names
// the line.
static void trap_nan(bool trap)
{
#ifdef __GLIBC__
    if (asan && trap)
        feenableexcept(FE_INVALID);
    else if (asan)
        fedisableexcept(FE_INVALID);
#endif
}

// ---- launches ---------------------------------------------------------------------------------
static void run_blocks(multiprocessor *m)
{
    trap_nan(true);
    for (size_t i; (i = next_block++) < order.size() && !now.stop;)
        m->run_block(order[i]);
    trap_nan(false);
}

// One for each core. With ThreadSanitizer one in all: races must not depend on who runs when.
static std::vector<std::unique_ptr<multiprocessor>> create_multiprocessors()
{
    std::vector<std::unique_ptr<multiprocessor>> created(
        tsan ? 1 : std::max(1u, std::thread::hardware_concurrency()));
    for (auto &m : created)
        m.reset(new multiprocessor);
    for (int signal_number : {SIGSEGV, SIGBUS, SIGFPE})
        if (!tsan && !asan) // they say more
            signal(signal_number, lose_device);
    return created;
}

static cudaError_t check(const configuration &c)
{
    const dim3 &b = c.block, &g = c.grid;
    const bool is_valid = b.x > 0 && b.y > 0 && b.z > 0 && b.x <= 1024 && b.y <= 1024 &&
                          b.z <= 64 && b.x * b.y * b.z <= MAX_THREADS && g.x > 0 && g.y > 0 &&
                          g.z > 0 && g.x <= 0x7FFFFFFF && g.y <= 65535 && g.z <= 65535;
    if (!is_valid)
        return cudaErrorInvalidConfiguration;
    return c.shared > MAX_SHARED_BYTES ? cudaErrorInvalidValue : cudaSuccess;
}

// Starts everything, and waits for it.
void launch(const configuration &where, const std::function<void()> &thread)
{
    // Never destroyed, so that nothing of it seems leaked.
    static auto &multiprocessors = *new auto(create_multiprocessors());
    static uint64_t launches;
    if (fiber::inside()) {
        fail("a kernel launches a kernel: this is not emulated, it needs nvcc and a GPU");
        fiber::suspend();
    }
    if (lost != cudaSuccess)
        return;
    if (check(where) != cudaSuccess) {
        last_error = check(where);
        return;
    }

    const char *seed = getenv("EMULATION_SEED");
    uint64_t random = (seed != nullptr ? strtoull(seed, nullptr, 10) : 0) + (launches++ << 32);
    order.resize(size_t(where.grid.x) * where.grid.y * where.grid.z);
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, &random);
    next_block = 0;
    now.where = where;
    now.thread = thread;
    now.seed = random;
    now.stop = false;

    allow_device_memory(true);
    std::vector<std::thread> others;
    for (size_t i = 1; i < std::min(multiprocessors.size(), order.size()); i++)
        others.emplace_back(run_blocks, multiprocessors[i].get());
    run_blocks(multiprocessors[0].get());
    for (std::thread &t : others)
        t.join();
    allow_device_memory(false);

    if (!failure.empty())
        leave(1, "%s", failure.c_str());
    acquire(&now.ended);
    if (tsan) // which wants new memory for each block
        multiprocessors[0]->free_arenas();
}
} // namespace emulation
