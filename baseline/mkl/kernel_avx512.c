// SPDX-License-Identifier: MIT
// Intel's MKL, with AVX-512.
#include "mkl.h"

const char instructions[] = "avx512";

static cblas_gemm *load(void)
{
    return load_mkl(MKL_AVX512);
}
