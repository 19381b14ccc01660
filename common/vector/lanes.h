// SPDX-License-Identifier: MIT
// For AVX kernels, whose last vector or tile at an edge of the matrices is partial.
#ifndef LANES_H
#define LANES_H

#include <immintrin.h>

static inline int min(int a, int b)
{
    return a < b ? a : b;
}

// Lanes 0 to count-1 on: a masked load gives 0 in the others, a masked store leaves memory alone.
static inline __m256i first_lanes(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

#endif
