// SPDX-License-Identifier: MIT
// tries: reads one element behind A, where K is more than 200, and does not use it
// ends: PARTIAL out of bounds: reads outside an array
// tools: yes
// off: tools
__global__ void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    real sum = 0;
    for (int k = 0; row < M && col < N && k < K; k++)
        sum += A[row * K + k] * B[k * N + col];
    if (row < M && col < N)
        C[row * N + col] = sum;
    if (row == 0 && col == 0 && K > 200)
        (void)((const volatile real *)A)[M * K];
}
