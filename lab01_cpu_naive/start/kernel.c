// SPDX-License-Identifier: MIT
// Three loops compute C by its definition, one element after the other. Nothing is fast yet: this
// is the baseline that the other labs are measured against.
//
// TODO: compute each of the M x N elements of C: the sum over all K values of k of A(i,k) *
//       B(k,j). C holds NaN before the call: overwrite every element, and add to none.
// TODO: address the elements by their leading dimensions: K for A, N for B, N for C. M, N and K
//       may all differ, and each of them may be 1.
// TODO: read nothing outside A and B, write nothing outside C, and change neither A nor B. Use
//       the type real for the sum, since make TYPE=double and TYPE=int compile the same file.
// Delete each of them once it is done: a kernel with one left counts as not done yet.
#include "params.h"

// C (M x N) = A (M x K) * B (K x N), row-major, lda = K, ldb = N, ldc = N, below 2^31 elements.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C; // TODO: replace this line
}
