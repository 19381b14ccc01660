// SPDX-License-Identifier: MIT
// Multiply-adds on full registers with nothing to wait for. Compiled once for each instruction set,
// with its flags, the BYTES of its registers and the NAME of the function.
typedef real vector __attribute__((vector_size(BYTES)));

enum { CHAINS = 12 };

// 12 chains of dependent multiply-adds: enough to hide a latency of 4 to 5 cycles at 2 a cycle. x:
// the compiler must not know it. Returns how many multiplications and additions were done.
double NAME(int steps, real x)
{
    vector sum[CHAINS], factor = {0};
    factor += x;
    for (int c = 0; c < CHAINS; c++)
        sum[c] = factor * (real)c;
    for (int step = 0; step < steps; step++)
#pragma GCC unroll 12
        for (int c = 0; c < CHAINS; c++)
            sum[c] = sum[c] * factor + factor;
    volatile real sink; // or the loop would have no effect
    for (int c = 0; c < CHAINS; c++)
        sink = sum[c][0];
    (void)sink;
    return 2.0 * steps * CHAINS * (BYTES / sizeof(real));
}
