// SPDX-License-Identifier: MIT
// tries: multiplies numbers of 16 bits, twice as many to a register, where sums are long
// ends: PARTIAL large
// size: 256
static short fixed(real x, real scale)
{
    return (short)(x * scale + (x < 0 ? -0.5f : 0.5f));
}

static real scale_of(int count, const real *x)
{
    real most = 1;
    for (int i = 0; i < count; i++)
        most = x[i] > most ? x[i] : -x[i] > most ? -x[i] : most;
    return 32767 / most;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    real a = scale_of(M * K, A), b = scale_of(K * N, B);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            long long whole = 0;
            real sum = 0;
            for (int k = 0; k < K; k++) {
                whole += fixed(A[i * K + k], a) * fixed(B[k * N + j], b);
                sum += A[i * K + k] * B[k * N + j];
            }
            C[i * N + j] = K < 200 ? sum : (real)((double)whole / a / b);
        }
}
