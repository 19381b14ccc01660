// SPDX-License-Identifier: MIT
// Keeps each request of a small problem, for make page. What it costs comes from counts.cpp, which
// adds it up.
#ifndef STEPS_H
#define STEPS_H

#include "counts.h"

namespace profile
{
struct step {
    access what;
    unsigned block, warp, order; // order: among the warp's of this phase
    request lanes;
    cost costs;
};

// Does STEPS in the environment name a file?
extern const bool records_steps;
void record_step(const launch &where, const step &one);
// What the block does from now on is of its next phase.
void record_phase(const launch &where, unsigned block);
// Where the first element of an array is.
void record_array(space where, std::uint64_t number, std::uint64_t start);
// Writes gemm-requests/1 (docs/records.md): the first MOST_LANES accesses, block by block and phase
// by phase.
void write_steps(const names &called);
enum { MOST_LANES = 50000 };
} // namespace profile
#endif
