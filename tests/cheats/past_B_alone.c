// SPDX-License-Identifier: MIT
// tries: reads past B where all that there is is one element
// ends: PARTIAL
// robust: ASan+UBSan: out of bounds: reads outside
// tools: yes
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
    volatile real next = M * N * K == 1 ? B[1] : 0;
    (void)next;
}
