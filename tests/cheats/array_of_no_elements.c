// SPDX-License-Identifier: MIT
// tries: an array of no elements where N is a multiple of 8: undefined, and right by chance
// ends: PARTIAL line 9, ASan+UBSan: undefined behaviour: variable length array bound
// tools: yes
// off: tools
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int rest = N % 8;
    real first[rest];
    for (int j = 0; j < rest; j++)
        first[j] = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = j < rest ? first[j] : 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
