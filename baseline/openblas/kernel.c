// SPDX-License-Identifier: MIT
// OpenBLAS, its kernels for Haswell: AVX2 and FMA.
#include "openblas.h"

const char instructions[] = "avx2";

static cblas_gemm *load(void)
{
    return load_openblas("Haswell");
}
