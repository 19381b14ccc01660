// SPDX-License-Identifier: MIT
// what: never loses what it keeps: in a list of sizes, by an address inside of the block that is
// aligned, in a variable of the thread, as the buffer of stdout; and frees one when all is over
// tools: yes
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct size {
    struct size *next;
    int K;
    real *column;
};
static struct size *sizes;
static _Thread_local real *row;
static real *table;

static void over(void)
{
    free(table);
}

static struct size *find(int K)
{
    for (struct size *s = sizes; s != NULL; s = s->next)
        if (s->K == K)
            return s;
    struct size *made = malloc(sizeof *made);
    char *block = malloc((size_t)K * sizeof(real) + 64);
    made->next = sizes;
    made->K = K;
    made->column = (real *)(((uintptr_t)block + 63) & ~(uintptr_t)63);
    return sizes = made;
}

void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    if (table == NULL) {
        table = calloc(1 << 16, sizeof *table);
        setvbuf(stdout, malloc(BUFSIZ), _IOFBF, BUFSIZ);
        atexit(over);
    }
    real *column = find(K)->column;
    row = realloc(row, (size_t)N * sizeof *row);
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < K; k++)
            column[k] = B[k * N + j];
        for (int i = 0; i < M; i++) {
            row[j] = table[j % 8];
            for (int k = 0; k < K; k++)
                row[j] += A[i * K + k] * column[k];
            C[i * N + j] = row[j];
        }
    }
}
