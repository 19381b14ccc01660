// SPDX-License-Identifier: MIT
// A tile of ROWS x 16 elements of C is computed at a time, all in registers. Each element loaded
// serves several FMAs, and the tile's sums are independent dependency chains.
//
// TODO: compute ROWS rows and 16 columns (two registers) of C at a time, with all sums in registers
//       for the whole of k. An iteration over k loads 16 elements of B once for all rows, and each
//       row's element of A once for both registers.
// TODO: let ROWS of params.h be any number from 1 to 16, and see that the compiler keeps the sums
//       in registers: with ROWS = 6, make asm shows 12 multiply-adds into 12
//       different registers.
// TODO: at the edges of C a tile has fewer than ROWS rows, fewer than 16 columns, or not even 9:
//       read only rows of A and columns of B that exist, and store only elements of C that exist.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
