// SPDX-License-Identifier: MIT
// Host program of a CPU lab: calls gemm() of kernel.c, verifies C and times it.
#include "lab.h"
#include "params.h"

#include <time.h>

// C (M x N) = A (M x K) * B (K x N), row-major with lda = K, ldb = N, ldc = N. In kernel.c.
void gemm(int M, int N, int K, const real *A, const real *B, real *C);

int main(int argc, char **argv)
{
    struct lab lab;
    lab_begin(&lab, argc, argv, "cpu", (struct tile){TILE_M, TILE_N, TILE_K});

    while (next_problem(&lab)) { // the size asked for, or each of --check
        struct problem *p = &lab.problem;

        while (next_run(&lab)) { // two runs to warm up, then the timed ones
            struct times times = {0};
            clock_t cpu_start = clock(); // CPU time: all threads of this program together
            double start = now_ms();     // elapsed time: what you wait

            gemm(p->M, p->N, p->K, p->A.data, p->B.data, p->C.data);

            times.kernel = now_ms() - start;
            times.cpu = (double)(clock() - cpu_start) * 1e3 / CLOCKS_PER_SEC;
            end_run(&lab, times); // verifies
        }
        print_report(&lab);
    }
    return lab_end(&lab);
}
