// SPDX-License-Identifier: MIT
// Adds up what the warps of a kernel ask memory for, by instruction and array, and how often the
// lanes of one went different ways.
//
// In a phase, from one barrier of a block to the next, the n-th time that each lane of a warp comes
// to an instruction is taken for one request of the warp. Where lanes come to it unequally often,
// because they diverge, the rest of them is counted as it is: with fewer active lanes. Addresses
// are kept for one phase, sums for good. Branches are counted in the same way.
#ifndef COUNTS_H
#define COUNTS_H

#include "rules.h"

#include <array>
#include <string>

namespace profile
{
enum space { GLOBAL, SHARED, MEMORY };                    // of a GPU, of its block; of a CPU
enum { MAX_THREADS = 4096, WARPS = MAX_THREADS / LANES }; // of a block

struct access {
    const void *instruction; // any pointer that tells it from the others
    space where;
    std::uint64_t array; // any number that tells it from the others of this kernel
    bool writes;
    unsigned bytes; // of one lane
};

struct launch {
    std::string kernel;
    std::array<unsigned, 3> grid, block; // blocks, and threads of one: x, y, z
    std::size_t shared = 0;              // bytes that the launch gives a block, in CUDA
};

struct cost {
    unsigned units, ideal, bytes; // sectors, wavefronts or lines; each byte that is asked for once
};

// One lane's, of the thread with this number in the block.
// The store of an asynchronous copy has a source, in global memory: 0 of zeros.
enum : std::uint64_t { NO_COPY = ~std::uint64_t(0) };
void count(const void *block, unsigned thread, const access &what, std::uint64_t address,
           std::uint64_t source = NO_COPY);
// The lane has come to a comparison, or to the beginning of instructions without a branch, behind
// which it may go one way or another; it goes this way, to where others begin.
void turn(const void *block, unsigned thread, const void *branch);
void go(const void *block, unsigned thread, const void *way);
// One of a CPU, of so many elements of what.bytes that follow each other: one is no vector.
void count_vector(const void *block, unsigned elements, const access &what, std::uint64_t address);
// All threads of the block, which has this number in the grid, have come to a barrier, or to their
// end.
void end_phase(const void *block, const launch &where, unsigned number);

// What an instruction and an array are called in the record.
struct names {
    std::string (*line)(const void *instruction);
    std::string (*array)(space where, std::uint64_t number);
};
extern const char *const SPACES[]; // their names there
// Writes gemm-counts/1 (docs/records.md) to the file that PROFILE in the environment names, and the
// steps.
void write(const names &called);
} // namespace profile
#endif
