// SPDX-License-Identifier: MIT
// BLIS, its kernels for servers since Skylake: AVX-512.
#include "blis.h"

const char instructions[] = "avx512";

static cblas_gemm *load(void)
{
    return load_blis("skx");
}
