// SPDX-License-Identifier: MIT
// Branches, each with how many of those of the eight warps, in four blocks, are divergent.
// test_branches.py holds make profile against that. A branch that all lanes of all warps go one way
// is none; one by a comparison of pointers has the line of what comes before it.
__device__ static float larger(float a, const float *A, int x)
{
    if (x % 2) // 8 of 8
        a += A[x];
    return a;
}

__global__ void branches(const float *A, float *C, int n)
{
    const int x = threadIdx.x, i = blockIdx.x * blockDim.x + x;
    float sum = 0;
    if (n > 0)
        sum = A[0];
    if (x / 32 % 2) // 0 of 8
        sum += A[1];
    if (x % 2) // 8 of 8
        sum += A[x];
    else
        sum += A[2 * x];
    if (blockIdx.x == 1 && x > 40) // 1 of 10
        sum += A[3];
    for (int k = 0; k < 8; k++) // 0 of 64
        sum += A[k];
    for (int k = 0; k <= x % 4; k++) // 24 of 32
        sum += A[k];
    for (int k = 0; k < 2; k++)      // 0 of 16
        for (int j = 0; j <= k; j++) // 0 of 24
            sum += A[j];
    for (const float *at = A, *end = A + x % 4; at != end; at++) // 8 of 8
        sum += *at;                                              // 16 of 24
    sum = larger(sum, A, x);
    sum += __shfl_xor_sync(~0u, sum, 1) + __clz(x % 2);
    switch (x % 4) { // 8 of 8
    case 0:
        sum += A[4];
        break;
    case 1:
        sum += A[5] * A[6];
        break;
    case 2:
        sum -= A[7];
        break;
    default:
        sum *= A[8];
    }
    __syncthreads();
    if (i >= n) // 1 of 8
        return;
    C[i] = sum;
}

int main()
{
    float *A, *C, result;
    const int n = 3 * 64 + 40;
    cudaMalloc(&A, 256 * sizeof *A);
    cudaMalloc(&C, 256 * sizeof *C);
    cudaMemset(A, 0, 256 * sizeof *A);
    branches<<<4, 64>>>(A, C, n);
    cudaMemcpy(&result, C, sizeof result, cudaMemcpyDeviceToHost);
}
