// SPDX-License-Identifier: MIT
// Common mistakes, a function each: which elements of A and B a kernel multiplies that makes it, or
// whose element of C it leaves at a place. probe.c compares what comes of it with what is there.
#include "diagnosis/cause.h"
#include "strict.h"

static const struct product unknown = {SIZE_MAX, 0, 1}, zero = {0, 0, 0};

static struct product times(const struct place *at, size_t k, int count)
{
    return (struct product){at->row * at->K + k, k * at->N + at->col, count};
}

// A(i,ka) * B(kb,j): a tile holds 0 for what is past the end of a matrix.
static struct product of(const struct place *at, size_t i, size_t ka, size_t kb, size_t j)
{
    bool inside = i < at->M && j < at->N && ka < at->K && kb < at->K;
    return inside ? (struct product){i * at->K + ka, kb * at->N + j, 1} : zero;
}

// ---- too few products, or too many ------------------------------------------------------------
static struct product no_first_k(const struct place *at, size_t k)
{
    return times(at, k, k > 0);
}

static struct product no_last_k(const struct place *at, size_t k)
{
    return times(at, k, k + 1 < at->K);
}

static struct product only_last_k(const struct place *at, size_t k)
{
    return times(at, k, k + 1 == at->K);
}

static struct product no_first_tile(const struct place *at, size_t k)
{
    return times(at, k, k >= at->tile_k);
}

static struct product no_last_tile(const struct place *at, size_t k)
{
    return times(at, k, k < at->last_tile);
}

static struct product only_first_tile(const struct place *at, size_t k)
{
    return times(at, k, k < at->tile_k);
}

static struct product only_last_tile(const struct place *at, size_t k)
{
    return times(at, k, k >= at->last_tile);
}

static struct product first_tile_twice(const struct place *at, size_t k)
{
    return times(at, k, 1 + (k < at->tile_k));
}

static struct product last_tile_twice(const struct place *at, size_t k)
{
    return times(at, k, 1 + (k >= at->last_tile));
}

// A last tile that is partial, and is not filled up: it holds the k before as well.
static struct product held_over(const struct place *at, size_t k)
{
    bool partial = at->last_tile > 0 && at->K - at->last_tile < at->tile_k;
    return times(at, k, 1 + (partial && k < at->last_tile && k + at->tile_k >= at->K));
}

static struct product all_twice(const struct place *at, size_t k)
{
    return times(at, k, 2);
}

static struct product minus_all(const struct place *at, size_t k)
{
    return times(at, k, -1);
}

static struct product minus_the_sum(const struct place *at, size_t k)
{
    return times(at, k, (at->K - k) % 2 == 1 ? 1 : -1);
}

static struct product first_half(const struct place *at, size_t k)
{
    bool other = at->K / 2 == at->M || at->K / 2 == at->N; // up_to_m, up_to_n
    return other ? unknown : times(at, k, k < at->K / 2);
}

static struct product first_quarter(const struct place *at, size_t k)
{
    return times(at, k, k < at->K / 4);
}

static struct product first_eighth(const struct place *at, size_t k)
{
    return times(at, k, k < at->K / 8);
}

static struct product partial_sums(const struct place *at, size_t k)
{
    return times(at, k, (int)(at->K - k));
}

static struct product up_to_m(const struct place *at, size_t k)
{
    return at->M + 1 < at->K ? times(at, k, k < at->M) : unknown;
}

static struct product up_to_n(const struct place *at, size_t k)
{
    return at->N + 1 < at->K ? times(at, k, k < at->N) : unknown;
}

static struct product k_below_i(const struct place *at, size_t k)
{
    return times(at, k, k < at->row);
}

static struct product k_up_to_i(const struct place *at, size_t k)
{
    return times(at, k, k <= at->row);
}

static struct product k_below_j(const struct place *at, size_t k)
{
    return times(at, k, k < at->col);
}

static struct product k_up_to_j(const struct place *at, size_t k)
{
    return times(at, k, k <= at->col);
}

static struct product sum_for_product(const struct place *at, size_t k)
{
    return (struct product){at->row * at->K + k, k * at->N + at->col, ADDED};
}

// ---- tiles of k that overlap, and what lies between them ---------------------------------------
// How many tiles have this k, where the loop over them goes on by `step` and the first one begins
// at `from`.
static struct product in_steps_from(const struct place *at, size_t k, size_t from, size_t step)
{
    if (step == 0 || step > 2 * at->tile_k) // also what is below 0
        return unknown;
    if (k < from)
        return times(at, k, 1);
    size_t in = k - from, end = in / step + 1,
           begin = in < at->tile_k ? 0 : (in - at->tile_k) / step + 1;
    return times(at, k, end > begin ? (int)(end - begin) : 0);
}

static struct product in_steps(const struct place *at, size_t k, size_t step)
{
    return in_steps_from(at, k, 0, step);
}

static struct product steps_of_half(const struct place *at, size_t k)
{
    return in_steps(at, k, at->tile_k / 2);
}

static struct product steps_1_less(const struct place *at, size_t k)
{
    return in_steps(at, k, at->tile_k - 1);
}

static struct product steps_8_less(const struct place *at, size_t k)
{
    return in_steps(at, k, at->tile_k - 8);
}

static struct product steps_16_less(const struct place *at, size_t k)
{
    return in_steps(at, k, at->tile_k - 16);
}

static struct product steps_of_1(const struct place *at, size_t k)
{
    return in_steps(at, k, 1);
}

static struct product steps_of_8(const struct place *at, size_t k)
{
    return at->tile_k > 8 ? in_steps(at, k, 8) : unknown;
}

static struct product steps_of_16(const struct place *at, size_t k)
{
    return at->tile_k > 16 ? in_steps(at, k, 16) : unknown;
}

static struct product steps_1_more(const struct place *at, size_t k)
{
    return in_steps(at, k, at->tile_k + 1);
}

static struct product steps_16_more(const struct place *at, size_t k)
{
    return in_steps(at, k, at->tile_k + 16);
}

static struct product steps_of_two(const struct place *at, size_t k)
{
    return in_steps(at, k, 2 * at->tile_k);
}

// The first tile was loaded before the loop.
static struct product steps_of_half_later(const struct place *at, size_t k)
{
    return in_steps_from(at, k, at->tile_k, at->tile_k / 2);
}

static struct product later_tiles_twice(const struct place *at, size_t k)
{
    return times(at, k, 1 + (k >= at->tile_k));
}

// ---- products left out in each tile, or everywhere ---------------------------------------------
static struct product no_first_of_each(const struct place *at, size_t k)
{
    return times(at, k, k % at->tile_k > 0);
}

static struct product no_last_of_each(const struct place *at, size_t k)
{
    return times(at, k, k % at->tile_k + 1 < at->tile_k);
}

static struct product no_last_of_each_depth(const struct place *at, size_t k)
{
    return times(at, k, k % at->tile_k + 1 < at->tile_k && k + 1 < at->K);
}

static struct product last_of_each(const struct place *at, size_t k)
{
    return times(at, k, k % at->tile_k + 1 == at->tile_k || k + 1 == at->K);
}

static struct product every(const struct place *at, size_t k, size_t step)
{
    size_t in = at->tile_k > 1 ? k % at->tile_k : k;
    return times(at, k, in % step == 0);
}

static struct product every_second(const struct place *at, size_t k)
{
    return every(at, k, 2);
}

static struct product every_second_twice(const struct place *at, size_t k)
{
    return times(at, k, k % 2 == 0 ? 2 : 0);
}

static struct product every_fourth(const struct place *at, size_t k)
{
    return every(at, k, 4);
}

static struct product every_eighth(const struct place *at, size_t k)
{
    return every(at, k, 8);
}

static struct product every_sixteenth(const struct place *at, size_t k)
{
    return every(at, k, 16);
}

static struct product a_rows_of_tile(const struct place *at, size_t k)
{
    return (struct product){at->row * at->tile_k + k, k * at->N + at->col, 1};
}

// In a register all elements are to be the same one.
static struct product a_not_broadcast(const struct place *at, size_t k)
{
    return at->tile_n % 8 == 0
               ? (struct product){at->row * at->K + k + at->col % 8, k * at->N + at->col, 1}
               : unknown;
}

// Of eight, or sixteen, neighbours of B the first is at (j,k).
static struct product b_lanes_exchanged(const struct place *at, size_t k)
{
    size_t width = at->tile_n < 16 ? at->tile_n : 16, lane = at->col % width;
    return at->tile_n % 8 == 0
               ? (struct product){at->row * at->K + k, (at->col - lane) * at->N + k + lane, 1}
               : unknown;
}

// ---- another letter, or a factor that is missing -----------------------------------------------
static struct product a_i_j(const struct place *at, size_t k)
{
    return (struct product){at->row * at->K + at->col, k * at->N + at->col, 1};
}

static struct product a_k_k(const struct place *at, size_t k)
{
    return (struct product){k * at->K + k, k * at->N + at->col, 1};
}

static struct product a_i_0(const struct place *at, size_t k)
{
    return (struct product){at->row * at->K, k * at->N + at->col, 1};
}

static struct product b_0_j(const struct place *at, size_t k)
{
    return (struct product){at->row * at->K + k, at->col, 1};
}

static struct product b_i_j(const struct place *at, size_t k)
{
    return (struct product){at->row * at->K + k, at->row * at->N + at->col, 1};
}

static struct product b_k_k(const struct place *at, size_t k)
{
    return (struct product){at->row * at->K + k, k * at->N + k, 1};
}

static struct product a_i_not_multiplied(const struct place *at, size_t k)
{
    return (struct product){at->row + k, k * at->N + at->col, 1};
}

static struct product b_k_not_multiplied(const struct place *at, size_t k)
{
    return (struct product){at->row * at->K + k, k + at->col, 1};
}

// kk + k * N where it is (kk + k) * N; and the like of A's rows.
static struct product b_without_parentheses(const struct place *at, size_t k)
{
    size_t in = k % at->tile_k;
    return (struct product){at->row * at->K + k, k - in + in * at->N + at->col, 1};
}

static struct product a_without_parentheses(const struct place *at, size_t k)
{
    size_t down = at->row % at->tile_m;
    return at->tile_m == 1
               ? unknown
               : (struct product){at->row - down + down * at->K + k, k * at->N + at->col, 1};
}

// ---- tiles from another place -----------------------------------------------------------------
static struct product a_first_tile(const struct place *at, size_t k)
{
    return of(at, at->row, k % at->tile_k, k, at->col);
}

static struct product b_first_tile(const struct place *at, size_t k)
{
    return of(at, at->row, k, k % at->tile_k, at->col);
}

static struct product both_first_tile(const struct place *at, size_t k)
{
    return of(at, at->row, k % at->tile_k, k % at->tile_k, at->col);
}

static struct product a_first_rows(const struct place *at, size_t k)
{
    return of(at, at->row % at->tile_m, k, k, at->col);
}

static struct product b_first_columns(const struct place *at, size_t k)
{
    return of(at, at->row, k, k, at->col % at->tile_n);
}

// From one row of the tile to the next it is not K, but as far as the tile goes.
static struct product a_rows_of_tile_inside(const struct place *at, size_t k)
{
    size_t down = at->row % at->tile_m;
    size_t corner = (at->row - down) * at->K + k - k % at->tile_k;
    return (struct product){corner + down * at->tile_k + k % at->tile_k, k * at->N + at->col, 1};
}

static struct product a_rows_of_n_inside(const struct place *at, size_t k)
{
    size_t down = at->row % at->tile_m, corner = (at->row - down) * at->K + k;
    return (struct product){corner + down * at->N, k * at->N + at->col, 1};
}

static struct product b_rows_of_tile_inside(const struct place *at, size_t k)
{
    size_t in = k % at->tile_k;
    return (struct product){at->row * at->K + k, (k - in) * at->N + in * at->tile_n + at->col, 1};
}

// The tile's first row is multiplied by N, and the row in the tile by K.
static struct product a_corner_by_n(const struct place *at, size_t k)
{
    size_t down = at->row % at->tile_m, corner = (at->row - down) * at->N;
    return at->tile_m == 1 ? unknown
                           : (struct product){corner + down * at->K + k, k * at->N + at->col, 1};
}

static struct product b_corner_by_k(const struct place *at, size_t k)
{
    size_t in = k % at->tile_k;
    return (struct product){at->row * at->K + k, (k - in) * at->K + in * at->N + at->col, 1};
}

// The first iteration has the first tile, and so has the second.
static size_t before(const struct place *at, size_t k)
{
    return k < at->tile_k ? k : k - at->tile_k;
}

static struct product a_tile_before(const struct place *at, size_t k)
{
    return of(at, at->row, before(at, k), k, at->col);
}

static struct product b_tile_before(const struct place *at, size_t k)
{
    return of(at, at->row, k, before(at, k), at->col);
}

static struct product both_tiles_before(const struct place *at, size_t k)
{
    return of(at, at->row, before(at, k), before(at, k), at->col);
}

// ---- inside of a tile -------------------------------------------------------------------------
static struct product from_a_tile(const struct place *at, size_t i, size_t ka, size_t k)
{
    return of(at, at->row - at->row % at->tile_m + i, k - k % at->tile_k + ka, k, at->col);
}

static struct product from_b_tile(const struct place *at, size_t kb, size_t j, size_t k)
{
    if (kb >= at->tile_k) // past the end of the tile
        return unknown;
    return of(at, at->row, k, k - k % at->tile_k + kb, at->col - at->col % at->tile_n + j);
}

// a_tile[k][i] in an array whose rows are TILE_K long.
static struct product a_tile_exchanged(const struct place *at, size_t k)
{
    size_t flat = k % at->tile_k * at->tile_k + at->row % at->tile_m;
    return from_a_tile(at, flat / at->tile_k, flat % at->tile_k, k);
}

// The same in an array whose rows are longer: what is past the end of its TILE_K rows is unknown.
static struct product a_tile_exchanged_long(const struct place *at, size_t k)
{
    size_t row = at->row % at->tile_m;
    return at->tile_m <= at->tile_k || row >= at->tile_k ? unknown
                                                         : from_a_tile(at, k % at->tile_k, row, k);
}

static struct product b_tile_exchanged(const struct place *at, size_t k)
{
    return from_b_tile(at, at->col % at->tile_n, k % at->tile_k, k);
}

// Stored as an array whose rows are TILE_M long, and read as one whose rows are TILE_K long; and
// the other way round. A square tile's are exchanged.
static struct product a_tile_stored_transposed(const struct place *at, size_t k)
{
    size_t flat = at->row % at->tile_m * at->tile_k + k % at->tile_k;
    return at->tile_m == at->tile_k ? unknown
                                    : from_a_tile(at, flat % at->tile_m, flat / at->tile_m, k);
}

static struct product a_tile_read_transposed(const struct place *at, size_t k)
{
    size_t flat = k % at->tile_k * at->tile_m + at->row % at->tile_m;
    return at->tile_m == at->tile_k ? unknown
                                    : from_a_tile(at, flat / at->tile_k, flat % at->tile_k, k);
}

static struct product b_tile_stored_transposed(const struct place *at, size_t k)
{
    size_t flat = k % at->tile_k * at->tile_n + at->col % at->tile_n;
    return at->tile_n == at->tile_k ? unknown
                                    : from_b_tile(at, flat % at->tile_k, flat / at->tile_k, k);
}

static struct product b_tile_read_transposed(const struct place *at, size_t k)
{
    size_t flat = at->col % at->tile_n * at->tile_k + k % at->tile_k;
    return at->tile_n == at->tile_k ? unknown
                                    : from_b_tile(at, flat / at->tile_n, flat % at->tile_n, k);
}

// Panels of 16 columns, one after the other.
static struct product b_panels_of_rows(const struct place *at, size_t k)
{
    size_t j = at->col % at->tile_n, flat = j / 16 * 16 * at->tile_k + k % at->tile_k * 16 + j % 16;
    return from_b_tile(at, flat / at->tile_n, flat % at->tile_n, k);
}

// And then panel p is taken as if it began p * TILE_K elements from the first one.
static struct product b_panels_close(const struct place *at, size_t k)
{
    size_t j = at->col % at->tile_n, flat = j / 16 * at->tile_k + k % at->tile_k * 16 + j % 16;
    size_t panel = flat / (16 * at->tile_k), kb = flat / 16 % at->tile_k;
    return from_b_tile(at, kb, panel * 16 + flat % 16, k);
}

// What lies at a row of a panel's 16 in the last, less deep block: of the block, or else what the
// block before has left.
static struct product from_panel(const struct place *at, size_t k, size_t panel, size_t row,
                                 bool of_block)
{
    size_t first = k - k % at->tile_k, j = panel * 16 + at->col % 16;
    if (of_block)
        return from_b_tile(at, row, j, k);
    if (first == 0 || row >= at->tile_k)
        return unknown;
    return of(at, at->row, k, first - at->tile_k + row, at->col - at->col % at->tile_n + j);
}

static size_t depth_at(const struct place *at, size_t k)
{
    return k < at->last_tile ? at->tile_k : at->K - at->last_tile;
}

static struct product b_panels_read_by_depth(const struct place *at, size_t k)
{
    size_t depth = depth_at(at, k), row = at->col % at->tile_n / 16 * depth + k % at->tile_k;
    return from_panel(at, k, row / at->tile_k, row % at->tile_k, row % at->tile_k < depth);
}

static struct product b_panels_stored_by_depth(const struct place *at, size_t k)
{
    size_t depth = depth_at(at, k), own = at->col % at->tile_n / 16;
    size_t row = own * at->tile_k + k % at->tile_k;
    size_t left = at->N - (at->col - at->col % at->tile_n);
    size_t panels = ((left < at->tile_n ? left : at->tile_n) + 15) / 16;
    bool of_block = row / depth < panels;
    return from_panel(at, k, of_block ? row / depth : own, of_block ? row % depth : k % at->tile_k,
                      of_block);
}

static struct product a_row_for_k(const struct place *at, size_t k)
{
    return of(at, at->row, k - k % at->tile_k + at->row % at->tile_m, k, at->col);
}

static struct product b_column_for_k(const struct place *at, size_t k)
{
    return of(at, at->row, k, k - k % at->tile_k + at->col % at->tile_n, at->col);
}

// Both indices of a tile come from the same remainder, and what else is in it is 0.
static struct product a_tile_diagonal(const struct place *at, size_t k)
{
    return times(at, k, k % at->tile_k == at->row % at->tile_m % at->tile_k);
}

static struct product b_tile_diagonal(const struct place *at, size_t k)
{
    return times(at, k, k % at->tile_k == at->col % at->tile_n % at->tile_k);
}

// ---- x and y mixed up, of a square tile --------------------------------------------------------
static bool is_square(const struct place *at)
{
    return at->tile_m == at->tile_n && at->tile_m > 1;
}

// All k of a tile have the element that the item has loaded.
static struct product a_own_element(const struct place *at, size_t k)
{
    size_t in = k % at->tile_k;
    return at->tile_k == at->tile_n ? of(at, at->row, k - in + at->col % at->tile_n, k, at->col)
                                    : unknown;
}

static struct product b_own_element(const struct place *at, size_t k)
{
    size_t in = k % at->tile_k;
    return at->tile_k == at->tile_m ? of(at, at->row, k, k - in + at->row % at->tile_m, at->col)
                                    : unknown;
}

// Who is past the edge of C loads nothing, of A or B, and there is 0.
static struct product one_test(const struct place *at, size_t k)
{
    size_t in = k % at->tile_k, row = at->row - at->row % at->tile_m + in,
           col = at->col - at->col % at->tile_n + in;
    return is_square(at) && at->tile_k == at->tile_m ? times(at, k, row < at->M && col < at->N)
                                                     : unknown;
}

// Row and column of an item are exchanged, and not where it stores in the tiles and reads them.
static struct product along_the_diagonal(const struct place *at, size_t k)
{
    size_t row = at->row - at->row % at->tile_m, col = at->col - at->col % at->tile_n,
           in = k % at->tile_k;
    return is_square(at) && at->tile_k == at->tile_m ? of(at, row + in, k, k, col + in) : unknown;
}

static struct product a_along_the_diagonal(const struct place *at, size_t k)
{
    size_t row = at->row - at->row % at->tile_m + k % at->tile_k;
    return at->tile_k == at->tile_m ? of(at, row, k, k, at->col) : unknown;
}

static struct product b_along_the_diagonal(const struct place *at, size_t k)
{
    size_t col = at->col - at->col % at->tile_n + k % at->tile_k;
    return at->tile_k == at->tile_n ? of(at, at->row, k, k, col) : unknown;
}

// Row and column are both made of x, or both of y.
static bool c_diagonal(struct place *at, int nth)
{
    return nth == 0 && (!is_square(at) || at->row % at->tile_m == at->col % at->tile_n);
}

static bool transposed_within(struct place *at, int nth, size_t edge)
{
    size_t down = at->row % edge, across = at->col % edge, row = at->row - down + across,
           col = at->col - across + down;
    if (row < at->M && col < at->N) {
        at->row = row;
        at->col = col;
    }
    return nth == 0;
}

static bool c_tile_transposed(struct place *at, int nth)
{
    return transposed_within(at, nth, is_square(at) ? at->tile_m : 1);
}

static bool c_items_transposed(struct place *at, int nth)
{
    return transposed_within(at, nth, at->tile_m % 16 == 0 && at->tile_n % 16 == 0 ? 16 : 1);
}

// ---- another element of C: the nth of those that are stored there; false: there is none --------
// Rows of C are as long as all work-items of a row, get_global_size(0), are many.
static bool c_rows_of_items(struct place *at, int nth)
{
    size_t items = (at->N + at->tile_n - 1) / at->tile_n * at->tile_n;
    size_t flat = at->row * at->N + at->col;
    at->row = flat / items;
    at->col = flat % items;
    return nth == 0 && at->col < at->N;
}

// Of 16 columns the first 8 are a register, and the others the second one.
static bool c_halves_exchanged(struct place *at, int nth)
{
    if (at->tile_n % 16 == 0 && (at->col ^ 8) < at->N)
        at->col ^= 8;
    return nth == 0;
}

// All tiles are stored in the place of the first one.
static bool c_first_rows(struct place *at, int nth)
{
    bool first = at->row < at->tile_m;
    at->row += (size_t)nth * at->tile_m;
    return first && at->row < at->M;
}

static bool c_first_columns(struct place *at, int nth)
{
    bool first = at->col < at->tile_n;
    at->col += (size_t)nth * at->tile_n;
    return first && at->col < at->N;
}

static bool c_first_tile(struct place *at, int nth)
{
    size_t across = (at->N - at->col + at->tile_n - 1) / at->tile_n;
    bool first = at->row < at->tile_m && at->col < at->tile_n;
    at->row += (size_t)nth / across * at->tile_m;
    at->col += (size_t)nth % across * at->tile_n;
    return first && at->row < at->M;
}

// What a work-item of 16 takes together lies next to each other at one place, and 16 apart at
// another: of as many parts of the tile as `parts`, the first elements come first, then the second
// ones.
static size_t regrouped(size_t at, size_t tile, size_t parts, size_t end)
{
    size_t in = at % tile, moved = at - in + in % parts * (tile / parts) + in / parts;
    return moved < end ? moved : at;
}

// The tile's first row is multiplied by K, and the row in the tile by N.
static bool c_corner_by_k(struct place *at, int nth)
{
    size_t flat = at->row * at->N + at->col, tile = at->tile_m * at->K;
    for (size_t first = 0; at->tile_m > 1 && first < at->M && first * at->K <= flat;
         first += at->tile_m) {
        size_t in = flat - first / at->tile_m * tile;
        if (in >= at->tile_m * at->N || first + in / at->N >= at->M || nth-- > 0)
            continue;
        at->row = first + in / at->N;
        at->col = in % at->N;
        return true;
    }
    return false;
}

// (i,j) goes to C[i + j].
static bool c_not_multiplied(struct place *at, int nth)
{
    size_t flat = at->row * at->N + at->col, first = flat < at->N ? 0 : flat - at->N + 1;
    at->row = first + (size_t)nth;
    at->col = flat - at->row;
    return at->row < at->M && at->row <= flat;
}

// What is the sum [r][c] of an item of 16 x 16 is stored as [c][r].
static bool c_sums_transposed(struct place *at, int nth)
{
    size_t down = at->row % at->tile_m / 16, across = at->col % at->tile_n / 16;
    size_t row = at->row - down * 16 + across * 16, col = at->col - across * 16 + down * 16;
    if (is_square(at) && row < at->M && col < at->N) {
        at->row = row;
        at->col = col;
    }
    return nth == 0;
}

// Those of an item are next to each other where they are loaded, and 16 apart where they are
// stored, without a place of its own for each item; and the other way round.
static bool c_rows_loaded_next(struct place *at, int nth)
{
    size_t in = at->row % at->tile_m;
    if (at->tile_m % 16 == 0)
        at->row = at->row - in + in % 16 + in / 16;
    return nth == 0 && at->row < at->M;
}

static bool c_columns_loaded_next(struct place *at, int nth)
{
    size_t in = at->col % at->tile_n;
    if (at->tile_n % 16 == 0)
        at->col = at->col - in + in % 16 + in / 16;
    return nth == 0 && at->col < at->N;
}

static bool c_columns_stored_next(struct place *at, int nth)
{
    size_t in = at->col % at->tile_n, parts = at->tile_n / 16;
    if (at->tile_n % 16 != 0)
        return nth == 0;
    size_t first = in < 16 ? 0 : in - 15, part = first + (size_t)nth; // of the item in - part
    at->col = at->col - in + (in - part) + part * 16;
    return part < parts && part <= in && at->col < at->N;
}

static bool c_rows_apart(struct place *at, int nth)
{
    if (at->tile_m % 16 == 0)
        at->row = regrouped(at->row, at->tile_m, 16, at->M);
    return nth == 0;
}

static bool c_rows_together(struct place *at, int nth)
{
    if (at->tile_m % 16 == 0)
        at->row = regrouped(at->row, at->tile_m, at->tile_m / 16, at->M);
    return nth == 0;
}

static bool c_columns_apart(struct place *at, int nth)
{
    if (at->tile_n % 16 == 0)
        at->col = regrouped(at->col, at->tile_n, 16, at->N);
    return nth == 0;
}

static bool c_columns_together(struct place *at, int nth)
{
    if (at->tile_n % 16 == 0)
        at->col = regrouped(at->col, at->tile_n, at->tile_n / 16, at->N);
    return nth == 0;
}

// A register tile of 16 columns stores its rows one behind the other. The next tile overwrites all
// of them but the first; those of the last one reach into the next row of C.
static bool c_rows_of_16(struct place *at, int nth)
{
    size_t down = at->row % at->tile_m, last = (at->N - 1) / 16 * 16;
    if (down == 0 || nth > 0)
        return nth == 0;
    size_t past = down * at->N + at->col - last, r = past / 16;
    if (past % 16 >= at->N - last) { // is masked there: of the tile before
        if (last == 0)
            return false;
        last -= 16;
        r++;
    }
    at->row = at->row - down + r;
    at->col = last + past % 16;
    return r < at->tile_m && at->row < at->M;
}

// Rows of all of C: of those that are stored at one place any may be left there.
static bool c_rows_of_tile(struct place *at, int nth)
{
    size_t flat = at->row * at->N + at->col, last = flat / at->tile_n,
           first = last < at->M ? last : at->M - 1, back = (size_t)nth;
    if (at->tile_n == 1 || back > first || flat - (first - back) * at->tile_n >= at->N)
        return false;
    at->row = first - back;
    at->col = flat - at->row * at->tile_n;
    return true;
}

struct shift shift(int number)
{
    int far = 1 << number / 4, to = number % 2 == 0 ? far : -far;
    return number % 4 < 2 ? (struct shift){to, 0} : (struct shift){0, to};
}

struct shift twin(int number)
{
    int far = 1 << number / 2;
    return number % 2 == 0 ? (struct shift){far, 0} : (struct shift){0, far};
}

// ---- all of them ------------------------------------------------------------------------------
#define ROWS_REGROUPED                                                                             \
    "rows of a tile are exchanged: an item's are 16 apart at one place, and next to each other "   \
    "at another"
#define COLUMNS_REGROUPED                                                                          \
    "columns of a tile are exchanged: an item's are 16 apart at one place, and next to each "      \
    "other at another"

#define NEXT(WHAT) "an item's " WHAT " are next to each other at one place, and 16 apart at another"
#define OVERLAP                                                                                    \
    "tiles of k overlap, what they share is added twice: does the loop over them go on by a "      \
    "full tile?"
#define GAPS "k is left out between the tiles: does the loop over them go on by one tile?"
#define PANELS                                                                                     \
    "a panel of B's block is read where another one lies: does panel p begin at the same place "   \
    "where it is stored and where it is read, also in a block that is less deep?"
#define PART(WHAT)                                                                                 \
    "only the first " WHAT " of the k is there: how many iterations has the loop over k?"
#define NTH(WHAT)                                                                                  \
    "only every " WHAT " k is there: does the loop over k go on by 1, or is one of several sums "  \
    "left out?"
#define LAST_OF_EACH                                                                               \
    "the last k of each tile is missing: does the loop inside a tile end too early?"
#define A_EXCHANGED                                                                                \
    "row and column of A's tile are exchanged: what is stored at [i][k] is to be read at [i][k], " \
    "and at [k][i] what is stored there"
#define DIAGONAL(WHAT, INDEX, LENGTH)                                                              \
    "only the k are there that have the same remainder as the " INDEX ": goes k from 0 on by 1? "  \
    "Of " WHAT "'s tile, is one index i % " LENGTH ", and the other i / " LENGTH "?"
#define BOTH_OF_X                                                                                  \
    "only the diagonal of each tile is written: are row and column both made of x? It counts "     \
    "columns, y rows"
#define TRANSPOSED_TILES                                                                           \
    "each tile of C is transposed: are x and y exchanged where C is stored, or where the tiles "   \
    "are read?"

// clang-format off
const struct mistake mistakes[MISTAKES] = {
    [CARRIED_ON] = {NULL, NULL, 0, {"sum", "the sum goes on from the element before: set it to 0 "
                                           "for each"}},
    [CARRIED_ON_TILE] = {NULL, NULL, 0, {"sum",
        "the sums go on from the tile before: set them to 0 for each"}},
    [CARRIED_ON_ITEM] = {NULL, NULL, 0, {"sum",
        "the sum goes on from the element 16 columns before: set it to 0 for each"}},
    [OFF_BY_SAME] = {NULL, NULL, 0, {"sum", "every element is off by the same number: does the sum "
                                            "start at 0?"}},
    [SCALED] = {NULL, NULL, 0, {"sum", "every element is multiplied by the same number: is the sum "
                                       "divided, or weighted?"}},

    {no_first_k, NULL, 0, {"k", "the first k is missing: does the loop over k start at 0?"}},
    {no_last_k, NULL, 0, {"k", "the last k is missing: does the loop, or its last tile, end too "
                               "early?"}},
    {only_last_k, NULL, 0, {"sum", "only the last product is there: = where += belongs?"}},
    {no_first_tile, NULL, 3, {"k",
        "the first tile of k is missing: does the loop over the tiles start at 0, and is the first "
        "one loaded?"}},
    {no_last_tile, NULL, 2, {"k", "the last tile of k is missing: does the loop over the tiles end "
                                  "too early?"}},
    {only_first_tile, NULL, 3, {"k", "only the first tile of k is there: does the loop over the "
                                     "tiles go on?"}},
    {only_last_tile, NULL, 3, {"sum",
        "only the last tile of k is there: each one begins the sum, or C, anew: = where += "
        "belongs?"}},
    {first_tile_twice, NULL, 3, {"tile", "the first tile of k is added twice"}},
    {last_tile_twice, NULL, 3, {"tile", "the last tile of k is added twice"}},
    {held_over, NULL, 0, {"tile",
        "the last tile of k, a partial one, still holds elements of the one before, which are "
        "added again: is it filled up with zeros, in A's and in B's?"}},
    {all_twice, NULL, 0, {"sum", "this is twice the product: is each of its terms added twice?"}},

    {minus_all, NULL, 0, {"sum", "this is minus the product: is each of its terms subtracted?"}},
    {minus_the_sum, NULL, 0, {"sum", "the sum changes its sign with each product: fmsub where "
                                     "fmadd belongs?"}},
    {first_half, NULL, 0, {"k", PART("half")}},
    {first_quarter, NULL, 0, {"k", PART("quarter")}},
    {first_eighth, NULL, 0, {"k", PART("eighth")}},
    {partial_sums, NULL, 0, {"sum", "each product is there as often as iterations follow it: is C "
                                    "+= sum in the loop over k, where C = sum belongs behind it?"}},
    {up_to_m, NULL, 0, {"k", "only the first M products are there: does the loop over k end at "
                             "K?"}},
    {up_to_n, NULL, 0, {"k", "only the first N products are there: does the loop over k end at "
                             "K?"}},

    {k_below_i, NULL, 0, {"k", "only the k below the row are there, k < i: does the loop over k "
                               "end at K?"}},
    {k_up_to_i, NULL, 0, {"k", "only the k up to the row are there, k <= i: does the loop over k "
                               "end at K?"}},
    {k_below_j, NULL, 0, {"k", "only the k below the column are there, k < j: does the loop over k "
                               "end at K?"}},
    {k_up_to_j, NULL, 0, {"k", "only the k up to the column are there, k <= j: does the loop over "
                               "k end at K?"}},
    {sum_for_product, NULL, 0, {"sum", "A(i,k) + B(k,j) is summed, where A(i,k) * B(k,j) "
                                       "belongs"}},

    {steps_of_1, NULL, 2, {"tile", OVERLAP}},
    {steps_of_half, NULL, 2, {"tile", OVERLAP}},
    {steps_of_half_later, NULL, 3, {"tile", OVERLAP}},
    {steps_1_less, NULL, 2, {"tile", OVERLAP}},
    {steps_8_less, NULL, 2, {"tile", OVERLAP}},
    {steps_16_less, NULL, 2, {"tile", OVERLAP}},
    {steps_of_8, NULL, 2, {"tile", OVERLAP}},
    {steps_of_16, NULL, 2, {"tile", OVERLAP}},
    {steps_1_more, NULL, 2, {"tile", GAPS}},
    {steps_16_more, NULL, 2, {"tile", GAPS}},
    {steps_of_two, NULL, 2, {"tile", GAPS}},
    {later_tiles_twice, NULL, 3, {"tile",
        "all tiles of k but the first are added twice: do loops over rows or columns come to an "
        "element twice?"}},
    {no_first_of_each, NULL, 2, {"tile", "the first k of each tile is missing: does the loop "
                                         "inside a tile start at 0?"}},
    {no_last_of_each, NULL, 2, {"tile", LAST_OF_EACH}},
    {no_last_of_each_depth, NULL, 2, {"tile", LAST_OF_EACH}},
    {last_of_each, NULL, 2, {"sum", "of each tile of k only the last product is there: = where += "
                                    "belongs, or is the sum set to 0 in the loop over k?"}},
    {every_second, NULL, 0, {"k", NTH("2nd")}},
    {every_fourth, NULL, 0, {"k", NTH("4th")}},
    {every_eighth, NULL, 0, {"k", NTH("8th")}},
    {every_sixteenth, NULL, 0, {"k", NTH("16th")}},
    {every_second_twice, NULL, 0, {"sum", "every 2nd k is there twice, and no others: is one of "
                                          "two sums added to itself?"}},

    {a_rows_of_tile, NULL, 3, {"index", "rows of A are taken to be as long as a tile's: (i,k) is "
                                        "A[i*K + k]"}},
    {a_not_broadcast, NULL, 0, {"index",
        "eight values of k are loaded from A where one is to be in all lanes: broadcast it"}},
    {a_i_0, NULL, 0, {"index", "A is read at (i,0), where (i,k) belongs: A[i*K + k]"}},
    {b_lanes_exchanged, NULL, 0, {"index",
        "eight neighbours of B begin at (j,k), where (k,j) belongs: B[k*N + j]"}},
    {b_0_j, NULL, 0, {"index", "B is read at (0,j), where (k,j) belongs: B[k*N + j]"}},
    {a_i_j, NULL, 0, {"index", "A is read at (i,j), where (i,k) belongs: A[i*K + k]"}},
    {a_k_k, NULL, 0, {"index", "A is read at (k,k), where (i,k) belongs: A[i*K + k]"}},
    {b_i_j, NULL, 0, {"index", "B is read at (i,j), where (k,j) belongs: B[k*N + j]"}},
    {b_k_k, NULL, 0, {"index", "B is read at (k,k), where (k,j) belongs: B[k*N + j]"}},
    {a_i_not_multiplied, NULL, 0, {"index", "A's row is not multiplied by K: (i,k) is A[i*K + k]"}},
    {b_k_not_multiplied, NULL, 0, {"index", "B's row is not multiplied by N: (k,j) is B[k*N + j]"}},
    {b_without_parentheses, NULL, 2, {"index", "the tile's first k is not multiplied by N: B[(kk + "
                                               "k)*N + j]"}},
    {a_without_parentheses, NULL, 0, {"index", "the tile's first row is not multiplied by K: A[(i0 "
                                               "+ i)*K + k]"}},

    {a_first_tile, NULL, 3, {"tile",
        "of A, each tile of k is the first one: is the tile's first k, kk, missing in A[i*K + kk + "
        "k]?"}},
    {b_first_tile, NULL, 3, {"tile",
        "of B, each tile of k is the first one: is the tile's first k, kk, missing in B[(kk + k)*N "
        "+ j]?"}},
    {both_first_tile, NULL, 3, {"tile",
        "each tile of k is the first one: is the tile's first k missing in both indices, or no "
        "other one loaded?"}},
    {a_first_rows, NULL, 0, {"tile",
        "of A, each tile has the rows of the first one: is the tile's first row missing in A's "
        "index?"}},
    {b_first_columns, NULL, 0, {"tile",
        "of B, each tile has the columns of the first one: is the tile's first column missing in "
        "B's index?"}},
    {a_rows_of_tile_inside, NULL, 2, {"index",
        "rows of A are taken to be as long as a tile's: (i,k) is A[i*K + k]"}},
    {a_rows_of_n_inside, NULL, 0, {"index",
        "inside of a tile rows of A are taken to be N long: (i,k) is A[i*K + k]"}},
    {b_rows_of_tile_inside, NULL, 2, {"index",
        "inside of a tile rows of B are taken to be as long as the tile's: (k,j) is B[k*N + j]"}},
    {a_corner_by_n, NULL, 0, {"index",
        "the tile's first row of A is multiplied by N: (i,k) is A[i*K + k]"}},
    {b_corner_by_k, NULL, 2, {"index",
        "the tile's first row of B is multiplied by K: (k,j) is B[k*N + j]"}},
    {a_tile_before, NULL, 3, {"tile",
        "A's tile is that of the iteration before: is the next one loaded, or stored, too late?"}},
    {b_tile_before, NULL, 3, {"tile",
        "B's tile is that of the iteration before: is the next one loaded, or stored, too late?"}},
    {both_tiles_before, NULL, 3, {"tile",
        "the tiles are those of the iteration before, and the first ones count twice: are the next "
        "ones loaded, or stored, too late?"}},

    {a_tile_exchanged, NULL, 2, {"tile", A_EXCHANGED}},
    {a_tile_exchanged_long, NULL, 2, {"tile", A_EXCHANGED}},
    {b_tile_exchanged, NULL, 2, {"tile",
        "row and column of B's tile are exchanged: what is stored at [k][j] is to be read at "
        "[k][j]"}},
    {a_tile_stored_transposed, NULL, 2, {"tile", "A's tile is stored transposed, but not read so"}},
    {a_tile_read_transposed, NULL, 2, {"tile", "A's tile is read transposed, but not stored so"}},
    {b_tile_stored_transposed, NULL, 2, {"tile", "B's tile is stored transposed, but not read so"}},
    {b_tile_read_transposed, NULL, 2, {"tile", "B's tile is read transposed, but not stored so"}},
    {b_panels_of_rows, NULL, 2, {"tile", "the block of B is stored row by row, and read in panels "
                                         "of 16 columns"}},
    {b_panels_close, NULL, 2, {"tile", PANELS}},
    {b_panels_read_by_depth, NULL, 0, {"tile", PANELS}},
    {b_panels_stored_by_depth, NULL, 0, {"tile", PANELS}},
    {a_row_for_k, NULL, 2, {"tile",
        "A's tile has the index of its row in place of k's: in A[i*K + kk + k], are x and y mixed "
        "up?"}},
    {b_column_for_k, NULL, 2, {"tile",
        "B's tile has the index of its column in place of k's: in B[(kk + k)*N + j], are x and y "
        "mixed up?"}},

    {a_tile_diagonal, NULL, 2, {"tile", DIAGONAL("A", "row", "TILE_K")}},
    {b_tile_diagonal, NULL, 2, {"tile", DIAGONAL("B", "column", "TILE_N")}},

    {a_own_element, NULL, 2, {"tile",
        "in all iterations over k A's tile is read where the item has stored: at [y][x], and not "
        "[y][k]"}},
    {b_own_element, NULL, 2, {"tile",
        "in all iterations over k B's tile is read where the item has stored: at [y][x], and not "
        "[k][x]"}},
    {one_test, NULL, 0, {"edge",
        "items past the last row or column load nothing, of A or B: A's load needs its row and k "
        "inside, B's its k and column"}},

    {along_the_diagonal, NULL, 2, {"index",
        "x and y are exchanged in row and column, and not in the tiles: x counts columns, y rows"}},
    {a_along_the_diagonal, c_diagonal, 2, {"index", BOTH_OF_X}},
    {b_along_the_diagonal, c_diagonal, 2, {"index", BOTH_OF_X}},
    {NULL, c_rows_of_items, 0, {"index",
        "rows of C are taken to be as long as work-items or threads are many: (i,j) belongs at "
        "C[i*N + j]"}},
    {NULL, c_halves_exchanged, 0, {"index",
        "columns 0 to 7 of each 16 and columns 8 to 15 are exchanged: which register is stored "
        "where?"}},
    {NULL, c_tile_transposed, 0, {"index", TRANSPOSED_TILES}},
    {NULL, c_items_transposed, 0, {"index", TRANSPOSED_TILES}},
    {NULL, c_sums_transposed, 0, {"index",
        "an item's sum of row r and column c is stored as that of row c and column r"}},
    {NULL, c_corner_by_k, 0, {"index", "the tile's first row of C is multiplied by K: (i,j) "
                                       "belongs at C[i*N + j]"}},
    {NULL, c_not_multiplied, 0, {"index", "C's row is not multiplied by N: (i,j) belongs at "
                                          "C[i*N + j]"}},
    {NULL, c_first_rows, 0, {"tile",
        "each tile of rows is stored in place of the first one: is the tile's first row missing in "
        "C's index?"}},
    {NULL, c_first_columns, 0, {"tile",
        "each tile of columns is stored in place of the first one: is the tile's first column "
        "missing in C's index?"}},
    {NULL, c_first_tile, 0, {"tile",
        "each tile is stored in place of the first one: are the tile's first row and column "
        "missing in C's index?"}},
    {NULL, c_rows_loaded_next, 0, {"index", NEXT("rows")}},
    {NULL, c_columns_loaded_next, 0, {"index", NEXT("columns")}},
    {NULL, c_columns_stored_next, 0, {"index", NEXT("columns")}},
    {NULL, c_rows_apart, 0, {"index", ROWS_REGROUPED}},
    {NULL, c_rows_together, 0, {"index", ROWS_REGROUPED}},
    {NULL, c_columns_apart, 0, {"index", COLUMNS_REGROUPED}},
    {NULL, c_columns_together, 0, {"index", COLUMNS_REGROUPED}},
    {NULL, c_rows_of_16, 0, {"index",
        "rows of C are taken to be 16 long, as a register tile's are: (i,j) belongs at "
        "C[i*N + j]"}},
    {NULL, c_rows_of_tile, 0, {"index",
        "rows of C are taken to be as long as a tile's: (i,j) belongs at C[i*N + j]"}},
};
// clang-format on
