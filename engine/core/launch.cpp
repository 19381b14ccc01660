// SPDX-License-Identifier: MIT
// Launches a kernel: one thread of the operating system per core, each of which takes the next
// block, in random order, until none is left. Ends the program if the kernel is wrong.
#include "emulation.h"
#include "sanitizers.h"

#include <algorithm>
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

// ---- launches ---------------------------------------------------------------------------------
static void run_blocks(multiprocessor *m)
{
    use_signal_stack();
    m->run_blocks();
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

language spoken = {"thread",
                   "block",
                   "__syncthreads()",
                   "that cudaMalloc gave",
                   " (cudaErrorIllegalAddress)",
                   " (cudaErrorLaunchFailure)",
                   " (cudaErrorMisalignedAddress)",
                   nullptr,
                   nullptr,
                   nullptr,
                   {0x7FFFFFFF, 65535, 65535},
                   {1024, 1024, 64},
                   1024,
                   48 * 1024};

static bool is_within(const dim3 &size, const dim3 &most)
{
    return size.x > 0 && size.y > 0 && size.z > 0 && size.x <= most.x && size.y <= most.y &&
           size.z <= most.z;
}

static cudaError_t check(const __launch_configuration &c, size_t dynamic)
{
    if (!is_within(c.block, spoken.most_threads) || !is_within(c.grid, spoken.most_blocks) ||
        c.block.x * c.block.y * c.block.z > spoken.threads)
        return cudaErrorInvalidConfiguration;
    return c.shared > dynamic ? cudaErrorInvalidValue : cudaSuccess;
}

// "main.cu:12: "; nothing if the language does not say where a launch is.
static std::string text_of(place at)
{
    return at.line > 0 ? std::string(at.file) + ":" + std::to_string(at.line) + ": " : "";
}

// Starts everything, and waits for it.
static void run(const __launch_configuration &where, const char *name, size_t dynamic,
                const work &thread)
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
    now.name = name;
    now.shared_limit =
        dynamic > spoken.shared_bytes ? size_t(MAX_SHARED_BYTES) : spoken.shared_bytes;
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
    report_crash();
    report_computed();
    if (failure[0] != '\0')
        exit_with(1, "%s", failure);
    size_t bytes, of;
    const char *side;
    if (find_stray_write(&bytes, &side, &of))
        exit_with(1, "%sthe kernel of this launch, %s, writes %zu bytes %s of %zu bytes %s%s",
                  text_of(where.at).c_str(), name, bytes, side, of, spoken.allocated,
                  spoken.illegal);
    if (tsan) // which wants new memory for each block
        multiprocessors[0]->free_arenas();
}

void launch(const __launch_configuration &where, const char *name, const void *kernel,
            const work *thread)
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
        put(where.stream, [=] { run(where, name, dynamic, *kept); });
}
} // namespace emulation
