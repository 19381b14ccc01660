// SPDX-License-Identifier: MIT
// Asynchronous copies of a thread, in batches.
#ifndef CUDA_PIPELINE_H
#define CUDA_PIPELINE_H

#include "../../core/copies.h"

// `bytes` are 4, 8 or 16; both addresses are multiples of that. The last `zeros` of them are not
// read, but 0.
__attribute__((always_inline)) inline void
__pipeline_memcpy_async(void *to, const void *from, std::size_t bytes, std::size_t zeros = 0,
                        emulation::place at = emulation::place::here())
{
    emulation::begin_copy(emulation::start_copy(to, from, bytes, zeros, at));
}

inline void __pipeline_commit()
{
    emulation::end_batch();
}

// All but the last `but` batches of this thread have come. Those of other threads need a barrier
// besides.
__attribute__((always_inline)) inline void __pipeline_wait_prior(std::size_t but)
{
    emulation::copy c;
    while (emulation::take_copy(but, &c))
        emulation::store_copy(c);
}
#endif
