// SPDX-License-Identifier: MIT
// The table of common mistakes, mistakes.def, as functions and as words. Each row has its line
// number as its name.
#include "diagnosis/cause.h"

#include <math.h>

// ---- what the rows are made of ------------------------------------------------------------------
// A loop over tiles of `tile` that goes on by `step`, and begins at `from`: how many have this k?
static int tiles_with(size_t k, size_t tile, size_t from, size_t step)
{
    if (k < from)
        return 1;
    size_t in = k - from, end = in / step + 1, begin = in < tile ? 0 : (in - tile) / step + 1;
    return end > begin ? (int)(end - begin) : 0;
}

#define A(ROW, K_) ((ROW) < M && (K_) < K ? (ROW)*K + (K_) : PADDED)
#define B(K_, COLUMN) ((K_) < K && (COLUMN) < N ? (K_)*N + (COLUMN) : PADDED)
#define C(BACK) (double)at->e->p->C.data[here - (BACK)]
#define here (i * N + j)
#define di (i % tm)
#define dj (j % tn)
#define dk (k % tk)
#define i0 (i - di)
#define j0 (j - dj)
#define k0 (k - dk)
#define last ((K - 1) / tk * tk)
#define tiles (tk > 1 && K - last > 1 ? last / tk + 1 : 0)
#define square (tm == tn && tm > 1)
#define cube (square && tk == tm)
#define VECTOR (tn < 16 ? tn : 16)
// With tiles of k, an element holds that of another tile if it is at the same place of it.
#define INSIDE(SAME_TILE, TILE) (tk == 1 || (SAME_TILE) || n % (TILE) == 0)
// Does the element n before or behind, of rows that are STEP apart, hold the same as this one?
#define TWINS(AT, END) (isfinite(C(0)) && C(0) != 0 && ((AT) >= n || (AT) + n < (END)))
#define TWIN(AT, END, STEP)                                                                        \
    (((AT) >= n && C(n * (STEP)) == C(0)) || ((AT) + n < (END) && C(-n * (STEP)) == C(0)) ? C(0)   \
                                                                                          : NAN)
// The first iteration has the first tile, and so has the second.
#define BEFORE (k < tk ? k : k - tk)
// An element of a tile, as if its rows were so long.
#define IN_A(AT, LENGTH) A(i0 + (AT) / (LENGTH), k0 + (AT) % (LENGTH))
#define IN_B(AT, LENGTH) B(k0 + (AT) / (LENGTH), j0 + (AT) % (LENGTH))
// Panels of 16 columns of a block of B. CLOSE: they begin tk elements apart. The last block has
// less depth; behind its rows is what the block before has left.
#define depth (k < last ? tk : K - last)
#define panels (((N - j0 < tn ? N - j0 : tn) + 15) / 16)
#define CLOSE (dj / 16 * tk + dk * 16 + dj % 16)
#define DEEP (dj / 16 * tk + dk)
#define SHALLOW (dj / 16 * depth + dk)
// An item's elements are 16 apart at one place, and next to each other at another.
#define APART(AT, TILE) ((AT) % 16 * ((TILE) / 16) + (AT) / 16)
#define TOGETHER(AT, TILE) ((AT) % ((TILE) / 16) * 16 + (AT) / ((TILE) / 16))

// ---- the forms of a row -------------------------------------------------------------------------
#define COUNT(KIND, WHEN, TIMES, WORDS)                                                            \
    ROW(SUM, #KIND, WORDS, WHEN, A(i, k), B(k, j), TIMES, here, 0)
#define TERM(KIND, WHEN, OF_A, OF_B, WORDS) ROW(SUM, #KIND, WORDS, WHEN, OF_A, OF_B, 1, here, 0)
#define STORE(KIND, WHEN, TO, WORDS) ROW(STORED, #KIND, WORDS, WHEN, A(i, k), B(k, j), 1, TO, 0)
#define BOTH(KIND, WHEN, OF_A, OF_B, TO, WORDS)                                                    \
    ROW(STORED, #KIND, WORDS, WHEN, OF_A, OF_B, 1, TO, 0)
#define CARRY(KIND, WHEN, SUM_, WORDS) ROW(CARRIED, #KIND, WORDS, WHEN, 0, 0, 0, here, SUM_)
#define LAYOUT_A(WHEN, OF_A, WORDS)                                                                \
    ROW(OF_MATRIX_A, "index", WORDS, WHEN, OF_A, B(k, j), 1, here, 0)
#define LAYOUT_B(WHEN, OF_B, WORDS)                                                                \
    ROW(OF_MATRIX_B, "index", WORDS, WHEN, A(i, k), OF_B, 1, here, 0)
#define LAYOUT_C(WHEN, TO, WORDS) ROW(OF_MATRIX_C, "index", WORDS, WHEN, A(i, k), B(k, j), 1, TO, 0)
#define GAP(KIND, WHEN, WHERE, WORDS) ROW(NEVER_WRITTEN, #KIND, WORDS, WHEN, 0, 0, WHERE, here, 0)

#define ROW(FORM, KIND, WORDS, WHEN, ...)                                                          \
    case __LINE__:                                                                                 \
        return (WHEN) ? (struct term){__VA_ARGS__} : unknown;

struct term term(int line, const struct place *at, size_t k)
{
    static const struct term unknown = {UNKNOWN, UNKNOWN, 1, UNKNOWN, 0};
    const struct findings *const f = at->e->f;
    const size_t M = (size_t)f->M, N = (size_t)f->N, K = (size_t)f->K, tm = (size_t)f->tile.m,
                 tn = (size_t)f->tile.n, tk = (size_t)f->tile.k, i = at->i, j = at->j, n = at->n;
    const double right = at->right;
    switch (line) {
#include "diagnosis/mistakes.def"
    default:
        return (struct term){A(i, k), B(k, j), 1, here, 0};
    }
}

// ---- as words -----------------------------------------------------------------------------------
#define OVERLAP                                                                                    \
    "tiles of k overlap, as they begin # apart, and what they share is added twice: does the "     \
    "loop over them go on by a full tile?"
#define LAST_OF_EACH                                                                               \
    "the last k of each tile is missing: does the loop inside a tile end too early?"
#define ROWS_OF_TILE "rows of A are taken to be as long as a tile's: (i,k) is A[i*K + k]"
#define A_EXCHANGED                                                                                \
    "row and column of A's tile are exchanged: what is stored at [i][k] is to be read at [i][k], " \
    "and at [k][i] what is stored there"
#define PANELS                                                                                     \
    "a panel of B's block is read where another one lies: does panel p begin at the same place "   \
    "where it is stored and where it is read, also in a block that is less deep?"
#define DIAGONAL(MATRIX, INDEX, LENGTH)                                                            \
    "only the k are there that have the same remainder as the " INDEX ": goes k from 0 on by 1? "  \
    "Of " MATRIX "'s tile, is one index i % " LENGTH ", and the other i / " LENGTH "?"
#define BOTH_OF_X                                                                                  \
    "only the diagonal of each tile is written: are row and column both made of x? It counts "     \
    "columns, y rows"
#define TRANSPOSED_TILES                                                                           \
    "each tile of C is transposed: are x and y exchanged where C is stored, or where the tiles "   \
    "are read?"
#define NEXT(LINES)                                                                                \
    "an item's " LINES " are next to each other at one place, and 16 apart at another"
#define REGROUPED(LINES)                                                                           \
    LINES " of a tile are exchanged: an item's are 16 apart at one place, and next to each other " \
          "at another"
#define ENDS_AT_ROW(THAN)                                                                          \
    "never written where j " THAN " i: does the loop over columns end at the row? It ends at N"
#define BEGINS_AT_ROW(THAN)                                                                        \
    "never written where j " THAN " i: does the loop over columns begin at the row? It begins at 0"

#undef ROW
#define ROW(FORM, KIND, WORDS, ...) {__LINE__, FORM, {KIND, WORDS}},

const struct mistake mistakes[] = {
#include "diagnosis/mistakes.def"
    {0, SUM, {NULL, ""}},
};
