// SPDX-License-Identifier: MIT
// OpenBLAS, its kernels for servers since Skylake: AVX-512.
#include "openblas.h"

const char instructions[] = "avx512";

static cblas_gemm *load(void)
{
    return load_openblas("SkylakeX");
}
