// SPDX-License-Identifier: MIT
// __reduce_add_sync and the others: one result of the values that the lanes in the mask give.
// `rewrite` includes this where one is called.
#ifndef REDUCTIONS_H
#define REDUCTIONS_H

#include "../cuda/include/cuda_runtime.h"

#define EMULATION_REDUCTION(T, name, result)                                                       \
    inline T name(unsigned mask, T value, emulation::place at = emulation::place::here())          \
    {                                                                                              \
        const int first = __builtin_ctz(mask);                                                     \
        T a = __shfl_sync(mask, value, first, 32, at);                                             \
        for (int lane = first + 1; lane < 32; lane++)                                              \
            if (mask >> lane & 1) {                                                                \
                const T b = __shfl_sync(mask, value, lane, 32, at);                                \
                a = result;                                                                        \
            }                                                                                      \
        return a;                                                                                  \
    }
EMULATION_REDUCTION(unsigned, __reduce_add_sync, a + b)
EMULATION_REDUCTION(unsigned, __reduce_min_sync, b < a ? b : a)
EMULATION_REDUCTION(unsigned, __reduce_max_sync, a < b ? b : a)
EMULATION_REDUCTION(unsigned, __reduce_and_sync, a &b)
EMULATION_REDUCTION(unsigned, __reduce_or_sync, a | b)
EMULATION_REDUCTION(unsigned, __reduce_xor_sync, a ^ b)
EMULATION_REDUCTION(int, __reduce_add_sync, int(unsigned(a) + unsigned(b)))
EMULATION_REDUCTION(int, __reduce_min_sync, b < a ? b : a)
EMULATION_REDUCTION(int, __reduce_max_sync, a < b ? b : a)
#undef EMULATION_REDUCTION
#endif
