// SPDX-License-Identifier: MIT
// Host program of an MPI lab: every rank calls gemm() of kernel.c with its part of A, B and C. Rank
// 0 has the whole of them, verifies C and tells the time.
#include "ranks.h"
#include "params.h"

#include <stdlib.h>
#include <time.h>

// C (M x N) = A (M x K) * B (K x N), of which this rank has its part: see distribute.c. In
// kernel.c.
void gemm(int M, int N, int K, const real *A, const real *B, real *C);

// On all ranks. `whole` is NULL on the others. What is timed begins with A and B in their parts,
// and ends with C in its parts, on the slowest rank: libraries for such machines take and give
// matrices so, too.
static struct times run(struct problem *whole, struct problem *part)
{
    struct times times = {0};
    double before = now_ms();
    distribute(whole, part);
    MPI_Barrier(MPI_COMM_WORLD);

    clock_t cpu_start = clock();
    double start = now_ms(); // elapsed time: what you wait
    gemm(part->M, part->N, part->K, part->A.data, part->B.data, part->C.data);
    double cpu = (double)(clock() - cpu_start) * 1e3 / CLOCKS_PER_SEC;
    double took = now_ms() - start;
    keep(part);

    MPI_Reduce(&cpu, &times.cpu, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&took, &times.kernel, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    double end = now_ms();
    gather(part, whole);
    times.h2d = start - before;
    times.d2h = now_ms() - end;
    return times;
}

int main(int argc, char **argv)
{
    struct lab lab;
    static struct problem part;
    begin_ranks(RANKS, argv);
    if (grid.rank > 0) {
        while (await_run(&part))
            run(NULL, &part);
        return EXIT_SUCCESS;
    }
    lab_begin(&lab, argc, argv, "cpu", (struct tile){TILE_M, TILE_N, TILE_K});
    describe_ranks(&lab);

    while (next_problem(&lab)) { // the size asked for, or each of --check
        while (next_run(&lab)) { // two runs to warm up, then the timed ones
            order_run(&lab.problem, &part);
            end_run(&lab, run(&lab.problem, &part)); // verifies
        }
        print_report(&lab);
    }
    return lab_end(&lab);
}
