// SPDX-License-Identifier: MIT
// tries: returns at once
// ends: FAIL never written
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C;
}
