// SPDX-License-Identifier: MIT
// Intel's MKL, held to AVX2 and FMA.
#include "mkl.h"

const char instructions[] = "avx2";

static cblas_gemm *load(void)
{
    return load_mkl(MKL_AVX2);
}
