// SPDX-License-Identifier: MIT
// tries: has code that runs before main, without an attribute of that name
// ends: REFUSED attribute
// past: source
// then: REFUSED before main
// off: symbols
static int flag;
static void first(void)
{
    flag = 1;
}
__attribute__((section(".init_array"), used)) static void (*const entry)(void) = first;

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    if (!flag)
        return;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
