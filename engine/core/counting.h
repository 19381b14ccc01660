// SPDX-License-Identifier: MIT
// What ../count must know. Its functions are null if a program is linked without it.
#ifndef COUNTING_H
#define COUNTING_H

#include "place.h"

#include <cstddef>

namespace emulation
{
class block;
#define WEAK __attribute__((weak))
WEAK void count_phase(const block *b); // all of its threads have come to a barrier, or to their end
WEAK void count_result();              // the host program takes from the device what was computed
// Of the launch, from 1 on: a pointer, and the memory into which it leads.
WEAK void count_argument(const void *pointer, const void *start, std::size_t bytes, int number);
// An asynchronous copy of the thread that runs.
WEAK void count_copy(const void *to, const void *from, std::size_t bytes, std::size_t zeros,
                     place at);
// What the thread that runs accesses in an ldmatrix, or in a copy of its work-group.
WEAK void count_access(const void *memory, std::size_t bytes, bool writes, place at);
WEAK void
count_pause(bool paused); // what follows is the emulation's, and no access of the kernel's
#undef WEAK

inline void pause_counting(bool paused)
{
    if (count_pause != nullptr)
        count_pause(paused);
}
} // namespace emulation
#endif
