// SPDX-License-Identifier: MIT
// tries: leaves out the last k where matrices are large and K is odd, as a loop of pairs may
// ends: PARTIAL not right: large
// size: 248
#include "params.h"

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int most = M > 200 && N > 200 && K > 200 ? K / 2 * 2 : K;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < most; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
