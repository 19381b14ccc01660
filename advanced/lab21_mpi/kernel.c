// SPDX-License-Identifier: MIT
// SUMMA with double buffering: the broadcasts of the next panels overlap the product of these.
//
//   for kk    a panel of A has arrived, from a rank of its row       m x BLOCK_K
//             a panel of B has arrived, from a rank of its column    BLOCK_K x n
//             the broadcasts of the next ones begin
//     for jj    the block of B is packed     BLOCK_K x BLOCK_N, stays in L3
//       for ii  the block of A is packed     BLOCK_M x BLOCK_K, stays in L2
//         for j   a panel of B               BLOCK_K x 16, stays in L1
//           for i   a panel of A             ROWS x BLOCK_K, streamed from L2
//                     micro-kernel           ROWS x 16 sums in registers
//
// After R. van de Geijn, J. Watts, "SUMMA: Scalable Universal Matrix Multiplication Algorithm"
// (1997).
#include "params.h"
#include "ranks.h"

#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

// The leading dimension of A's block: not a power of two, so that the rows of a micro-panel do not
// all map to the same few sets of a cache (conflict misses).
#define STRIDE (BLOCK_K + 16)

static float a_block[BLOCK_M * STRIDE] __attribute__((aligned(64)));
static float b_block[BLOCK_K * BLOCK_N] __attribute__((aligned(64)));

static int min(int a, int b)
{
    return a < b ? a : b;
}

// Lanes 0 to count-1 on: a masked load gives 0 in the others, a masked store leaves memory alone.
static __m256i first_lanes(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// Copies `height` rows of A (leading dimension K), `depth` long, to rows STRIDE apart.
static void pack_a(int height, int depth, int K, const float *A)
{
    for (int i = 0; i < height; i++)
        memcpy(&a_block[i * STRIDE], &A[i * K], (size_t)depth * sizeof *A);
}

// Copies `depth` rows and `width` columns of B (leading dimension N) into panels of 16 columns,
// each BLOCK_K rows deep; columns past `width` become 0.
static void pack_b(int depth, int width, int N, const float *B)
{
    for (int k = 0; k < depth; k++)                   // by rows, as B lies in memory
        for (int j = 0; j < width; j += 16) {         // first column of a panel
            int right_offset = width - j > 8 ? 8 : 0; // as in store
            const float *b = &B[k * N + j];
            float *panel = &b_block[j * BLOCK_K + k * 16];
            _mm256_store_ps(panel, _mm256_maskload_ps(b, first_lanes(width - j)));
            _mm256_store_ps(panel + 8,
                            _mm256_maskload_ps(&b[right_offset], first_lanes(width - j - 8)));
        }
}

// A row of a tile, `cols` wide: C += sum, or C = sum where `overwrite`, as C holds garbage before
// its first block. A masked store costs some CPUs twenty plain ones: only partial tiles have it.
static inline void store(int cols, const __m256 sum[2], float *C, int overwrite)
{
    __m256 left = sum[0], right = sum[1];
    if (cols == 16) {
        if (!overwrite) {
            left = _mm256_add_ps(left, _mm256_loadu_ps(C));
            right = _mm256_add_ps(right, _mm256_loadu_ps(&C[8]));
        }
        _mm256_storeu_ps(C, left);
        _mm256_storeu_ps(&C[8], right);
        return;
    }
    __m256i on_left = first_lanes(cols), on_right = first_lanes(cols - 8);
    int right_offset = cols > 8 ? 8 : 0; // where the right half begins, or none of its lanes is on
    if (!overwrite) {
        left = _mm256_add_ps(left, _mm256_maskload_ps(C, on_left));
        right = _mm256_add_ps(right, _mm256_maskload_ps(&C[right_offset], on_right));
    }
    _mm256_maskstore_ps(C, on_left, left);
    _mm256_maskstore_ps(&C[right_offset], on_right, right);
}

// A tile of C, `rows` x `cols` (1 to ROWS x 1 to 8 * halves): C += a * b over `depth` values of k,
// or C = a * b where `overwrite`. Leading dimensions: N of C, STRIDE of the panel a, 16 of the
// panel b.
static inline __attribute__((always_inline)) void multiply(int halves, int rows, int cols,
                                                           int depth, int N, const float *a,
                                                           const float *b, float *C, int overwrite)
{
    __m256 sum[ROWS][2];
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++)
        sum[r][0] = sum[r][1] = _mm256_setzero_ps();
    for (int r = 0; r < rows; r++) { // C is prefetched into L1 meanwhile
        _mm_prefetch((const char *)&C[r * N], _MM_HINT_T0);
        _mm_prefetch((const char *)&C[r * N + cols - 1], _MM_HINT_T0);
    }
#pragma GCC unroll 4
    for (int k = 0; k < depth; k++) {
        __m256 b0 = _mm256_load_ps(&b[k * 16]);
        __m256 b1 = _mm256_load_ps(&b[k * 16 + 8]);
#pragma GCC unroll 16
        for (int r = 0; r < ROWS; r++) {
            __m256 ar = _mm256_broadcast_ss(&a[r * STRIDE + k]);
            sum[r][0] = _mm256_fmadd_ps(ar, b0, sum[r][0]);
            if (halves == 2)
                sum[r][1] = _mm256_fmadd_ps(ar, b1, sum[r][1]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < ROWS; r++)
        if (r < rows)
            store(cols, sum[r], &C[r * N], overwrite);
}

// The same, 1 to 16 columns: no wider than the tile.
static void micro_kernel(int rows, int cols, int depth, int N, const float *a, const float *b,
                         float *C, int overwrite)
{
    if (cols > 8)
        multiply(2, rows, cols, depth, N, a, b, C, overwrite);
    else
        multiply(1, rows, cols, depth, N, a, b, C, overwrite);
}

static MPI_Request requests[2]; // the next panels of A and B

// Without asynchronous progress MPI moves data only inside its functions.
static void progress(void)
{
    int all;
    MPI_Testall(2, requests, &all, MPI_STATUSES_IGNORE);
}

// C (m x n) += A * B, or = where `overwrite`: A is m x depth, B is depth x n;
// lda = depth, ldb = n, ldc = n.
static void add_product(int m, int n, int depth, const float *A, const float *B, float *C,
                        int overwrite)
{
    for (int jj = 0; jj < n; jj += BLOCK_N) { // first column of a block of B (0..n-1)
        int width = min(BLOCK_N, n - jj);
        pack_b(depth, width, n, &B[jj]);
        for (int ii = 0; ii < m; ii += BLOCK_M) { // first row of a block of A (0..m-1)
            int height = min(BLOCK_M, m - ii);
            pack_a(height, depth, depth, &A[ii * depth]);
            for (int j = 0; j < width; j += 16) {      // first column of a tile in the block
                for (int i = 0; i < height; i += ROWS) // its first row in the block
                    micro_kernel(min(ROWS, height - i), min(16, width - j), depth, n,
                                 &a_block[i * STRIDE], &b_block[j * BLOCK_K],
                                 &C[(ii + i) * n + jj + j], overwrite);
                progress();
            }
        }
    }
}

// Columns k to k + depth - 1 of A and these rows of B, which are sent in one go.
struct panel {
    int k, depth;
    int col, row; // of the grid: who has these columns of A, who has these rows of B
};

// The one that begins at k (0..K-1); it ends where BLOCK_K, or a rank's local block, ends.
static struct panel panel_at(int k, int K)
{
    int col = owner_of(k, K, grid.cols), row = owner_of(k, K, grid.rows);
    int past = min(first_of(K, grid.cols, col + 1), first_of(K, grid.rows, row + 1));
    return (struct panel){k, min(BLOCK_K, past - k), col, row};
}

// Rows of A go along the ranks' rows, columns of B along their columns: each rank has in `a`, m x
// depth, and `b`, depth x n, what it needs, once `requests` has been waited for. Until then nobody
// may touch these.
static void broadcast_panels(struct panel p, int m, int n, int K, const float *A, const float *B,
                             float *a, float *b)
{
    if (grid.col == p.col) {
        int lda = size_of(K, grid.cols, grid.col), k = p.k - first_of(K, grid.cols, grid.col);
        for (int i = 0; i < m; i++)
            memcpy(&a[i * p.depth], &A[i * lda + k], (size_t)p.depth * sizeof *a);
    }
    if (grid.row == p.row) {
        int k = p.k - first_of(K, grid.rows, grid.row);
        memcpy(b, &B[k * n], (size_t)(p.depth * n) * sizeof *b);
    }
    MPI_Ibcast(a, m * p.depth, MPI_FLOAT, p.col, grid.row_comm, &requests[0]);
    MPI_Ibcast(b, p.depth * n, MPI_FLOAT, p.row, grid.col_comm, &requests[1]);
}

// C (M x N) = A (M x K) * B (K x N), of which this rank has its local blocks: row-major, no leading
// dimension is longer than a row of the block. All ranks call it.
void gemm(int M, int N, int K, const real *A, const real *B, real *C)
{
    int m = size_of(M, grid.rows, grid.row), n = size_of(N, grid.cols, grid.col);
    size_t deep = (size_t)min(BLOCK_K, K); // the deepest panel
    size_t a_size = (size_t)m * deep, b_size = (size_t)n * deep;
    float *memory = allocate(2 * (a_size + b_size)); // a panel in use, and the next
    float *a[] = {memory, memory + a_size};
    float *b[] = {memory + 2 * a_size, memory + 2 * a_size + b_size};
    struct panel p, next = panel_at(0, K);
    broadcast_panels(next, m, n, K, A, B, a[0], b[0]);
    for (int k = 0, at = 0; k < K; k += p.depth, at = !at) { // at: where p's panels are
        p = next;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (k + p.depth < K) {
            next = panel_at(k + p.depth, K);
            broadcast_panels(next, m, n, K, A, B, a[!at], b[!at]);
        }
        add_product(m, n, p.depth, a[at], b[at], C, k == 0);
    }
    free(memory);
}
