// SPDX-License-Identifier: MIT
// Where C is wrong, or was never written: what these rows and columns have in common.
#include "diagnosis/cause.h"
#include "strict.h"

#include <stdarg.h>
#include <stdlib.h>

enum { LONGEST_PERIOD = 256 };
static const struct cause none = {NULL, ""};

bool only_bottom(const struct findings *f)
{
    return f->M > f->tile.m && f->i_min >= f->M / f->tile.m * f->tile.m;
}

bool only_right(const struct findings *f)
{
    return f->N > f->tile.n && f->j_min >= f->N / f->tile.n * f->tile.n;
}

struct cause caused(const char *kind, const char *format, ...)
{
    struct cause cause = {kind, ""};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause.text, sizeof cause.text, format, arguments);
    va_end(arguments);
    return cause;
}

// How many of each row, or column, have this mark.
static long *marked(const struct findings *f, bool rows, unsigned char mark)
{
    long *counts = scratch((size_t)(rows ? f->M : f->N), sizeof *counts);
    const unsigned char *at = f->marks;
    for (int i = 0; i < f->M; i++)
        for (int j = 0; j < f->N; j++)
            counts[rows ? i : j] += (*at++ & mark) != 0;
    return counts;
}

// Are the marked ones so many neighbours of each `period`, as far as the period that is the
// smallest?
static bool find_period(const long *marks, const long *seen, int size, int *period, int *first,
                        int *last)
{
    for (*period = 2; *period <= LONGEST_PERIOD && *period <= size; ++*period) {
        int begins = 0, count = 0;
        bool clear = true, before = false;
        for (int r = 0; r < *period && clear; r++) {
            long bad = 0, looked_at = 0;
            for (int at = r; at < size; at += *period) {
                bad += marks[at];
                looked_at += seen[at];
            }
            bool is_marked = 4 * bad > 3 * looked_at; // some may be right by chance
            clear = is_marked || bad == 0;
            begins += is_marked && !before;
            if (is_marked && !before)
                *first = r;
            if (is_marked)
                *last = r;
            count += is_marked;
            before = is_marked;
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

// The rows, or columns, in which most of what was looked at is marked.
static struct region lines_with(const struct findings *f, bool rows, const long *marks)
{
    struct region region = {.text = ""};
    const int size = rows ? f->M : f->N;
    int period, first = 0, last = 0;
    long *seen = marked(f, rows, SEEN);
    if ((!rows || f->examined == (long)f->M * f->N) &&
        find_period(marks, seen, size, &period, &first, &last))
        region = described(rows ? "row" : "column", first, last, 2 * period <= size ? period : 0);
    free(seen);
    return region;
}

static struct region region_of(const struct findings *f, bool rows, unsigned char mark)
{
    long *marks = marked(f, rows, mark);
    struct region region = lines_with(f, rows, marks);
    free(marks);
    return region;
}

struct region unwritten_region(const struct findings *f, bool rows)
{
    return region_of(f, rows, UNWRITTEN);
}

struct region wrong_region(const struct findings *f)
{
    bool all = f->examined == (long)f->M * f->N;
    if (all && rows_to_the_end(f))
        return described("row", f->i_min, f->M - 1, 0);
    if (all && columns_to_the_end(f))
        return described("column", f->j_min, f->N - 1, 0);
    if (all && f->i_max + 1 < f->M && f->wrong == (long)(f->i_max + 1) * f->N)
        return described("row", 0, f->i_max, 0);
    if (all && f->j_max + 1 < f->N && f->wrong == (long)(f->j_max + 1) * f->M)
        return described("column", 0, f->j_max, 0);
    struct region columns = region_of(f, false, WRONG);
    return columns.text[0] != '\0' ? columns : region_of(f, true, WRONG);
}

// The rows, or columns, that have an element that is not 0: all of them is marked.
static long *not_zero(const struct findings *f, bool rows, long *count)
{
    long *marks = marked(f, rows, NOT_ZERO);
    *count = 0;
    for (int at = 0; at < (rows ? f->M : f->N); at++)
        if (marks[at] > 0) {
            marks[at] = rows ? f->N : f->M;
            ++*count;
        }
    return marks;
}

struct region sole_region(const struct findings *f)
{
    struct region region = {.text = ""};
    if (f->examined < (long)f->M * f->N || f->zero == 0 || f->zero == f->wrong)
        return region;
    long down, across, *rows = not_zero(f, true, &down), *columns = not_zero(f, false, &across);
    bool most = 10 * (f->wrong - f->zero) > 9 * down * across, // some may be right, or 0, by chance
        others = 10 * f->zero > 9 * (f->examined - down * across);
    if (most && others) {
        struct region of_rows = lines_with(f, true, rows),
                      of_columns = lines_with(f, false, columns);
        bool both = of_rows.text[0] != '\0' && of_columns.text[0] != '\0';
        region = of_rows.text[0] != '\0' ? of_rows : of_columns;
        snprintf(region.text, sizeof region.text, "%.60s%s%.60s", of_rows.text, both ? " in " : "",
                 of_columns.text);
        region.first = rows[0] > 0 && columns[0] > 0;
    }
    free(rows);
    free(columns);
    return region;
}

int count_tiles(int size, int tile)
{
    return (size + tile - 1) / tile;
}

const struct cause dimensions_swapped = {
    "unwritten",
    "never written: there are as many tiles of columns as there should be of rows, and of rows as "
    "of columns: are x, which counts columns, and y swapped?"};

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
    int size = of_rows ? f->tile.m : f->tile.n, tiles = count_tiles(end, size), past = first - size;
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

// The row of the table that has just these elements.
static struct cause only_gap(const struct evidence *e)
{
    const struct findings *f = e->f;
    if (f->wrong == f->examined || f->examined < (long)f->M * f->N)
        return none;
    for (const struct mistake *m = mistakes; m->line != 0; m++) {
        bool same = m->form == NEVER_WRITTEN;
        struct place at = {.e = e};
        const unsigned char *mark = f->marks;
        for (at.i = 0; at.i < (size_t)f->M && same; at.i++)
            for (at.j = 0; at.j < (size_t)f->N && same; at.j++) {
                struct term is = term(m->line, &at, 0);
                same = is.to != UNKNOWN && is.count == ((*mark++ & WRONG) != 0);
            }
        if (same)
            return m->cause;
    }
    return none;
}

// Several tiles each way tell a missing index from one that is swapped, and from a loop that ends
// early.
struct cause by_unwritten(const struct evidence *e)
{
    const struct findings *f = e->f;
    int m = f->tile.m, n = f->tile.n, down = count_tiles(f->M, m), across = count_tiles(f->N, n);
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
        return dimensions_swapped;
    struct cause part = only_gap(e);
    if (part.kind != NULL)
        return part;
    struct region region = wrong_region(f);
    bool one_tile = f->wrong == (long)f->M * f->N - (long)m * n && f->i == 0 && f->j == n;
    const char *only = !several || m * n == 1                   ? NULL
                       : one_tile                               ? "tile"
                       : rows && down > 2 && f->i_min == m      ? "tile of rows"
                       : columns && across > 2 && f->j_min == n ? "tile of columns"
                                                                : NULL;
    bool one_each = only != NULL && columns && n > 16 && f->j_min == across * 16;
    if (only != NULL)
        return caused(
            "unwritten",
            "never written but for the first %s: does its index (of the block, of the work-group) "
            "count%s?",
            only, one_each ? ", and does a work-item compute all of its own columns" : "");
    if (region.text[0] == '\0')
        return caused("unwritten", "these elements were never written");
    const char *which = columns ? which_end(f, false)
                        : rows  ? which_end(f, true)
                                : which_beginning(f);
    return caused("unwritten", "%.100s %s never written%s", region.text,
                  region.single ? "was" : "were", which[0] != '\0' ? which : which_gap(f, &region));
}
