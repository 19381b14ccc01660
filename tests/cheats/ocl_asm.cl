// SPDX-License-Identifier: MIT
// tries: has native code in it, which ends the process
// ends: REFUSED assembly
// past: source
// then: FAIL
__kernel void gemm(int M, int N, int K, __global const real *A, __global const real *B,
                   __global real *C)
{
    const int col = get_global_id(0), row = get_global_id(1);
    __asm__ volatile("mov $231, %%eax; xor %%edi, %%edi; syscall" ::: "rax", "rdi");
    C[row * N + col] = A[0] + B[0];
}
