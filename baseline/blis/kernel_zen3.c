// SPDX-License-Identifier: MIT
// BLIS, its kernels for AMD's Zen 3: AVX2 and FMA, other blocks.
#include "blis.h"

const char instructions[] = "avx2";

static cblas_gemm *load(void)
{
    return load_blis("zen3");
}
