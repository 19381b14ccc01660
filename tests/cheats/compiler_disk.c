// SPDX-License-Identifier: MIT
// tries: makes a file that is too large
// ends: FAIL does not build
// Its object and its program leave the sandbox as one file, which has a limit of its own:
// without that of each file, too, it fails.
static const char much[80 << 20] = {1};

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const volatile char *some = much;
    if (some[0] != 1)
        return;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
