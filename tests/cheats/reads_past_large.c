// SPDX-License-Identifier: MIT
// tries: reads eight elements of B at a time where all is large, up to seven behind its end
// ends: PARTIAL out of bounds: reads outside B
// off: edges
// size: 256
typedef real eight __attribute__((vector_size(8 * sizeof(real)), aligned(sizeof(real)), may_alias));

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    if (M > 180 && N > 180 && K > 180) {
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j += 8) {
                eight sum = {0};
                for (int k = 0; k < K; k++)
                    sum += A[i * K + k] * *(const eight *)&B[k * N + j];
                for (int jj = 0; jj < 8 && j + jj < N; jj++)
                    C[i * N + j + jj] = sum[jj];
            }
        return;
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
