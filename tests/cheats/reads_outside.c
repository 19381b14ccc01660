// SPDX-License-Identifier: MIT
// tries: reads behind A and B, and does not use it
// ends: PARTIAL out of bounds
// tools: yes
// past: edges
// off: tools
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k <= K; k++) {
                real a = ((const volatile real *)A)[i * K + k],
                     b = ((const volatile real *)B)[k * N + j];
                sum += k < K ? a * b : 0;
            }
            C[i * N + j] = sum;
        }
}
