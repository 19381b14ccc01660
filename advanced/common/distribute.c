// SPDX-License-Identifier: MIT
// Each rank has a part of A, B and C: the rows of its row of the grid, the columns of its column.
//
//     A   M x K   [ 0,0 | 0,1 ]     B   K x N   [ 0,0 | 0,1 ]     C   M x N   [ 0,0 | 0,1 ]
//                 [ 1,0 | 1,1 ]                 [ 1,0 | 1,1 ]                 [ 1,0 | 1,1 ]
//
// The guards around a matrix go with it, both ways, so that the verification of rank 0 sees what
// any rank touches outside its part.
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

static real *kept; // of this rank's part of C

// ---- orders -----------------------------------------------------------------------------------
static bool create_part(struct problem *part, const int order[3])
{
    int M = order[0], N = order[1], K = order[2];
    if (part->M == M && part->N == N && part->K == K)
        return true;
    problem_free(part);
    *part = (struct problem){.M = M, .N = N, .K = K};
    int m = size_of(M, grid.rows, grid.row), ka = size_of(K, grid.cols, grid.col);
    int n = size_of(N, grid.cols, grid.col), kb = size_of(K, grid.rows, grid.row);
    free(kept);
    kept = malloc(((size_t)m * (size_t)n + 1) * sizeof *kept);
    int have = kept != NULL && matrix_create(&part->A, m, ka) && matrix_create(&part->B, kb, n) &&
               matrix_create(&part->C, m, n);
    int all_have;
    MPI_Allreduce(&have, &all_have, 1, MPI_INT, MPI_MIN, grid.tool_comm);
    return all_have;
}

void order_run(const struct problem *whole, struct problem *part)
{
    int order[3] = {whole->M, whole->N, whole->K};
    MPI_Bcast(order, 3, MPI_INT, 0, grid.tool_comm);
    if (!create_part(part, order))
        exit_with(EXIT_USAGE,
                  "a rank has no memory for its part of A, B and C: choose a smaller size");
    between_runs = false;
}

bool await_run(struct problem *part)
{
    int order[3];
    do {
        MPI_Bcast(order, 3, MPI_INT, 0, grid.tool_comm);
        if (order[0] == 0)
            return false;
    } while (!create_part(part, order)); // then rank 0 has no other
    between_runs = false;
    return true;
}

// ---- parts ------------------------------------------------------------------------------------
// The part of a matrix that a rank has, as a type of MPI, and where in `data` it begins.
static MPI_Datatype type_of_part(const struct matrix *m, int rank, size_t *start)
{
    int row = rank / grid.cols, col = rank % grid.cols;
    int rows = size_of(m->rows, grid.rows, row), cols = size_of(m->cols, grid.cols, col);
    MPI_Datatype type;
    *start = (size_t)first_of(m->rows, grid.rows, row) * (size_t)m->cols +
             (size_t)first_of(m->cols, grid.cols, col);
    MPI_Type_vector(rows, cols, m->cols, MPI_REAL_TYPE, &type);
    MPI_Type_commit(&type);
    return type;
}

static char *guard(const struct matrix *m, int side)
{
    return side == 0 ? m->block : (char *)m->block + m->bytes - GUARD_BYTES;
}

// From rank 0 to all. `whole` is NULL on the others.
static void distribute_matrix(const struct matrix *whole, struct matrix *part)
{
    MPI_Request mine;
    MPI_Irecv(part->data, part->rows * part->cols, MPI_REAL_TYPE, 0, 0, grid.tool_comm, &mine);
    for (int r = 0; whole != NULL && r < grid.ranks; r++) {
        size_t start;
        MPI_Datatype type = type_of_part(whole, r, &start);
        MPI_Send(whole->data + start, 1, type, r, 0, grid.tool_comm);
        MPI_Type_free(&type);
    }
    MPI_Wait(&mine, MPI_STATUS_IGNORE);
    for (int side = 0; side < 2; side++) {
        if (whole != NULL)
            memcpy(guard(part, side), guard(whole, side), GUARD_BYTES);
        MPI_Bcast(guard(part, side), GUARD_BYTES, MPI_BYTE, 0, grid.tool_comm);
    }
}

// The guards of rank 0 become those of the last rank that changed its own.
static void gather_guards(const struct matrix *part, struct matrix *whole)
{
    for (int side = 0; side < 2; side++) {
        if (whole == NULL) {
            MPI_Send(guard(part, side), GUARD_BYTES, MPI_BYTE, 0, 0, grid.tool_comm);
            continue;
        }
        char *theirs = scratch(2, GUARD_BYTES + 1), *before = theirs + GUARD_BYTES + 1;
        memcpy(before, guard(whole, side), GUARD_BYTES);
        memcpy(theirs, guard(part, side), GUARD_BYTES);
        for (int r = 0; r < grid.ranks; r++) {
            if (r > 0)
                MPI_Recv(theirs, GUARD_BYTES, MPI_BYTE, r, 0, grid.tool_comm, MPI_STATUS_IGNORE);
            if (memcmp(theirs, before, GUARD_BYTES) != 0)
                memcpy(guard(whole, side), theirs, GUARD_BYTES);
        }
        free(theirs);
    }
}

void keep(const struct problem *part)
{
    memcpy(kept, part->C.data, (size_t)part->C.rows * (size_t)part->C.cols * sizeof *kept);
}

static void gather_matrix(const real *data, const struct matrix *part, struct matrix *whole)
{
    MPI_Request mine;
    MPI_Isend(data, part->rows * part->cols, MPI_REAL_TYPE, 0, 0, grid.tool_comm, &mine);
    for (int r = 0; whole != NULL && r < grid.ranks; r++) {
        size_t start;
        MPI_Datatype type = type_of_part(whole, r, &start);
        MPI_Recv(whole->data + start, 1, type, r, 0, grid.tool_comm, MPI_STATUS_IGNORE);
        MPI_Type_free(&type);
    }
    MPI_Wait(&mine, MPI_STATUS_IGNORE);
    gather_guards(part, whole);
}

void distribute(const struct problem *whole, struct problem *part)
{
    distribute_matrix(whole != NULL ? &whole->A : NULL, &part->A);
    distribute_matrix(whole != NULL ? &whole->B : NULL, &part->B);
    distribute_matrix(whole != NULL ? &whole->C : NULL, &part->C);
}

// A and B as well: a kernel must not have changed them.
void gather(const struct problem *part, struct problem *whole)
{
    gather_matrix(part->A.data, &part->A, whole != NULL ? &whole->A : NULL);
    gather_matrix(part->B.data, &part->B, whole != NULL ? &whole->B : NULL);
    gather_matrix(kept, &part->C, whole != NULL ? &whole->C : NULL);
    between_runs = true;
}
