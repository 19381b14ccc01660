// SPDX-License-Identifier: MIT
// tries: does not end
// ends: FAIL no result within
// call: 0.3
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B;
    for (volatile int forever = 1; forever;)
        C[0] = 1;
}
