// SPDX-License-Identifier: MIT
// tries: has the compiler include a file more than a million times
// ends: REFUSED the compiler needs more
// seconds: 2
// class: FAIL or REFUSED by the limit that comes first, of its memory or of its 60 s
#if !defined D0
#define D0
#include "kernel.c"
#include "kernel.c"
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            real sum = 0;
            for (int k = 0; k < K; k++)
                sum += A[i * K + k] * B[k * N + j];
            C[i * N + j] = sum;
        }
}
#elif !defined D1
#define D1
#include "kernel.c"
#include "kernel.c"
#undef D1
#elif !defined D2
#define D2
#include "kernel.c"
#include "kernel.c"
#undef D2
#elif !defined D3
#define D3
#include "kernel.c"
#include "kernel.c"
#undef D3
#elif !defined D4
#define D4
#include "kernel.c"
#include "kernel.c"
#undef D4
#elif !defined D5
#define D5
#include "kernel.c"
#include "kernel.c"
#undef D5
#elif !defined D6
#define D6
#include "kernel.c"
#include "kernel.c"
#undef D6
#elif !defined D7
#define D7
#include "kernel.c"
#include "kernel.c"
#undef D7
#elif !defined D8
#define D8
#include "kernel.c"
#include "kernel.c"
#undef D8
#elif !defined D9
#define D9
#include "kernel.c"
#include "kernel.c"
#undef D9
#elif !defined D10
#define D10
#include "kernel.c"
#include "kernel.c"
#undef D10
#elif !defined D11
#define D11
#include "kernel.c"
#include "kernel.c"
#undef D11
#elif !defined D12
#define D12
#include "kernel.c"
#include "kernel.c"
#undef D12
#elif !defined D13
#define D13
#include "kernel.c"
#include "kernel.c"
#undef D13
#elif !defined D14
#define D14
#include "kernel.c"
#include "kernel.c"
#undef D14
#elif !defined D15
#define D15
#include "kernel.c"
#include "kernel.c"
#undef D15
#elif !defined D16
#define D16
#include "kernel.c"
#include "kernel.c"
#undef D16
#elif !defined D17
#define D17
#include "kernel.c"
#include "kernel.c"
#undef D17
#elif !defined D18
#define D18
#include "kernel.c"
#include "kernel.c"
#undef D18
#elif !defined D19
#define D19
#include "kernel.c"
#include "kernel.c"
#undef D19
#elif !defined D20
#define D20
#include "kernel.c"
#include "kernel.c"
#undef D20
#elif !defined D21
#define D21
#include "kernel.c"
#include "kernel.c"
#undef D21
#elif !defined D22
#define D22
#include "kernel.c"
#include "kernel.c"
#undef D22
#elif !defined D23
#define D23
#include "kernel.c"
#include "kernel.c"
#undef D23
#elif !defined D24
#define D24
#include "kernel.c"
#include "kernel.c"
#undef D24
#elif !defined D25
#define D25
#include "kernel.c"
#include "kernel.c"
#undef D25
#elif !defined D26
#define D26
#include "kernel.c"
#include "kernel.c"
#undef D26
#elif !defined D27
#define D27
#include "kernel.c"
#include "kernel.c"
#undef D27
#elif !defined D28
#define D28
#include "kernel.c"
#include "kernel.c"
#undef D28
#elif !defined D29
#define D29
#include "kernel.c"
#include "kernel.c"
#undef D29
#elif !defined D30
#define D30
#include "kernel.c"
#include "kernel.c"
#undef D30
#elif !defined D31
#define D31
#include "kernel.c"
#include "kernel.c"
#undef D31
#elif !defined D32
#define D32
#include "kernel.c"
#include "kernel.c"
#undef D32
#elif !defined D33
#define D33
#include "kernel.c"
#include "kernel.c"
#undef D33
#elif !defined D34
#define D34
#include "kernel.c"
#include "kernel.c"
#undef D34
#elif !defined D35
#define D35
#include "kernel.c"
#include "kernel.c"
#undef D35
#elif !defined D36
#define D36
#include "kernel.c"
#include "kernel.c"
#undef D36
#elif !defined D37
#define D37
#include "kernel.c"
#include "kernel.c"
#undef D37
#elif !defined D38
#define D38
#include "kernel.c"
#include "kernel.c"
#undef D38
#elif !defined D39
#define D39
#include "kernel.c"
#include "kernel.c"
#undef D39
#endif
