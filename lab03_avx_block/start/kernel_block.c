// SPDX-License-Identifier: MIT
// Cache blocking: a block of B, BLOCK_KN x BLOCK_KN floats, serves all rows of A before the next
// one is touched. It stays in the L2 cache, where regtile reads all of B again for every ROWS rows
// of C.
//
// TODO: finish all work with one block of B, for all M rows of A, before the next block: the
//       block's first column and its first k are the two outermost loops.
// TODO: compute each tile of C in pieces of at most BLOCK_KN values of k. The first piece
//       overwrites what C held, which is NaN; the others add to what the pieces before have stored.
// TODO: cut the last block off where N or K is no multiple of BLOCK_KN; a tile's edges stay as they
//       are. BLOCK_KN may be any multiple of 16 from 16 to 4096, ROWS any number from 1 to 16.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
