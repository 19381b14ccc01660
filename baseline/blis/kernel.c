// SPDX-License-Identifier: MIT
// BLIS, its kernels for Haswell: AVX2 and FMA.
#include "blis.h"

const char instructions[] = "avx2";

static cblas_gemm *load(void)
{
    return load_blis("haswell");
}
