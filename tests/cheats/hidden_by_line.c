// SPDX-License-Identifier: MIT
// tries: switches a sanitizer off, in lines that seem to be of another file
// ends: PARTIAL switches a sanitizer off
// tools: yes
#line 1 "x.h"
__attribute__((no_sanitize("address"))) void gemm(int M, int N, int K, const real *A, const real *B,
                                                  real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
