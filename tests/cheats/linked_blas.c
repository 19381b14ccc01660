// SPDX-License-Identifier: MIT
// tries: calls a BLAS
// ends: REFUSED the product is to be computed here
// past: symbols
// then: FAIL undefined reference
void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float,
                 float *, int);

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    cblas_sgemm(101, 111, 111, M, N, K, 1, A, K, B, N, 0, C, N);
}
