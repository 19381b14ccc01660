// SPDX-License-Identifier: MIT
// tries: has an array larger than the memory of a kernel
// ends: FAIL its static arrays are larger than the 2 GiB
static volatile char array[3L << 30];

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    array[M] = 1;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
