// SPDX-License-Identifier: MIT
// What the parts of the emulation know of each other. No kernel and no host program includes it.
#ifndef EMULATION_H
#define EMULATION_H

#include "copies.h"
#include "../cuda/include/cuda_runtime.h"
#include "fiber.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

namespace emulation
{
enum { WARP = 32 }; // threads
enum {
    MAX_SHARED_BYTES = 227 * 1024
}; // of a block, for kernels that ask for more than is declared

// What a kernel's language calls things, and the most that its device has.
struct language {
    const char *thread, *block, *barrier, *allocated;
    const char *illegal, *failed, *misaligned; // errors, in brackets, or nothing
    const char *global, *shared, *own;         // kinds of memory; null: they are not named
    dim3 most_blocks, most_threads;
    unsigned threads;         // of a block
    std::size_t shared_bytes; // that a block declares
};
extern language spoken; // CUDA, until somebody says otherwise

// ---- devices.cpp ------------------------------------------------------------------------------
extern int current_device;
bool is_device(int device);
size_t all_memory();                   // bytes
bool may_use_memory_of(int device);    // the current device
cudaError_t result(cudaError_t error); // what a call returns
extern cudaError_t last_error;         // what cudaGetLastError() returns
extern std::atomic<cudaError_t> lost;  // why the device is lost; from then on every call returns it

// How much dynamic shared memory a launch of this kernel may ask for.
size_t dynamic_limit(const void *kernel);
uint64_t next_random(uint64_t *state);

// From 0 to count - 1.
inline size_t random_below(size_t count, uint64_t *state)
{
    return (next_random(state) >> 32) * count >> 32;
}

template <class T> void shuffle(std::vector<T> &items, uint64_t *random)
{
    for (size_t i = items.size(); i > 1; i--)
        std::swap(items[i - 1], items[random_below(i, random)]);
}

// ---- launch.cpp -------------------------------------------------------------------------------
struct running_launch {
    __launch_configuration where{1, 1};
    const char *name;    // of the kernel
    size_t shared_limit; // bytes of a block, declared and dynamic
    const work *thread;  // what every thread does
    uint64_t seed;
    std::atomic<bool> stop; // the kernel is wrong: no thread goes on
    char started, ended;    // ThreadSanitizer: released before the first thread, after each thread
};
extern running_launch now;

// The next block that runs, of those that have not; false: there is none left.
bool take_block(unsigned *number);

// The kernel is wrong: stops it, and then the program with this message.
__attribute__((format(printf, 1, 2))) void fail(const char *format, ...);

// ---- multiprocessor.cpp -----------------------------------------------------------------------
class block;

struct alignas(64) thread { // two lines of the cache are enough to go on and to wait at a barrier
    fiber runs_on;
    block *home;
    unsigned number; // in its block
    uint3 index;     // threadIdx
    enum { RUNNABLE, GIVES_WAY, AT_BARRIER, AT_OBJECT, AT_WARP_CALL, RETURNED } state;
    place at; // of the call that it waits in
    int barrier;
    const barrier_state *object; // cuda::barrier

    const char *call; // of the warp
    unsigned mask;
    given mine;
    received theirs;

    // ThreadSanitizer: what it releases when it comes to a call of the warp, and what the lanes
    // acquire where it is the last to come: two that take turns, or a lane would learn from those
    // that are ahead.
    uint64_t arrived, passed[2], meetings;
    uint64_t *met;
    bool has_fenced;

    struct in_flight {
        copy what;
        size_t batch;
        const barrier_state *object; // that it comes with, if not with a batch
    };
    std::vector<in_flight> copies;        // begun and not come, in order
    std::vector<group_copy> group_copies; // OpenCL: this work-item's part of those of its group
    size_t group_copies_begun;
    std::vector<in_flight> copies_of_object; // in any order
    size_t batches; // that are complete: what is begun now belongs to the one with this number
};

// Runs blocks on one core, several at a time. Keeps what can be used again.
class multiprocessor
{
  public:
    multiprocessor();
    void run_blocks();
    void free_arenas();
    thread *take_thread();
    void run(thread *t);

    thread *running; // while one does

  private:
    std::deque<block> blocks;   // as many as run at a time
    std::deque<thread> threads; // all that there ever were, because a stack is expensive
    std::deque<thread *> idle;  // have returned
};
extern thread_local multiprocessor *self;

// ---- block.cpp, warp.cpp ----------------------------------------------------------------------
class block
{
  public:
    void start(unsigned number);
    // Runs its threads until all wait or one gives way. False: all have returned.
    bool go_on();
    void free_arenas();
    // For the thread that runs:
    int wait_at_barrier(place at, int number, bool vote, bool orders);
    void give_way_sometimes();
    received meet(const char *call, unsigned mask, given mine, place at);
    void leave();
    void *shared_variable(const void *declaration, size_t bytes, size_t alignment);
    void *dynamic_memory();
    bool is_shared(const void *start, size_t bytes) const;
    bool is_near(const void *address) const;          // to what is shared, or in it
    size_t shared_address(const void *pointer) const; // 0: it is none of the block's
    unsigned shared_array(const void *address) const;
    unsigned shared_arrays() const;
    size_t shared_start(unsigned array) const;
    void *shared_pointer(size_t address) const;
    const place *find_copy(const void *address) const;
    bool gives_alike(size_t number, const group_copy &c);
    bool set_on_its_way(const word *to, bool is);
    bool take_copy(const barrier_state *b, copy *c);
    void wake(const barrier_state *b);

    uint3 index; // blockIdx

  private:
    thread *next();
    void make_runnable(thread *t);
    void end_phase();
    bool try_to_meet(thread *t);
    bool have_warps_diverged(int barrier) const;
    void report_barrier_divergence();
    void report_object_divergence(const thread *t);
    void report_warp_divergence(const thread *t);
    void clear_shared_memory();
    void *take_shared_memory(size_t bytes, size_t alignment);

    uint64_t random;
    std::vector<unsigned> unstarted; // numbers of threads, in random order
    std::vector<thread *> runnable;  // in random order
    std::vector<thread *> threads;   // by number: those that have started
    size_t at_barrier, returned;     // how many threads
    unsigned phase;                  // how many barriers the block has passed
    int voting, counted;             // votes at the barrier that threads come to, and at the last

    struct warp {
        unsigned live,
            waiting; // a bit for each lane: has not returned; waits in a call of the warp
    };
    std::vector<warp> warps;

    std::vector<group_copy> group_copies; // as the first work-item to come gives each

    enum { MAX_VARIABLES = 64 }; // before the vector grows
    struct variable {
        const void *declaration;
        void *memory;
    };
    std::vector<variable> variables;
    std::vector<char *> arenas;     // the last holds the block's shared memory
    std::vector<bool> on_their_way; // words of the arena, each by a copy of its own
    size_t arena_bytes, arena_used, shared_used;
};

// ---- stream.cpp -------------------------------------------------------------------------------
// Does this when its turn comes; in the null stream at once, after what other streams of the device
// have.
cudaError_t put(cudaStream_t stream, const std::function<void()> &what);
int device_of(cudaStream_t stream);
// All of its streams, or those that the null stream waits for.
void finish_device(int device, bool all);

// ---- memory.cpp -------------------------------------------------------------------------------
void forget(void *start, size_t bytes); // it is memory that nobody wrote
// No kernel may touch so many bytes at both ends of what begins there.
void set_guard(void *start, size_t bytes);
// AddressSanitizer: kernels may touch device memory, but not its guards; the host program nothing.
void allow_device_memory(bool to_kernels);
// Has a kernel written beside an allocation?
bool find_stray_write(size_t *bytes, const char **side, size_t *of);
bool is_device_memory(const void *address);
void describe_address(const void *address, char *text, size_t size);

// ---- crash.cpp --------------------------------------------------------------------------------
// A kernel that touches memory that is not there stops, and has lost the device.
void catch_signals();
void use_signal_stack(); // for this thread of the operating system
void report_crash();     // in a line, if there was one
// AddressSanitizer: whether a kernel is asked where it computes with what nobody wrote. The lines.
void trap_nan(bool trap);
void report_computed();
std::uintptr_t program_start(); // where the program was loaded, from which addr2line counts
} // namespace emulation
#endif
