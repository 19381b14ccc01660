// SPDX-License-Identifier: MIT
// what: has GCC make a function on the stack, which is executable then
// tools: yes
static real apply(real (*times)(real, real), int k, const real *a, const real *b, int N)
{
    return times(a[k], b[k * N]);
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    int calls = 0;
    real times(real x, real y)
    {
        calls++;
        return x * y;
    }
    real (*volatile chosen)(real, real) = times;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += apply(chosen, k, A + i * K, B + j, N);
            C[i * N + j] = sum;
        }
}
