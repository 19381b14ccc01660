// SPDX-License-Identifier: MIT
// Compiled with the flags of the kernel: which instructions may the compiler use there? Weak, as a
// kernel that calls a library says which that one uses.
#include "session/config.h"

#pragma weak instructions

#if defined __AVX512F__
const char instructions[] = "avx512";
#elif defined __AVX2__ && defined __FMA__
const char instructions[] = "avx2";
#elif defined __SSE2__
const char instructions[] = "sse2"; // of every x86-64: without a fused multiply-add
#else
const char instructions[] = "generic"; // of every CPU of this architecture
#endif
