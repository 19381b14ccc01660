// SPDX-License-Identifier: MIT
// Inline PTX of matrix multiplications, used as it should be: prints "right".
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "right.h"

#define CP_ASYNC(to, from, bytes)                                                                  \
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n" ::"r"(to), "l"(from),      \
                 "n"(bytes))
#define LDMATRIX_X4(r, address)                                                                    \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"              \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                  \
                 : "r"(address))

// C (16 x 8) = A (16 x 16) * B (16 x 8), all row-major, by one warp.
__global__ void product(const half *A, const half *B, float *C, half *C_half)
{
    __shared__ alignas(16) half a[16 * 16], b[16 * 8];
    const unsigned lane = threadIdx.x;
    const uint32_t a_address = (uint32_t)__cvta_generic_to_shared(a);
    uint32_t b_address;
    asm("{ .reg .u64 address; cvta.to.shared.u64 address, %1; cvt.u32.u64 %0, address; }"
        : "=r"(b_address)
        : "l"(b));
    CP_ASYNC(a_address + lane * 16, &A[lane * 8], 16);
    if (lane < 16)
        CP_ASYNC(b_address + lane * 16, &B[lane * 8], 16);
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
    __syncthreads();
    uint32_t ra[4], rb[2], rh[2] = {0, 0};
    float c[4] = {0, 0, 0, 0};
    LDMATRIX_X4(ra, a_address + (lane % 16 * 16 + lane / 16 * 8) * 2);
    asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];"
                 : "=r"(rb[0]), "=r"(rb[1])
                 : "r"(b_address + lane % 16 * 16));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
        "{%8, %9};"
        : "=r"(rh[0]), "=r"(rh[1])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "r"(rh[0]),
          "r"(rh[1]));
    for (int t = 0; t < 4; t++) {
        const unsigned i = lane / 4 + t / 2 * 8, j = lane % 4 * 2 + t % 2;
        C[i * 8 + j] = c[t];
        C_half[i * 8 + j] = ((half *)rh)[t];
    }
}

// The same of the first 8 of k, with other types; the lanes read what the manual says that they
// have.
__global__ void others(const float *A, const float *B, float *C)
{
    const unsigned g = threadIdx.x / 4, q = threadIdx.x % 4;
    float c[4] = {0, 0, 0, 0}, d[4] = {0, 0, 0, 0};
    uint32_t a[4], b[2];
    for (unsigned t = 0; t < 4; t++)
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(a[t]) : "f"(A[(g + t % 2 * 8) * 16 + q + t / 2 * 4]));
    for (unsigned t = 0; t < 2; t++)
        b[t] = __float_as_uint(B[(q + t * 4) * 8 + g]);
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    __nv_bfloat162 x[2], y;
    for (unsigned t = 0; t < 2; t++)
        x[t] = __floats2bfloat162_rn(A[(g + t * 8) * 16 + 2 * q], A[(g + t * 8) * 16 + 2 * q + 1]);
    y = __floats2bfloat162_rn(B[2 * q * 8 + g], B[(2 * q + 1) * 8 + g]);
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(*(uint32_t *)&x[0]), "r"(*(uint32_t *)&x[1]), "r"(*(uint32_t *)&y));
    for (unsigned t = 0; t < 4; t++) {
        const unsigned at = (g + t / 2 * 8) * 8 + q * 2 + t % 2;
        C[at] = c[t];
        C[128 + at] = d[t];
    }
}

// Loads that a predicate allows, and a lane's number.
__global__ void guarded(const float *from, float *to)
{
    float x = -1;
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("{.reg .pred p;\n"
                 " setp.ne.b32 p, %2, 0;\n" // comment
                 " @p ld.global.nc.f32 %0, [%1];}\n"
                 : "+f"(x)
                 : "l"(from + lane), "r"((int)(lane < 3)));
    asm volatile("st.global.f32 [%0], %1;" ::"l"(to + lane), "f"(x) : "memory");
}

int main()
{
    half a[256], b[128], c_half[128], *A, *B, *C_half;
    float fa[256], fb[128], c[128], two[256], *FA, *FB, *C;
    for (int i = 0; i < 256; i++)
        a[i] = fa[i] = float(i * 7 % 11 - 5);
    for (int i = 0; i < 128; i++)
        b[i] = fb[i] = float(i * 5 % 13 - 6);
    cudaMalloc(&A, sizeof a);
    cudaMalloc(&B, sizeof b);
    cudaMalloc(&C_half, sizeof c_half);
    cudaMalloc(&FA, sizeof fa);
    cudaMalloc(&FB, sizeof fb);
    cudaMalloc(&C, sizeof two);
    cudaMemcpy(A, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(B, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(FA, fa, sizeof fa, cudaMemcpyHostToDevice);
    cudaMemcpy(FB, fb, sizeof fb, cudaMemcpyHostToDevice);
    product<<<1, 32>>>(A, B, C, C_half);
    cudaMemcpy(c, C, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpy(c_half, C_half, sizeof c_half, cudaMemcpyDeviceToHost);
    others<<<1, 32>>>(FA, FB, C);
    WANT(cudaMemcpy(two, C, sizeof two, cudaMemcpyDeviceToHost) == cudaSuccess);
    int bad = 0;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            float sum = 0, first = 0;
            for (int k = 0; k < 16; k++) {
                sum += fa[i * 16 + k] * fb[k * 8 + j];
                first = k == 7 ? sum : first;
            }
            bad += c[i * 8 + j] != sum || __half2float(c_half[i * 8 + j]) != sum;
            bad += two[i * 8 + j] != first || two[128 + i * 8 + j] != first;
        }
    WANT(bad == 0);
    guarded<<<1, 32>>>(FA, C);
    cudaMemcpy(c, C, sizeof c, cudaMemcpyDeviceToHost);
    WANT(c[0] == fa[0] && c[2] == fa[2] && c[3] == -1);
    return end();
}
