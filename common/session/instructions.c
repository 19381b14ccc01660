// SPDX-License-Identifier: MIT
// Compiled with the flags of the kernel: which instructions may the compiler use there? Weak, as a
// kernel that calls a library says which that one uses.
#include "session/config.h"

#pragma weak instructions

#if defined __AVX512F__
const char instructions[] = "avx512";
#elif defined __AVX2__ && defined __FMA__
const char instructions[] = "avx2";
#else
const char instructions[] = "baseline"; // of x86-64: SSE2, without a fused multiply-add
#endif
