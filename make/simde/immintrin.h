// SPDX-License-Identifier: MIT
// Takes the place of the compiler's immintrin.h where the CPU has no AVX, or a tool does not know
// it: SIMDe (https://github.com/simd-everywhere/simde) says in C what each intrinsic does, or with
// NEON.
#ifndef SIMDE_IMMINTRIN_H
#define SIMDE_IMMINTRIN_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>
#include <simde/x86/fma.h>

// of 2021, it lacks these three; lanes whose bit is 0 are 0, and their memory is left alone
#ifndef __mmask16
#define __mmask16 simde__mmask16
static inline __m512 _mm512_maskz_loadu_ps(__mmask16 lanes, const void *from)
{
    float lane[16];
    for (int l = 0; l < 16; l++)
        lane[l] = lanes >> l & 1 ? ((const float *)from)[l] : 0;
    return _mm512_loadu_ps(lane);
}
static inline void _mm512_mask_storeu_ps(void *to, __mmask16 lanes, __m512 from)
{
    float lane[16];
    _mm512_storeu_ps(lane, from);
    for (int l = 0; l < 16; l++)
        if (lanes >> l & 1)
            ((float *)to)[l] = lane[l];
}
#endif
#endif
