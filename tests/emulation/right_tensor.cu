// SPDX-License-Identifier: MIT
// Tensor cores and narrow types, used as they should be: prints "right".
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include "../../advanced/common/tensor.h"
#include "right.h"
using namespace nvcuda;

// C (m x n) = A (m x k) * B (k x n), twice: 2 * A * B. B is column-major.
template <class T, class Element, int m, int n, int k, class Sum>
__global__ void product(const Element *A, const Element *B, Sum *C)
{
    __shared__ alignas(32) Element a_tile[m * k];
    for (int i = threadIdx.x; i < m * k; i += 32)
        a_tile[i] = A[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, m, n, k, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, m, n, k, T, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> c, d;
    wmma::load_matrix_sync(a, a_tile, k);
    wmma::load_matrix_sync(b, B, k);
    wmma::fill_fragment(c, 0.0f);
    wmma::mma_sync(d, a, b, c);
    wmma::mma_sync(d, a, b, d);
    wmma::store_matrix_sync(C, d, n, wmma::mem_row_major);
}

template <class T, class Element, int m, int n, int k, class Sum = float> static void test_product()
{
    Element a[m * k], b[k * n], *A, *B;
    Sum c[m * n], *C;
    const int least = std::is_same<Element, unsigned char>::value ? 0 : -6;
    for (int i = 0; i < m * k; i++)
        a[i] = Element(float(i * 7 % 11 + least));
    for (int i = 0; i < k * n; i++)
        b[i] = Element(float(i * 5 % 13 + least));
    cudaMalloc(&A, sizeof a);
    cudaMalloc(&B, sizeof b);
    cudaMalloc(&C, sizeof c);
    cudaMemcpy(A, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(B, b, sizeof b, cudaMemcpyHostToDevice);
    product<T, Element, m, n, k, Sum><<<1, 32>>>(A, B, C);
    WANT(cudaMemcpy(c, C, sizeof c, cudaMemcpyDeviceToHost) == cudaSuccess);
    int bad = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float want = 0;
            for (int l = 0; l < k; l++)
                want += 2 * float(a[i * k + l]) * float(b[j * k + l]);
            bad += float(c[i * n + j]) != want;
        }
    WANT(bad == 0);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
}

// A sum starts with `start`; to it come products x * y, that of k = 0 and that of k = `second`; the
// rest are 0.
__global__ void rounding(float start, const float *x, const float *y, int second, float *sum)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
    __shared__ alignas(32) float tile[16 * 16];
    for (int i = threadIdx.x; i < 128; i += 32)
        tile[i] = i == 0 ? x[0] : i == second ? x[1] : 0;
    __syncwarp();
    wmma::load_matrix_sync(a, tile, 8);
    __syncwarp();
    for (int i = threadIdx.x; i < 128; i += 32)
        tile[i] = i == 0 ? y[0] : i == 16 * second ? y[1] : 0;
    __syncwarp();
    wmma::load_matrix_sync(b, tile, 16);
    wmma::fill_fragment(c, start);
    wmma::mma_sync(c, a, b, c);
    __syncwarp();
    wmma::store_matrix_sync(tile, c, 16, wmma::mem_col_major);
    __syncwarp();
    if (threadIdx.x == 0)
        *sum = tile[0];
}

static float rounded(float start, float x0, float y0, float x1 = 0, float y1 = 0, int second = 1)
{
    float x[2] = {x0, x1}, y[2] = {y0, y1}, *memory, sum;
    cudaMalloc(&memory, 5 * sizeof(float));
    cudaMemcpy(memory, x, sizeof x, cudaMemcpyHostToDevice);
    cudaMemcpy(memory + 2, y, sizeof y, cudaMemcpyHostToDevice);
    rounding<<<1, 32>>>(start, memory, memory + 2, second, memory + 4);
    cudaMemcpy(&sum, memory + 4, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(memory);
    return sum;
}

static float power(int n)
{
    return std::ldexp(1.0f, n);
}

// Elements are where they were, whatever lane has them.
__global__ void elements(float *to)
{
    __shared__ alignas(32) float tile[256];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c, d;
    for (int i = threadIdx.x; i < 256; i += 32)
        tile[i] = i;
    __syncwarp();
    wmma::load_matrix_sync(c, tile, 16, wmma::mem_row_major);
    wmma::fill_fragment(d, 1.0f);
    for (int t = 0; t < c.num_elements; t++)
        d.x[t] += 2 * c.x[t];
    wmma::store_matrix_sync(to, d, 16, wmma::mem_row_major);
}

// Row 0 of A is x, column 0 of B is y, as PTX has them; the sum at (0, 0), which starts with
// `start`.
__global__ void instruction(float start, const float *x, const float *y, float *sum)
{
    const int g = threadIdx.x / 4, q = threadIdx.x % 4;
    const float a[4] = {g == 0 ? x[q] : 0, 0, g == 0 ? x[q + 4] : 0, 0};
    const float b[2] = {g == 0 ? y[q] : 0, g == 0 ? y[q + 4] : 0};
    float c[4] = {start, start, start, start};
    mma_sync(c, a, b);
    if (threadIdx.x == 0)
        *sum = c[0];
}

static float by_instruction(float start, float x0, float y0, int second, float x1, float y1)
{
    float numbers[16] = {x0}, *memory, sum;
    numbers[8] = y0;
    numbers[second] = x1;
    numbers[8 + second] = y1;
    cudaMalloc(&memory, 17 * sizeof(float));
    cudaMemcpy(memory, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    instruction<<<1, 32>>>(start, memory, memory + 8, memory + 16);
    cudaMemcpy(&sum, memory + 16, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(memory);
    return sum;
}

// What each lane gets of 16 x 8 numbers.
__global__ void lanes(float *to)
{
    __shared__ alignas(16) float tile[16][8];
    const int lane = threadIdx.x;
    for (int i = lane; i < 128; i += 32)
        tile[i / 8][i % 8] = i;
    __syncwarp();
    ldmatrix(&to[lane * 4], &tile[lane % 16][lane / 16 * 4]);
}

__global__ void halves(__half2 *to)
{
    const half x = __float2half(1.5f), y = x * x - __float2half(0.25f); // 2
    to[0] = __hfma2(__halves2half2(x, y), __float2half2_rn(2), __half2half2(y));
    to[1] = __floats2half2_rn(2049, 65520); // between 2048 and 2050; past the largest
}

// x as a number with `digits` digits, of which the last of the smallest ones is 2^`last`.
static double rounded_to(int digits, int last, double limit, double x)
{
    int exponent;
    std::frexp(x, &exponent);
    const double unit = std::ldexp(1.0, std::max(exponent - digits, last));
    const double nearest = std::nearbyint(x / unit) * unit;
    return std::fabs(nearest) < limit ? nearest : std::copysign(INFINITY, x);
}

static unsigned bits_of(half x)
{
    return __half_as_ushort(x);
}

static unsigned bits_of(__nv_bfloat16 x)
{
    return __bfloat16_as_ushort(x);
}

// Every number as a float and back; sums, products and both, of numbers of all sizes, of which many
// lie half way between two.
template <class T> static int count_wrong(int digits, int last, double limit)
{
    int bad = 0;
    unsigned random = 1;
    auto next = [&] {
        random = random * 1664525 + 1013904223;
        const unsigned few = random >> 8 & 1 ? 0xFFC0 : 0xFFFF; // digits
        return T::from_bits(random >> 16 & few);
    };
    auto is = [&](T x, double want) {
        return double(float(x)) == (want == 0 ? 0 : rounded_to(digits, last, limit, want));
    };
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        const float x = T::from_bits(bits);
        bad += !std::isnan(x) && bits_of(T(x)) != bits;
    }
    for (int i = 0; i < 300000; i++) {
        const T a = next(), b = next(), c = next();
        const double x = float(a), y = float(b), z = float(c);
        if (std::isfinite(x) && std::isfinite(y) && std::isfinite(z)) {
            T sum = c;
            sum += a;
            bad += !is(a + b, x + y) + !is(a * b, x * y) + !is(sum, z + x) +
                   !is(__hfma(a, b, c), x * y + z);
        }
    }
    return bad;
}

// What is loaded ahead, past the last tile, and converted at once: nobody wrote it, nobody uses it.
struct next_tile {
    float tf32, size;
    half h;
    half2 pair;
    __nv_bfloat16 b;
    float back, other;
};

__device__ next_tile converted(const float *tile)
{
    const float x = tile[threadIdx.x];
    const half h = __float2half(x);
    return {wmma::__float_to_tf32(x),
            fabsf(x),
            h,
            __floats2half2_rn(x, -x),
            __float2bfloat16(x),
            __half2float(h),
            __shfl_xor_sync(~0u, threadIdx.x < 40 ? x : 0, 1)};
}

__global__ void ahead(const float *from, float *to)
{
    __shared__ float tiles[2][32];
    tiles[0][threadIdx.x] = from[threadIdx.x];
    __syncwarp();
    next_tile next = converted(tiles[0]);
    for (int tile = 0; tile < 1; tile++) {
        to[threadIdx.x] = next.tf32;
        next = converted(tiles[tile + 1]);
    }
    if (to == nullptr)
        *reinterpret_cast<next_tile *>(tiles[0]) = next; // else no compiler keeps it
}

int main()
{
    test_product<wmma::precision::tf32, float, 16, 16, 8>();
    test_product<half, half, 16, 16, 16>();
    test_product<half, half, 32, 8, 16>();
    test_product<half, half, 8, 32, 16>();
    test_product<__nv_bfloat16, __nv_bfloat16, 16, 16, 16>();
    test_product<signed char, signed char, 32, 8, 16, int>();
    test_product<unsigned char, unsigned char, 16, 16, 16, int>();

    WANT(rounded(1, power(-12), 1.5f * power(-12)) == 1); // to the nearest: 1 + 2^-23
    WANT(rounded(-1, -power(-12), 1.5f * power(-12)) == -1);
    WANT(rounded(1, power(-12), power(-12), power(-12), power(-12)) == 1 + power(-23));
    WANT(rounded(1, power(-12), power(-12), power(-12), power(-12), 3) == 1 + power(-23));
    WANT(rounded(1, power(-12), power(-12), power(-12), power(-12), 4) == 1); // four at a time
    WANT(rounded(1, power(-13), power(-13), power(-12), power(-12)) == 1);
    WANT(rounded(1, power(-13), -power(-13)) == 1); // cut off two bits past the last: nothing left
    WANT(rounded(1, power(-12), -power(-12)) < 1);
    WANT(rounded(power(24), 1, 1, -1, power(24)) == 1); // exact, as nothing is cut off
    WANT(rounded(0, 1 + power(-11), 1) == 1);           // what TF32 has no bits for
    WANT(wmma::__float_to_tf32(1 + power(-11)) == 1 + power(-10));
    WANT(std::isnan(rounded(0, NAN, 1)));

    float host[256], *to;
    cudaMalloc(&to, sizeof host);
    elements<<<1, 32>>>(to);
    cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < 256; i++)
        bad += host[i] != 1 + 2 * i;
    WANT(bad == 0);
    // An H200 adds all eight together: what is less than 2^-25 of the largest is cut off.
    WANT(by_instruction(-1, 1, 1, 4, power(-15), power(-15)) == 0);
    WANT(by_instruction(-1, 1, 1, 7, power(-12), power(-13)) == power(-25));
    WANT(by_instruction(-1, 1, 1, 7, power(-13), power(-13)) == 0);
    WANT(by_instruction(2, 3, 5, 6, 7, 11) == 94);
    lanes<<<1, 32>>>(to);
    cudaMemcpy(host, to, 128 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int lane = 0; lane < 32; lane++)
        for (int t = 0; t < 4; t++)
            WANT(host[lane * 4 + t] == (lane / 4 + t % 2 * 8) * 8 + lane % 4 + t / 2 * 4);
    ahead<<<1, 32>>>(to, to + 32);
    WANT(cudaDeviceSynchronize() == cudaSuccess);
    WANT(count_wrong<half>(11, -24, 65520) == 0);
    WANT(count_wrong<__nv_bfloat16>(8, -133, std::ldexp(1.0, 128)) == 0);
    half h[4];
    halves<<<1, 1>>>(reinterpret_cast<__half2 *>(to));
    cudaMemcpy(h, to, sizeof h, cudaMemcpyDeviceToHost);
    WANT(__half2float(h[0]) == 5 && __half2float(h[1]) == 6);
    WANT(__half2float(h[2]) == 2048 && std::isinf(__half2float(h[3])));
    WANT(__half2float(__float2half_rz(-2051)) == -2050 &&
         __half2float(__float2half_rz(65520)) == 65504);
    WANT(__bfloat162float(__float2bfloat16(1 + power(-8))) == 1);
    WANT(__bfloat162float(__float2bfloat16(1 + 3 * power(-8))) == 1 + power(-6));
    WANT(__bfloat162float(__float2bfloat16(1 + power(-8) + power(-20))) == 1 + power(-7));
    return end();
}
