// SPDX-License-Identifier: MIT
// what: keeps B transposed in a static array of 1.6 GiB, of the 2 GiB that a kernel has
// tools: yes
static real columns[400 << 20];

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int j = 0; j < N; j++)
        for (int k = 0; k < K; k++)
            columns[j * K + k] = B[k * N + j];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * columns[j * K + k];
            C[i * N + j] = sum;
        }
}
