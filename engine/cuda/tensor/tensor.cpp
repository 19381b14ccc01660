// SPDX-License-Identifier: MIT
// What a tensor core computes, as an H100's is described: products are exact; those of one step,
// and the sum so far, are shifted to the exponent of the largest of them and cut off two bits after
// the last of a float; they are added as whole numbers, and the sum is cut, not rounded, to a
// float. (M. Fasi et al., doi 10.7717/peerj-cs.330; F. Khattak, M. Mikaitis, arXiv 2512.07004.)
#include "tensor.h"
#include "../../core/emulation.h"
#include "../../core/sanitizers.h"

#include <algorithm>
#include <cstdio>

#ifdef EMULATION_HALF_INSTRUCTIONS
#include <cpuid.h>

static bool find_half_instructions()
{
    unsigned a, b, c, d;
    return !emulation::asan && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0 &&
           (c & bit_OSXSAVE) != 0;
}
const bool emulation::has_half_instructions = find_half_instructions();
#endif

namespace emulation
{
namespace tensor
{
enum { FRACTION_BITS = 25 };
// Products of finite numbers have exponents from SMALLEST to LARGEST; those of 0 have less, and
// those of what is not finite, even with 0, more.
enum { SMALLEST = -252, LARGEST = 254, OF_ZERO = -500, OF_INFINITY = 1000 };
enum { MOST = 32, MOST_AT_A_TIME = 16 }; // columns of the right matrix, and products

// The exponent of a product counts those of its factors, and not a carry of their significands.
static int exponent(float x)
{
    const int biased = bits_of(x) >> 23 & 255;
    return x == 0 ? OF_ZERO : biased == 255 ? OF_INFINITY : std::max(biased, 1) - 127;
}

static double power_of_2(int n)
{
    const std::uint64_t bits = std::uint64_t(n + 1023) << 52;
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

static float cut_to_float(double x)
{
    const float nearest = float(x);
    return std::fabs(double(nearest)) > std::fabs(x) ? float_of(bits_of(nearest) - 1) : nearest;
}

// What is multiplied at a time of a row of the left matrix, or of a column of the right one.
struct factors {
    double value[MOST_AT_A_TIME];
    int exponent[MOST_AT_A_TIME], largest;
};

static void take(factors *to, int count, const float *x, int stride)
{
    to->largest = OF_ZERO;
    for (int i = 0; i < count; i++) {
        to->value[i] = double(x[i * stride]);
        to->exponent[i] = exponent(x[i * stride]);
        to->largest = std::max(to->largest, to->exponent[i]);
    }
}

// sum + a[0] * b[0] + ... + a[step - 1] * b[step - 1], added together.
static float add_products(float sum, int step, const factors &a, const factors &b)
{
    if (a.largest + b.largest < SMALLEST) // beyond the edges of a matrix a tile has zeros
        return sum + 0;
    int largest = std::max(int(SMALLEST), exponent(sum));
    for (int i = 0; i < step; i++)
        largest = std::max(largest, a.exponent[i] + b.exponent[i]);
    if (largest > LARGEST) {
        for (int i = 0; i < step; i++)
            sum += float(a.value[i]) * float(b.value[i]);
        return sum;
    }
    const double scale = power_of_2(FRACTION_BITS - largest);
    std::int64_t total = std::int64_t(double(sum) * scale); // cuts off
    for (int i = 0; i < step; i++)
        total += std::int64_t(a.value[i] * b.value[i] * scale);
    return cut_to_float(double(total) * power_of_2(largest - FRACTION_BITS));
}

void multiply(int m, int n, int k, int step, const float *a, const float *b, float *c)
{
    static thread_local factors row, columns[MOST]; // as the stack of a kernel's thread is short
    for (int first = 0; first < k; first += step) {
        for (int j = 0; j < n; j++)
            take(&columns[j], step, &b[first * n + j], n);
        for (int i = 0; i < m; i++) {
            take(&row, step, &a[i * k + first], 1);
            for (int j = 0; j < n; j++)
                c[i * n + j] = add_products(c[i * n + j], step, row, columns[j]);
        }
    }
}

// Whole numbers are added in any order. What is more than an int has is lost.
void multiply(int m, int n, int k, int, const int *a, const int *b, int *c)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            unsigned sum = unsigned(c[i * n + j]);
            for (int p = 0; p < k; p++)
                sum += unsigned(a[i * k + p] * b[p * n + j]);
            c[i * n + j] = int(sum);
        }
}

// ---- the lanes meet ---------------------------------------------------------------------------
static void compare(void *const lanes[32])
{
    const memory &first = *static_cast<const memory *>(lanes[0]);
    for (int lane = 1; lane < 32; lane++) {
        const memory &other = *static_cast<const memory *>(lanes[lane]);
        if (other.start != first.start || other.ld != first.ld) {
            const place &at = self->running->at;
            fail("%s:%d: warp divergence: lanes 0 and %d give other addresses, or leading "
                 "dimensions, to this %s",
                 at.file, at.line, lane, self->running->call);
            return;
        }
    }
}

void meet_at(const char *call, memory m, std::size_t element_bytes, place at)
{
    if (m.ld * element_bytes % 16 != 0) {
        fail("%s:%d: misaligned address: the leading dimension of this %s is %u, and must be a "
             "multiple of %zu",
             at.file, at.line, call, m.ld, 16 / element_bytes);
        fiber::suspend();
    }
    const std::size_t alignment = element_bytes == 1 ? 16 : 32;
    if (reinterpret_cast<std::uintptr_t>(m.start) % alignment != 0)
        misaligned(at, alignment);
    meet(call, ~0u, {false, lane(), 0, &m, compare}, at);
}

void meet_for_product(void *mine, void (*together)(void *const lanes[32]), place at)
{
    meet("mma_sync", ~0u, {false, lane(), 0, mine, together}, at);
}

// ---- the lanes of PTX's instruction -----------------------------------------------------------
struct lane_parts {
    float *sum;
    const float *a, *b;
};

static void multiply_parts(void *const lanes[32])
{
    float A[16][8], B[8][8], C[16][8];
    for (int l = 0; l < 32; l++) {
        const lane_parts &p = *static_cast<const lane_parts *>(lanes[l]);
        const int g = l / 4, q = l % 4; // the manual's groupID and threadID_in_group
        for (int t = 0; t < 4; t++) {
            A[g + t % 2 * 8][q + t / 2 * 4] = cut_to_tf32(p.a[t]);
            C[g + t / 2 * 8][q * 2 + t % 2] = p.sum[t];
        }
        for (int t = 0; t < 2; t++)
            B[q + t * 4][g] = cut_to_tf32(p.b[t]);
    }
    multiply(16, 8, 8, 8, *A, *B, *C);
    for (int l = 0; l < 32; l++)
        for (int t = 0; t < 4; t++)
            static_cast<const lane_parts *>(lanes[l])->sum[t] =
                C[l / 4 + t / 2 * 8][l % 4 * 2 + t % 2];
}

void check_row(const void *row, place at)
{
    if (reinterpret_cast<std::uintptr_t>(row) % 16 != 0)
        misaligned(at, 16);
    if (!self->running->home->is_shared(row, 16)) {
        fail("%s:%d: this ldmatrix is given an address that is not in shared memory", at.file,
             at.line);
        fiber::suspend();
    }
    if (count_access != nullptr)
        count_access(row, 16, false, at);
}

void mma_sync(float *sum, const float *a, const float *b, place at)
{
    lane_parts mine = {sum, a, b};
    meet_for_product(&mine, multiply_parts, at);
}
} // namespace tensor
} // namespace emulation
