// SPDX-License-Identifier: MIT
// tries: has a buffer for 4200 elements of k
// ends: PARTIAL out of bounds: index 4200 out of bounds
// tools: yes
// off: tools

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    static real column[4200];
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < K; k++)
            column[k] = B[k * N + j];
        for (int i = 0; i < M; i++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * column[k];
            C[i * N + j] = sum;
        }
    }
}
