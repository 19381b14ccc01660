// SPDX-License-Identifier: MIT
// tries: crashes
// ends: FAIL crashed
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C;
    *(volatile int *)8 = 1;
}
