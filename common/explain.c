// SPDX-License-Identifier: MIT
// What is wrong with C, in sentences that name a likely cause.
#include "lab.h"

#include <math.h>

static const char names[] = "ABC";

// One line for the cause that accounts for every wrong element seen; the likeliest first.
static const char *likely_cause(const struct problem *p, const struct findings *f, struct tile t)
{
    bool bottom = p->M >= t.m && f->i_min >= p->M / t.m * t.m;
    bool right = p->N >= t.n && f->j_min >= p->N / t.n * t.n;
    bool probed = f->probed > 0;

    if (f->poison == f->wrong && (bottom || right))
        return bottom ? "the last, incomplete tile of rows was never written"
                      : "the last, incomplete tile of columns was never written";
    if (f->poison == f->wrong)
        return "these elements were never written, or added to what C held before (NaN)";
    if (f->nan == f->wrong)
        return "NaN: added to what C held before, or read outside A or B, or in a tile what nobody wrote";
    if (f->zero == f->wrong && f->wrong > f->examined / 2)
        return "zeros: was the sum ever stored?";
    if (f->wrong == 1 && f->examined > 1)
        return "a single element: an index off in one place, or two writers for one place";
    if (probed && f->last_k == f->probed)
        return "the last k is missing: does the loop, or its last tile, end too early?";
    if (probed && f->first_k == f->probed)
        return "the first k is missing: does the loop over k start at 0?";
    if (probed && f->only_last == f->probed)
        return "only the last product is there: = where += belongs?";
    if (probed && f->a_transposed == f->probed)
        return "this is A transposed times B: A is row-major, (i,k) is A[i*K + k]";
    if (probed && f->b_transposed == f->probed)
        return "this is A times B transposed: B is row-major, (k,j) is B[k*N + j]";
    if (probed && f->c_transposed == f->probed)
        return "C is stored column by column: element (i,j) belongs at C[i*N + j]";
    if (bottom && right)
        return "only the corner tile: an edge cut off in one direction but not in both";
    if (bottom || right)
        return bottom ? "only the last, incomplete tile of rows: check row < M"
                      : "only the last, incomplete tile of columns: check col < N";
    if (f->imprecise == f->wrong)
        return "close, but too far: narrower arithmetic (half, TF32), or a term missing";
    if (p->K % t.k != 0)
        return "is the last, incomplete tile along k padded with zeros, in A's and in B's?";
    if (p->M != p->N || p->N != p->K)
        return "right for squares only? Leading dimensions: K of A, N of B, N of C";
    return t.k > 1 ? "a wrong index, or a missing barrier: try the smallest size that fails"
                   : "a wrong index: try the smallest size that still fails";
}

static void print_map(const struct problem *p, const struct findings *f, FILE *out)
{
    int rows = p->M < MAP_ROWS ? p->M : MAP_ROWS, cols = p->N < MAP_COLS ? p->N : MAP_COLS;
    fprintf(out,
            "  map of C       . right   + partly wrong   # all wrong   (blank: not looked at)\n");
    for (int y = 0; y < rows; y++) {
        fprintf(out, "                 ");
        for (int x = 0; x < cols; x++) { // element rows and columns that fall into this cell
            int cell_y = (int)((long)y * MAP_ROWS / rows),
                cell_x = (int)((long)x * MAP_COLS / cols);
            int seen = f->map_seen[cell_y][cell_x], wrong = f->map_wrong[cell_y][cell_x];
            fputc(seen == 0 ? ' ' : wrong == 0 ? '.' : wrong == seen ? '#' : '+', out);
        }
        fputc('\n', out);
    }
}

void explain(const struct problem *p, const struct findings *f, struct tile tile, FILE *out)
{
    fprintf(out, "FAIL  M=%d N=%d K=%d, %s, seed %u\n", p->M, p->N, p->K,
            p->set == INTEGERS ? "whole numbers with exact sums" : "uniform values in [-1,1)",
            p->seed);
    const struct matrix *all[] = {&p->A, &p->B, &p->C};
    for (int m = 0; m < 3; m++)
        if (f->guard_words[m] > 0)
            fprintf(
                out,
                "  outside %c      %ld words were overwritten, from index %ld on; %c ends at %ld\n",
                names[m], f->guard_words[m], f->guard_at[m], names[m],
                (long)all[m]->rows * all[m]->cols - 1);
    for (int m = 0; m < 2; m++)
        if (f->input_changes[m] > 0)
            fprintf(
                out,
                "  input %c        %ld elements were changed, from index %ld on: a kernel only reads %c\n",
                names[m], f->input_changes[m], f->input_at[m], names[m]);
    if (f->wrong > 0) {
        char got[32] = "NaN"; // printf may write nan, -nan or NaN
        if (!isnan(f->got))
            snprintf(got, sizeof got, "%.9g", f->got);
        fprintf(out, "  first wrong    C(%d,%d) is %s, expected %.9g", f->i, f->j, got,
                f->expected);
        if (f->bound > 0 && !isnan(f->got))
            fprintf(out, ", off by %.3g times the bound", fabs(f->got - f->expected) / f->bound);
        fprintf(
            out,
            "\n  wrong          %ld of %ld elements looked at, rows %d to %d, columns %d to %d\n",
            f->wrong, f->examined, f->i_min, f->i_max, f->j_min, f->j_max);
        print_map(p, f, out);
        fprintf(out, "  likely cause: %s\n", likely_cause(p, f, tile));
    } else if (f->rows_failed > 0)
        fprintf(out, "  wrong          %ld rows fail Freivalds' test\n", f->rows_failed);
}
