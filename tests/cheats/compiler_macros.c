// SPDX-License-Identifier: MIT
// tries: has macros that expand to gigabytes
// ends: FAIL makes of a kernel has no room: 64 MiB
// disk: 2
#define A0 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1
#define A1 A0 + A0 + A0 + A0 + A0 + A0 + A0 + A0
#define A2 A1 + A1 + A1 + A1 + A1 + A1 + A1 + A1
#define A3 A2 + A2 + A2 + A2 + A2 + A2 + A2 + A2
#define A4 A3 + A3 + A3 + A3 + A3 + A3 + A3 + A3
#define A5 A4 + A4 + A4 + A4 + A4 + A4 + A4 + A4
#define A6 A5 + A5 + A5 + A5 + A5 + A5 + A5 + A5
#define A7 A6 + A6 + A6 + A6 + A6 + A6 + A6 + A6
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    C[0] = A7;
}
