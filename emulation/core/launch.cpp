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
#include <thread>

namespace emulation
{
running_launch now;

static std::vector<uint32_t> order; // of the blocks
static std::atomic<size_t> next_block;
static char failure[512];

bool take_block(unsigned *number)
{
    const size_t i = next_block++;
    if (i < order.size())
        *number = order[i];
    return i < order.size();
}

// ---- kernels that are wrong -------------------------------------------------------------------
void fail(const char *format, ...)
{
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    va_list arguments;
    va_start(arguments, format);
    if (failure[0] == '\0') // of several, the first
        vsnprintf(failure, sizeof failure, format, arguments);
    va_end(arguments);
    now.stop = true;
    release(&now.ended);
}

// A kernel that touches memory that is not there loses the device, as on a GPU; so does a wrong assert(),
// which has said so.
static void kernel_trapped(int signal_number, siginfo_t *info, void *)
{
    if (!fiber::inside()) { // it was the host program: let it happen again, and end the program
        signal(signal_number, SIG_DFL);
        return;
    }
    if (fiber::overflows_at(info->si_addr)) {
        const uint3 t = thread_index(), b = block_index();
        fail(
            "thread (%u,%u) of block (%u,%u) needs more than %zu KiB of stack: a function that calls "
            "itself, or large private arrays?",
            t.x, t.y, b.x, b.y, fiber::stack_bytes / 1024);
    } else {
        lost_at = info->si_addr;
        lost = signal_number == SIGFPE    ? cudaErrorLaunchFailure
               : signal_number == SIGABRT ? cudaErrorAssert
                                          : cudaErrorIllegalAddress;
    }
    now.stop = true;
    fiber::suspend();
}

static void catch_signals()
{
    struct sigaction action = {};
    action.sa_sigaction = kernel_trapped;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER; // it does not return
    sigaction(SIGABRT, &action, nullptr);
    if (!tsan && !asan) // they say more
        for (int signal_number : {SIGSEGV, SIGBUS, SIGFPE})
            sigaction(signal_number, &action, nullptr);
}

// For this thread of the operating system: a fiber whose stack is full has none for kernel_trapped().
static void use_signal_stack(char (&stack)[64 * 1024])
{
    stack_t other = {};
    other.ss_sp = stack;
    other.ss_size = sizeof stack;
    if (!tsan && !asan)
        sigaltstack(&other, nullptr);
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
    static thread_local char signal_stack[64 * 1024];
    use_signal_stack(signal_stack);
    trap_nan(true);
    m->run_blocks();
    trap_nan(false);
}

// One for each core. With ThreadSanitizer one in all: races must not depend on who runs when.
static std::vector<std::unique_ptr<multiprocessor>> create_multiprocessors()
{
    std::vector<std::unique_ptr<multiprocessor>> created(
        tsan ? 1 : std::max(1u, std::thread::hardware_concurrency()));
    for (auto &m : created)
        m.reset(new multiprocessor);
    catch_signals();
    return created;
}

static cudaError_t check(const configuration &c, size_t dynamic)
{
    const dim3 &b = c.block, &g = c.grid;
    const bool is_valid = b.x > 0 && b.y > 0 && b.z > 0 && b.x <= 1024 && b.y <= 1024 &&
                          b.z <= 64 && b.x * b.y * b.z <= MAX_THREADS && g.x > 0 && g.y > 0 &&
                          g.z > 0 && g.x <= 0x7FFFFFFF && g.y <= 65535 && g.z <= 65535;
    if (!is_valid)
        return cudaErrorInvalidConfiguration;
    return c.shared > dynamic ? cudaErrorInvalidValue : cudaSuccess;
}

// Starts everything, and waits for it.
static void run(const configuration &where, size_t dynamic, const work &thread)
{
    // Never destroyed, so that nothing of it seems leaked.
    static auto &multiprocessors = *new auto(create_multiprocessors());
    static uint64_t launches;
    if (lost != cudaSuccess)
        return;
    const char *seed = getenv("EMULATION_SEED");
    uint64_t random = (seed != nullptr ? strtoull(seed, nullptr, 10) : 0) + (launches++ << 32);
    order.resize(size_t(where.grid.x) * where.grid.y * where.grid.z);
    std::iota(order.begin(), order.end(), 0);
    shuffle(order, &random);
    next_block = 0;
    now.where = where;
    now.shared_limit = dynamic > STATIC_SHARED_BYTES ? MAX_SHARED_BYTES : STATIC_SHARED_BYTES;
    now.thread = &thread;
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

    acquire(&now.ended);
    if (failure[0] != '\0')
        leave(1, "%s", failure);
    if (tsan) // which wants new memory for each block
        multiprocessors[0]->free_arenas();
}

void launch(const configuration &where, const void *kernel, const work *thread)
{
    const std::shared_ptr<const work> kept(thread);
    if (fiber::inside()) {
        fail("a kernel launches a kernel: this is not emulated, it needs nvcc and a GPU");
        fiber::suspend();
    }
    const size_t dynamic = dynamic_limit(kernel);
    if (lost == cudaSuccess && check(where, dynamic) != cudaSuccess)
        last_error = check(where, dynamic);
    else if (device_of(where.stream) != current_device)
        last_error = cudaErrorInvalidResourceHandle;
    else if (lost == cudaSuccess)
        put(where.stream, [=] { run(where, dynamic, *kept); });
}
} // namespace emulation
