// SPDX-License-Identifier: MIT
// what: calls what is its own as functions and variables of common/, of the worker, of libc
// tools: yes
#include "params.h"

__constant int config = 1;
__constant real scratch[2] = {0, 1};

int check(int value, int tolerance)
{
    return value < tolerance;
}

int index(int row, int col, int cols)
{
    return row * cols + col;
}

real now(real usage, real probe)
{
    return usage * probe * scratch[config];
}

real read(__global const real *fill, int send)
{
    return fill[send];
}

__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    if (!check(row, M) || !check(col, N))
        return;
    real verify = scratch[0];
    for (int k = 0; check(k, K); k += config)
        verify += now(read(A, index(row, k, K)), read(B, index(k, col, N)));
    C[index(row, col, N)] = verify;
}
