// SPDX-License-Identifier: MIT
// Packing: each block of B is copied into one piece of memory, as panels of 16 columns, before
// the tiles read it. Its rows then lie side by side, and no set of a cache gets more than its
// share.
//
// TODO: copy each block of B once, before any tile reads it, into a buffer of BLOCK_KN * BLOCK_KN
//       floats of your own. A panel holds 16 columns of the block, row after row; one panel
//       follows the other. The buffer is not an automatic variable, and nothing stays allocated:
//       BLOCK_KN may be 4096.
// TODO: let the tiles read B from the panels alone. For one k a tile reads 16 floats that lie
//       side by side, with no mask.
// TODO: fill the columns of a panel that lie past column N-1 with zeros. Read nothing outside B,
//       and store only elements of C that exist, as before. Any BLOCK_KN and ROWS that params.h
//       allows must work.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
