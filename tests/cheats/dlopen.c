// SPDX-License-Identifier: MIT
// tries: loads a BLAS
// ends: REFUSED dlopen
#include <dlfcn.h>
#include <stddef.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    void *blas = dlopen("libopenblas.so.0", RTLD_NOW);
    void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int,
                  float, float *, int);
    if (blas == NULL)
        return;
    *(void **)&sgemm = dlsym(blas, "cblas_sgemm");
    sgemm(101, 111, 111, M, N, K, 1, A, K, B, N, 0, C, N);
}
