// SPDX-License-Identifier: MIT
// Eight neighbouring columns of a row of C are computed at once, in the eight lanes of one AVX
// register: one fused multiply-add (FMA) does what took eight multiplications and eight
// additions.
//
// TODO: include immintrin.h below params.h, and compute eight columns of one row of C in one
//       register. An iteration over k takes one element of A for all lanes, eight neighbouring
//       elements of B, and one FMA.
// TODO: keep the eight sums in the register for all of k, begin them at 0, and store them once. C
//       holds NaN before the call.
// TODO: where N is no multiple of 8, the last step has fewer than eight columns: neither read nor
//       write a column past N-1. What follows the last column of C is the next row, or lies
//       outside C.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
