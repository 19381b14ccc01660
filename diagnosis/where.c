// SPDX-License-Identifier: MIT
// The rows and columns in which C is wrong, or was never written, and what they have in common.
#include "diagnosis/cause.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 16 }; // rows, or columns, of a work-group's work-items
static const struct cause none = {NULL, ""};

struct cause caused(const char *kind, const char *format, ...)
{
    struct cause cause = {kind, ""};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause.text, sizeof cause.text, format, arguments);
    va_end(arguments);
    return cause;
}

struct cause worded(const char *kind, const char *words, size_t n, const char *what)
{
    struct cause cause = {kind, ""};
    int singular = 0; // spaces before the end of the noun that follows the number 1
    for (size_t at = 0; *words != '\0' && at < sizeof cause.text - 1; words++) {
        singular -= *words == ' ' && singular > 0;
        const bool plural_s = singular == 1 && *words == 's' && !isalpha((unsigned char)words[1]);
        if (*words == '#')
            snprintf(cause.text + at, sizeof cause.text - at, "%zu", n);
        else if (*words == '@')
            snprintf(cause.text + at, sizeof cause.text - at, "%s", what);
        else if (!plural_s)
            cause.text[at] = *words;
        singular = *words == '#' && n == 1 ? 2 : singular;
        at += strlen(cause.text + at);
    }
    return cause;
}

struct cause first_of(const struct rule *rules)
{
    while (!rules->fits)
        rules++;
    return rules->words == NULL ? none
                                : worded(rules->kind, rules->words, (size_t)rules->n, rules->what);
}

bool is_kind(struct cause cause, const char *kind)
{
    return cause.kind != NULL && strcmp(cause.kind, kind) == 0;
}

int count_tiles(int size, int tile)
{
    return (size + tile - 1) / tile;
}

struct axis axis_of(const struct findings *f, bool rows)
{
    struct axis a = {"columns", f->N, f->tile.n, 0, f->j_min, false, false};
    if (rows)
        a = (struct axis){"rows", f->M, f->tile.m, 0, f->i_min, false, false};
    a.tiles = count_tiles(a.end, a.tile);
    a.partial = a.end > a.tile && a.first >= a.end / a.tile * a.tile;
    a.to_end = a.first > 0 && f->found.wrong == (long)(a.end - a.first) * (rows ? f->N : f->M);
    return a;
}

// ---- patterns -----------------------------------------------------------------------------------
// Are the marked lines neighbours, and again each `period`? A line may have marks by chance.
static bool repeats(const long *marks, const long *seen, int size, int period, struct region *found)
{
    int begins = 0, count = 0;
    bool before = false;
    for (int r = 0; r < period; r++) {
        long marked = 0, all = 0;
        for (int at = r; at < size; at += period) {
            marked += marks[at];
            all += seen[at];
        }
        const bool most = 4 * marked > 3 * all;
        if (!most && marked > 0)
            return false;
        if (most && !before) {
            found->from = r;
            begins++;
        }
        if (most)
            found->to = r;
        count += most;
        before = most;
    }
    return begins == 1 && count < period;
}

static void describe(struct region *found, int size, int period)
{
    const bool single = found->from == found->to;
    char last[24] = "", of[24] = "";
    found->period = 2 * period <= size ? period : 0;
    if (!single)
        snprintf(last, sizeof last, " to %d", found->to);
    if (found->period > 0)
        snprintf(of, sizeof of, " of each %d", period);
    snprintf(found->text, sizeof found->text, "%s%s %d%s%s", found->rows ? "row" : "column",
             single ? "" : "s", found->from, last, of);
    snprintf(found->are, sizeof found->are, "%.96s %s", found->text, single ? "is" : "are");
    snprintf(found->were, sizeof found->were, "%.96s %s", found->text, single ? "was" : "were");
}

// With `any`, a line is marked if one of its elements is.
static struct region find_region(const struct findings *f, bool rows, int mark, bool any)
{
    struct region found = {.text = "", .rows = rows};
    const int size = rows ? f->M : f->N;
    long *marks = scratch((size_t)size, sizeof *marks), *seen = scratch((size_t)size, sizeof *seen);
    const unsigned char *at = f->found.marks;
    for (int i = 0; i < f->M; i++)
        for (int j = 0; j < f->N; j++, at++) {
            marks[rows ? i : j] += (*at & mark) != 0;
            seen[rows ? i : j] += (*at & SEEN) != 0;
        }
    for (int line = 0; line < size; line++) {
        found.marked += marks[line] > 0;
        if (any && marks[line] > 0)
            marks[line] = seen[line];
    }
    found.first = marks[0] > 0;
    for (int period = 2; period <= size && found.text[0] == '\0'; period++)
        if ((!rows || f->found.examined == (long)f->M * f->N) &&
            repeats(marks, seen, size, period, &found))
            describe(&found, size, period);
    free(marks);
    free(seen);
    return found;
}

struct region marked_region(const struct findings *f, int mark)
{
    const struct region columns = find_region(f, false, mark, false);
    return columns.text[0] != '\0' ? columns : find_region(f, true, mark, false);
}

struct region sole_region(const struct findings *f)
{
    struct region rows = find_region(f, true, NOT_ZERO, true),
                  columns = find_region(f, false, NOT_ZERO, true), sole = rows;
    const long part = (long)rows.marked * columns.marked;
    const bool both = rows.text[0] != '\0' && columns.text[0] != '\0';
    if (rows.text[0] == '\0')
        sole = columns;
    if (both)
        snprintf(sole.are, sizeof sole.are, "%.40s in %.40s %s", rows.text, columns.text,
                 rows.from == rows.to ? "is" : "are");
    sole.first = rows.first && columns.first;
    if (f->found.examined < (long)f->M * f->N ||
        f->zero == 0 || // some may be right, or 0, by chance
        10 * (f->found.wrong - f->zero) <= 9 * part ||
        10 * f->zero <= 9 * (f->found.examined - part))
        sole.text[0] = '\0';
    return sole;
}

// ---- never written ------------------------------------------------------------------------------
const struct cause dimensions_swapped = {
    "unwritten",
    "never written: there are as many tiles of columns as there should be of rows, and of rows as "
    "of columns: are x, which counts columns, and y swapped?"};

// The row of the table whose elements are just these.
static struct cause only_gap(const struct evidence *e)
{
    const struct findings *f = e->f;
    if (f->found.wrong == f->found.examined || f->found.examined < (long)f->M * f->N)
        return none;
    for (const struct mistake *m = mistakes; m->line != 0; m++) {
        bool same = m->form == NEVER_WRITTEN;
        struct place at = {.e = e};
        const unsigned char *mark = f->found.marks;
        for (at.i = 0; at.i < (size_t)f->M && same; at.i++)
            for (at.j = 0; at.j < (size_t)f->N && same; at.j++) {
                const struct term is = term(m->line, &at, 0);
                same = is.to != UNKNOWN && is.count == ((*mark++ & WRONG) != 0);
            }
        if (same)
            return m->cause;
    }
    return none;
}

// clang-format off
// The cause of rows, or columns, that are the only ones that were never written.
static struct cause by_axis(const struct findings *f, struct axis a, struct axis other,
                            const struct region *r)
{
    const bool rows = r->rows, end = a.to_end, tile = a.tile > 1, last = r->to == r->period - 1,
               items = a.tile > ITEMS && a.tile % ITEMS == 0, each = last && r->period == a.tile;
    const int past = a.first - a.tile, others = a.tiles - 1;
    const bool near = past == others * ITEMS || past == others || past == others * a.tiles;
    const struct cause why = first_of((const struct rule[]){
        {!end && r->to == 0 && r->period == 0, "", a.name, 0, ": does the loop over @ begin at 0?"},
        {!end && items && a.first == ITEMS - 1 + a.tile / ITEMS, "", a.name, 0,
         ": are an item's @, which are 16 apart, taken next to each other?"},
        {end && items && a.first == a.tiles * ITEMS, "", a.name, a.tile,
         ": of each tile's # @ there are 16: does a work-item compute all of its own?"},
        {end && tile && a.first == 1, "", "", 0,
         ": is its index 0 for all, as that of a dimension that is not there?"},
        {end && a.first == other.end, "", rows ? "rows end at M, and not at N"
         : "columns end at N, and not at M", 0, ": do @?"},
        {end && a.first == f->K, "", rows ? "rows end at M, and not at K"
         : "columns end at N, and not at K", 0, ": do @?"},
        {end && tile && a.first == a.tile && other.tiles == 1, "", a.name, 0,
         ": does the number of a tile of @ count, or are x, which counts columns, and y swapped?"},
        {end && tile && near && past < others * a.tile, "", "", others > 0 ? past / others : 0, rows
         ? ": tiles begin # rows apart: does each tile begin TILE_M rows after the one before?"
         : ": tiles begin # columns apart: does each tile begin TILE_N columns after the one "
           "before?"},
        {end && tile && a.first == a.tiles, "", "", a.tiles, ": there are # tiles: is a tile's "
         "number (of the block, of the work-group) taken for an element's?"},
        {tile && r->from == a.tile && (last || (r->period == 0 && r->to < a.end - 1)), "", a.name,
         r->to + 1, ": tiles begin # @ apart: by how much do they go on?"},
        {each && r->from == a.end % a.tile, "", a.name, r->from, ": each tile has as many @ as the "
         "last one, #: is the rest taken for a whole tile, or is an item's ID missing?"},
        {each, "", a.name, 0, ": does a loop over a tile's @ end too early?"},
        {last && r->from == 1 && a.tile % r->period == 0, "", a.name, r->period,
         ": items begin # @ apart: is an ID multiplied by #?"},
        {true, "", "", 0, ""},
    });
    return caused("unwritten", "%s never written%.140s", r->were, why.text);
}

// All of the last tile (of a gap in it, the place where it begins tells more), or as many tiles as
// the other axis has.
static struct cause by_tiles(struct axis a, struct axis other)
{
    const bool swapped = a.tile * other.tile > 1 && a.to_end && a.first == other.tiles * a.tile,
               last = a.partial && a.first % a.tile == 0;
    return first_of((const struct rule[]){
        {last && swapped, "unwritten", a.name, 0, "the last, partial tile of @ was never written: "
         "is it left out, or are x, which counts columns, and y swapped?"},
        {last, "edge", a.name, 0, "the last, partial tile of @ was never written"},
        {swapped && other.tiles > 1 && a.tiles > other.tiles + 1, "unwritten",
         dimensions_swapped.text, 0, "@"},
        {.fits = true},
    });
}

// Several tiles each way distinguish a missing index from one that is swapped, and from a loop that
// ends early.
struct cause by_unwritten(const struct evidence *e)
{
    const struct findings *f = e->f;
    const struct found *is = &f->found;
    const struct axis rows = axis_of(f, true), columns = axis_of(f, false);
    if (f->poison < is->wrong || f->changed[OTHER_C] > f->unwritten || f->unwritten == 0)
        return none;
    const struct region region = marked_region(f, WRONG);
    const struct cause of_rows = by_tiles(rows, columns), of_columns = by_tiles(columns, rows),
        gap = only_gap(e), along = by_axis(f, region.rows ? rows : columns,
                                           region.rows ? columns : rows, &region);
    const long tile = (long)rows.tile * columns.tile;
    const bool several = rows.tiles > 1 && columns.tiles > 1 && tile > 1,
        one = several && is->i == 0 && is->j == columns.tile &&
              is->wrong == (long)f->M * f->N - tile,
        row = several && rows.to_end && rows.tiles > 2 && rows.first == rows.tile,
        column = several && columns.to_end && columns.tiles > 2 && columns.first == columns.tile,
        items = columns.tile > ITEMS && columns.first == columns.tiles * ITEMS;
    return first_of((const struct rule[]){
        {of_rows.kind != NULL, of_rows.kind, of_rows.text, 0, "@"},
        {of_columns.kind != NULL, of_columns.kind, of_columns.text, 0, "@"},
        {gap.kind != NULL, gap.kind, gap.text, 0, "@"},
        {column && items, "unwritten", "", 0,
         "never written but for the first tile of columns: does its index (of the block, of the "
         "work-group) count, and does a work-item compute all of its own columns?"},
        {one || row || column, "unwritten", one ? "" : row ? " of rows" : " of columns", 0,
         "never written but for the first tile@: does its index (of the block, of the work-group) "
         "count?"},
        {region.text[0] != '\0', "unwritten", along.text, 0, "@"},
        {true, "unwritten", "", 0, "these elements were never written"},
    });
}
