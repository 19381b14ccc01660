// SPDX-License-Identifier: MIT
// Hopper's instructions as functions, by the names of PTX and CUTLASS: mbarrier (barriers in shared
// memory that count bytes), TMA (copies of boxes, cp.async.bulk.tensor), wgmma (asynchronous
// products of a warpgroup). CUDA C++ has none for wgmma, which compute capability 9.0 alone has: so
// all are PTX (docs.nvidia.com/cuda/parallel-thread-execution). CUDA 12.5 or later.
#ifndef HOPPER_H
#define HOPPER_H

#include <cuda.h>
#include <cudaTypedefs.h>
#include "gpu.h"
#include "tensor.h"

#define WARPGROUP_SIZE                                                                             \
    128 // threads: four contiguous warps, the rank of the first a multiple of four

// A row-major matrix as TMA sees it: boxes of box_rows x box_cols elements, each row of a box 64 or
// 128 bytes; elements outside of the matrix are loaded as 0. `data` and `pitch`, the bytes from one
// row to the next, are multiples of 16. `type`: CU_TENSOR_MAP_DATA_TYPE_FLOAT32, or TFLOAT32, which
// rounds to TF32 on the way, or BFLOAT16. In shared memory a box is swizzled, so that a column of
// 16-byte vectors lies in different banks: vector v of row r is at v ^ r % 8; in rows of 64 bytes,
// at v ^ r / 2 % 4. L2 promotion of 256 bytes costs lab 19 14 percent where rows begin amid a line.
static inline CUtensorMap make_tensor_map(const void *data, size_t pitch, int rows, int cols,
                                          int box_rows, int box_cols, CUtensorMapDataType type)
{
    // Of the driver, found without linking it.
    static PFN_cuTensorMapEncodeTiled_v12000 encode_tiled;
    cudaDriverEntryPointQueryResult found;
    if (encode_tiled == NULL) {
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode_tiled,
                                               12000, cudaEnableDefault, &found));
        if (encode_tiled == NULL || found != cudaDriverEntryPointSuccess)
            exit_with(EXIT_SKIPPED,
                      "skipped: this driver has no cuTensorMapEncodeTiled: that of CUDA 12 has");
    }
    const cuuint64_t global_dim[] = {(cuuint64_t)cols, (cuuint64_t)rows},
                     global_strides[] = {pitch};
    const cuuint32_t box_dim[] = {(cuuint32_t)box_cols, (cuuint32_t)box_rows},
                     element_strides[] = {1, 1};
    const int row_bytes = box_cols * (type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 ? 2 : 4);
    CUtensorMap map;
    CUresult status =
        encode_tiled(&map, type, 2, (void *)data, global_dim, global_strides, box_dim,
                     element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE,
                     row_bytes == 64 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B,
                     CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (status != CUDA_SUCCESS)
        exit_with(EXIT_USAGE, "cuTensorMapEncodeTiled failed with %d: boxes of %d x %d",
                  (int)status, box_rows, box_cols);
    return map;
}

// Shared memory is an address space of its own, of 32 bits.
static __device__ inline unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

// A barrier in shared memory, with transaction count: a phase completes after `count` arrivals,
// when all bytes expected have been copied.
typedef unsigned long long mbarrier;

static __device__ inline void mbarrier_init(mbarrier *b, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count));
}

// After the last mbarrier_init and before __syncthreads(): makes the barriers visible to TMA, too.
static __device__ inline void fence_mbarrier_init(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;\n"
                 "fence.proxy.async.shared::cta;" ::
                     : "memory");
}

static __device__ inline void mbarrier_arrive(mbarrier *b)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}

// Arrives at the barrier at the same address in the shared memory of block `block` of the cluster.
// It does not say .release.cluster, which is a fence of the whole GPU (README of lab 19): consumers
// have only read.
static __device__ inline void mbarrier_arrive_cluster(mbarrier *b, int block)
{
    asm volatile("{\n"
                 ".reg .b32 remote;\n"
                 "mapa.shared::cluster.u32 remote, %0, %1;\n"
                 "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
                 "}" ::"r"(shared_address(b)),
                 "r"(block)
                 : "memory");
}

// All threads of the cluster that have not returned wait for each other.
static __device__ inline void cluster_sync(void)
{
    asm volatile("barrier.cluster.arrive.release;\n"
                 "barrier.cluster.wait.acquire;" ::
                     : "memory");
}

// Arrives, and has the phase wait for so many bytes from TMA.
static __device__ inline void mbarrier_arrive_expect_tx(mbarrier *b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)),
                 "r"(bytes)
                 : "memory");
}

// Waits until phase n (0, 1, ...), the current or the previous one, has completed. Phase -1 has: a
// barrier that was just initialized waits for nobody.
static __device__ inline void mbarrier_wait(mbarrier *b, int phase)
{
    unsigned done;
    do
        asm volatile("{\n"
                     ".reg .pred done;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, done;\n"
                     "}"
                     : "=r"(done)
                     : "r"(shared_address(b)), "r"(phase & 1)
                     : "memory");
    while (!done);
}

// One thread issues the copy of the box at `row`, `col` of the matrix to `tile`, which begins at a
// multiple of 1024 bytes; its bytes count on the barrier when they have arrived.
static __device__ inline void tma_load_2d(void *tile, const CUtensorMap *matrix, int row, int col,
                                          mbarrier *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(tile)),
                 "l"(matrix), "r"(col), "r"(row), "r"(shared_address(b))
                 : "memory");
}

// Multicast: L2 is read once, and the box is copied to the same address in each block of the
// cluster whose bit is set in `blocks`. There its bytes count on the barrier at the same address.
static __device__ inline void tma_load_2d_multicast(void *tile, const CUtensorMap *matrix, int row,
                                                    int col, mbarrier *b, unsigned blocks)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(tile)),
                 "l"(matrix), "r"(col), "r"(row), "r"(shared_address(b)),
                 "h"((unsigned short)blocks)
                 : "memory");
}

// After writing, and before the barrier: what this thread wrote to shared memory (generic proxy) is
// visible to wgmma and TMA (async proxy) past that barrier.
static __device__ inline void fence_proxy_async(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// wgmma is asynchronous: wgmma_fence(), any count of wgmma_m64n128k8_tf32(), wgmma_commit_group(),
// wgmma_wait_group<0>(), then fence_operands() for all registers that they read or write.
// CUTLASS: warpgroup_arrive, the atom SM90_64x128x8_F32TF32TF32_RS_TN, warpgroup_commit_batch,
// warpgroup_wait.
static __device__ inline void wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ inline void wgmma_commit_group(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Until at most n of the groups committed are still pending.
template <int n> static __device__ inline void wgmma_wait_group(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory");
}

// The compiler does not know that wgmma still reads and writes its operands after
// wgmma_commit_group(): without this it reuses their registers, or reads an accumulator before it
// is complete. CUTLASS: warpgroup_fence_operand.
static __device__ inline void fence_operands(float *operands, int count)
{
#pragma unroll
    for (int n = 0; n < count; n++)
        asm volatile("" : "+f"(operands[n])::"memory");
}

// The matrix descriptor of a K-major tile in shared memory with the 128-byte swizzle: rows of 128
// bytes, eight of which are 1024 bytes. 64 rows further it is 512 more, 8 columns further 2 more.
static __device__ inline unsigned long long make_smem_descriptor(const void *tile)
{
    const unsigned long long vector = 1ull << 16, eight_rows = 1024ull / 16 << 32,
                             swizzle_128 = 1ull << 62;
    return (shared_address(tile) & 0x3FFFF) >> 4 | vector | eight_rows | swizzle_128;
}

// The matrix descriptor of an MN-major tile of 16-bit elements with the 128-byte swizzle, such as
// row-major B: boxes of 64 columns, `box_bytes` each, one after the other. A row of a box is one k,
// 128 bytes; eight rows are 1024 bytes. The leading dimension byte offset leads to the next box,
// the stride dimension byte offset to the next eight k. 16 k further the descriptor is 128 more.
static __device__ inline unsigned long long make_smem_descriptor_mn(const void *tile, int box_bytes)
{
    const unsigned long long leading = (unsigned long long)box_bytes / 16 << 16,
                             stride = 1024ull / 16 << 32, swizzle_128 = 1ull << 62;
    return (shared_address(tile) & 0x3FFFF) >> 4 | leading | stride | swizzle_128;
}

// sum (64 x 128) = left (64 x 8) * right (128 x 8, a row for each column of the sum) + sum, or + 0
// if not `scale_d`. TF32: the last 13 bits of each input are truncated. Thread t of the warpgroup
// has, with w = t / 32 the warp, g = t % 32 / 4 and q = t % 4,
//   of left the rows 16 * w + g (left[0], left[2]) and 8 more (left[1], left[3]), columns q, q + 4;
//   of the sum, for n = 0..15, those rows (sum[4 * n], and 4 * n + 2), columns 8 * n + 2 * q and
//     the next.
static __device__ inline void wgmma_m64n128k8_tf32(float *sum, const float *left,
                                                   unsigned long long right, bool scale_d)
{
    asm volatile(
        "{\n"
        ".reg .pred scale_d;\n"
        "setp.ne.b32 scale_d, %69, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, "
        "%17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, "
        "%47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
        "%62, %63}, "
        "{%64, %65, %66, %67}, %68, scale_d, 1, 1;\n"
        "}"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]),
          "+f"(sum[6]), "+f"(sum[7]), "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]),
          "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]), "+f"(sum[15]), "+f"(sum[16]), "+f"(sum[17]),
          "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]), "+f"(sum[22]), "+f"(sum[23]),
          "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]), "+f"(sum[29]),
          "+f"(sum[30]), "+f"(sum[31]), "+f"(sum[32]), "+f"(sum[33]), "+f"(sum[34]), "+f"(sum[35]),
          "+f"(sum[36]), "+f"(sum[37]), "+f"(sum[38]), "+f"(sum[39]), "+f"(sum[40]), "+f"(sum[41]),
          "+f"(sum[42]), "+f"(sum[43]), "+f"(sum[44]), "+f"(sum[45]), "+f"(sum[46]), "+f"(sum[47]),
          "+f"(sum[48]), "+f"(sum[49]), "+f"(sum[50]), "+f"(sum[51]), "+f"(sum[52]), "+f"(sum[53]),
          "+f"(sum[54]), "+f"(sum[55]), "+f"(sum[56]), "+f"(sum[57]), "+f"(sum[58]), "+f"(sum[59]),
          "+f"(sum[60]), "+f"(sum[61]), "+f"(sum[62]), "+f"(sum[63])
        : "r"(__float_as_uint(left[0])), "r"(__float_as_uint(left[1])),
          "r"(__float_as_uint(left[2])), "r"(__float_as_uint(left[3])), "l"(right),
          "r"((int)scale_d));
}

// sum (64 x columns) = left (64 x 16) * right (16 x columns) + sum, or + 0 if not `scale_d`, for
// 192, 224 or 256 columns. Both operands are bfloat16 in shared memory, left K-major and right
// MN-major: the last 1 of the instruction transposes it. A thread has the same elements of the sum
// as in wgmma_m64n128k8_tf32(), for n = 0..columns / 8 - 1. All 128 elements of `sum` are operands,
// so that they have the same numbers at each width; those that no instruction names cost nothing.
#define SUMS(n)                                                                                    \
    "+f"(sum[n]), "+f"(sum[n + 1]), "+f"(sum[n + 2]), "+f"(sum[n + 3]), "+f"(sum[n + 4]),          \
        "+f"(sum[n + 5]), "+f"(sum[n + 6]), "+f"(sum[n + 7])
#define REGISTERS_192                                                                              \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "   \
    "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "   \
    "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "   \
    "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, "   \
    "%74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, "   \
    "%92, %93, %94, %95"
#define REGISTERS_224                                                                              \
    REGISTERS_192                                                                                  \
    ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "           \
    "%110, %111"
#define REGISTERS_256                                                                              \
    REGISTERS_224                                                                                  \
    ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "             \
    "%125, %126, %127"
#define WGMMA(columns)                                                                             \
    asm volatile("{\n"                                                                             \
                 ".reg .pred scale_d;\n"                                                           \
                 "setp.ne.b32 scale_d, %130, 0;\n"                                                 \
                 "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32.bf16.bf16 "                 \
                 "{" REGISTERS_##columns "}, %128, %129, scale_d, 1, 1, 0, 1;\n}"                  \
                 : SUMS(0), SUMS(8), SUMS(16), SUMS(24), SUMS(32), SUMS(40), SUMS(48), SUMS(56),   \
                   SUMS(64), SUMS(72), SUMS(80), SUMS(88), SUMS(96), SUMS(104), SUMS(112),         \
                   SUMS(120)                                                                       \
                 : "l"(left), "l"(right), "r"((int)scale_d))
template <int columns>
static __device__ inline void wgmma_m64k16_bf16(float *sum, unsigned long long left,
                                                unsigned long long right, bool scale_d)
{
    static_assert(columns == 192 || columns == 224 || columns == 256, "another width");
    if (columns == 192)
        WGMMA(192);
    else if (columns == 224)
        WGMMA(224);
    else
        WGMMA(256);
}
#undef WGMMA
#undef REGISTERS_256
#undef REGISTERS_224
#undef REGISTERS_192
#undef SUMS

// How many registers each thread of this warpgroup has from here on, more or fewer: the warpgroups
// share those of the launch. CUTLASS: warpgroup_reg_alloc, warpgroup_reg_dealloc.
template <int n> static __device__ inline void setmaxnreg_inc(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n));
}

template <int n> static __device__ inline void setmaxnreg_dec(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n));
}
#endif
