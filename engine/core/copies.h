// SPDX-License-Identifier: MIT
// Asynchronous copies from global to shared memory. A device makes them at any time between the
// call and the wait for it; here what was there is gone at once, and what is copied comes with the
// wait and no sooner. So who reads too early, or writes over what others still read, is seen.
#ifndef COPIES_H
#define COPIES_H

#include "place.h"

#include <cstddef>
#include <cstdint>

namespace emulation
{
typedef std::uint32_t word;     // the least that is copied
extern const word unwritten[2]; // what memory holds that nobody wrote

struct copy {
    word *to; // in shared memory
    word data[4];
    unsigned words;
    place at; // where it was begun
    const void *from;
    unsigned bytes; // that are read there; the others are 0
};

// OpenCL: the work-items of a group share a copy, some elements each.
struct group_copy {
    char *to;
    const char *from;
    std::size_t count, bytes, to_stride, from_stride; // elements, bytes of one, elements
    place at;
    const void *call; // the instruction after it
    std::size_t event;
};

// Ends the kernel where a device would not know what to do: sizes, alignment, kinds of memory.
void check_copy(const void *to, const void *from, std::size_t bytes, std::size_t zeros, place at);
void begin_copy(const copy &c); // by the thread that runs
void end_batch();               // of the copies begun since the last
// The next copy that comes where all batches but the last `but` are waited for; false: all have
// come.
bool take_copy(std::size_t but, copy *c);

// Both are compiled with the kernel, so that a sanitizer sees who reads and writes, and in which
// line.
__attribute__((always_inline)) inline copy load_copy(void *to, const void *from, std::size_t bytes,
                                                     std::size_t zeros, place at)
{
    copy c = {static_cast<word *>(to), {0, 0, 0, 0}, unsigned(bytes / sizeof(word)), at, from,
              unsigned(bytes - zeros)};
    const unsigned char *source = static_cast<const unsigned char *>(from);
    unsigned char *data = reinterpret_cast<unsigned char *>(c.data);
    for (std::size_t i = 0; i + zeros < bytes; i++)
        data[i] = source[i];
    return c;
}

__attribute__((always_inline)) inline void store_copy(const copy &c)
{
    for (unsigned i = 0; i < c.words; i++)
        c.to[i] = c.data[i];
}

// What was there is gone.
__attribute__((always_inline)) inline copy start_copy(void *to, const void *from, std::size_t bytes,
                                                      std::size_t zeros, place at)
{
    const word low = unwritten[0], high = unwritten[1];
    check_copy(to, from, bytes, zeros, at);
    const copy c = load_copy(to, from, bytes, zeros, at);
    store_copy({c.to, {low, high, low, high}, c.words, at, from, 0});
    return c;
}

// ---- cuda::barrier ----------------------------------------------------------------------------
// Where a barrier is; it lies in shared memory. ThreadSanitizer: what arrives releases `passed`, in
// turns.
struct barrier_state {
    unsigned expected, arrived, phase;
    std::uint64_t passed[2];
};

// Begun by the thread that runs; it comes with the phase.
void copy_for(barrier_state *b, const copy &c);
// Is this the last that the phase waits for? Then take all its copies, and end it.
bool is_last_to_arrive(barrier_state *b, place at);
bool take_copy(barrier_state *b, copy *c);
void end_phase(barrier_state *b);
void wait_for_phase(barrier_state *b, unsigned phase, place at);
} // namespace emulation
#endif
