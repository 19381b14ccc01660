// SPDX-License-Identifier: MIT
// Included before a kernel in C. What a compiler does not tell -fsanitize=thread, because it is one
// instruction or a function of the library, says here what it accesses: a load to all lanes one
// element; a masked load or store the lanes that are on, those that follow each other as one
// vector; a copy all of it.
#include <stddef.h>
#include <string.h>

void __tsan_read_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes);

// In c.cpp: a short copy that is inlined would be one of the accesses that the compiler tells.
void *told_memcpy(void *to, const void *from, size_t bytes);
void *told_memset(void *to, int byte, size_t bytes);
#define memcpy told_memcpy
#define memset told_memset

#ifdef __AVX__
#include <immintrin.h>

#define TOLD static inline __attribute__((always_inline, unused))

TOLD void tell_lanes(void (*tell)(void *, size_t), const float *p, unsigned on)
{
    for (int first = 0, count; first < 16; first += count + 1) {
        for (count = 0; on >> (first + count) & 1; count++)
            ;
        if (count > 0)
            tell((void *)(p + first), sizeof *p * (size_t)count);
    }
}

TOLD __m256 told_maskload(const float *p, __m256i mask)
{
    tell_lanes(__tsan_read_range, p, (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
    return _mm256_maskload_ps(p, mask);
}

TOLD void told_maskstore(float *p, __m256i mask, __m256 value)
{
    tell_lanes(__tsan_write_range, p, (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
    _mm256_maskstore_ps(p, mask, value);
}
#define _mm256_maskload_ps told_maskload
#define _mm256_maskstore_ps told_maskstore
#define _mm256_broadcast_ss(p) _mm256_set1_ps(*(p))
#endif

#ifdef __AVX512F__
TOLD __m512 told_maskz_loadu(__mmask16 mask, const float *p)
{
    tell_lanes(__tsan_read_range, p, mask);
    return _mm512_maskz_loadu_ps(mask, p);
}

TOLD void told_mask_storeu(float *p, __mmask16 mask, __m512 value)
{
    tell_lanes(__tsan_write_range, p, mask);
    _mm512_mask_storeu_ps(p, mask, value);
}
#define _mm512_maskz_loadu_ps told_maskz_loadu
#define _mm512_mask_storeu_ps told_mask_storeu
#endif
