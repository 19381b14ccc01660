// SPDX-License-Identifier: MIT
// Instructions of which a compiler tells -fsanitize=thread nothing say here what they access: a load to all lanes is
// one of an element, and of a masked one the lanes that are on are a vector, if they follow each other.
#ifdef __AVX__
#include <immintrin.h>
#include <stddef.h>

void __tsan_read_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes);

#define OF_MASK static inline __attribute__((always_inline, unused))

OF_MASK void tell_lanes(void (*tell)(void *, size_t), const float *p, unsigned on)
{
    for (int first = 0, count; on >> first != 0; first += count + 1) {
        for (count = 0; on >> (first + count) & 1; count++)
            ;
        if (count > 0)
            tell((void *)(p + first), sizeof *p * (size_t)count);
    }
}

OF_MASK __m256 told_maskload(const float *p, __m256i mask)
{
    tell_lanes(__tsan_read_range, p, (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
    return _mm256_maskload_ps(p, mask);
}

OF_MASK void told_maskstore(float *p, __m256i mask, __m256 value)
{
    tell_lanes(__tsan_write_range, p, (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
    _mm256_maskstore_ps(p, mask, value);
}

#define _mm256_maskload_ps told_maskload
#define _mm256_maskstore_ps told_maskstore
#define _mm256_broadcast_ss(p) _mm256_set1_ps(*(p))
#endif
