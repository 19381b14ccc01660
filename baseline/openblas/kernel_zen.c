// SPDX-License-Identifier: MIT
// OpenBLAS, its kernels for AMD's Zen: AVX2 and FMA, other blocks.
#include "openblas.h"

const char instructions[] = "avx2";

static cblas_gemm *load(void)
{
    return load_openblas("Zen");
}
