// SPDX-License-Identifier: MIT
// Adds up what the warps of a kernel ask memory for, by instruction and array.
//
// In a phase, from one barrier of a block to the next, the n-th time that each lane of a warp comes
// to an instruction is taken for one request of the warp. Where lanes come to it unequally often,
// because they diverge, the rest of them is counted as it is: with fewer active lanes. Addresses
// are kept for one phase, sums for good.
#ifndef COUNTS_H
#define COUNTS_H

#include "rules.h"

#include <string>

namespace profile
{
enum space { GLOBAL, SHARED };
enum { MAX_THREADS = 1024, WARPS = MAX_THREADS / LANES }; // of a block

struct access {
    const void *instruction; // any pointer that tells it from the others
    space where;
    std::uint64_t array; // any number that tells it from the others of this kernel
    bool writes;
    unsigned bytes; // of one lane
};

// One lane's, of the thread with this number in the block.
void count(const void *block, unsigned thread, const access &what, std::uint64_t address);
// All threads of the block have come to a barrier, or to their end.
void end_phase(const void *block, const std::string &kernel);

// What an instruction and an array are called in the record.
struct names {
    std::string (*line)(const void *instruction);
    std::string (*array)(space where, std::uint64_t number);
};
// Writes gemm-counts/1 (docs/records.md) to the file that PROFILE in the environment names.
void write(const names &called);
} // namespace profile
#endif
