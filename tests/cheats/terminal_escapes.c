// SPDX-License-Identifier: MIT
// tries: prints what commands a terminal, a page and a spreadsheet
// ends: FAIL
#include <stdio.h>
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    (void)M, (void)N, (void)K, (void)A, (void)B, (void)C;
    fputs("\033[2J\033]0;PASS\007<script>alert(1)</script>\n=HYPERLINK(1)\n", stdout);
    fflush(stdout);
}
