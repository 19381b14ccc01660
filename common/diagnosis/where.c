// SPDX-License-Identifier: MIT
// Where a result is wrong: in which rows and columns of C, and for which shapes. What they have in
// common tells of the cause.
#include "diagnosis/cause.h"
#include "strict.h"

#include <limits.h>

static const struct cause none = {NULL, ""};

// ---- in C ---------------------------------------------------------------------------------------
bool only_bottom(const struct findings *f)
{
    return f->M > f->tile.m && f->i_min >= f->M / f->tile.m * f->tile.m;
}

bool only_right(const struct findings *f)
{
    return f->N > f->tile.n && f->j_min >= f->N / f->tile.n * f->tile.n;
}

// Are the wrong ones so many neighbours of each `period`, as far as the period that is the
// smallest?
static bool find_period(const long *wrong, const long *seen, int size, int tile, int *period,
                        int *first, int *last)
{
    const int all = period_of(tile);
    for (*period = 2; *period <= all && *period <= size; ++*period) {
        int begins = 0, count = 0;
        bool clear = all % *period == 0, before = false;
        *first = *last = -1;
        for (int r = 0; r < *period && clear; r++) {
            long bad = 0, looked_at = 0;
            for (int at = r; at < all; at += *period) {
                bad += wrong[at];
                looked_at += seen[at];
            }
            bool is_wrong = 2 * bad > looked_at; // some may be right by chance
            clear = is_wrong || bad == 0;
            begins += is_wrong && !before;
            if (is_wrong && !before)
                *first = r;
            if (is_wrong)
                *last = r;
            count += is_wrong;
            before = is_wrong;
        }
        if (clear && begins == 1 && count < *period)
            return true;
    }
    return false;
}

static struct region described(const char *what, int first, int last, int period)
{
    struct region region = {.rows = what[0] == 'r', .single = first == last};
    region.from = first;
    region.to = last;
    region.period = period;
    char of[24] = "";
    if (period > 0)
        snprintf(of, sizeof of, " of each %d", period);
    if (first == last)
        snprintf(region.text, sizeof region.text, "%s %d%s", what, first, of);
    else
        snprintf(region.text, sizeof region.text, "%ss %d to %d%s", what, first, last, of);
    return region;
}

// From some row, or column, on.
static bool rows_to_the_end(const struct findings *f)
{
    return f->i_min > 0 && f->wrong == (long)(f->M - f->i_min) * f->N;
}

static bool columns_to_the_end(const struct findings *f)
{
    return f->j_min > 0 && f->wrong == (long)(f->N - f->j_min) * f->M;
}

// And up to it.
static bool rows_from_the_beginning(const struct findings *f)
{
    return f->i_max + 1 < f->M && f->wrong == (long)(f->i_max + 1) * f->N;
}

static bool columns_from_the_beginning(const struct findings *f)
{
    return f->j_max + 1 < f->N && f->wrong == (long)(f->j_max + 1) * f->M;
}

static struct region columns_of(const struct findings *f, const long *columns)
{
    int period, first, last;
    if (!find_period(columns, f->column_seen, f->N, f->tile.n, &period, &first, &last))
        return (struct region){.text = ""};
    return described("column", first, last, 2 * period <= f->N ? period : 0);
}

static struct region rows_of(const struct findings *f, const long *rows)
{
    int period, first, last;
    if (f->examined < (long)f->M * f->N ||
        !find_period(rows, f->row_seen, f->M, f->tile.m, &period, &first, &last))
        return (struct region){.text = ""};
    return described("row", first, last, 2 * period <= f->M ? period : 0);
}

struct region wrong_region(const struct findings *f)
{
    bool all = f->examined == (long)f->M * f->N;
    if (all && rows_to_the_end(f))
        return described("row", f->i_min, f->M - 1, 0);
    if (all && columns_to_the_end(f))
        return described("column", f->j_min, f->N - 1, 0);
    if (all && rows_from_the_beginning(f))
        return described("row", 0, f->i_max, 0);
    if (all && columns_from_the_beginning(f))
        return described("column", 0, f->j_max, 0);
    struct region columns = columns_of(f, f->column_wrong);
    return columns.text[0] != '\0' ? columns : rows_of(f, f->row_wrong);
}

struct region unwritten_columns(const struct findings *f)
{
    return columns_of(f, f->column_poison);
}

struct region unwritten_rows(const struct findings *f)
{
    return rows_of(f, f->row_poison);
}

// In how many rows, or columns, is one that is not 0; of these all that was seen goes to `whole`.
static long lines(const long *not_zero, const long *seen, long others, long *whole)
{
    long count = 0;
    for (int at = 0; at < PERIOD; at++) {
        whole[at] = not_zero[at] > 0 ? seen[at] : 0;
        count += whole[at] / others;
    }
    return count;
}

struct region sole_region(const struct findings *f)
{
    struct region none_found = {.text = ""}, region = none_found;
    long rows[PERIOD], columns[PERIOD],
        sole = f->wrong - f->zero, down = lines(f->row_not_zero, f->row_seen, f->N, rows),
        across = lines(f->column_not_zero, f->column_seen, f->M, columns);
    bool most = 10 * sole > 9 * down * across, // some may be right, or 0, by chance
        others = 10 * f->zero > 9 * (f->examined - down * across);
    if (f->examined < (long)f->M * f->N || f->zero == 0 || sole == 0 || !most || !others)
        return none_found;
    struct region of_rows = rows_of(f, rows), of_columns = columns_of(f, columns);
    bool both = of_rows.text[0] != '\0' && of_columns.text[0] != '\0';
    region.first = rows[0] > 0 && columns[0] > 0;
    snprintf(region.text, sizeof region.text, "%.60s%s%.60s", of_rows.text, both ? " in " : "",
             of_columns.text);
    region.single = of_rows.text[0] != '\0' ? of_rows.single : of_columns.single;
    return region;
}

static int ceil_div(int size, int tile)
{
    return (size + tile - 1) / tile;
}

static const struct cause swapped = {
    "unwritten",
    "never written: there are as many tiles of columns as there should be of rows, and of rows as "
    "of columns: are x, which counts columns, and y swapped?"};

// Is all wrong but the diagonal of each tile, which is a square?
static bool all_but_diagonals(const struct findings *f)
{
    long on_it = 0;
    for (int i = 0; i < f->M; i++)
        on_it += (f->N - i % f->tile.m + f->tile.n - 1) / f->tile.n;
    return f->tile.m == f->tile.n && f->tile.n > 1 && f->diagonal == 0 &&
           f->wrong + on_it == (long)f->M * f->N;
}

// Is all but those elements never written whose row and column are the same one of 16 items?
static bool all_but_items_diagonals(const struct findings *f)
{
    long on_it = 0;
    for (int i = 0; i < f->M; i++)
        on_it += (f->N - i % 16 + 15) / 16;
    return f->tile.m % 16 == 0 && f->tile.n % 16 == 0 && f->items_diagonal == 0 && f->N > 16 &&
           f->wrong + on_it == (long)f->M * f->N;
}

// Are all above the diagonal of C wrong, or all below it, and no others? Where it is wrong itself
// it has another name: j >= i.
static struct cause triangle(const struct findings *f)
{
    long diagonal = f->wrong - f->above - f->below, below = 0, edge = f->M < f->N ? f->M : f->N;
    struct cause cause = {NULL, ""};
    for (int i = 0; i < f->M; i++)
        below += i < f->N ? i : f->N;
    long above = (long)f->M * f->N - edge - below;
    bool all = diagonal == 0 || diagonal == edge;
    if (f->below == 0 && f->above == above && all && above > 0)
        snprintf(cause.text, sizeof cause.text,
                 "never written where j %s i: does the loop over columns end at the row? It ends "
                 "at N",
                 diagonal > 0 ? ">=" : ">");
    else if (f->above == 0 && f->below == below && all && below > 0)
        snprintf(cause.text, sizeof cause.text,
                 "never written where j %s i: does the loop over columns begin at the row? It "
                 "begins at 0",
                 diagonal > 0 ? "<=" : "<");
    else
        return none;
    cause.kind = "unwritten";
    return cause;
}

// Is all but what lies at C[i*N + i] never written?
bool only_at_i_i(const struct findings *f)
{
    long all = (long)f->M * f->N, at = (all - 1) / (f->N + 1) + 1;
    return f->skew_poison == 0 && f->poison == all - at && f->M > 2 && f->N > 2;
}

#define LAST "the last, partial tile of "
#define OR_SWAPPED                                                                                 \
    " was never written: is it left out, or are x, which counts columns, and y swapped?"

// From a row or column on none was written: tiles that begin too near each other end there, as does
// who takes the tile's number for its own.
static const char *which_end(const struct findings *f, bool of_rows)
{
    static char said[128];
    const char *what = of_rows ? "rows" : "columns", *tile = of_rows ? "TILE_M" : "TILE_N";
    int first = of_rows ? f->i_min : f->j_min, end = of_rows ? f->M : f->N;
    int size = of_rows ? f->tile.m : f->tile.n, tiles = ceil_div(end, size), past = first - size;
    int other = of_rows ? f->N : f->M;
    int item = 16; // columns of a work-group that has one for each item
    bool near = past == (tiles - 1) * 16 || past == tiles - 1 || past == (tiles - 1) * tiles;
    said[0] = '\0';
    if (size > item && size % item == 0 && first == tiles * item)
        snprintf(said, sizeof said,
                 ": of each tile's %d %s there are %d: does a work-item compute all of its own?",
                 size, what, item);
    else if (size > 1 && first == 1)
        snprintf(said, sizeof said,
                 ": is its index 0 for all, as that of a dimension that is not "
                 "there?");
    else if (first == other || first == f->K)
        snprintf(said, sizeof said, ": do %s end at %c, and not at %c?", what, of_rows ? 'M' : 'N',
                 first == f->K ? 'K'
                 : of_rows     ? 'N'
                               : 'M');
    else if (size > 1 && first == size && (of_rows ? f->N <= f->tile.n : f->M <= f->tile.m))
        snprintf(said, sizeof said,
                 ": does the number of a tile of %s count, or are x, which counts columns, and y "
                 "swapped?",
                 what);
    else if (size > 1 && near && past < (tiles - 1) * size)
        snprintf(said, sizeof said,
                 ": tiles begin %d %s apart: does each tile begin %s %s after the one before?",
                 past / (tiles - 1), what, tile, what);
    else if (size > 1 && first == tiles)
        snprintf(said, sizeof said,
                 ": there are %d tiles: is a tile's number (of the block, of the work-group) taken "
                 "for an element's?",
                 tiles);
    return said;
}

// Of what is written nowhere else: single ones, or those between an item's.
static const char *which_beginning(const struct findings *f)
{
    int m = f->tile.m, n = f->tile.n;
    if (f->i_max == 0)
        return ": does the loop over rows begin at 0?";
    if (f->j_max == 0)
        return ": does the loop over columns begin at 0?";
    if (n > 16 && n % 16 == 0 && f->j_min == 15 + n / 16)
        return ": are an item's columns, which are 16 apart, taken next to each other?";
    if (m > 16 && m % 16 == 0 && f->i_min == 15 + m / 16)
        return ": are an item's rows, which are 16 apart, taken next to each other?";
    return "";
}

// Of what comes back: tiles too far from each other, a loop over a tile that ends early, and items
// too far from each other.
static const char *which_gap(const struct findings *f, const struct region *gap)
{
    static char said[128];
    const char *what = gap->rows ? "rows" : "columns";
    int size = gap->rows ? f->tile.m : f->tile.n, end = gap->rows ? f->M : f->N;
    bool to_end = gap->to == gap->period - 1;
    said[0] = '\0';
    bool between = gap->period == 0 && gap->to < end - 1;
    if (size > 1 && gap->from == size && (to_end || between))
        snprintf(said, sizeof said, ": tiles of %d %s begin %d apart: by how much do they go on?",
                 size, what, gap->to + 1);
    else if (to_end && gap->period == size && gap->from == end % size)
        snprintf(said, sizeof said,
                 ": each tile has as many %s as the last one, %d: %sis the rest taken for a whole "
                 "tile?",
                 what, gap->from, gap->from == 1 ? "is an item's ID missing, or " : "");
    else if (to_end && gap->period == size)
        snprintf(said, sizeof said, ": does a loop over a tile's %s end too early?", what);
    else if (to_end && gap->from == 1 && size % gap->period == 0)
        snprintf(said, sizeof said, ": items begin %d %s apart: is an ID multiplied by %d?",
                 gap->period, what, gap->period);
    return said;
}

// Is the last row of each tile never written, also of a partial one?
static bool last_row_of_each(const struct findings *f)
{
    int m = f->tile.m, tiles = ceil_div(f->M, m);
    long whole = 0;
    for (int i = m - 1; i < period_of(m); i += m)
        whole += f->row_wrong[i];
    return m > 1 && tiles > 1 && f->i_min == m - 1 && f->i_max == f->M - 1 &&
           f->wrong == (long)tiles * f->N && whole >= (long)(f->M / m) * f->N;
}

// Several tiles each way tell a missing index from one that is swapped, and from a loop that ends
// early.
struct cause by_unwritten(const struct findings *f)
{
    int m = f->tile.m, n = f->tile.n, down = ceil_div(f->M, m), across = ceil_div(f->N, n);
    bool rows = rows_to_the_end(f), columns = columns_to_the_end(f),
         several = down > 1 && across > 1;
    // All of the last tile: of what is left out in its middle, where it begins tells more.
    if (only_bottom(f) && f->i_min % m == 0)
        return m * n > 1 && rows && f->i_min == across * m
                   ? (struct cause){"unwritten", LAST "rows" OR_SWAPPED}
                   : (struct cause){"edge", LAST "rows was never written"};
    if (only_right(f) && f->j_min % n == 0)
        return m * n > 1 && columns && f->j_min == down * n
                   ? (struct cause){"unwritten", LAST "columns" OR_SWAPPED}
                   : (struct cause){"edge", LAST "columns was never written"};
    if (several && m * n > 1 &&
        ((rows && down > across + 1 && f->i_min == across * m) ||
         (columns && across > down + 1 && f->j_min == down * n)))
        return swapped;
    if (all_but_diagonals(f))
        return (struct cause){"index", "only the diagonal of each tile is written: are row and "
                                       "column both made of x? It counts columns, y rows"};
    if (all_but_items_diagonals(f))
        return (struct cause){"index", "only elements are written whose row and column have the "
                                       "same ID: are both made of x? It counts columns, y rows"};
    bool both = f->wrong == (long)f->M + f->N - 1 && f->i_max == f->M - 1 && f->j_max == f->N - 1;
    if (both && f->i == 0 && f->j == f->N - 1)
        return (struct cause){"unwritten",
                              "the last row and the last column were never written: do the tests "
                              "for the edge leave out what is at M-1, or at N-1?"};
    if (both && f->i == 0 && f->j == 0)
        return (struct cause){"unwritten", "the first row and the first column were never written: "
                                           "do both begin at 0?"};
    if (last_row_of_each(f))
        return (struct cause){"unwritten", "the last row of each tile was never written: does a "
                                           "loop over a tile's rows end too early?"};
    struct cause part = triangle(f);
    if (part.kind != NULL)
        return part;
    struct cause cause = {"unwritten", "these elements were never written"};
    struct region region = wrong_region(f);
    bool one_tile = f->wrong == (long)f->M * f->N - (long)m * n && f->i == 0 && f->j == n;
    const char *only = !several || m * n == 1                   ? NULL
                       : one_tile                               ? "tile"
                       : rows && down > 2 && f->i_min == m      ? "tile of rows"
                       : columns && across > 2 && f->j_min == n ? "tile of columns"
                                                                : NULL;
    bool one_each = only != NULL && columns && n > 16 && f->j_min == across * 16;
    if (only != NULL)
        snprintf(
            cause.text, sizeof cause.text,
            "never written but for the first %s: does its index (of the block, of the work-group) "
            "count%s?",
            only, one_each ? ", and does a work-item compute all of its own columns" : "");
    else if (region.text[0] != '\0') {
        const char *which = columns ? which_end(f, false)
                            : rows  ? which_end(f, true)
                                    : which_beginning(f);
        snprintf(cause.text, sizeof cause.text, "%.100s %s never written%s", region.text,
                 region.single ? "was" : "were", which[0] != '\0' ? which : which_gap(f, &region));
    }
    return cause;
}

// ---- among the shapes --------------------------------------------------------------------------
static bool is_multiple(const struct outcome *o, int dimension, struct tile t)
{
    return dimension == 0 ? o->M % t.m == 0 : dimension == 1 ? o->N % t.n == 0 : o->K % t.k == 0;
}

// Is a shape wrong only where this dimension is no multiple of the tile? It takes some of each
// kind, and an element that is wrong before the last tile of rows, or of columns, speaks against
// it.
static bool wrong_at_edge(const struct findings *f, const struct outcome *outcomes, int count,
                          int dimension)
{
    struct tile t = f->tile;
    int wrong = 0, right = 0;
    if ((dimension == 0 && f->M > t.m && !only_bottom(f)) ||
        (dimension == 1 && f->N > t.n && !only_right(f)))
        return false;
    for (int o = 0; o < count; o++) {
        bool multiple = is_multiple(&outcomes[o], dimension, t);
        if (!outcomes[o].right && multiple)
            return false;
        wrong += !outcomes[o].right;
        right += outcomes[o].right && multiple;
    }
    return wrong >= 2 && right >= 3;
}

static bool is_equal(const struct outcome *o, int pair)
{
    return pair == 0 ? o->M == o->N : pair == 1 ? o->N == o->K : o->K == o->M;
}

// Is a shape wrong just where these two dimensions differ? Those of single rows and columns do not
// count: one row has no leading dimension.
static bool wrong_where_unequal(const struct outcome *outcomes, int count, int pair)
{
    int wrong = 0, right = 0;
    for (int o = 0; o < count; o++) {
        bool equal = is_equal(&outcomes[o], pair);
        bool single = outcomes[o].M == 1 || outcomes[o].N == 1 || outcomes[o].K == 1;
        if (outcomes[o].right ? !equal && !single : equal)
            return false;
        wrong += !outcomes[o].right;
        right += outcomes[o].right && equal;
    }
    return wrong >= 3 && right >= 3;
}

bool wrong_without_edges(const struct findings *f, const struct outcome *outcomes, int count)
{
    for (int o = 0; o < count; o++)
        if (!outcomes[o].right && is_multiple(&outcomes[o], 0, f->tile) &&
            is_multiple(&outcomes[o], 1, f->tile))
            return true;
    return false;
}

// Is a shape wrong just where there are more tiles one way than the other?
static bool wrong_where_tiles_differ(const struct findings *f, const struct outcome *outcomes,
                                     int count)
{
    int wrong = 0, right = 0;
    for (int o = 0; o < count; o++) {
        int down = ceil_div(outcomes[o].M, f->tile.m), across = ceil_div(outcomes[o].N, f->tile.n);
        if (outcomes[o].right != (down == across))
            return false;
        wrong += !outcomes[o].right;
        right += outcomes[o].right;
    }
    return f->tile.m * f->tile.n > 1 && wrong >= 3 && right >= 3;
}

// Is a shape wrong just where K is more than one tile?
static bool wrong_past_a_tile_of_k(const struct findings *f, const struct outcome *outcomes,
                                   int count)
{
    int wrong = 0, right = 0;
    for (int o = 0; o < count; o++) {
        if (outcomes[o].right == (outcomes[o].K > f->tile.k))
            return false;
        wrong += !outcomes[o].right;
        right += outcomes[o].right;
    }
    return f->tile.k > 1 && wrong >= 3 && right >= 3;
}

// Then a long sum explains it as well as any edge of M or N.
static bool only_where_k_is_larger(const struct outcome *outcomes, int count)
{
    int least_wrong = INT_MAX, most_right = 0;
    for (int o = 0; o < count; o++) {
        if (outcomes[o].right && outcomes[o].K > most_right)
            most_right = outcomes[o].K;
        if (!outcomes[o].right && outcomes[o].K < least_wrong)
            least_wrong = outcomes[o].K;
    }
    return least_wrong > most_right;
}

struct cause by_shapes(const struct findings *f, const struct outcome *outcomes, int count)
{
    static const char *const names[] = {"M", "N", "K"};
    const int tiles[] = {f->tile.m, f->tile.n, f->tile.k};
    int along = -1, edges = 0, pair = -1, pairs = 0;
    for (int d = 0; d < 3; d++) {
        if (wrong_at_edge(f, outcomes, count, d))
            along = d, edges++;
        if (wrong_where_unequal(outcomes, count, d))
            pair = d, pairs++;
    }
    struct cause cause = none;
    if (f->poison > 0 && f->poison == f->wrong && wrong_where_tiles_differ(f, outcomes, count))
        return swapped;
    if (pairs + edges == 0 && wrong_past_a_tile_of_k(f, outcomes, count)) {
        cause.kind = "tile";
        snprintf(
            cause.text, sizeof cause.text,
            "only where K is more than %d: from the second tile of k on, are its place in A and B "
            "and its leading dimensions right, and is it added?",
            f->tile.k);
        return cause;
    }
    if ((pairs == 1) == (edges == 1) || (along != 2 && only_where_k_is_larger(outcomes, count)))
        return none;
    cause.kind = pairs == 1 ? "index" : "edge";
    if (pairs == 1)
        snprintf(cause.text, sizeof cause.text,
                 "wrong just where %s and %s differ: are they mixed up?", names[pair],
                 names[(pair + 1) % 3]);
    else
        snprintf(cause.text, sizeof cause.text,
                 "only where %s is no multiple of %d: the last, partial tile along %s%s",
                 names[along], tiles[along], names[along],
                 along == 2 ? ": is it zero-padded, in A's and in B's?" : "");
    return cause;
}
