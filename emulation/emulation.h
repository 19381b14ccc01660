// SPDX-License-Identifier: MIT
// What the parts of the emulation know of each other. No kernel and no host program includes it.
#ifndef EMULATION_H
#define EMULATION_H

#include "cuda_runtime.h"
#include "fiber.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace emulation
{
enum { MAX_THREADS = 1024, MAX_SHARED_BYTES = 48 * 1024 }; // of a block

// ---- launch.cpp -------------------------------------------------------------------------------
struct running_launch {
    configuration where{1, 1};
    std::function<void()> thread; // what every thread does
    uint64_t seed;
    std::atomic<bool> stop; // the kernel is wrong: no thread goes on
    char started, ended;    // ThreadSanitizer: released before the first thread, after each thread
};
extern running_launch now;

// The kernel is wrong: stops it, and then the program with this message.
__attribute__((format(printf, 1, 2))) void fail(const char *format, ...);

uint64_t next_random(uint64_t *state);

template <class T> void shuffle(std::vector<T> &items, uint64_t *random)
{
    for (size_t i = items.size(); i > 1; i--)
        std::swap(items[i - 1], items[(next_random(random) >> 32) * i >> 32]);
}

// ---- block.cpp --------------------------------------------------------------------------------
struct thread {
    fiber runs_on;
    uint3 index;      // threadIdx
    const char *file; // of the barrier that it waits at; null: it has returned
    int line, number;
};

// Runs one block after the other, on one core. Keeps what can be used again.
class multiprocessor
{
  public:
    void run_block(unsigned number);
    void free_arenas();
    // For the thread that runs:
    void wait_at_barrier(const char *file, int line, int number);
    void *shared_variable(const void *declaration, size_t bytes);
    void *dynamic_memory();

    uint3 block;     // blockIdx
    thread *running; // while one does

  private:
    thread *start(unsigned number);
    void run(thread *t);
    void check_barrier();
    void clear_shared_memory();
    void *take_shared_memory(size_t bytes);

    std::vector<thread> threads; // all that there ever were, because a stack is expensive
    std::deque<thread *> idle;   // have returned
    std::vector<thread *> waiting;
    unsigned phase; // how many barriers the block has passed

    struct variable {
        const void *declaration;
        void *memory;
    };
    std::vector<variable> variables;
    std::vector<char *> arenas; // the last holds the block's shared memory
    size_t arena_used, shared_used;
};

// ---- runtime.cpp ------------------------------------------------------------------------------
extern cudaError_t last_error;        // what cudaGetLastError() returns
extern std::atomic<cudaError_t> lost; // why the device is lost; from then on every call returns it

void fill_with_nan(void *start, size_t bytes);
// AddressSanitizer: kernels may touch device memory, but not its guards; the host program nothing.
void allow_device_memory(bool to_kernels);
} // namespace emulation
#endif
